#!/bin/bash
# SPDX-License-Identifier: MIT
#
# tm-inspect --trace: the cost of instructions, where the truth is objdump's listing and arithmetic. A cost
# of a return address stands at the call that objdump has before it, that of an exact address at its
# instruction; what recursion passes twice counts once; what begins no instruction has a row of its
# own; so the rows of a function add up to it, and it is what tm-top has. Another build is refused. tm-view
# answers the same, of binaries that it was given.
# timeout: 600
# shellcheck disable=SC2016,SC2034,SC2317 # check evaluates, and calls functions
set -u
: "${SRC:?}" "${GEN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
is() { # GOT WANT
	[ "$1" = "$2" ] || { printf 'got %s, not %s\n' "$1" "$2" >err && false; }
}

cat >prog.c <<'END'
#define KEEP __attribute__((noinline))
KEEP int leaf(int n)
{
	int s = 0;
	for (int i = 0; i < n; i++) {
		s += i;
		__asm__ volatile("" : "+r"(s));
	}
	return s;
}
static inline __attribute__((always_inline)) int inner(int n)
{
	return leaf(n * 3) + 1;
}
KEEP int middle(int n)
{
	int s = leaf(n) * 5;
	return s + inner(n);
}
KEEP int again(int n)
{
	int s = n ? again(n - 1) * 3 : 2;
	return s + middle(n);
}
int main(int argc, char **argv)
{
	(void)argv;
	return again(argc) & 1;
}
END
build() { ${CC:-cc} -g -O1 -fno-optimize-sibling-calls -Wl,--build-id "$@"; }
if ! command -v objdump >/dev/null || ! build -o prog prog.c 2>err; then
	echo 'skip - costs of instructions: no objdump, or no compiler that links'
	exit 0
fi

# "FUNCTION ADDRESS MNEMONIC" of each instruction
objdump -d --no-show-raw-insn prog | awk '
	/^[0-9a-f]+ <.*>:$/ { f = substr($2, 2, length($2) - 3) }
	/^ *[0-9a-f]+:/ { a = $1; sub(":", "", a); print f, a, $2 }' | grep -E '^(leaf|middle|again|main) ' >listing
nth() { # FUNCTION N: the address of its n-th instruction
	awk -v f="$1" -v n="$2" '$1 == f && ++i == n { print $2 }' listing
}
call() { # FUNCTION N: the address of its n-th call
	awk -v f="$1" -v n="$2" '$1 == f && $3 ~ /^(call|callq|bl)$/ && ++i == n { print $2 }' listing
}
behind() { # ADDRESS: of the next instruction
	awk -v a="$1" 'seen { print $2; exit } $2 == a { seen = 1 }' listing
}
first=$(call middle 1) second=$(call middle 2) to_middle=$(call main 1)
# Compilers place the two calls of again as they like; one of them is of itself.
recursion=$(objdump -d --no-show-raw-insn prog | awk '/<again>:$/ { on = 1; next } /^$/ { on = 0 } on && $2 ~ /^(call|callq|bl)$/ && /<again>/ { sub(":", "", $1); print $1 }')
down=$(objdump -d --no-show-raw-insn prog | awk '/<again>:$/ { on = 1; next } /^$/ { on = 0 } on && $2 ~ /^(call|callq|bl)$/ && /<middle>/ { sub(":", "", $1); print $1 }')
check 'objdump lists the program as it was written' [ -n "$first" -a -n "$second" -a -n "$to_middle" -a -n "$recursion" -a -n "$down" ]
[ $failed = 0 ] || exit $failed

