#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# tier: all
#
# .ci/deps with an apt-get that only writes down its arguments: it looks first, says the
# size, and installs; it upgrades within the release, removes nothing and replaces nothing by another release's;
# what is optional stops nothing; without root it prints one line. So with other systems' managers, and with none.
# Lines that it prints for the user to type are typed. tests/packages/roots.sh does so with the true apt-get.
# And the Makefile looks around again after it has installed something: on a fresh machine the tests of Lua are
# those of the Lua that `make check` brought.
# shellcheck disable=SC2016,SC2034,SC2317 # check evaluates
set -u
: "${SRC:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"

# Nothing of the system but the shell's tools: what dpkg-query does not name is missing.
mkdir bin
for tool in sh bash awk cat cut dirname echo env grep head mkdir mv paste rm sed tar tr wc; do
	ln -s "$(type -P $tool)" bin/$tool
done
cat >bin/dpkg-query <<'X'
#!/bin/sh
for name; do
	case " $MISSING " in *" $name "*) ! grep -qx -e "$name" have || echo "installed $name" ;; *) echo "installed $name" ;; esac
done
X
cat >bin/id <<'X'
#!/bin/sh
echo "$USER_ID"
X
# One that asks for a password.
cat >bin/sudo <<'X'
#!/bin/sh
[ "$1" != -n ] || exit 1
"$@"
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
		jq) printf 'Inst libc6 [2.36-9] (2.36-10 Debian:12.5/stable, Debian-Security:12/stable-security [amd64])\nInst jq (1.6 Debian:12 [amd64])\n' ;;
		lz4) printf 'Inst libc6 [2.36-9] (2.41-1 Debian:13/testing [amd64])\nInst lz4 (1.9 Debian:12 [amd64])\n' ;;
		bzip2) printf 'Inst libbz2 [1.0] (1.1 Debian Backports:12/bookworm-backports [amd64])\n' ;;
		$UNKNOWN)
			echo "E: Unable to locate package $name" >&2
			exit 100
			;;
		esac
	done ;;
*' download '*) : >"$3.deb" ;;
*' --assume-no '*)
	echo 'Need to get 30.9 kB of archives.'
	echo 'After this operation, 136 kB of additional disk space will be used.'
	exit 1 ;;
