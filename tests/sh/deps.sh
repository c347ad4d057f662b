#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# tier: all
#
# .ci/deps with an apt-get that only writes down its arguments: it looks first, says the
# size, and installs; it never removes or replaces a package, and without root it prints one line. And the
# Makefile looks around again after it has installed something: on a fresh machine the tests of Lua are
# those of the Lua that `make check` brought.
# shellcheck disable=SC2016,SC2034,SC2317 # check evaluates
set -u
: "${SRC:?}"
unset DEPS_REPLACE # CI's

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"

# Nothing of the system but the shell's tools: what dpkg-query does not name is missing.
mkdir bin
for tool in sh bash cat cut dirname echo env grep head mkdir mv paste rm sed tr; do
	ln -s "$(type -P $tool)" bin/$tool
done
cat >bin/dpkg-query <<'X'
#!/bin/sh
for name; do
	case " $MISSING " in *" $name "*) ;; *) echo "installed $name" ;; esac
done
X
cat >bin/id <<'X'
#!/bin/sh
echo "$USER_ID"
X
# The plan of several packages is that of each: PLAN_x for package x.
cat >bin/apt-get <<'X'
#!/bin/sh
echo "$*" >>log
case " $* " in
*' update '*) : >updated ;;
*' -s '*)
	[ -z "$NEEDS_UPDATE" ] || [ -e updated ] || exit 100
	for name; do
		case $name in
		zip) echo 'Inst zip (3.0-13 Debian:12/stable [amd64])' ;;
		dwz) printf 'Remv gcc-multilib [4:12.2]\nInst dwz (0.15-1 Debian:12 [amd64])\n' ;;
		libseccomp-dev) printf 'Remv seccomp-old [1.0]\nInst libseccomp-dev (2.5 Debian:12 [amd64])\n' ;;
		libc++abi-19-dev) printf 'Remv libc++1-14 [14.0]\nInst libc++abi-19-dev (19.1 Debian:12 [amd64])\n' ;;
		jq) printf 'Inst libc6 [2.36-9] (2.36-10 Debian:12 [amd64])\nInst jq (1.6 Debian:12 [amd64])\n' ;;
		esac
	done ;;
*' download '*) : >"$3.deb" ;;
*' --assume-no '*)
	echo 'Need to get 30.9 kB of archives.'
	echo 'After this operation, 136 kB of additional disk space will be used.'
	exit 1 ;;
esac
X
# A package has the library that it is unpacked for.
cat >bin/dpkg-deb <<'X'
#!/bin/sh
mkdir -p "$3/usr/lib/llvm-19/lib" && : >"$3/usr/lib/llvm-19/lib/libc++abi.a"
X
chmod +x bin/*
# A tree of its own, since something may be unpacked in it.
mkdir -p own/.ci own/tests/sh own/testdata/make.d
cp "$SRC/.ci/deps" own/.ci
cp "$SRC"/tests/sh/*.sh own/tests/sh
cp "$SRC"/testdata/make.d/*.sh own/testdata/make.d
deps() { # MISSING... ; to out
	rm -f log updated
	: >log
	env -i PATH="$PWD/bin" MISSING="$*" USER_ID="${USER_ID-0}" DEPS_REPLACE="${DEPS_REPLACE-}" NEEDS_UPDATE="${NEEDS_UPDATE-}" CC=false \
		sh own/.ci/deps check >out 2>&1
	status=$?
}
installed() { grep -v -e '-s ' -e --assume-no -e update log | grep -c install; }

deps
check 'nothing is missing: apt-get is not even started' eval '[ $status = 0 ] && [ ! -s log ] && [ ! -s out ]'

deps zip
check 'what is missing is installed' eval '[ $status = 0 ] && [ "$(installed)" = 1 ]'
check '... alone, without recommendations or removals' \
	grep -qx 'install --no-install-recommends zip -y --no-remove -o DPkg::Lock::Timeout=900' log
check '... it says what, and its size, before' grep -qx 'tracemill: that is 30.9 kB, 136 kB after unpacking' out
check '... and the lists are not refreshed' eval '! grep -q update log'

NEEDS_UPDATE=1 deps zip
check 'lists that do not know it are refreshed first' eval '[ $status = 0 ] && [ "$(grep -c update log)" = 1 ] &&
	[ "$(installed)" = 1 ]'

deps dwz zip
check 'what would remove a package is refused' eval '[ $status = 1 ] && [ "$(installed)" = 0 ]'
check '... it says which' grep -q '^    remove gcc-multilib$' out
check '... which of them does it, and a test that needs it' grep -q 'without dwz .*make.d/' out
check '... and not of the other one' eval '! grep -q "without zip" out'
check '... and the line to run' \
	grep -qx 'tracemill: run: sudo apt-get install --no-install-recommends dwz zip' out

deps jq
check 'what would replace a package is refused' eval '[ $status = 1 ] && [ "$(installed)" = 0 ]'
check '... it says by what' grep -q '^    replace libc6 2.36-9 by 2.36-10$' out

deps libseccomp-dev zip
check 'an optional one that would is left out, the others are installed' eval '[ $status = 0 ] &&
	grep -qx "install --no-install-recommends zip -y --no-remove -o DPkg::Lock::Timeout=900" log'
check '... it says why' grep -qx 'tracemill: going on without libseccomp-dev: to install it would remove seccomp-old' out
deps libseccomp-dev
check '... alone, it is no failure' eval '[ $status = 0 ] && [ "$(installed)" = 0 ]'
deps libseccomp-dev dwz
check '... and excuses no other one' eval '[ $status = 1 ] && [ "$(installed)" = 0 ] && grep -q "run: .* dwz$" out'

if [ -f /usr/lib/llvm-19/lib/libc++abi.a ]; then
	echo "skip - a library of a package that cannot be installed is taken out of it (it is installed here)"
else
	deps libc++abi-19-dev zip
	check 'a library of a package that cannot be installed is taken out of it' eval '[ $status = 0 ] && [ "$(installed)" = 1 ] &&
		[ -f own/build/packages/libc++abi-19-dev/usr/lib/llvm-19/lib/libc++abi.a ]'
	check '... it says why' grep -qx 'tracemill: going on with an unpacked libc++abi-19-dev: to install it would remove libc++1-14' out
	deps libc++abi-19-dev
	check '... once' eval '[ $status = 0 ] && [ ! -s log ]'
	check '... and is linked' eval 'CC=false PATH="$PWD/bin" sh own/.ci/deps flags | grep -q "packages/libc++abi-19-dev/.*/libc++abi.a .*\|-DHAVE_LIBCXXABI"'
