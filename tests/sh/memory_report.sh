#!/bin/bash
# SPDX-License-Identifier: MIT
# timeout: 300
#
# tm-top --memory against a twin: awk over tm-dump of the same trace, which adds up sizes, follows what is
# live, counts pages and fits the line of growth by itself.
# shellcheck disable=SC2016,SC2094,SC2317
set -u
: "${SRC:?}" "${GEN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
same() { diff "$1" "$2" >err; }

cat >leaks.c <<'X'
#include <stdlib.h>
#include <time.h>
static void *kept[3000];
int main(void)
{
	struct timespec ms = {0, 1000000}; /* longer than what a busy machine takes away */
	for (int i = 0; i < 1200; i++) {
		kept[i] = malloc((size_t)(i * 37 % 5000));
		if (i % 3)
			free(malloc((size_t)i * 10));
		if (i % 2)
			free(kept[i / 2]), kept[i / 2] = 0;
		if (i == 0)
			kept[2000] = malloc(1 << 20);
		if (i % 4 == 0)
			nanosleep(&ms, 0);
	}
	return 0;
}
X
if ! ${CC:-cc} -O0 leaks.c -o leaks 2>err || ! tm-record -q --no-symbols -o run.tmt ./leaks 2>err; then
	echo 'skip - a recorded program (none can be recorded here)'
	exit $failed
fi
tm-dump -q run.tmt >dump 2>err
# "size N count N bytes N live N N", "peak N", "live N N", "pages N N", "growth N"
cat >twin.awk <<'X'
function field(name) { return match($0, " " name "=[-0-9a-fx]+") ? substr($0, RSTART + length(name) + 2, RLENGTH - length(name) - 2) : "" }
function hex(s, v, i) {
	for (i = 3; i <= length(s); i++) v = v * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
	return v
}
function point(time, i) {
	i = int(time / step)
	while (i >= 256) { # the steps become twice as long
		for (k = 0; k < 256; k++) if (k in last) { half[int(k / 2)] = last[k] }
		delete last
		for (k in half) last[k] = half[k]
		delete half
		step *= 2
		i = int(time / step)
	}
	last[i] = live
}
BEGIN { step = 15625; OFMT = CONVFMT = "%.0f" }
/ domain=/ { next }
/^alloc / {
	size = field("requested") + 0; address = field("address")
	class = 0
	for (v = size; v >= 1; v = int(v / 2)) class++
	count[class]++; bytes[class] += size
	weight = field("real"); weight = weight == "" ? size : weight + 0 # the curve and the peak are of real bytes
	at[address] = size; of[address] = weight; live += weight; n++
	if (live > peak) peak = live
	point(field("time"))
}
/^free / {
	address = field("address")
	if (address in at) { live -= of[address]; n--; delete at[address] }
	point(field("time"))
}
END {
	for (a in at) {
		class = 0
		for (v = at[a]; v >= 1; v = int(v / 2)) class++
		lc[class]++; lb[class] += at[a]
		large = at[a] >= 131072
		first = int(hex(a) / 4096); end = int((hex(a) + (at[a] ? at[a] - 1 : 0)) / 4096)
		for (p = first; p <= end; p++) if (!((large, p) in page)) { page[large, p] = 1; pages[large]++ }
	}
	for (c = 0; c < 65; c++) if (c in count) print "size", (c ? 2 ^ (c - 1) : 0), count[c], bytes[c], lc[c] + 0, lb[c] + 0
	print "peak", peak
	print "live", live + 0, n + 0
	k = 0
	print "pages", pages[0] * 4096, pages[1] * 4096
	for (i = 0; i < 256; i++) { if (i in last) { v = last[i]; begun = 1; m = k + 1 } if (begun) y[k++] = v }
	for (i = 0; i < m; i++) { sx += i; sy += y[i] }
	sx /= m; sy /= m
	for (i = 0; i < m; i++) { xx += (i - sx) ^ 2; xy += (i - sx) * (y[i] - sy) }
	printf "growth %.0f\n", xy / xx / (step / 1e9)
}
X
awk -f twin.awk dump >want 2>err
tm-top --memory --as csv --table sizes run.tmt 2>err | tr -d '\r' | awk -F, 'NR > 1 { print "size", $1, $2, $4, $6, $7 }' >got
check 'sizes are the twin'"'"'s' same <(grep ^size want) got
check '... of several classes' [ "$(wc -l <got)" -gt 10 ]
tm-top --memory --as csv --table pages run.tmt 2>err >pages
check 'pages are the twin'"'"'s' [ "$(awk '/^pages/ { print $2, $3 }' want)" = "$(awk -F, 'NR > 1 { printf "%s%s", sep, $4; sep = " " }' pages)" ]
tm-top --memory run.tmt >text 2>err
size() { # of bytes, as people read it
	awk -v b="$1" 'BEGIN { split("B KiB MiB GiB", u, " "); i = 1; v = b; while (v >= 1024) { v /= 1024; i++ } printf(i == 1 ? "%d %s" : "%.1f %s", v, u[i]) }'
}
check 'the peak is the twin'"'"'s' grep -qF "peak $(size "$(awk '/^peak/ { print $2 }' want)") after" text
check 'what is live is the twin'"'"'s' grep -qF "live at the end $(size "$(awk '/^live/ { print $2 }' want)") in $(awk '/^live/ { print $3 }' want) blocks" text
check 'growth is the twin'"'"'s' grep -qF "growth +$(size "$(awk '/^growth/ { print $2 }' want)") a second" text
check '... and it grows' grep -q ': it grows' text
check 'the curve is drawn' eval 'tm-top --memory --plot always run.tmt 2>err | grep -q "█"'
check '... on a page, too' eval 'tm-top --memory -o page.html run.tmt 2>err; grep -q "live bytes over time" page.html && grep -q "peak [0-9.]* [KM]iB at" page.html'
# The ranking's page and JSON have the same histogram, of counts and bytes; 100 times a count, of all, in percent.
tm-top --as json run.tmt 2>err >page.json
sed -n '/"name":"sizes"/,/"totals"/s/^{"size":\([0-9]*\),"count":\([0-9]*\),.*"bytes":\([0-9]*\),.*/size \1 \2 \3/p' page.json >got
check "the ranking's JSON has the sizes" same <(awk '/^size/ { print $1, $2, $3, $4 }' want) got
tm-top -o top.html run.tmt 2>err
check '... and its page draws how many are of each' same \
	<(awk '/^size/ { n[++k] = $3; all += $3 } END { for (i = 1; i <= k; i++) printf "%.2f%%\n", int(n[i] * 10000 / all + 0.5) / 100 }' want) \
	<(sed -n '/<h2>allocations by size/,$p' top.html | sed -n 's/^<tr><td class="num"[^>]*>[^<]*<\/td><td class="num"[^>]*>[^<]*<\/td><td class="num bar" style="--bar:\([0-9.]*%\)".*/\1/p')
