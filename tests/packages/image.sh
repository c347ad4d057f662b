#!/bin/bash
# SPDX-License-Identifier: MIT
#
# tests/packages/image.sh    (make check-packages sets the environment up)
#
# The image of Containerfile, built by buildah upon an empty Debian 12 that debootstrap makes: no registry is asked. Its
# programs start, record and report in it. buildah isolates by chroot, which needs no cgroups of its own.
set -u
export about=image
# shellcheck source=tests/packages/root.bash
. "$SRC/tests/packages/root.bash"

if ! able || ! command -v buildah >/dev/null; then
	skip "the image of Containerfile (needs root, debootstrap and buildah)"
	finish
fi
if ! boot bookworm; then
	tail -n 5 "$top/boot.log"
	skip "the image of Containerfile (debootstrap could not make its base)"
	finish
fi
store() { # COMMAND...: of buildah, with images of our own
	local command=$1

	shift
	buildah --root "$top/store" --runroot "$top/run" --storage-driver vfs "$command" "$@" 2>>"$top/log"
}
# shellcheck disable=SC2317 # check calls it
within() { # COMMAND...: in the image
	store run --isolation chroot "$container" -- "$@"
}
mkdir "$top/tree"
tar -xf "$SRC/build/tracemill-$version.tar.gz" -C "$top/tree" --strip-components=1 || exit 1
base=$(store from scratch) && store add -q "$base" "$root" / >/dev/null && store commit -q "$base" base >/dev/null && store rm "$base" >/dev/null
check "an empty Debian 12 is a base" [ $? = 0 ]
rm -rf --one-file-system "$root"
store build --isolation chroot --build-arg BASE=localhost/base -f "$top/tree/Containerfile" -t tracemill "$top/tree" >>"$top/log"
status=$?
[ $status = 0 ] || tail -n 20 "$top/log"
check "it is built upon it" [ $status = 0 ]
[ $status = 0 ] || finish
container=$(store from localhost/tracemill)
check "every program starts in it" within sh -c 'for p in /usr/bin/tm-* /usr/bin/tracemill; do $p --version >/dev/null || exit 1; done'
check "it records a program and reports" eval 'within sh -c "cd /tmp && tracemill run ls / 2>&1" | grep -q "tracemill top ls\..*\.tmt"'
check "it loads what a URL asks for" eval 'within sh -c "ls /usr/lib/*/libpq.so.5 /usr/lib/*/libdebuginfod.so.1" >/dev/null'
check "it has the manual" within test -f /usr/share/man/man7/tracemill-tutorial.7
check "no compiler is left in it" eval '! within sh -c "command -v gcc || ls -d /src" >/dev/null'
check "it runs tracemill" eval 'store inspect --type image --format "{{.OCIv1.Config.Entrypoint}}" localhost/tracemill | grep -qxF "[tracemill]"'
finish