base=10000000
printf '%x-%x r-xp 00000000 08:01 1 %s\n' 0x$base 0x10100000 "$PWD/prog" >maps
sample() { # ADDRESSES, innermost first, which are those of the listing
	echo 'prog 1 1.000000: cpu-clock: '
	for a; do
		printf '\t    %x [unknown] (%s)\n' $((0x$base + 0x$a)) "$PWD/prog"
	done
	echo
}
plus() { printf '%x' $((0x$1 + $2)); }
in_leaf=$(nth leaf 3) other=$(nth leaf 5) odd=$(nth leaf 4)
{
	# 3 in leaf, by middle's first call; recursion is not there
	for _ in 1 2 3; do
		sample "$in_leaf" "$(behind "$first")" "$(behind "$down")" "$(behind "$to_middle")"
	done
	# 2 in leaf, by the call that was inlined; again stands three times on the stack
	for _ in 1 2; do
		sample "$other" "$(behind "$second")" "$(behind "$down")" "$(behind "$recursion")" "$(behind "$recursion")" "$(behind "$to_middle")"
	done
	# 1 in middle
	sample "$(nth middle 1)" "$(behind "$down")" "$(behind "$to_middle")"
	# 1 in leaf, where no instruction begins, behind what ends no instruction
	sample "$(plus "$odd" 1)" "$(plus "$(behind "$first")" 1)" "$(behind "$down")" "$(behind "$to_middle")"
} >perf.txt
tm-symbolize -q -f perf-script --maps maps -e prog perf.txt -o run.tmt 2>err
check 'a trace' [ -s run.tmt ]

listed() { tm-inspect -q --as json "$@" >got.json 2>err; }
# "ADDRESS SELF TOTAL" of the rows with a cost, below one function's head
costs() { jq -r --arg f "$1" '.sections[0].rows[] | select(._depth == 1 and .within == $f and .total_samples != null) | "\(.address // "none") \(.samples) \(.total_samples)"' got.json; }
head_of() { jq -r --arg f "$1" '.sections[0].rows[] | select(._depth == 0 and .within == $f) | "\(.samples) \(.total_samples) \(.total_share + 0)"' got.json; }
want() { # LINES of "ADDRESS SELF TOTAL", in any order
	printf '%s\n' "$@" | sort
}
listed --trace run.tmt -n 0 prog
check 'leaf: exact addresses are their instructions' is "$(costs leaf | sort)" "$(want "0x$in_leaf 3 3" "0x$other 2 2" "none 1 1")"
check 'middle: return addresses are the calls before them' is "$(costs middle | sort)" "$(want "0x$first 0 3" "0x$second 0 2" "0x$(nth middle 1) 1 1" "none 0 1")"
check 'again: what recursion passes twice counts once' is "$(costs again | sort)" "$(want "0x$down 0 7" "0x$recursion 0 2")"
check 'main: the one call has all' is "$(costs main)" "0x$to_middle 0 7"
check 'the function that most ends in is first, the rest by what is below' \
	is "$(jq -r '.sections[0].rows[] | select(._depth == 0) | .within' got.json | tr '\n' ' ' | sed 's/again main\|main again/AGAIN-MAIN/')" 'leaf middle AGAIN-MAIN '
for f in leaf middle again main; do
	check "$f: it costs what tm-top says" is "$(head_of $f | cut -d ' ' -f 1,2)" \
		"$(tm-top -q --no-symbols --as json --by function --cumulative run.tmt | jq -r --arg f $f '.sections[0].rows[] | select(.function == $f) | "\(.samples) \(.total_samples)"')"
	check "$f: the rows add up to it" is "$(costs $f | awk '{ s += $2 } END { print s + 0 }')" "$(head_of $f | cut -d ' ' -f 1)"
	# of the function's own bytes: clang pads what is between two of them
	read -r at size < <(readelf -sW prog | awk -v f=$f '$4 == "FUNC" && $8 == f { print $2, $3; exit }')
	objdump -d --no-show-raw-insn --start-address="0x$at" --stop-address="$((0x$at + size))" prog |
		awk '$1 ~ /^[0-9a-f]+:$/ { sub(":", "", $1); print "0x" $1 }' >want
	check "$f: all instructions of objdump are there" eval \
		'[ -s want ] && jq -r --arg f '$f' ".sections[0].rows[] | select(._depth == 1 and .within == \$f and .address) | .address" got.json | cmp -s - want'
done
check 'shares are of all' is "$(head_of leaf | cut -d ' ' -f 3) $(head_of again | cut -d ' ' -f 3)" '85.71 100' # 6 of 7
check 'the lines are those of the source' eval \
	'[ "$(jq -r --arg a 0x'"$second"' ".sections[0].rows[] | select(.address == \$a) | \"\(.function) \(.line)\"" got.json)" = "inner $PWD/prog.c:13" ]'
