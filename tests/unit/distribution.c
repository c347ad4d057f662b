/* SPDX-License-Identifier: MIT
 *
 * What a distribution's users type for debug files (lib/cli/distribution.h). The os-release files are as the
 * distributions' own packages have them, shortened.
 */
#include "lib/cli/distribution.h"

#include "tests/unit/test.h"

static const struct {
	const char *of, *os_release, *name, *server, *package, *install, *archive;
} cases[] = {
    {"Debian 12",
     "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nNAME=\"Debian "
     "GNU/Linux\"\nVERSION_ID=\"12\"\n"
     "VERSION=\"12 (bookworm)\"\nVERSION_CODENAME=bookworm\nID=debian\n",
     "Debian", "https://debuginfod.debian.net", "cmake", "sudo apt install cmake-dbgsym",
     "for s in bookworm-debug bookworm-proposed-updates-debug; do echo deb "
     "http://debug.mirrors.debian.org/debian-debug $s main; "
     "done | sudo tee /etc/apt/sources.list.d/debug.list && sudo apt update"},
    {"Debian 13",
     "NAME=\"Debian GNU/Linux\"\nVERSION_ID=\"13\"\nVERSION_CODENAME=trixie\nID=debian\n", "Debian",
     "https://debuginfod.debian.net", "libgl1", "sudo apt install libgl1-dbgsym",
     "for s in trixie-debug trixie-proposed-updates-debug; do echo deb "
     "http://debug.mirrors.debian.org/debian-debug $s main; "
     "done | sudo tee /etc/apt/sources.list.d/debug.list && sudo apt update"},
    {"Debian testing", "NAME=\"Debian GNU/Linux\"\nVERSION_CODENAME=forky\nID=debian\n", "Debian",
     "https://debuginfod.debian.net", "libc6", "sudo apt install libc6-dbg",
     "for s in forky-debug; do echo deb http://debug.mirrors.debian.org/debian-debug $s main; done "
     "| sudo "
     "tee "
     "/etc/apt/sources.list.d/debug.list && sudo apt update"},
    {"Debian without a codename", "ID=debian\nVERSION_ID=\"8\"\n", "Debian",
     "https://debuginfod.debian.net", "python3.11-minimal", "sudo apt install python3.11-dbg",
     NULL},
    {"Ubuntu 24.04",
     "NAME=\"Ubuntu\"\r\nVERSION_ID=\"24.04\"\r\nVERSION_CODENAME=noble\r\nID=ubuntu\r\nID_LIKE="
     "debian\r\n"
     "UBUNTU_CODENAME=noble\r\n",
     "Ubuntu", "https://debuginfod.ubuntu.com", "libpython3.12-stdlib",
     "sudo apt install libpython3.12-dbg",
     "sudo apt install ubuntu-dbgsym-keyring && for s in noble noble-updates; do echo deb "
     "http://ddebs.ubuntu.com $s "
     "main restricted universe multiverse; done | sudo tee /etc/apt/sources.list.d/ddebs.list && "
     "sudo apt update"},
    {"Linux Mint 21",
     "ID=linuxmint\nID_LIKE=\"ubuntu debian\"\nVERSION_ID=\"21.3\"\n"
     "VERSION_CODENAME=virginia\nUBUNTU_CODENAME=jammy\n",
     "Ubuntu", "https://debuginfod.ubuntu.com", "cmake", "sudo apt install cmake-dbgsym",
     "sudo apt install ubuntu-dbgsym-keyring && for s in jammy jammy-updates; do echo deb "
     "http://ddebs.ubuntu.com $s "
     "main restricted universe multiverse; done | sudo tee /etc/apt/sources.list.d/ddebs.list && "
     "sudo apt update"},
    {"LMDE 6",
     "ID=linuxmint\nID_LIKE=debian\nVERSION_ID=6\nVERSION_CODENAME=faye\nDEBIAN_CODENAME="
     "bookworm\n",
     "Debian", "https://debuginfod.debian.net", "cmake", "sudo apt install cmake-dbgsym",
     "for s in bookworm-debug bookworm-proposed-updates-debug; do echo deb "
     "http://debug.mirrors.debian.org/debian-debug $s main; "
     "done | sudo tee /etc/apt/sources.list.d/debug.list && sudo apt update"},
    /* Its packages are its own builds. */
    {"Raspbian", "ID=raspbian\nID_LIKE=debian\nVERSION_ID=\"12\"\nVERSION_CODENAME=bookworm\n",
     NULL, "https://debuginfod.elfutils.org", "cmake", NULL, NULL},
    {"Fedora", "NAME=\"Fedora Linux\"\nID=fedora\nVERSION_ID=41\nVERSION_CODENAME=\"\"\n", "Fedora",
     "https://debuginfod.fedoraproject.org", NULL,
     "sudo dnf debuginfo-install $(rpm -qf '/usr/bin/it'\"'\"'s')", NULL},
    {"CentOS Stream", "ID=\"centos\"\nID_LIKE=\"rhel fedora\"\nVERSION_ID=\"9\"\n", "CentOS",
     "https://debuginfod.centos.org", NULL,
     "sudo dnf debuginfo-install $(rpm -qf '/usr/bin/it'\"'\"'s')", NULL},
    {"openSUSE Tumbleweed",
     "ID=\"opensuse-tumbleweed\"\nID_LIKE=\"opensuse suse\"\nVERSION_ID=\"20250101\"\n", "openSUSE",
     "https://debuginfod.opensuse.org", NULL,
     "sudo zypper --plus-content debug install $(rpm -qf --qf '%{NAME}-debuginfo' "
     "'/usr/bin/it'\"'\"'s')",
     NULL},
    {"Arch", "NAME=\"Arch Linux\"\nID=arch\nBUILD_ID=rolling\n", "Arch",
     "https://debuginfod.archlinux.org", NULL, NULL, NULL},
    {"EndeavourOS", "ID='endeavouros'\nID_LIKE='arch'\n", "Arch",
     "https://debuginfod.archlinux.org", NULL, NULL, NULL},
    {"another", "ID=alpine\nVERSION_ID=3.20\n", NULL, "https://debuginfod.elfutils.org", NULL, NULL,
     NULL},
    {"none", "", NULL, "https://debuginfod.elfutils.org", "cmake", NULL, NULL},
    /* A name that a shell would take for more goes into no command. */
    {"a codename with a command", "ID=debian\nVERSION_ID=12\nVERSION_CODENAME=\"x; rm -r /\"\n",
     "Debian", "https://debuginfod.debian.net", "cmake", "sudo apt install cmake-dbgsym", NULL},
};

