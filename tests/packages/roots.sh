#!/bin/bash
# SPDX-License-Identifier: MIT
#
# tests/packages/roots.sh [NAME...]    (make check-roots sets the environment up)
#
# The two commands of the README, where nothing of ours is: make demo and make check of the tarball, in roots that
# debootstrap makes. Besides, the messages of .ci/deps are followed as they are printed. For root with debootstrap.
# OPTIONS="CFLAGS=-O0" goes to each make, to look quickly.
set -u
export about=roots
# shellcheck source=tests/packages/root.bash
. "$SRC/tests/packages/root.bash"

# name, suite, the tests: all of them are asked of one root only
rows='debian-12 bookworm unit/ golden/tm-top
debian-12-older bookworm unit/ golden/tm-top
debian-13 trixie
ubuntu-22.04 jammy unit/ golden/tm-top
ubuntu-24.04 noble unit/ golden/tm-top'

apt_in_root() { # WORDS...: of apt-get
	in_root apt-get -y --no-install-recommends "$@" >>"$top/apt.log" 2>&1
}
logged() { # NAME COMMAND...: in the tree, to NAME.out and NAME.err; the last lines if it fails
	local name=$1 status

	shift
	in_root sh -c "cd /tracemill-tree && $*" >"$top/$name.out" 2>"$top/$name.err"
	status=$?
	[ $status = 0 ] || tail -n 8 "$top/$name.out" "$top/$name.err" | sed 's/^/    /'
	return $status
}
# shellcheck disable=SC2317 # check calls them
said() { # NAME WORDS: what logged wrote
	grep -q -e "$2" "$top/$1.out" "$top/$1.err"
}
# What a person types who reads it: "run: LINE", and y when asked.
printed() { # NAME
	sed -n 's/^tracemill: run: //p' "$top/$1.err" | tail -n 1
}
# shellcheck disable=SC2317
typed() { # LINE
	[ -n "$1" ] && in_root sh -c "yes | { $1; }" >>"$top/apt.log" 2>&1
}
deps_as_user() { # SET
	in_root setpriv --reuid 1000 --regid 1000 --clear-groups sh -c "cd /tracemill-tree && .ci/deps $1" >"$top/user.out" 2>"$top/user.err"
}

# Libraries of an older point release: the archive has only its newest, which get a lower version here.
# shellcheck disable=SC2317
older() {
	in_root sh -c 'mkdir /old && cd /old && for p in libc6 zlib1g liblzma5 libzstd1 liblz4-1 libxxhash0; do
		dpkg-query -W $p >/dev/null 2>&1 || continue
		apt-get download -q $p && dpkg-deb -R $p*.deb $p && sed -i "s/^Version: .*/&~1/" $p/DEBIAN/control &&
			dpkg-deb -b $p old-$p.deb && dpkg -i old-$p.deb || exit 1
	done' >>"$top/apt.log" 2>&1
}

# A package that must leave, and a user without the right to install.
follow_messages() {
	mkdir -p "$root/blocks/DEBIAN"
	printf '%s\n' 'Package: blocks-libdwarf' 'Version: 1' 'Architecture: all' 'Maintainer: x <x@example.org>' \
		'Conflicts: libdwarf-dev' 'Description: x' >"$root/blocks/DEBIAN/control"
	in_root sh -c 'dpkg-deb -b /blocks /blocks.deb && dpkg -i /blocks.deb' >>"$top/apt.log" 2>&1
	logged blocked .ci/deps build >/dev/null
	check "$name: what would remove a package is not installed" said blocked 'libdwarf-dev would remove blocks-libdwarf'
	check "$name: ... until the printed line is typed: $(printed blocked | cut -c -60)..." typed "$(printed blocked)"
	check "$name: ... and then nothing is missing" eval 'logged again .ci/deps build && [ ! -s "$top/again.err" ]'

	apt_in_root install sudo
	apt_in_root purge libelf-dev zlib1g-dev
	deps_as_user build
	check "$name: a user gets a line to type" said user '^tracemill: run: sudo apt-get install .*libelf-dev'
	mv "$root/var/lib/apt/lists" "$root/lists"
	deps_as_user build
	check "$name: ... and without lists another one before it" said user 'lists are missing, which sudo apt-get update brings'
	check "$name: ... both are typed" eval 'typed "sudo apt-get update" && typed "$(printed user)"'
	check "$name: ... and then nothing is missing" eval 'deps_as_user build && [ ! -s "$top/user.err" ]'
	rm -rf "$root/lists"
}