check "... and begins with the curve of live bytes, whose top is the twin's peak" \
	[ "$(sed -n '/<h2>/{/live bytes over time/!d;:a;n;s/.*"y":\[\([0-9,]*\)\].*/\1/p;t;ba}' top.html | tr , '\n' | sort -n | tail -n 1)" = "$(awk '/^peak/ { print $2 }' want)" ]
check '... before any table' eval '[ "$(grep -n "<h2>" top.html | head -n 1 | grep -c "live bytes over time")" = 1 ]'
check '... with its slope' eval 'grep -qF "growth: +$(size "$(awk "/^growth/ { print \$2 }" want)") a second" top.html'
check "... and the JSON has what it had" eval '! grep -q "live bytes over time" page.json'
check '... of what is read, not of what a filter leaves' eval '! tm-top --as json --size 1M.. run.tmt | grep -q "\"sizes\""'
check '... nor in another report' eval '! tm-top --as json --tree run.tmt | grep -q "\"sizes\""'
check '... and not in text' eval '! tm-top run.tmt 2>err | grep -q "by size"'
check 'filters hold' [ "$(tm-top --memory --size 1M.. --as csv --table sizes run.tmt 2>err | awk -F, 'NR > 1 { print $1, $2 }')" = '1048576 1' ]
check 'twice the same run: sums are twice as large, no curve' \
	eval 'tm-top --memory --as csv --table sizes run.tmt run.tmt 2>err | awk -F, "NR > 1 { n += \$2 } END { print n }" | grep -qx $((2 * $(awk "/^size/ { n += \$3 } END { print n }" want))) && ! tm-top --memory --as json run.tmt run.tmt | grep -q "over time"'