static bool is(const char *got, const char *want)
{
	return got && want ? !strcmp(got, want) : got == want;
}

TEST(each_distribution)
{
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct buf install = BUF_INIT, archive = BUF_INIT;
		struct distribution d;
		const char *host = NULL;
		bool has, add;

		distribution_read(&d, cases[i].os_release, strlen(cases[i].os_release));
		has = distribution_install(&d, cases[i].package, "/usr/bin/it's", &install);
		add = distribution_archive(&d, &archive, &host);
		if (!CHECK(is(distribution_name(&d), cases[i].name)) ||
		    !CHECK(is(distribution_server(&d), cases[i].server)) ||
		    !CHECK(is(has ? buf_str(&install) : NULL, cases[i].install)) ||
		    !CHECK(is(add ? buf_str(&archive) : NULL, cases[i].archive)))
			printf("  %s: %s; %s\n", cases[i].of, buf_str(&install), buf_str(&archive));
		/* The archive that its own line adds is found by the line. */
		CHECK(!add || strstr(buf_str(&archive), host));
		buf_release(&install);
		buf_release(&archive);
	}
}

TEST(packages_in_the_archive)
{
	static const char text[] = "ID=debian\nVERSION_CODENAME=bookworm\nVERSION_ID=12\n";
	struct distribution d;

	distribution_read(&d, text, sizeof text - 1);
	CHECK(distribution_is_apart(&d, "cmake"));
	CHECK(distribution_is_apart(&d, "libc6-dev"));
	CHECK(distribution_is_apart(&d, "python3.11-venv"));
	CHECK(!distribution_is_apart(&d, "libc6"));
	CHECK(!distribution_is_apart(&d, "python3.11"));
	CHECK(!distribution_is_apart(&d, "libpython3.11-minimal"));
	distribution_read(&d, "ID=fedora\n", 10);
	CHECK(!distribution_is_apart(&d, "cmake"));
}

TEST_MAIN()