check '... and where it was inlined' eval \
	'[ "$(jq -r --arg a 0x'"$second"' ".sections[0].rows[] | select(.address == \$a) | .inlined_at" got.json)" = "$PWD/prog.c:18" ]'
check 'all passes through it' eval 'jq -r ".sections[0].notes[]" got.json | grep -q "prog: samples in stacks with its functions: 7 of 7\$"'

listed --trace run.tmt -n 3 --cumulative prog
check 'by what is in or below, leaf is last' eval '! grep -q "\"within\":\"leaf\"" got.json && grep -q "\"within\":\"middle\"" got.json'
check 'what is not shown is counted' eval 'jq -r ".sections[0].notes[]" got.json | grep -q "1 more function (-n)"'
listed --trace run.tmt --disassemble inner prog
check 'what was inlined is where it was inlined' is "$(jq -r '[.sections[0].rows[] | select(._depth == 0) | .within] | join(" ")' got.json)" middle
listed --trace run.tmt --disassemble "0x$(nth leaf 2)" prog
check 'by an address' is "$(costs leaf | sort)" "$(want "0x$in_leaf 3 3" "0x$other 2 2" "none 1 1")"
listed --trace run.tmt --focus inner prog
check 'filters are those of tm-top' is "$(costs again | sort)" "$(want "0x$down 0 2" "0x$recursion 0 2")"
tm-inspect -q --csv --trace run.tmt --disassemble main prog 2>err | tr -d '\r' >got
check 'CSV has depths' is "$(sed -n '1p' got)" 'depth,address,samples,total_samples,total_share,instruction,function,line,inlined_at,within,binary'
tm-inspect --trace run.tmt --disassemble nothing prog >out 2>err
status=$?
check 'no such function' eval '[ $status = 3 ] && grep -q "no function is named .nothing." err'
tm-inspect --trace run.tmt --sort requested prog >out 2>err
status=$?
check 'a metric that is not there' eval '[ $status = 2 ] && [ ! -s out ]'
tm-inspect --trace run.tmt --by-file prog >out 2>err
check 'different reports' [ $? = 2 ]

# Bytes: two blocks at middle's first call, of 100 bytes each, one of 7 at the second.
{
	echo 'heap profile: 3: 207 [3: 207] @ heapprofile'
	printf ' 2: 200 [2: 200] @ 0x%x 0x%x\n' $((0x$base + 0x$(behind "$first"))) $((0x$base + 0x$(behind "$down")))
	printf ' 1: 7 [1: 7] @ 0x%x 0x%x\n' $((0x$base + 0x$(behind "$second"))) $((0x$base + 0x$(behind "$down")))
	printf '\nMAPPED_LIBRARIES:\n'
	cat maps
} >run.heap
tm-symbolize -q --locations return -e prog run.heap -o heap.tmt 2>err
tm-inspect -q --as json --trace heap.tmt --disassemble middle prog 2>err >got.json
bytes() { jq -r '.sections[0].rows[] | select(.address and .total_'"$1"' != null) | "\(.address) \(.'"$1"') \(.total_'"$1"')"' got.json; }
check 'bytes of a heap' is "$(bytes requested)" "0x$first 200 200
0x$second 7 7"
tm-inspect -q --as json --trace heap.tmt --disassemble middle --sort count prog 2>err >got.json
check 'by another metric' is "$(bytes count)" "0x$first 2 2
0x$second 1 1"
tm-inspect -q --as json --trace heap.tmt --trace run.tmt --disassemble middle --sort requested prog 2>err >got.json
check 'several traces' is "$(bytes requested)" "0x$first 200 200
0x$second 7 7"

# What is in no function is said, beside the whole; here it is in the file's header, which is mapped, too.
{
	sample 40 "$(behind "$first")"
	cat perf.txt
} >header.txt
tm-symbolize -q -f perf-script --maps maps -e prog header.txt -o header.tmt 2>err
listed --trace header.tmt prog
check 'what is in no function' eval 'jq -r ".sections[0].notes[]" got.json | grep -q "prog: samples in stacks with its functions: 8 of 8; at addresses in no function: 1\$"'

