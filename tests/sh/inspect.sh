#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# tm-inspect against what is known of builds by gcc and clang for five processors: frame pointers,
# instrumentation before and after inlining, hooks, pages, debug information; stripped or not.
set -u

. "$SRC/tests/diff/builds.bash"
needs inspect clang ld.lld llvm-objdump llvm-strip jq
plain=$SRC/testdata/src/inspect/plain.c hooks=$SRC/testdata/src/inspect/hooks.c

# fit FILE CAPABILITY: its verdict; why: what it rests on; fact FILE NAME
fit() { tm-inspect --as json "$1" | jq -r --arg c "$2" '.sections[] | select(.name == "verdicts") | .rows[] | select(.capability == $c) | .fit'; }
why() { tm-inspect --as json "$1" | jq -r --arg c "$2" '.sections[] | select(.name == "verdicts") | .rows[] | select(.capability == $c) | .why'; }
fact() { tm-inspect --as json "$1" | jq -r --arg c "$2" '.sections[] | select(.name == "facts") | .rows[] | select(.fact == $c) | .value'; }
same() { # WHAT GOT WANT
	if [ "$2" = "$3" ]; then
		echo "ok - $1"
	else
		echo "not ok - $1: '$2', expected '$3'"
	fi
}

# shared NAME COMPILER FLAGS... FILES
shared() {
	local name=$1 cc=$2

	shift 2
	case $cc in
	clang) "$cc" -shared -fPIC -nostdlib -fuse-ld=lld -Wl,--build-id=sha1 -o "$name" "$@" ;;
	*) "$cc" -shared -fPIC -nostdlib -Wl,--build-id=sha1 -o "$name" "$@" ;;
	esac
}

while read -r name cc flags; do
	if ! have "$cc"; then
		echo "skip - $name (no $cc)"
		continue
	fi
	for level in -O0 -O2 -Os; do
		# shellcheck disable=SC2086
		if ! shared keep "$cc" $flags $level -fno-omit-frame-pointer "$plain" 2>build.log ||
			! shared omit "$cc" $flags $level -fomit-frame-pointer "$plain" 2>>build.log ||
			! shared before "$cc" $flags $level -finstrument-functions "$plain" 2>>build.log; then
			echo "skip - $name $level (does not build: $(head -n 1 build.log | cut -c 1-60))"
			continue
		fi
		if [[ $name != arm* ]]; then
			same "$name $level: frame pointers kept" "$(fit keep frame-pointers)" yes
			same "$name $level: four functions call" "$(why keep frame-pointers | cut -d' ' -f 1-3)" "4 of 4"
			same "$name $level: frame pointers omitted" "$(fit omit frame-pointers)" no
			same "$name $level: by none of four" "$(why omit frame-pointers | cut -d' ' -f 1-3)" "0 of 4"
		else
			same "$name $level: not judged" "$(fit keep frame-pointers)" unknown
		fi
		same "$name $level: not instrumented" "$(fit keep instrumentation)" no
		same "$name $level: instrumented" "$(fit before instrumentation)" yes
		if [ $level != -O0 ]; then
			same "$name $level: before inlining" \
				"$(why before instrumentation | sed 's/.*: //')" "instrumented before inlining"
			# Six, and the inlined one: its address, which it reports, needs a copy of it.
			same "$name $level: all seven functions" \
				"$(why before instrumentation | cut -d' ' -f 1-4)" "7 of 7 functions"
		fi
		cp before stripped
		llvm-strip --strip-all stripped
		if [[ $name != arm* ]]; then
			same "$name $level: the same of a stripped file" "$(why stripped instrumentation)" \
				"$(why before instrumentation)"
			same "$name $level: its names are gone" "$(fit stripped names)" no
			same "$name $level: its tables are not" "$(fit stripped unwind-tables)" yes
		fi
	done