fi

DEPS_REPLACE=1 deps jq
check 'but where the machine is nobody'"'"'s desk' eval '[ $status = 0 ] && [ "$(installed)" = 1 ]'
DEPS_REPLACE=1 deps dwz
check '... and nothing is removed there either' eval '[ $status = 1 ] && [ "$(installed)" = 0 ]'

USER_ID=1000 deps zip
check 'without root: a line to run, and its size' eval '[ $status = 1 ] && [ "$(installed)" = 0 ] &&
	grep -q "that is 30.9 kB" out && grep -qx "tracemill: run: sudo apt-get install --no-install-recommends zip" out'
NEEDS_UPDATE=1 USER_ID=1000 deps zip
check 'without root and lists: a line to run' eval '[ $status = 1 ] && ! grep -q update log &&
	grep -q "run: sudo apt-get install" out'
rm bin/apt-get
deps zip
check 'without apt-get: a line to run' eval '[ $status = 1 ] && grep -q "run: sudo apt-get install" out'

# A tree in which .ci/deps brings Lua 5.4 with what tests need, and nothing before.
mkdir -p tree/.ci tree/pc
for f in "$SRC"/*; do
	[ "${f##*/}" = build ] || ln -s "$f" tree/
done
cat >tree/.ci/deps <<'X'
#!/bin/sh
echo "$1" >>deps.log
mkdir installing || echo two >>deps.log
sleep 0.5
rmdir installing
case $1 in
flags) echo 'TM_LIBS :=' ;;
check | all) printf 'Name: Lua\nDescription: Lua\nVersion: 5.4\n' >pc/lua5.4.pc ;;
esac
X
chmod +x tree/.ci/deps
printf 'include Makefile\ncheck: ; @echo modules: $(LUA_SO)\n' >tree/ask.mk
planned() { # what make would build for its tests; of our environment it knows nothing: SHARED is a knob of it
	(cd tree && env -i PATH="$PATH" PKG_CONFIG_LIBDIR="$PWD/pc" timeout 60 \
		make -n -f ask.mk check T=sh/record_lua 2>../err)
}
if command -v pkg-config >/dev/null; then
	planned >out
	check 'make check installs what tests need' grep -Eqx 'check|all' tree/deps.log
	check '... never twice at once' eval '! grep -qx two tree/deps.log'
	check '... and then knows the Lua that came with it' grep -Eq '^echo modules: .*lib/lua5\.4/tracemill\.so$' out
	check '... which it builds' grep -Eq -- '-o build/[^ ]*/lib/lua5\.4/tracemill\.so' out
else
	echo 'skip - make looks around after it has installed something: no pkg-config'
fi
exit $failed