# Functions of one name in two files: by the name both, by what tells them apart one.
for f in 'one 31' 'two 32'; do
	printf '__attribute__((noinline)) static int twin(int n)\n{\n\treturn n * %d;\n}\nint %s(int n)\n{\n\treturn twin(n) + 1;\n}\n' "${f#* }" "${f% *}" >"${f% *}.c"
done
echo 'int one(int), two(int); int main(int n, char **v) { (void)v; return one(n) - two(n); }' >twins.c
build -o twins one.c two.c twins.c 2>err
sed "s,$PWD/prog,$PWD/twins," maps >twins.maps
for at in $(objdump -d --no-show-raw-insn twins | awk '/<twin>:$/ { print $1 }'); do
	sample "$at" | sed "s,$PWD/prog,$PWD/twins,"
done >twins.txt
tm-symbolize -q -f perf-script --maps twins.maps -e twins twins.txt -o twins.tmt 2>err
listed --trace twins.tmt --disassemble twin twins
check 'two functions of one name' is "$(costs twin | cut -d ' ' -f 2,3 | tr '\n' ' ')" '1 1 1 1 '
listed --trace twins.tmt --disassemble 'twin (two.c)' twins
check 'one of them, by its file' is "$(costs twin | cut -d ' ' -f 1)" "0x$(objdump -d --no-show-raw-insn twins | awk '/<twin>:$/ { sub("^0*", "", $1); print $1 }' | tail -n 1)"

# Another build of the same name is none of it; one that has no build-id is known by its name.
mkdir other
build -DOTHER -o other/prog prog.c -Wl,--build-id=0x1234567890abcdef1234567890abcdef12345678 2>err
tm-inspect --trace run.tmt other/prog >out 2>err
status=$?
check 'another build is refused' eval '[ $status = 3 ] && grep -q "another build" err && grep -q 1234567890abcdef err'
check '... and nothing is charged' eval '! grep -q 100.00% out'
listed --trace run.tmt -n 0 other/prog prog
check 'of two builds the right one' is "$(jq -r '[.sections[0].rows[].binary] | unique | join(" ")' got.json)" prog
tm-inspect --trace perf.txt --maps maps prog >out 2>err
status=$?
check 'a capture without bindings says so' eval '[ $status = 2 ] && grep -q "the trace is not symbolized" err'
tm-inspect --trace run.tmt "$(command -v tm-dump)" >out 2>err
check 'a binary that is not in it' grep -q 'no address of the trace is in this binary' err

# A trace without names gets those of the binary.
tm-import -q --maps maps perf.txt -o raw.tmt 2>err
mkdir away
mv prog away
tm-inspect -q --as json -n 1 --trace raw.tmt away/prog 2>err >got.json
check 'a trace without names' is "$(costs leaf | sort)" "$(want "0x$in_leaf 3 3" "0x$other 2 2" "none 1 1")"
check 'tm-view: a trace without names' eval \
	'tm-view -q -e away/prog --query "inspect --csv --disassemble leaf" raw.tmt 2>err | grep -q "^1,0x$in_leaf,3,3,"'
mv away/prog .

# tm-view: the bytes, the messages and the status of the command.
same() { # QUESTION
	local form='--as json' status is
	case $1 in
	*--as* | *--csv*) form='' ;;
	esac
	eval "tm-$1 $form --trace run.tmt --trace heap.tmt -- prog other/prog" >want 2>want.err </dev/null
	status=$?
	tm-view -q --no-symbols -e prog -e other/prog --query "$1" run.tmt heap.tmt >got 2>err </dev/null
	is=$?
	check "tm-view: $1" eval "cmp -s want got && cmp -s want.err err && [ $status = $is ]"
}
for q in inspect 'inspect --disassemble leaf' 'inspect --disassemble inner --sort samples' 'inspect -n 0 --csv --sort count' \
	"inspect --disassemble middle --as text --ignore inner" 'inspect --cumulative --sort samples --as markdown' \
	'inspect --disassemble nothing' 'inspect --sort live'; do
	same "$q"