*' install '*) printf '%s\n' "$@" >>have ;;
esac
X
# A package has the library that it is unpacked for, and others.
mkdir -p package/usr/lib/llvm-19/lib && touch package/usr/lib/llvm-19/lib/{libLLVMDemangle,libLLVMCore}.a
cat >bin/dpkg-deb <<X
#!/bin/sh
[ "\$1" = --fsys-tarfile ] && tar -c -C '$PWD/package' ./usr
X
chmod +x bin/*
# A tree of its own, since something may be unpacked in it.
mkdir -p own/.ci own/tests/sh own/testdata/make.d
cp "$SRC/.ci/deps" "$SRC/.ci/packages.txt" own/.ci
echo 'VERSION_ID="12"' >os-release
cp "$SRC"/tests/sh/*.sh own/tests/sh
cp "$SRC"/testdata/make.d/*.sh own/testdata/make.d
deps() { # MISSING... ; to out
	rm -f log updated
	[ -n "${KEPT-}" ] || : >have
	: >log
	env -i PATH="$PWD/bin" MISSING="$*" USER_ID="${USER_ID-0}" NEEDS_UPDATE="${NEEDS_UPDATE-}" UNKNOWN="${UNKNOWN-none}" \
		FAILS="${FAILS-}" OS_RELEASE=os-release CC="${CC_OF-false}" sh own/.ci/deps "${SET_OF:-check}" >out 2>&1
	status=$?
}
# The line that was printed, as a user types it; and then nothing is missing.
typed() { # MISSING...
	local line

	line=$(sed -n 's/^tracemill: run: //p' out | tail -n 1)
	check "... the line is typed: $line" env -i PATH="$PWD/bin" MISSING="$*" NEEDS_UPDATE= UNKNOWN=none sh -c "${line:-false}"
	KEPT=1 deps "$@"
	check '... and then nothing is missing' eval '[ $status = 0 ] && [ ! -s out ]'
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
check '... which of them does it' grep -qx '    dwz would remove gcc-multilib' out
check '... and the line to run' \
	grep -qx 'tracemill: run: apt-get install --no-install-recommends dwz zip' out
typed dwz zip

deps jq
check 'an upgrade within the release is what installing means' eval '[ $status = 0 ] && [ "$(installed)" = 1 ]'
check '... it says of what' grep -qx 'tracemill: this upgrades, within 12: libc6' out
for other in lz4 bzip2; do
	deps $other
	check "what would take a package of another release is refused ($other)" eval '[ $status = 1 ] && [ "$(installed)" = 0 ]'
done
deps lz4
check '... it says of which' grep -qx '    lz4 would replace libc6 2.36-9 by 2.41-1 of Debian:13/testing' out
typed lz4

UNKNOWN=libmicrohttpd-dev SET_OF=build deps libmicrohttpd-dev libelf-dev
check 'an optional package that this release does not have stops nothing' eval '[ $status = 0 ] &&
	grep -qx "install --no-install-recommends libelf-dev -y --no-remove -o DPkg::Lock::Timeout=900" log'
check '... it says what is missing without it' grep -qx 'tracemill: going on without libmicrohttpd-dev (apt-get finds no such package): tm-view has no page, and answers scripts only' out
UNKNOWN=uftrace deps uftrace zip
check 'nor does a tool of the tests' eval '[ $status = 0 ] && [ "$(installed)" = 1 ]'
check '... it says which tests are skipped' grep -q 'going on without uftrace (apt-get finds no such package): these tests are skipped, or parts of them: sh/.*uftrace' out
UNKNOWN=uftrace deps uftrace zip xz-utils zstd sqlite3 lua5.1 lua5.2 lua5.3
check '... nor are the others planned one by one' eval '[ $status = 0 ] && [ "$(grep -c -e "-s " log)" -le 5 ] &&
	grep -q "^install --no-install-recommends zip xz-utils .* -y" log'
UNKNOWN=uftrace deps uftrace zip dwz
check '... and what would remove a package is refused beside it' eval '[ $status = 1 ] && [ "$(installed)" = 0 ] && grep -qx "    dwz would remove gcc-multilib" out'
UNKNOWN=libelf-dev SET_OF=build deps libelf-dev
check 'one that compiling needs does' eval '[ $status = 1 ] && grep -qx "tracemill: apt-get finds no package of the name: libelf-dev" out'
check '... no line would help' eval '! grep -q "run:" out'
echo 'ID=ubuntu' >>os-release
UNKNOWN=libelf-dev SET_OF=build deps libelf-dev
check '... of Ubuntu one would' grep -qx 'tracemill: run: apt-get install --no-install-recommends software-properties-common && add-apt-repository -y universe' out
sed -i '/^ID=/d' os-release

deps libseccomp-dev zip
check 'an optional one that would is left out, the others are installed' eval '[ $status = 0 ] &&
	grep -qx "install --no-install-recommends zip -y --no-remove -o DPkg::Lock::Timeout=900" log'
check '... it says why' grep -qx 'tracemill: going on without libseccomp-dev .to install it would remove seccomp-old.: the sandbox of the readers holds paths, but no system calls' out
deps libseccomp-dev
check '... alone, it is no failure' eval '[ $status = 0 ] && [ "$(installed)" = 0 ]'
deps libseccomp-dev dwz
check '... and excuses no other one' eval '[ $status = 1 ] && [ "$(installed)" = 0 ] && grep -q "run: .* dwz$" out'

if [ -f /usr/lib/llvm-19/lib/libLLVMDemangle.a ]; then
	echo "skip - a library of a large package is taken out of it (it is installed here)"
else
	deps llvm-19-dev zip
	check 'a library of a large package is taken out of it' eval '[ $status = 0 ] && [ "$(installed)" = 1 ] && ! grep "install.*llvm" log &&
		[ -f own/build/packages/llvm-19-dev/usr/lib/llvm-19/lib/libLLVMDemangle.a ]'
	check '... alone' [ ! -e own/build/packages/llvm-19-dev/usr/lib/llvm-19/lib/libLLVMCore.a ]
	check '... it says so' grep -qx 'tracemill: going on with libLLVMDemangle.a of llvm-19-dev, which is not installed: no more of it is wanted' out
	deps llvm-19-dev
	check '... once' eval '[ $status = 0 ] && [ ! -s log ]'
	check '... and is linked' eval 'CC=false PATH="$PWD/bin" sh own/.ci/deps flags >flags && grep -q "packages/llvm-19-dev/.*/libLLVMDemangle.a " flags && grep -q -e -DHAVE_LLVM_DEMANGLE flags'