done <<'END'
x86_64-gcc gcc -fno-plt
x86_64-gcc-plt gcc -fcf-protection
x86_64-clang clang --target=x86_64-linux-gnu
i686-clang clang --target=i686-linux-gnu -fasynchronous-unwind-tables
aarch64-gcc aarch64-linux-gnu-gcc
aarch64-clang clang --target=aarch64-linux-gnu -fasynchronous-unwind-tables
aarch64-bti clang --target=aarch64-linux-gnu -mbranch-protection=standard -fasynchronous-unwind-tables
arm-gcc arm-linux-gnueabihf-gcc -marm
arm-clang clang --target=arm-linux-gnueabihf -march=armv7-a -marm
arm-thumb clang --target=arm-linux-gnueabihf -march=armv7-a -mthumb
END

for target in x86_64 aarch64; do
	shared after clang --target=$target-linux-gnu -O2 -finstrument-functions-after-inlining "$plain"
	same "$target: after inlining" "$(why after instrumentation | sed 's/.*; //')" \
		"no function more than once: instrumented after inlining, or no inlining"
done

shared shown clang -DEXPORT='"default"' "$hooks"
shared hidden clang -DEXPORT='"hidden"' "$hooks"
shared none clang "$plain"
for c in loli-alloc loli-stack; do
	same "$c: exported" "$(fit shown $c)" yes
	same "$c: hidden" "$(fit hidden $c)" no
	tm-inspect hidden | grep -q "^$c .*not exported .*visibility" && echo "ok - $c: and says what to do"
	same "$c: absent" "$(why none $c | sed 's/.*: //')" "not found"
	cp shown bare
	llvm-strip --strip-all bare
	same "$c: exported by a stripped file" "$(fit bare $c)" yes
done

echo 'extern void *__real_malloc(unsigned long); void *__wrap_malloc(unsigned long n) { return __real_malloc(n); }' >wrap.c
shared wrap clang wrap.c
same 'a wrapper without --wrap' "$(fit wrap no-wraps)" no

shared small clang --target=aarch64-linux-gnu -Wl,-z,max-page-size=4096 "$plain"
shared large clang --target=aarch64-linux-gnu -Wl,-z,max-page-size=16384 "$plain"
same 'pages of 4 KiB' "$(fit small pages-16k)" no
same 'pages of 16 KiB' "$(fit large pages-16k)" yes
same 'nothing aligned to less' "$(tm-inspect --table segments --csv small | tr -d '\r' | cut -d, -f 6 | sort -u | head -n 1)" 4096

for v in 4 5; do
	shared dwarf clang -g -gdwarf-$v -gz=zlib "$plain"
	same "DWARF $v" "$(fact dwarf DWARF)" "version $v: 1 units"
	same "DWARF $v, compressed" "$(fact dwarf compression)" "compressed (ELF)"
done
shared split clang -g -gdwarf-5 -gsplit-dwarf "$plain"
same 'split DWARF' "$(fit split lines)" partly
clang --target=x86_64-linux-gnu -g -gdwarf-5 -gsplit-dwarf -c "$plain" -o part.o
same 'its .dwo file' "$(fact part.dwo 'DWARF split off')" "version 5: 1 units"
same 'a .dwo file has no DWARF else' "$(fact part.dwo DWARF)" ''
same 'lines of a .dwo file' "$(fit part.dwo lines)" partly
same 'names of a .dwo file' "$(fit part.dwo names)" partly
cp part.o core
printf '\4' | dd of=core bs=1 seek=16 conv=notrunc 2>/dev/null # e_type: ET_CORE
same 'a core file' "$(tm-inspect core 2>&1)" 'tm-inspect: core: a core file: inspect its program'
clang --target=s390x-linux-gnu -g -c "$plain" -o part.o
same 'an object of another machine' "$(fact part.o processor)" 'S/390, 64 bits'
cp dwarf whole
llvm-objcopy --only-keep-debug whole whole.debug
llvm-strip --strip-all whole
same 'a debug file beside it' "$(fact whole 'debug file')" ./whole.debug
same 'has its lines' "$(fit whole lines)" yes

