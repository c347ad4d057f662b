# SPDX-License-Identifier: MIT
#
# For tests of packages: counted checks, and an empty Debian 12 of our own. Read after set -u; $top is a folder
# that leaves with the script, $root the Debian's.
# shellcheck shell=bash
: "${SRC:?is set by make}"
export LC_ALL=C.UTF-8 TZ=UTC DEBIAN_FRONTEND=noninteractive
unset MAKEFLAGS MFLAGS MAKELEVEL DESTDIR

failed=0 passed=0 skipped=0
check() { # WHAT COMMAND...
	local what=$1

	shift
	if "$@"; then
		echo "ok - packages: $what"
		passed=$((passed + 1))
	else
		echo "not ok - packages: $what"
		failed=$((failed + 1))
	fi
}
skip() {
	echo "skip - packages: $1"
	skipped=$((skipped + 1))
}
finish() {
	echo "$passed passed, $failed failed, $skipped skipped"
	exit $((failed != 0))
}

# What is mounted in a root of ours leaves before the root does.
top=$(mktemp -d "${TMPDIR:-/tmp}/tracemill-packages.XXXXXX") root=$top/root
trap '! mountpoint -q "$root/proc" || umount "$root/proc"; rm -rf "$top"' EXIT
# shellcheck disable=SC2034 # of those that read this
version=$(cat "$SRC/VERSION")

make_root() {
	if [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null; then
		skip "in an empty Debian (needs root and debootstrap)"
		finish
	fi
	if ! debootstrap --variant=minbase bookworm "$root" >"$top/boot.log" 2>&1; then
		tail -n 5 "$top/boot.log"
		skip "in an empty Debian (debootstrap could not make one)"
		finish
	fi
	# Also the machine's own way to the archive.
	cp -r /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/"
	mount -t proc proc "$root/proc"
}
in_root() {
	chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@" </dev/null
}