fi
check 'what is built without is in --version' eval 'CC=false PATH="$PWD/bin" NO_LLVM_DEMANGLE=1 sh own/.ci/deps flags | grep -q -e "-DTM_WITHOUT=.\"libdeflate libseccomp libmicrohttpd libLLVMDemangle\"."'

# What plain make asks: nothing is installed or planned, with root and without.
for user in 0 1000; do
	USER_ID=$user SET_OF=look deps libelf-dev libmicrohttpd-dev zlib1g-dev
	check "look ($user): one line says which packages are missing, and what to type" eval '[ $status = 1 ] && [ ! -s log ] &&
		[ "$(cat out)" = "tracemill: compiling needs packages that are not installed: libelf-dev zlib1g-dev; to install them, run: make deps" ]'
done
SET_OF=look deps libmicrohttpd-dev
check 'look: an optional one stops nothing, and is not installed' eval '[ $status = 0 ] && [ ! -s log ] &&
	[ "$(cat out)" = "tracemill: going on without libmicrohttpd-dev (not installed; make deps tries to install it): tm-view has no page, and answers scripts only" ]'
SET_OF=look deps
check 'look: nothing is missing' eval '[ $status = 0 ] && [ ! -s log ] && [ ! -s out ]'

USER_ID=1000 deps zip
check 'without root: a line to run, and its size' eval '[ $status = 1 ] && [ "$(installed)" = 0 ] &&
	grep -q "that is 30.9 kB" out && grep -qx "tracemill: run: sudo apt-get install --no-install-recommends zip" out'
USER_ID=1000 typed zip
NEEDS_UPDATE=1 USER_ID=1000 deps zip
check 'without root and lists: a line to run' eval '[ $status = 1 ] && ! grep -q update log &&
	grep -q "run: sudo apt-get install" out && grep -q "sudo apt-get update brings" out'
USER_ID=1000 typed zip
rm bin/apt-get bin/dpkg-query

# Other systems: a manager that writes down its arguments, and fails if one of FAILS is among them.
for row in 'dnf install -y' 'pacman -S --needed --noconfirm' 'zypper install --non-interactive' 'apk add' 'brew install'; do
	manager=${row%% *}
	cat >"bin/$manager" <<'X'
#!/bin/sh
echo "$*" >>log
for name; do
	case " $FAILS " in *" $name "*) exit 1 ;; esac
done
X
	chmod +x "bin/$manager"
	SET_OF=build deps
	case $manager in
	brew)
		check "brew: what has no package there, and compiling needs, is said" eval '[ $status = 1 ] &&
			grep -q "brew has no package of .*, which compiling needs" out'
		;;
	*)
		name=$(awk -v c="$(case $manager in dnf) echo 4 ;; pacman) echo 5 ;; zypper) echo 6 ;; apk) echo 7 ;; esac)" \
			'$1 == "build" && $2 == "libelf-dev" { print $c }' own/.ci/packages.txt)
		check "$manager: what is missing is installed by its names" eval '[ $status = 0 ] && [ "$(wc -l <log)" = 1 ] &&
			grep -q "^${row#* } .*$name" log'
		check "$manager: ... which are untried" grep -q "the names of packages for $manager are untried" out
		FAILS=libmicrohttpd SET_OF=build deps
		[ "$manager" = pacman ] || FAILS=libmicrohttpd-devel SET_OF=build deps
		[ "$manager" != apk ] || FAILS=libmicrohttpd-dev SET_OF=build deps
		check "$manager: an optional name that is wrong stops nothing" eval '[ $status = 0 ] &&
			grep -q "going on without libmicrohttpd-dev ($manager could not install it): tm-view has no page" out'
		FAILS="$name" SET_OF=build deps
		check "$manager: a needed one does, and the line to run is there" eval '[ $status = 1 ] && grep -q "^tracemill: run: $manager .*$name" out'
		SET_OF=demo deps
		check "$manager: what it does not have, and compiling does not need, stops nothing" eval '[ $status = 0 ] &&
			grep -q "going on without python3.11 (no package of $manager is known)" out'
		SET_OF=look deps
		check "$manager: look names what compiling needs, and installs nothing" eval '[ $status = 1 ] && [ ! -s log ] &&
			[ "$(grep -c "^tracemill: compiling needs .* $name .*; to install them, run: make deps$" out)" = 1 ]'
		USER_ID=1000 SET_OF=build deps
		check "$manager: without root: a line to run" eval '[ $status = 1 ] && [ ! -s log ] && grep -q "^tracemill: run: sudo $manager .*$name" out'
		line=$(sed -n 's/^tracemill: run: //p' out)
		check "$manager: ... which is typed" env -i PATH="$PWD/bin" FAILS= sh -c "${line:-false}"
		check "$manager: ... and installs what was missing" grep -qx -e "${line#sudo "$manager" }" log
		;;
	esac
	rm "bin/$manager"