done
# Debug information that is elsewhere, by its build-id; inside tm-view's sandbox, too.
id=$(readelf -n prog | sed -n 's/.*Build ID: //p')
mkdir -p debug/.build-id/"${id:0:2}" bare
objcopy --only-keep-debug prog debug/.build-id/"${id:0:2}/${id:2}.debug" && objcopy --strip-all prog bare/prog
tm-inspect -q --csv --disassemble leaf --debug-dir debug --trace run.tmt bare/prog >want 2>err
tm-view -q --no-symbols -e bare/prog --debug-dir debug --query 'inspect --csv --disassemble leaf --debug-dir debug' run.tmt >got 2>err
check 'tm-view: with debug information that is elsewhere' eval \
	'cmp -s want got && grep -q "^1,0x$in_leaf,3,3," got && grep -q "^1,.*prog.c:5" got'
tm-view -q --no-symbols -e bare/prog --query 'inspect --csv --sort samples' run.tmt >got 2>err
check 'tm-view: with none, by unwind tables and the names of the trace' eval 'grep -q "^0,,6,6,85.71,leaf," got && grep -q "^1,0x$in_leaf,3,3," got'

ask() { tm-view -q --no-symbols -e prog --query "$1" run.tmt heap.tmt >got 2>err; }
ask 'inspect --sort samples --trace run.tmt prog'
tm-inspect --as json --sort samples --trace run.tmt prog >want 2>want.err
check 'tm-view: of one capture' cmp -s want got
ask 'inspect --sort=samples --trace=run.tmt'
check 'tm-view: of one capture, in one word' cmp -s want got
refused() { ! ask "$1" && [ ! -s got ]; }
check 'tm-view: a binary that was not named' refused 'inspect other/prog'
check 'tm-view: a capture that was not loaded' refused 'inspect --trace perf.txt'
check 'tm-view: a folder that was not named' refused 'inspect --debug-dir .'
check 'tm-view: no server is asked' refused 'inspect --debuginfod=http://127.0.0.1:1'
check 'tm-view: nothing is kept' eval 'refused "inspect --cache kept" && [ ! -e kept ]'
check 'tm-view: no binary was named' eval '! tm-view -q --no-symbols --query inspect run.tmt 2>err && grep -q "tm-view -e FILE" err'
check 'tm-view: MODULE=FILE' eval 'tm-view -q --no-symbols -e game=prog --query "inspect --csv --sort samples" run.tmt 2>err | grep -q "^1,0x$in_leaf,3,3,"'
tm-view -q -e nowhere --query inspect run.tmt >out 2>err
status=$?
check 'tm-view: a binary that is not there' eval '[ $status = 3 ] && grep -q nowhere err'
printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"instructions","arguments":{"function":"leaf","file":"run.tmt","limit":500}}}' \
	'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"instructions","arguments":{"function":"/etc/passwd"}}}' |
	tm-view -q --no-symbols -e prog --mcp run.tmt heap.tmt >got 2>err
tm-inspect -q --as json --disassemble leaf --trace run.tmt prog >got.json 2>err
check 'assistants get the same rows' eval \
	'[ "$(sed -n 1p got | jq -c ".result.structuredContent.tables[0].rows")" = "$(jq -c "[.sections[0].rows[] | with_entries(select(.value != null))]" got.json)" ]'
check '... and a reason' eval 'sed -n 2p got | jq -e ".result.isError" >/dev/null'

# The front door: a binary goes beside the captures.
timeout 120 tracemill show --view run.tmt prog heap.tmt >address 2>view.err &
view=$!
for _ in $(seq 100); do
	[ -s address ] && break
	sleep 0.1
done
if [ -s address ] && command -v curl >/dev/null; then
	check 'tracemill show --view' eval 'curl -s "$(cat address)state" | jq -e ".binaries == [\"prog\"] and [.files[].name] == [\"run.tmt\", \"heap.tmt\"]" >/dev/null'
	kill $view
else
	echo 'skip - tracemill show --view: no page, or no curl'
fi
wait $view

# Traces that are cut and changed end well.
"$GEN/cuts" --step 3 --silent 60 run.tmt tm-inspect -n 0 --trace - prog || failed=1
"$GEN/flips" --step 3 run.tmt tm-inspect -n 0 --trace - prog || failed=1
exit $failed
