#!/bin/bash
# SPDX-License-Identifier: MIT
#
# tests/packages/run.sh    (make check-packages sets the environment up)
#
# The packages that make packages has left: Debian's without an error or a warning of lintian, of the size that is promised;
# and RPM's. For root with debootstrap, in an empty Debian 12: they install, their own tests
# pass, and nothing of them stays behind a purge; then RPM's the same.
set -u
: "${SRC:?is set by make check-packages}"
enough=6144 # KiB: all programs with the library that they share

# shellcheck source=tests/packages/root.bash
. "$SRC/tests/packages/root.bash"
release=$SRC/build/release
tar -xf "$SRC/build/tracemill-$version.tar.gz" -C "$top" || exit 1
cd "$top/tracemill-$version" || exit 1
check "the tarball has no .git" [ ! -e .git ]
lintian --fail-on error,warning "$release"/*.changes >"$top/lintian" 2>&1
status=$?
head -n 20 "$top/lintian"
check "lintian: no error, no warning" [ $status = 0 ]
deb=$(echo "$release"/tracemill_*.deb)
size=$(dpkg-deb -f "$deb" Installed-Size)
check "all programs are $size KiB, of $enough" [ "$size" -le $enough ]
check "stripped" eval '! dpkg-deb -c "$deb" | grep -q "\.debug"'

# shellcheck disable=SC2317 # check calls them
rpm_of() { # OPTIONS...: of all RPM packages
	rpm -qp "$@" "$release"/*.rpm 2>>"$top/rpm.log"
}
if compgen -G "$release/*.rpm" >/dev/null; then
	rpmspec -q --qf '%{name}\n' rpm/tracemill.spec 2>>"$top/rpm.log" | grep -v -- '-debug' | sort >"$top/want"
	rpm_of --qf '%{name}\n' | grep -v -- '-debug' | sort >"$top/got"
	check "all that the specification names" cmp "$top/want" "$top/got"
	check "their library is one that others may need" eval "rpm_of --provides | grep -q '^libtracemill.so.1('"
	check "and no other library is" eval "! rpm_of --provides | grep '\.so' | grep -v '^libtracemill.so.1('"
	check "nor a needed one that no package has" eval "! rpm_of --requires | grep -i 'rooms'"
fi

make_root
files() {
	find "$root"/usr "$root"/etc "$root"/var/lib -xdev | sed "s|^$root||" | grep -i tracemill | grep -v '^/var/lib/dpkg/info/'
}
mkdir "$root/debs"
cp "$release"/*.deb "$root/debs"
mkdir "$root/debs/source"
cp -r debian examples python "$root/debs/source"
in_root apt-get update >"$top/apt.log" 2>&1
in_root sh -c 'apt-get install -y --no-install-recommends gcc libc6-dev binutils musl-tools pkg-config python3' >>"$top/apt.log" 2>&1
in_root sh -c 'apt-get install -y --no-install-recommends /debs/*.deb' >>"$top/apt.log" 2>&1
status=$?
[ $status = 0 ] || tail -n 15 "$top/apt.log"
check "they install in an empty Debian" [ $status = 0 ]
for t in debian/tests/main-job debian/tests/library; do
	name=${t##*/}
	mkdir "$root/debs/$name"
	in_root env AUTOPKGTEST_TMP="/debs/$name" sh -c "cd /debs/source && sh $t" >"$top/$name.log" 2>&1
	status=$?
	[ $status = 0 ] || tail -n 15 "$top/$name.log"
	check "$name passes there" [ $status = 0 ]
done
names=$(for d in "$release"/*.deb; do dpkg-deb -f "$d" Package; done)
# shellcheck disable=SC2086 # names
in_root dpkg --purge $names >>"$top/apt.log" 2>&1
status=$?
files >"$top/left"
head -n 10 "$top/left"
check "nothing of them stays behind a purge" eval '[ $status = 0 ] && [ ! -s "$top/left" ]'

# What RPM's packages need is here still: Debian's needed it, too. Debian's linker and pkg-config do not look in lib64,
# and what Python compiles goes with Debian's packages only.
if ! compgen -G "$release/*.rpm" >/dev/null; then
	skip "RPM's packages (none was made)"
	finish
fi
shared=$(rpm --eval '%{_libdir}')
of_rpm() {
	rpm --root "$root" --dbpath /var/lib/rpm "$@" >>"$top/rpm.log" 2>&1
}
of_rpm --install --nodeps "$release"/*.rpm
status=$?
[ $status = 0 ] || tail -n 5 "$top/rpm.log"
check "RPM's install there" [ $status = 0 ]
for t in debian/tests/main-job debian/tests/library; do
	name=rpm-${t##*/}
	mkdir "$root/debs/$name"
	in_root env AUTOPKGTEST_TMP="/debs/$name" LD_LIBRARY_PATH="$shared" PKG_CONFIG_PATH="$shared/pkgconfig" \
		PYTHONDONTWRITEBYTECODE=1 sh -c "cd /debs/source && sh $t" >"$top/$name.log" 2>&1
	status=$?
	[ $status = 0 ] || tail -n 15 "$top/$name.log"
	check "$name passes there" [ $status = 0 ]
done
# shellcheck disable=SC2046 # names
of_rpm --erase --nodeps $(cat "$top/got")
status=$?
rm -rf "$root/var/lib/rpm"
files >"$top/left"
head -n 10 "$top/left"
check "nothing of RPM's stays behind --erase" eval '[ $status = 0 ] && [ ! -s "$top/left" ]'
finish