# Unwind tables for debuggers alone: .eh_frame is empty, or has what the C library's start brings (readelf).
gcc -g -O0 -fno-asynchronous-unwind-tables -shared -fPIC -nostdlib -o debuggers "$plain"
same 'tables for debuggers: none of its own' "$(readelf --debug-dump=frames debuggers | grep -c 'FDE.*\.debug_frame\|^Contents of the .debug_frame')" 1
same 'tables for debuggers' "$(fit debuggers unwind-tables)" no
same 'tables for debuggers: of how many' "$(why debuggers unwind-tables | cut -d';' -f 1 | sed 's/ of [0-9]*/ of N/')" '.eh_frame has entries for 0 of N functions'
same 'tables for debuggers: what helps' "$(tm-inspect --as json debuggers | grep -c 'fasynchronous-unwind-tables')" 1
gcc -g -O0 -fasynchronous-unwind-tables -shared -fPIC -nostdlib -o helped "$plain"
same 'tables for debuggers: it helps' "$(fit helped unwind-tables)" yes
{ cat "$plain" && echo 'int main(void) { return 0; }'; } >program.c
gcc -g -O0 -fno-asynchronous-unwind-tables -Wl,--unresolved-symbols=ignore-all -o program program.c 2>build.log
same "tables of the C library's start alone" "$(readelf --debug-dump=frames program | sed -n '/\.eh_frame/,/\.debug_frame/p' | grep -c FDE | awk '{ print ($1 > 0) }')" 1
same "tables of the C library's start alone are none" "$(fit program unwind-tables)" no
gcc -g -O0 -fasynchronous-unwind-tables -Wl,--unresolved-symbols=ignore-all -o program program.c 2>build.log
same 'a program with tables' "$(fit program unwind-tables)" yes

# By file: only one of two has frame pointers.
sed 's/\<\(leaf_one\|leaf_two\|one\|two\|many\|through\|hook\)\>/b_\1/g' "$plain" >other.c
clang -g -O2 -fPIC -fomit-frame-pointer -c other.c -o other.o
shared mixed clang -g -O2 -fno-omit-frame-pointer "$plain" other.o
same 'half of it' "$(why mixed frame-pointers | cut -d' ' -f 1-3)" "4 of 8"
same 'by file' "$(tm-inspect --by-file --table sources --csv mixed | tr -d '\r' | sed 1d | sed 's/^mixed,//; s,/.*/,,')" \
	'6,4,0,0.00,0,other.c
6,4,4,100.00,0,plain.c'

tm-inspect -q --gate build-id,unwind-tables mixed >/dev/null
same 'what is required is there' $? 0
tm-inspect -q --gate frame-pointers mixed >/dev/null
same 'what is required is not there' $? 1
tm-inspect --gate loli-alloc mixed 2>&1 >/dev/null | grep -q 'mixed: required: loli-alloc: no: '
same 'and it says what' $? 0
shared arm32 clang --target=arm-linux-gnueabihf -march=armv7-a "$plain"
tm-inspect -q --gate frame-pointers arm32 >/dev/null
same 'what cannot be told is no pass' $? 5
tm-inspect --gate nonsense mixed >/dev/null 2>&1
same 'no such capability' $? 2
tm-inspect mixed /dev/null >/dev/null 2>told
same 'one file of two' "$? $(wc -l <told)" "3 1"

# Cut anywhere it ends, with what was sound or an error.
size=$(stat -c %s before)
worst=0
for ((n = 0; n < size; n += size / 200 + 1)); do
	head -c $n before >part
	timeout 10 tm-inspect part >/dev/null 2>&1
	status=$?
	[ $status -gt 3 ] && worst=$status
done
same 'cut files' $worst 0

printf 'namespace game { struct World { void update(int); }; void World::update(int) {} }\n' |
	g++ -shared -fPIC -nostdlib -x c++ -o headed - 2>/dev/null
same 'a listing is headed by the readable name' "$(tm-inspect -q --disassemble game::World::update headed | head -n 1)" 'game::World::update(int)'