done

SET_OF=build deps
check 'without a manager: headers, .pc files and commands by name' eval '[ $status = 1 ] &&
	grep -qx "tracemill:     the library with libelf.pc (pkg-config), which compiling needs" out &&
	grep -qx "tracemill:     the header libdwarf/libdwarf.h, which compiling needs" out'
# What it names is put there.
mkdir there
sed -n 's/^tracemill:  *the .*, which compiling needs$/&/p' out | while read -r _ _ what of name _; do
	case $what in
	header) install -D /dev/null "there/${of%,}" ;;
	library) : >"there/$name" ;;
	command) : >"bin/${of%,}" && chmod +x "bin/${of%,}" ;;
	esac
done
printf '#!/bin/sh\n[ -e "there/$2.pc" ]\n' >bin/pkg-config
printf '#!/bin/sh\nread -r _ name\nname=${name#?}\n[ -e "there/${name%%?}" ]\n' >bin/cc
chmod +x bin/pkg-config bin/cc
CC_OF=cc SET_OF=build deps
check '... once these are there, it goes on' eval '[ $status = 0 ] && ! grep -q "which compiling needs" out'
rm bin/pkg-config
SET_OF=demo deps
check '... where compiling needs none of them, it goes on' eval '[ $status = 0 ] && grep -q "going on without python3.11" out'

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
look) [ ! -e lacks ] ;;
build) rm -f lacks ;;
check | all) printf 'Name: Lua\nDescription: Lua\nVersion: 5.4\n' >pc/lua5.4.pc ;;
esac
X
chmod +x tree/.ci/deps
: >tree/.ci/packages.txt
printf 'include Makefile\ncheck: ; @echo modules: $(LUA_SO)\n' >tree/ask.mk
goal() { # [GOAL]: make's commands for it; only deps runs
	local print=--just-print

	[ "${1-}" != deps ] || print=--silent
	rm -f tree/deps.log
	(cd tree && env -i PATH="$PATH" timeout 60 make "$print" "$@" >../plan 2>../err)
}
for plain in '' install build/plain/bin/tm-top; do
	rm -rf tree/build
	: >tree/lacks
	# shellcheck disable=SC2086 # no goal is one, too
	check "make${plain:+ $plain} installs nothing, and stops where something is missing" eval '! goal $plain && [ "$(cat tree/deps.log)" = look ]'
done
# As on a machine where no compiler is.
mkdir plainly
ln -s "$(dirname "$(type -P sed)")"/* plainly/ 2>/dev/null
rm -f plainly/cc plainly/gcc
check '... what .ci/deps says of it stands alone, also without a compiler' eval '! PATH=$PWD/plainly goal && ! grep -v "^make: " err'
check 'make deps installs' eval 'goal deps && [ "$(paste -sd" " tree/deps.log)" = "build flags" ]'
check '... and make goes on from there' eval 'goal && [ ! -e tree/deps.log ] && grep -q "bin/tm-top" plan'
rm -rf tree/build
check 'make looks, and goes on where nothing is missing' eval 'goal && [ "$(paste -sd" " tree/deps.log)" = "look flags" ] && grep -q "bin/tm-top" plan'
check '... and make demo installs then what is optional' eval 'goal demo && [ "$(sed 2q tree/deps.log | paste -sd" ")" = "build flags" ]'
rm -rf tree/build
: >tree/lacks
check 'make demo installs what is missing' eval 'goal demo && [ "$(sed 2q tree/deps.log | paste -sd" ")" = "build flags" ]'
rm -rf tree/build

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
