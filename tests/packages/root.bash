# SPDX-License-Identifier: MIT
#
# For tests of packages: counted checks, and an empty Debian 12 of our own. Read after set -u; $top is a folder
# that leaves with the script, $root the Debian's.
# shellcheck shell=bash
: "${SRC:?is set by make}"
export LC_ALL=C.UTF-8 TZ=UTC DEBIAN_FRONTEND=noninteractive
unset MAKEFLAGS MFLAGS MAKELEVEL DESTDIR

about=${about-packages} failed=0 passed=0 skipped=0
check() { # WHAT COMMAND...
	local what=$1

	shift
	if "$@"; then
		echo "ok - $about: $what"
		passed=$((passed + 1))
	else
		echo "not ok - $about: $what"
		failed=$((failed + 1))
	fi
}
skip() {
	echo "skip - $about: $1"
	skipped=$((skipped + 1))
}
finish() {
	echo "$passed passed, $failed failed, $skipped skipped"
	exit $((failed != 0))
}

# What is mounted in a root of ours leaves before the root does.
top=$(mktemp -d "${TMPDIR:-/tmp}/tracemill-packages.XXXXXX") root=$top/root
trap 'umount_root; keep_logs; rm -rf --one-file-system "$top"' EXIT
# shellcheck disable=SC2034 # of those that read this
version=$(cat "$SRC/VERSION")

# LOGS=FOLDER: what commands wrote stays there.
keep_logs() {
	[ -z "${LOGS-}" ] || { mkdir -p "$LOGS" && cp "$top"/*.log "$top"/*.out "$top"/*.err "$LOGS"; } 2>/dev/null
}
umount_root() {
	local d

	for d in dev/shm dev/pts proc; do
		! mountpoint -q "$root/$d" || umount "$root/$d"
	done
}
able() {
	[ "$(id -u)" = 0 ] && command -v debootstrap >/dev/null
}
# Of Ubuntu's newer suites this debootstrap may have no script, which would be the same as that of the older ones; without
# Ubuntu's keys here, the first packages come unverified into a root that is thrown away.
boot() { # SUITE: into $root; ROOTS=FOLDER has some that were made before
	local options=(--variant=minbase) script=

	if [ -d "${ROOTS-}/$1" ]; then
		cp -a "$ROOTS/$1" "$root"
		return
	fi
	case $1 in
	jammy | noble)
		options+=("--components=main,universe")
		[ -f /usr/share/keyrings/ubuntu-archive-keyring.gpg ] || options+=(--no-check-gpg)
		[ -e "/usr/share/debootstrap/scripts/$1" ] || script=gutsy
		;;
	esac
	debootstrap "${options[@]}" "$1" "$root" ${script:+"" "$script"} >"$top/boot.log" 2>&1 || return 1
	# Also the machine's own way to the archive.
	cp -r /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/"
}
mount_root() {
	mount -t proc proc "$root/proc" && mkdir -p "$root/dev/pts" "$root/dev/shm" &&
		mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts" &&
		ln -sf pts/ptmx "$root/dev/ptmx" && mount -t tmpfs tmpfs "$root/dev/shm"
}
make_root() {
	if ! able; then
		skip "in an empty Debian (needs root and debootstrap)"
		finish
	fi
	if ! boot bookworm; then
		tail -n 5 "$top/boot.log"
		skip "in an empty Debian (debootstrap could not make one)"
		finish
	fi
	mount_root
}
in_root() {
	chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@" </dev/null
}