check 'nothing is left: it is said' eval 'tm-top --memory --size 1G.. run.tmt 2>&1 | grep -q "no allocation is left"'
check 'one report at a time' eval '! tm-top --memory --tree run.tmt 2>err'

# What has no address is never freed: it does not count as live, in either report, and that is said.
"$GEN/trace" --seed 3 --allocs 20000 --live 500 --stacks 50 --frames 10 --rich 1 >rich.tmt
tm-dump -q --no-tables rich.tmt 2>err | awk '
function field(name) { return match($0, " " name "=[-0-9a-fx]+") ? substr($0, RSTART + length(name) + 2, RLENGTH - length(name) - 2) : "" }
/^alloc / { a = field("address"); none += a == "" }
/^alloc .* domain=malloc/ && a != "" { c = field("count"); live += c - at[a]; at[a] = c }
/^free .* domain=malloc/ { a = field("address"); live -= at[a]; delete at[a] }
END { print live, none }' >want
read -r live none <want
check 'what is live of them is the twin'"'"'s' [ "$(tm-top --memory rich.tmt 2>err | sed -n 's/.*live at the end .* in \([0-9]*\) blocks.*/\1/p')" = "$live" ]
check "... without $none that have no address" grep -q "no address: they do not count as live: $none$" err
check '... as in the ranking' [ "$(tm-top rich.tmt 2>err | sed -n 's/.*live at the end .* in >*=*\([0-9]*\) blocks.*/\1/p')" = "$live" ]
check '... and in the sizes' [ "$(tm-top --memory --as csv --table sizes rich.tmt 2>err | awk -F, 'NR > 1 { n += $6 } END { print n }')" = "$live" ]

# By module of the site: two libraries and the program keep blocks of a size of their own, mixed; so awk knows
# whose a block is by its size alone. wrap() of the program's hands on: with a rule, what it allocates is part()'s.
cat >part.c <<'X'
#include <stdlib.h>
extern void *wrap(size_t n);
void *NAME(int i) { void *p = i % 2 ? malloc(SIZE) : wrap(SIZE); __asm__ volatile("" ::: "memory"); return p; }
X
cat >whole.c <<'X'
#include <stdlib.h>
extern void *left(int), *right(int);
__attribute__((noinline)) void *wrap(size_t n) { void *p = malloc(n); __asm__ volatile("" ::: "memory"); return p; }
static void *kept[3000];
int main(void)
{
	for (int i = 0; i < 900; i++) {
		kept[i] = left(i);
		kept[1000 + i] = right(i);
		kept[2000 + i] = malloc(72);
	}
	for (int i = 0; i < 900; i++)
		if (i % 5)
			free(kept[1000 + i]);
	return 0;
}
X
echo 'function ^wrap$' >wrap.sites
if ${CC:-cc} -g -O1 -shared -fPIC -DNAME=left -DSIZE=200 part.c -o libleft.so 2>err &&
	${CC:-cc} -g -O1 -shared -fPIC -DNAME=right -DSIZE=3000 part.c -o libright.so 2>err &&
	${CC:-cc} -g -O1 -rdynamic whole.c -o whole -L. -lleft -lright -Wl,-rpath,"$PWD" 2>err && tm-record -q -o whole.tmt ./whole 2>err; then
	tm-dump -q whole.tmt >dump 2>err
	cat >whose.awk <<'X'