# Plain make only looks.
follow_make() {
	local before status

	before=$(in_root dpkg-query -W | cksum)
	logged plain make >/dev/null
	status=$?
	check "$name: plain make says in one line what is missing, and what to type" eval '[ $status != 0 ] && [ ! -s "$top/plain.out" ] &&
		[ "$(grep -cv "^make: " "$top/plain.err")" = 1 ] && said plain "^tracemill: compiling needs .*gcc .*libelf-dev .*run: make deps$"'
	check "$name: ... and installs nothing" [ "$(in_root dpkg-query -W | cksum)" = "$before" ]
	check "$name: ... the printed line is typed" typed "cd /tracemill-tree && $(sed -n 's/.*, run: //p' "$top/plain.err")"
	check "$name: ... and then make finds all that it needs" logged there make build/deps.mk
}

# Ubuntu as some images have it.
follow_universe() {
	logged main .ci/deps build >/dev/null
	check "$name: a package that no repository here has is named" said main 'finds no package of the name: .*libdwarf-dev'
	check "$name: ... the printed line is typed: $(printed main | cut -c -60)..." typed "$(printed main)"
	check "$name: ... and compiling has what it needs" logged again .ci/deps build
}

# A process of another root, as of a container: what tm-record says outside of it is done.
follow_inside() {
	local process

	printf '%s\n' '#include <stdlib.h>' '#include <unistd.h>' \
		'int main(void) { for (int i = 0; i < 6000; i++) { void *volatile p = malloc(1234); usleep(10000); free(p); } }' >"$root/loop.c"
	in_root gcc -o /loop /loop.c
	chroot "$root" /loop &
	process=$!
	sleep 1
	"$BIN/tm-record" --pid $process --duration 1 -o "$top/x.tmt" 2>"$top/outside.err"
	check "$name: a process of another root: run tm-record inside" grep -q 'sees other files than we do .*; run tm-record inside' "$top/outside.err"
	logged inside "build/plain/bin/tm-record --pid $process --duration 1 -o /x.tmt && build/plain/bin/tm-dump -q /x.tmt"
	check "$name: ... which records it" eval '[ "$(grep -c "^alloc.*requested=1234 " "$top/inside.out")" -gt 10 ]'
	kill $process
}

demo() { # WHERE
	local status began=$SECONDS

	logged demo "make ${OPTIONS-} demo"
	status=$?
	check "$1: make demo ($((SECONDS - began)) s)" [ $status = 0 ]
	check "$1: ... its output is the demo's alone" eval '! grep -qE "^ *(CC|LINK|AR) |^tracemill: " "$top/demo.out"'
	check "$1: ... a page is there" eval 'compgen -G "$root/tracemill-tree/build/plain/demo/*/arcade.html" >/dev/null'
	check "$1: ... and the line to type next runs" eval 'logged next "$(sed -n "s/^ *\([^ ]*tracemill\) view .*/\1/p" "$top/demo.out") run -o /tmp/next.tmt true"'
}
tests() { # WHERE WORDS
	local status began=$SECONDS

	logged tests "make ${OPTIONS-} check T='$2'"
	status=$?

	[ $status = 0 ] || grep '^not ok' "$top/tests.out" | head -n 20
	check "$1: make check${2:+ T='$2'}: $(tail -n 1 "$top/tests.out") ($((SECONDS - began)) s)" [ $status = 0 ]
}

if ! able; then
	skip "make demo and make check in empty roots (needs root and debootstrap)"
	finish
fi
while read -r name suite words; do
	[ $# = 0 ] || [[ " $* " == *" $name "* ]] || continue
	if ! boot "$suite"; then
		tail -n 5 "$top/boot.log"
		skip "$name (debootstrap could not make it)"
		continue
	fi
	mount_root
	mkdir "$root/tracemill-tree"
	tar -xf "$SRC/build/tracemill-$version.tar.gz" -C "$root/tracemill-tree" --strip-components=1
	# Not upgraded, but it could be.
	[[ $name != ubuntu-* ]] || sed -i "s/^\(deb .*\) $suite \(.*\)/&\n\1 $suite-updates \2/" "$root/etc/apt/sources.list"
	[ "$name" != ubuntu-22.04 ] || sed -i 's/ universe$//' "$root/etc/apt/sources.list"
	apt_in_root update
	[ "$name" != debian-12-older ] || check "$name: has older libraries" older
	apt_in_root install make
	[ "$name" != debian-12 ] || follow_messages
	[ "$name" != ubuntu-22.04 ] || follow_universe
	[ "$name" != ubuntu-24.04 ] || follow_make
	demo "$name"
	[ "$name" != debian-12 ] || follow_inside
	[ "$name" != debian-12-older ] || check "$name: ... it said what was upgraded" said demo 'this upgrades, within 12: .*libc6'
	tests "$name" "$words"
	if [ "$name" = debian-12 ]; then
		# As on a system of which this knows no package manager.
		in_root sh -c 'rm -rf /usr/bin/apt* /usr/bin/dpkg* /var/lib/dpkg /var/lib/apt /tracemill-tree/build/deps* /tracemill-tree/build/plain/demo'
		demo "without apt and dpkg"
		tests "without apt and dpkg" "$words"
	fi
	umount_root
	rm -rf --one-file-system "$root"
done <<<"$rows"
finish