function add(size, whose) { of[size] = whose }
BEGIN { OFMT = CONVFMT = "%.0f"; add(200, "libleft.so"); add(3000, "libright.so"); add(72, "whole") }
/^alloc / { at[field("address")] = field("requested") + 0 }
/^free / { delete at[field("address")] }
END {
	for (a in at) {
		m = of[at[a]]
		if (m == "") continue
		n[m]++; b[m] += at[a]
		for (p = int(hex(a) / 4096); p <= int((hex(a) + at[a] - 1) / 4096); p++) if (!((m, p) in page)) { page[m, p] = 1; pages[m]++ }
	}
	for (m in n) print m, n[m], b[m], pages[m] * 4096, pages[m] * 4096 - b[m]
}
X
	sed -n '/^function/,/^}/p' twin.awk | cat - whose.awk >both.awk
	awk -f both.awk dump 2>err | sort >want
	modules() { tm-top --memory --as csv --table modules "$@" whole.tmt 2>err | tr -d '\r' | awk -F, 'NR > 1 { print $6, $1, $2, $3, $4 }'; }
	modules --sites wrap.sites | sort >got
	check "pages by module of the site are the twin's" same want <(grep -E 'left|right|whole' got)
	check '... which are three modules: 900 + 180 + 900 blocks' \
		[ "$(awk '{ print $1, $2 }' want | tr '\n' ' ')" = 'libleft.so 900 libright.so 180 whole 900 ' ]
	check '... without the rule half of them are the wrapper'"'"'s' grep -q '^whole 1440 ' <(modules)
	check '... and the largest waste comes first' [ "$(modules --sites wrap.sites | awk '{ print $5 }')" = "$(modules --sites wrap.sites | awk '{ print $5 }' | sort -rn)" ]
else
	echo 'skip - pages by module (no shared libraries)'
fi
# Both heads are of the same capture, and as sure: a saved .loli has lost what was freed before.
"$GEN/loli" -n 2000 -c 20 loli-106 >saved.loli 2>/dev/null
marks() { head -n 2 | sed 's/([^)]*)//g' | grep -o '[>~]=\?[0-9.]\+' | tr '\n' ' '; } # tm-top has a rate in brackets, --memory a slope
check 'as sure as tm-top is' eval '[ -n "$(tm-top -q --memory saved.loli | marks)" ] && [ "$(tm-top -q --memory saved.loli | marks)" = "$(tm-top -q -n 1 saved.loli | marks)" ]'
# Made-up numbers are no addresses, and sums no blocks. 100 x malloc(4096), never freed, cannot stand on less than
# 400 KiB of pages; two nodes of 3000 and 2000 B of a tree are as many blocks as nobody knows.
{
	printf 'v 10500 2\nX prog\ns main\ni 1000 0 1\nt 1 0\na 1000 1\n'
	for ((i = 0; i < 100; i++)); do echo '+ 0'; done
} >numbered.g
printf '%s\n' 'desc: (none)' 'cmd: prog' 'time_unit: i' '#-----------' 'snapshot=0' '#-----------' 'time=10' 'mem_heap_B=5000' \
	'mem_heap_extra_B=0' 'mem_stacks_B=0' 'heap_tree=detailed' \
	'n2: 5000 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.' ' n0: 3000 0x1000: f (f.c:1)' \
	' n0: 2000 0x2000: g (f.c:2)' >tree.massif
printf 'heap profile: 3: 300 [5: 900] @ heapprofile\n3: 300 [5: 900] @ 0x1000\n\nMAPPED_LIBRARIES:\n' >sums.heap
tm-export -q --as pprof run.tmt >run.pb 2>err
tm-import -q -o numbered.tmt numbered.g 2>err
without() { # file, what is left out, titles of the tables that are there
	check "no $2 of made-up addresses in $1" grep -q "^$2 left out" <(tm-top -q --memory "$1")
	check "... and $3 in their place" [ "$(tm-top -q --memory --as csv --table sizes "$1" | tail -n +2 | wc -l)" -"$3" 0 ]
	check '... nor a table of them' [ -z "$(tm-top -q --memory "$1" | grep -E 'in use|the pages under')" ]
}
without numbered.g 'pages are' gt
without numbered.tmt 'pages are' gt
without run.pb 'sizes and pages are' eq
without sums.heap 'sizes and pages are' eq
without tree.massif 'sizes and pages are' eq
check 'blocks that are known: 100 of 4096 B' grep -qx '4096,100,.*,409600,.*,100,409600' <(tm-top -q --memory --as csv --table sizes numbered.g | tr -d '\r')
check 'a profile counts: 5 of 900 B, 3 live of 300 B' [ "$(tm-top -q --memory sums.heap | head -n 2 | tr '\n' ' ')" = '5 allocations, 900 B live at the end 300 B in 3 blocks ' ]
check 'nodes of a tree are not counted as blocks' [ -z "$(tm-top -q --memory tree.massif | grep -E 'allocations,|block$|blocks$')" ]
exit $failed
