#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Runs that are none to judge: of other programs, recorded in other ways, one run twice, an empty or a damaged one. A
# gate says so in one sentence in every output, has no verdict (5, or 3 where a file is damaged), fits no policy to them, and
# takes none of them from a history as the base. What was asked for nevertheless is judged, and says so.
# shellcheck disable=SC2016,SC2317 # check evaluates
set -u
. "$SRC/tests/check.bash"

cat >game.c <<'C'
#include <stdlib.h>
char *kept[100];
void load(int i) { kept[i] = malloc(SIZE); }
int main(void) { for (int i = 0; i < 100; i++) { load(i); free(malloc(20)); } return 0; }
C
sed 's/load/draw/' game.c >other.c
cc -g -O0 -Wl,--build-id -DSIZE=1000 game.c -o game && cc -g -O0 -Wl,--build-id -DSIZE=1000 -DX other.c -o other &&
	cc -g -O0 -Wl,--build-id -DSIZE=1001 game.c -o game-2 || exit 1
record() { tm-record -q -o "$1.tmt" "${@:2}" >record.out 2>&1 || cat record.out; }
for n in 1 2 3 4 5 6; do record g$n -- ./game; done
for n in 1 2 3; do
	record o$n -- ./other
	record r$n -- ./game-2
	record s$n --sample 64 -- ./game
	record t$n --sample 128 -- ./game
	record m$n --min 100 -- ./game
done
cp g1.tmt copy.tmt
tm-symbolize -q -o named.tmt g1.tmt 2>err
tm-filter -q --size 100.. -o part.tmt g4.tmt
for n in 2 3; do tm-compare -q --save-baseline g$n.tma g$n.tmt; done
tm-merge -q -o two.tma g2.tma g3.tma
head -c 60 g6.tmt >cut.tmt
printf '{"f":1,"d":[]}\n' >empty.mem
printf '{"f":1,"d":[{"t":"T","s":1,"r":1,"st":["0x10;"],"sz":[5]}]}\n' >full.mem
printf '[rule all]\nmetric = requested\npercent = 5\n' >p.ini
printf '[rule all]\nmetric = real\npercent = 5\n' >real.ini
gate() { tm-compare -q --no-config --gate "${policy:-p.ini}" --table policy "$@" >out 2>err; }

# base | new | the sentence | with these options the status is | what it says then
while IFS='|' read -r base new sentence options status; do
	# shellcheck disable=SC2086 # words
	gate --base $base --new $new
	check "$base, $new: no verdict" [ $? = 5 ]
	check "$base, $new: why" grep -q "^inconclusive.*not judged: $sentence" out
	check "$base, $new: nothing is said to have grown" eval '! grep -qE "^(pass|fail|improved)|Look:" out'
	[ -z "$options" ] && continue
	# shellcheck disable=SC2086
	gate $options --base $base --new $new
	check "$base, $new $options: $status" [ $? = "$status" ]
	check "$base, $new $options: it says so" grep -q "^judged because an option allows it: $sentence" out
done <<'T'
g1.tmt g2.tmt g3.tmt|o1.tmt o2.tmt o3.tmt|programs differ: g1.tmt is of game, o1.tmt of other|--allow-unlike|0
g1.tmt g2.tmt o1.tmt|g4.tmt g5.tmt g6.tmt|programs differ: g1.tmt is of game, o1.tmt of other||
g1.tmt|s1.tmt|sampling differs: g1.tmt was recorded whole, s1.tmt sampled every 64 bytes||
s1.tmt|t1.tmt|sampling differs: s1.tmt was recorded sampled every 64 bytes, t1.tmt sampled every 128 bytes||
m1.tmt m2.tmt m3.tmt|g1.tmt g2.tmt g3.tmt|sampling differs: m1.tmt was recorded blocks of 100 bytes and more, g1.tmt whole|--allow-unlike|0
g1.tmt|part.tmt|sampling differs: g1.tmt was recorded whole, part.tmt filtered by --size 100..||
g1.tmt|two.tma|captures differ: g1.tmt is of 1, two.tma of 2, and an aggregate||
two.tma|g1.tmt|captures differ: two.tma is of 2, g1.tmt of 1, and an aggregate|--allow-unlike|0
g1.tmt g1.tmt|g2.tmt|g1.tmt is given twice: the same run||
g1.tmt g2.tmt|copy.tmt|g1.tmt and copy.tmt are the same run|--allow-copies|0
g1.tmt|named.tmt|g1.tmt and named.tmt are the same run||
T

echo "what filters or the domain leave out"
cat >mapped.c <<'C'
#include <stdlib.h>
#include <sys/mman.h>
void *kept[100];
int main(void) { for (int i = 0; i < 100; i++) if (!KEEP) free(malloc(1000)); else kept[i] = malloc(1000);
	return mmap(0, 1 << 24, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED; }
C
for k in 0 1; do cc -g -O0 -Wl,--build-id -DKEEP=$k mapped.c -o mapped && record a$k --mmap -- ./mapped; done
record a2 --mmap -- ./mapped
printf '[rule all]\nmetric = live-requested\npercent = 5\n' >live.ini
# files | options | status | what the output says
while IFS='|' read -r files options status sentence; do
	# shellcheck disable=SC2086
	policy=live.ini gate $options $files
	check "$files $options: $status" [ $? = "$status" ]
	check "$files $options: it says so" grep -q -- "$sentence" out
done <<'T'
g1.tmt g2.tmt|--focus nosuch|5|not judged: '--focus nosuch' leaves nothing of g1.tmt
g1.tmt o1.tmt|--allow-unlike --focus draw|5|not judged: '--focus draw' leaves nothing of g1.tmt
g1.tmt g2.tmt|--module nosuch|5|not judged: '--module nosuch' leaves nothing of g1.tmt
g1.tmt g2.tmt|--hide .|5|not judged: '--hide .' leaves nothing of g1.tmt
g1.tmt g2.tmt|--ignore .|5|not judged: '--ignore .' leaves nothing of g1.tmt
g1.tmt g2.tmt|--domain pool|5|not judged: '--domain pool' leaves nothing of g1.tmt
g1.tmt g2.tmt|--focus nosuch --allow-unmatched|0|judged because an option allows it: '--focus nosuch' leaves nothing
g1.tmt g2.tmt|--focus load|0|^pass
a0.tmt a1.tmt|-q|5|not judged: a0.tmt has 100 records of domain malloc with .*, which are not judged: --domain selects
a0.tmt a1.tmt|-q --domain malloc|1|^domain mmap, not judged: 16.0 MiB -> 16.0 MiB
a0.tmt a1.tmt|-q --domain mmap|0|^domain malloc, not judged: 97.7 KiB -> 97.7 KiB
a0.tmt a1.tmt|-q --domain all|0|^pass
T
tm-compare -q --no-config --init-policy a1.tmt a2.tmt >out 2>err
check "--init-policy does not choose for malloc" [ $? = 5 ]
tm-compare -q --no-config --init-policy --domain mmap a1.tmt a2.tmt >out 2>err
check "--init-policy says what counts" grep -qx '; Only blocks of domain mmap count: tm-compare --domain mmap.' out
check "and what does not" grep -q '^; No rule checks 100 records of domain malloc' out

# 100 blocks of malloc with 100,000 bytes on all sides; a pool's blocks of 1,000 bytes and no real size, or maps of
# 64 KiB, are few in the base and many in the new runs.
cat >pool.c <<'C'
#include <stdlib.h>
#include <sys/mman.h>
#include "tracemill.h"
char pool[100 * 1000]; void *kept[100];
int main(void) {
	int n = 1;
	for (int i = 0; i < 100; i++) kept[i] = malloc(1000);
	for (int i = 0; i < atoi(getenv("POOL")) && tracemill_mark_alloc; i++)
		tracemill_mark_alloc(TRACEMILL_POOL, pool + 1000 * i, 1000, "Ent");
	for (int i = 0; i < atoi(getenv("MAPS")); i++) n += mmap(0, 1 << 16, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED;
	return n == 0;
}
C
cc -g -O0 -Wl,--build-id -I"$SRC/lib/recorder" pool.c -o pool || exit 1
for n in 1 2 3 4; do
	POOL=10 MAPS=1 record pool$n --mmap -- ./pool
	POOL=90 MAPS=1 record fuller$n --mmap -- ./pool
	POOL=10 MAPS=2 record maps$n --mmap -- ./pool
done
tm-compare -q --no-config --save-baseline pool.tma pool1.tmt 2>err
printf '[rule live]\nmetric = live-real\npercent = 5\n' >live-real.ini
printf '[rule live]\nmetric = live-real\nmax = 1KiB\n' >most.ini
printf '[rule live]\nmetric = live-real\nkey = site\neach = yes\npercent = 5\n' >each.ini
printf '[rule live]\nmetric = live-requested\npercent = 5\nabsolute = 1MiB\n' >floor.ini
# base | new | policy | options | status | what the output says
while IFS='|' read -r base new named options status sentence; do
	# shellcheck disable=SC2046,SC2086
	policy=$named.ini gate $options --base $(ls $base.tmt) --new $(ls $new.tmt)
	check "$base, $new, $named $options: $status" [ $? = "$status" ]
	check "$base, $new, $named $options: $sentence" grep -q -- "$sentence" out
done <<'T'
pool[123]|fuller?|live-real|--domain all|5|'live real' is a lower bound in pool1.tmt: some records have no value.*; all have 'live-requested'
pool[12]|pool[34]|each|--domain all|5|'live real' is a lower bound
pool[12]|fuller?|most|--domain all|1|^fail
pool[12]|fuller?|live|--domain all|1|^fail
pool[12]|pool[34]|live|--domain all|0|^pass
pool[12]|fuller?|live-real|--domain malloc|0|^domain pool, not judged: 9.8 KiB -> 87.9 KiB; domain mmap, not judged: 64.0 KiB -> 64.0 KiB
pool[12]|fuller?|live-real||5|'live requested' of domain pool, which is not judged, grew by more than the limit: 9.8 KiB -> 87.9 KiB
pool[12]|fuller?|floor||0|^domain pool, not judged: 9.8 KiB -> 87.9 KiB
pool[12]|maps?|live-real||5|'live real' of domain mmap, which is not judged, grew by more than the limit: 64.0 KiB -> 128.0 KiB
pool[12]|maps?|each||5|'live real' of domain mmap, which is not judged, grew
pool[12]|pool[34]|live-real||0|^domain pool, not judged: 9.8 KiB -> 9.8 KiB
T
policy=live.ini gate pool.tma fuller1.tmt
check "of an aggregate it is not known" grep -q '^domain pool, not judged: not known -> 87.9 KiB' out
tm-compare -q --no-config --init-policy --domain all pool1.tmt pool2.tmt >out 2>err
check "--init-policy takes metrics that all records have" eval '! grep -q "^metric.*real" out && [ "$(grep -c "^metric = live-requested" out)" = 2 ]'
tm-compare -q --no-config --init-policy --domain malloc pool1.tmt pool2.tmt >out 2>err
check "and real bytes where they are known" [ "$(grep -c "^metric = live-real" out)" = 2 ]

# A rule by calls sees nothing where there are no stacks; by names, where one side has none. The program is on this
# machine, so tm-compare would give them names.
for n in 1 2; do
	record bare$n --stacks none -- ./game
	record nameless$n --no-symbols -- ./game
done
printf '[rule new]\nmetric = live-requested\nkey = stack\nnew = 0\n' >new.ini
printf '[rule sites]\nmetric = requested\nkey = site\neach = yes\npercent = 5\n' >sites.ini
for rule in sites new; do
	while IFS='|' read -r base new status sentence; do
		policy=$rule.ini gate --no-symbols --base "$base" --new "$new"
		check "$rule, $base, $new: $status" [ $? = "$status" ]
		check "$rule, $base, $new: $sentence" grep -q -- "$sentence" out
		check "$rule, $base, $new: no waiver" eval '! grep -q Accept out'
	done <<-'T'
		bare1.tmt|bare2.tmt|5|nothing was checked: no run has stacks: all of the data is one thing
		g1.tmt|bare1.tmt|5|nothing was checked: recorded in different ways: bare1.tmt has no stacks, g1.tmt has
		bare1.tmt|g1.tmt|5|nothing was checked: recorded in different ways: bare1.tmt has no stacks, g1.tmt has
		g1.tmt|nameless1.tmt|5|nothing was checked: most of nameless1.tmt has no names, most of g1.tmt has
		nameless1.tmt|nameless2.tmt|0|tm-compare guesses their counterparts in another build by the order of addresses
	T
done
for rule in sites new; do
	policy=$rule.ini gate g1.tmt nameless1.tmt
	check "$rule, g1.tmt, nameless1.tmt: it gets names, and is judged" [ $? = 0 ]
done
# A stripped build and one with names of the same build-id: what the report says to do is done, and they are one.
if command -v strip >/dev/null && readelf -n game | grep -q 'Build ID'; then
	mkdir -p stripped unstripped && strip -o stripped/game game && cp game unstripped/another-name
	record stripped -- stripped/game
	id=$(readelf -n game | sed -n 's/.*Build ID: *//p')
	for rule in sites new; do
		policy=$rule.ini gate g1.tmt stripped.tmt
		check "$rule: a stripped build is not matched by its addresses" [ $? = 5 ]
		check "$rule: the build-id that both have" grep -q "both have the same build of game, build-id $id" out
		check "$rule: it is not said to be compiled differently" eval '! grep -q "compiled differently" out'
		command=$(grep -o "tm-symbolize --debug-dir DIR -o FILE stripped.tmt" out | head -n 1)
		command=${command/DIR/unstripped}
		rm -f named.tmt && ${command/FILE/named.tmt} 2>err
		policy=$rule.ini gate g1.tmt named.tmt
		check "$rule: the command that it proposes gives it names" [ $? = 0 ]
	done
	tm-compare -q --no-config --save-baseline stripped.tma stripped.tmt 2>err
	policy=sites.ini gate g1.tmt stripped.tma
	check "an aggregate of it is to be made again" grep -q 'names cannot be added to an aggregate: symbolize the trace' out
fi
# Functions of one name in two files have callers, and so has growth that a waiver covers.
cat >two.c <<'C'
#include <stdlib.h>
static char *kept[20];
static __attribute__((noinline)) void fill(int n) { for (int i = 0; i < n; i++) kept[i] = malloc(1000); }
void CALLER(void) { fill(COUNT); }
C
echo 'void net(void); void ui(void); int main(void) { net(); ui(); return 0; }' >both.c
mkdir -p net ui old new && cp two.c net/load.c && cp two.c ui/load.c
for n in old new; do
	cc -g -O0 -c -DCALLER=net -DCOUNT=5 net/load.c -o net.o && cc -g -O0 -c -DCALLER=ui -DCOUNT="$([ $n = new ] && echo 10 || echo 5)" ui/load.c -o ui.o &&
		cc -g -O0 -Wl,--build-id both.c net.o ui.o -o $n/both || exit 1
	record both-$n -- $n/both
done
printf '[rule functions]\nmetric = requested\nkey = function\neach = yes\npercent = 5\n' >functions.ini
for rule in sites functions; do
	policy=$rule.ini gate both-old.tmt both-new.tmt
	check "$rule of one name in two files: fails" [ $? = 1 ]
	check "$rule of one name in two files: the caller" grep -q 'Called by ui < main' out
	{ cat $rule.ini && printf '[waiver w]\nrule = %s\nuntil = 2999-12-31\nreason = known\n' $rule; } >waived.ini
	policy=waived.ini gate both-old.tmt both-new.tmt
	check "$rule that a waiver covers: the caller" eval 'grep -q Waived out && grep -q "Called by ui < main" out'
done
policy=sites.ini gate bare1.tmt bare2.tmt
check "without stacks nothing is matched by addresses" eval '! grep -q "order of their addresses" out'
policy=p.ini gate g1.tmt bare1.tmt
check "a rule on everything needs no stacks" [ $? = 0 ]

echo "what a verdict leaves open is said beside it"
printf '#!/bin/sh\n./game\nexit 0\n' >script && chmod +x script
sed 's/i < 100/i < 40/' game.c >short.c
cat >engine.c <<'C'
#include <stdlib.h>
void *kept[300]; int n;
__attribute__((noinline)) void *eng_alloc(size_t size) { void *p = malloc(size); return p; }
__attribute__((noinline)) void level(void) { for (int i = 0; i < 200; i++) kept[n++] = eng_alloc(2000); }
__attribute__((noinline)) void ui(void) { for (int i = 0; i < 20; i++) kept[n++] = eng_alloc(1000); }
int main(void) { level(); ui(); return 0; }
C
cc -g -O0 -Wl,--build-id engine.c -o engine || exit 1
mkdir short && cc -g -O0 -Wl,--build-id -DSIZE=1000 short.c -o short/game || exit 1
for n in 1 2; do
	record w$n -- ./script
	record e$n -- ./engine
done
record short1 -- ./short/game
printf '[rule sites]\nmetric = requested\nkey = site\neach = yes\npercent = 5\n' >sites.ini
printf 'function ^eng_alloc\n' >engine.sites
# files | options | policy | what the output says, or !and what it does not
while IFS='|' read -r files options named sentence; do
	# shellcheck disable=SC2086
	policy=$named.ini gate -q $options $files
	check "$files $options: passes" [ $? = 0 ]
	case $sentence in
	!*) check "$files $options: not: ${sentence#!}" eval '! grep -q -- "${sentence#!}" out' ;;
	*) check "$files $options: $sentence" grep -q -- "$sentence" out ;;
	esac
done <<'T'
w1.tmt w2.tmt||p|^w2.tmt is of .* alone: the program started other processes, which are not recorded .*and these are not judged
g1.tmt g2.tmt||p|!started
g1.tmt short1.tmt||p|^all of the data fell by more than half: count by 60 %, requested by 60 %.*did the new runs finish
g1.tmt g2.tmt||p|!everything fell
e1.tmt e2.tmt||sites|^rule 'sites': eng_alloc (.*engine.c:3) has 100 % of 'requested' for all of its callers
e1.tmt e2.tmt|--sites engine.sites|sites|!for all of its callers
g1.tmt g2.tmt||sites|!for all of its callers
T
tm-compare -q --no-config --init-policy e1.tmt e2.tmt >out 2>err
check "--init-policy says it of its rules" [ "$(grep -c '^; eng_alloc .* for all of its callers' out)" = 2 ]

policy=real.ini gate full.mem empty.mem
check "an empty run: no verdict" [ $? = 5 ]
check "and why" grep -q 'not judged: empty.mem is empty' out
policy=real.ini gate full.mem g1.tmt
check "another format: no verdict" [ $? = 5 ]
check "and why" grep -q 'not judged: formats differ: full.mem is of memtracer, g1.tmt of capture' out

echo "a renamed file of a program is the program; as it was sampled its numbers are estimates, of which single ones do not decide"
gate --base g1.tmt g2.tmt g3.tmt --new r1.tmt r2.tmt r3.tmt
check "game-2 beside game: judged" [ $? = 0 ]
printf '[rule all]\nmetric = requested\nabsolute = 0\n' >any.ini
policy=any.ini gate s1.tmt s2.tmt
check "one sampled run beside another: no failure" [ $? != 1 ]
check "its numbers are estimates, with their error" grep -q 'estimated by sampling, the difference give or take ' out

echo "in every output"
for form in junit sarif markdown code-quality json text; do
	tm-compare -q --no-config --gate p.ini --as $form --base g1.tmt g2.tmt --new o1.tmt >out.$form 2>err
	check "$form says why" grep -q 'programs differ: g1.tmt is of game, o1.tmt of other' out.$form
	tm-compare -q --no-config --gate p.ini --as $form --base g1.tmt g2.tmt --new g3.tmt cut.tmt >out.$form 2>err
	check "$form, of a damaged run: 3" [ $? = 3 ]
	check "$form says that" grep -q 'not judged: cut.tmt is damaged or cut short, as after a crash' out.$form
	tm-compare -q --no-config --gate p.ini --as $form g1.tmt missing.tmt >out.$form 2>err
	check "$form, where nothing is left to judge" grep -q 'not judged: missing.tmt could not be read' out.$form
done
check "JUnit has errors" grep -q 'errors="1"' out.junit

echo "no policy is fitted to such runs"
while IFS='|' read -r runs why; do
	# shellcheck disable=SC2086
	tm-compare -q --no-config --init-policy $runs >out 2>err
	check "--init-policy $runs: 5" [ $? = 5 ]
	check "--init-policy $runs: no policy" [ ! -s out ]
	check "--init-policy $runs: why" grep -q "$why" err
done <<'T'
g1.tmt g1.tmt g2.tmt|g1.tmt is given twice
g1.tmt g2.tmt o1.tmt|programs differ
g1.tmt g2.tmt r1.tmt|builds differ
g1.tmt m1.tmt|sampling differs
T

echo "in a history they are no base of each other"
add() { tm-history add -q --no-config --build "$1" --branch main --status green h.db "${@:2}" >out 2>>added; }
for b in g o m; do add $b ${b}1.tmt ${b}2.tmt ${b}3.tmt; done
tm-history add --no-config --build r --branch main h.db r1.tmt >out 2>said
check "adding says what is not like the run before" grep -q 'recorded in another way than the earlier run 9' said
for against in 'best of 10' 'g'; do
	printf '[policy]\nagainst = %s\n[rule all]\nmetric = requested\npercent = 5\n' "$against" >h.ini
	policy=h.ini gate --history h.db g4.tmt g5.tmt g6.tmt
	check "against $against: judged by its own kind" [ $? = 0 ]
	check "against $against: all runs of one size" grep -q '99.6 KiB -> 99.6 KiB' out
done
policy=h.ini gate --history h.db --allow-no-base s1.tmt s2.tmt s3.tmt
check "without any of its kind: no verdict, though there may be no base" [ $? = 5 ]
check "and why" grep -q 'no green run of build g to compare with: there are 9, recorded in another way' out
for row in '--base-branch mian|5' '--base-branch mian --branch mian|0' '--base-branch mian --branch main|5' '--base-machine new --base-branch main|0'; do
	# shellcheck disable=SC2086
	policy=p.ini gate --history h.db --allow-no-base ${row%|*} g4.tmt g5.tmt g6.tmt
	check "--allow-no-base ${row%|*}: ${row#*|}" [ $? = "${row#*|}" ]
done
policy=h.ini gate --history h.db g1.tmt
check "a run that is in the history: no verdict" grep -q 'not judged: .* are the same run\|is given twice' out

echo "a policy that is fitted to runs looks at what each line leaves, which a missing free is lost in the whole of"
sed 's/free(malloc(20))/kept2[i] = malloc(20)/; s/^void/char *kept2[100];\nvoid/' game.c >leak.c
cc -g -O0 -Wl,--build-id -DSIZE=1000 leak.c -o game || exit 1
for n in 1 2 3; do record l$n -- ./game; done
tm-compare -q --no-config --init-policy g1.tmt g2.tmt g3.tmt >init.ini 2>err
policy=init.ini gate --base g1.tmt g2.tmt g3.tmt --new l1.tmt l2.tmt l3.tmt
check "100 blocks of 20 bytes more, of 100,000: red" [ $? = 1 ]
check "by the rule of leaks" grep -q '^fail *leaks' out
check "which names the line" grep -q 'main (.*leak.c:5) keeps' out
policy=init.ini gate --base g1.tmt g2.tmt g3.tmt --new g4.tmt g5.tmt g6.tmt
check "and the same build is within it" [ $? = 0 ]
printf '[rule new stacks]\nmetric = live-requested\nkey = stack\nnew = 0\n' >stacks.ini
policy=stacks.ini gate --base g1.tmt g2.tmt g3.tmt --new l1.tmt l2.tmt l3.tmt
check "a stack that the base has, and that keeps nothing there, is new in what is kept" [ $? = 1 ]
check "and is said to be so" grep -q 'main (.*leak.c:5) has none in the base: keeps' out
policy=stacks.ini gate --base g1.tmt g2.tmt g3.tmt --new g4.tmt g5.tmt g6.tmt
check "and none is in the same build" [ $? = 0 ]
tm-filter -q --ignore load -o less.tmt g4.tmt 2>err
for n in g1 less; do tm-export -q --as pprof -o $n.pb.gz $n.tmt 2>err; done
gate g1.pb.gz less.pb.gz
check "a profile of a filtered trace is one of a part" grep -q 'not judged: sampling differs.*filtered by --ignore load' out
check "and as a trace again" eval 'tm-import -q -o again.tmt less.pb.gz 2>err && tm-dump again.tmt | grep -q "^attribute filtered="'
for form in speedscope:speedscope.json chrome:json; do
	tm-export -q --as ${form%%:*} -o less.${form#*:} less.tmt 2>err
	tm-import -q -o again.tmt less.${form#*:} 2>err
	check "of ${form%%:*} as well" eval 'tm-dump again.tmt | grep -q "^attribute filtered=.*--ignore load"'
done
tm-export -q --as sqlite -o less.sqlite less.tmt 2>err
check "of SQLite in its attributes" [ "$(sqlite3 less.sqlite "SELECT value FROM attributes WHERE key = 'filtered'")" = '--ignore load' ]
tm-export --as folded -o less.folded less.tmt 2>err
check "folded stacks cannot say it, and that is said" grep -q 'less.tmt: was filtered (--ignore load), which folded cannot record' err
tm-export --as folded -o whole.folded g4.tmt 2>err
check "but not of a whole one" [ "$(grep -c filtered err)" = 0 ]
printf 'main;a 100\n' >f1.folded
cp f1.folded f2.folded
printf '[rule all]\nmetric = samples\npercent = 5\n' >samples.ini
policy=samples.ini gate --base f1.folded --new f2.folded
check "equal bytes without times are two runs that do the same" [ $? = 0 ]
policy=samples.ini gate --base f1.folded --new f1.folded
check "one file is one run" [ $? = 5 ]

echo "runs that failed, and runs that were started otherwise"
cat >play.c <<'C'
#include <stdlib.h>
#include <string.h>
char *kept[100];
int main(int n, char **v) {
	int end = n > 1 ? atoi(v[1]) : 40;
	for (int i = 0; i < end; i++) kept[i] = malloc(1000);
	return n > 2 && *v[2] >= '0' && *v[2] <= '9' ? atoi(v[2]) : 0;
}
C
cc -g -O0 -Wl,--build-id play.c -o play || exit 1
printf '#!/bin/sh\nexec ./play "$@"\n' >wrapper && printf '#!/bin/sh -e\n./play "$@"; exit 4\n' >fails && chmod +x wrapper fails
for n in 1 2 3 4; do record p$n -- ./play 40; done
for n in 1 2 3; do
	record ps$n -- ./play 10
	record seed$n -- ./play 40 --seed=$n
done
record pk -- ./play 5 1
record pe -- ./play 40 3
record pc --no-symbols -- ./play 40 3
record pw -- ./wrapper 40
record pf -- ./fails 40
record pf2 -- "$PWD/fails" 40
record folder1 -- ./play 40 /tmp/a/level
record folder2 -- ./play 40 /tmp/b/level
record secret -- ./play 40 --token=sesame
check "what was not killed says how it ended" eval '[ "$(tm-dump pe.tmt | grep -c "^note info \"ended with exit status 3\"")" = 1 ]'
check "without names, too" eval '[ "$(tm-dump pc.tmt | grep -c "^note info \"ended with exit status 3\"")" = 1 ]'
check "one that ended well does not" eval '! tm-dump p1.tmt | grep -q "exit status"'
check "a trace has no argument's text" eval '! tm-dump secret.tmt | grep -q sesame && ! grep -aq sesame secret.tmt'
# base | new | status | the sentence, or nothing | with --allow-unlike the status is
while IFS='|' read -r base new status sentence unlike; do
	# shellcheck disable=SC2086
	gate --base $base --new $new
	check "$base, $new: $status" [ $? = "$status" ]
	[ -z "$sentence" ] || check "$base, $new: $sentence" grep -q "not judged: $sentence" out
	[ -n "$unlike" ] || continue
	# shellcheck disable=SC2086
	gate --allow-unlike --base $base --new $new
	check "$base, $new --allow-unlike: $unlike" [ $? = "$unlike" ]
	check "$base, $new --allow-unlike: it says so" grep -q "^judged because an option allows it: $sentence" out
done <<'T'
p1.tmt|p2.tmt|0||
p1.tmt p2.tmt|pk.tmt|5|pk.tmt ended with exit status 1|0
pe.tmt|pc.tmt|5|pe.tmt ended with exit status 3|0
p1.tmt|pe.tmt|5|pe.tmt ended with exit status 3|0
p1.tmt|ps1.tmt|5|arguments differ: ps1.tmt and p1.tmt were started with different arguments|0
p1.tmt p2.tmt ps1.tmt|p3.tmt|5|arguments differ: ps1.tmt and p1.tmt were started with different arguments|0
p1.tmt p2.tmt|ps1.tmt ps2.tmt|5|arguments differ|0
pf.tmt|pf2.tmt|5|pf.tmt ended with exit status 4|0
folder1.tmt|folder2.tmt|0||
seed1.tmt seed2.tmt|seed3.tmt|0||
T
gate p1.tmt pw.tmt
check "a script that becomes the program with its arguments is alike, whatever the shell allocates" eval '! grep -q "not judged" out'
tm-compare -q --no-config --save-baseline pe.tma pe.tmt 2>err
gate p1.tmt pe.tma
check "an aggregate knows how its run ended" grep -q 'not judged: pe.tma ended with exit status 3' out
tm-compare -q --no-config --save-baseline ps.tma ps1.tmt 2>err
gate p1.tmt ps.tma
check "and how it was started" grep -q 'not judged: arguments differ: ps.tma and p1.tmt were started with different arguments' out

echo "and in a history"
plays() { tm-history add -q --no-config --build "$1" --branch main --status green plays.db "${@:2}" >out 2>err; }
plays 1 p1.tmt p2.tmt p3.tmt && plays 2 ps1.tmt ps2.tmt ps3.tmt && plays 3 pe.tmt pk.tmt
for against in 'best of 10' '1'; do
	printf '[policy]\nagainst = %s\n[rule all]\nmetric = requested\npercent = 5\n' "$against" >h.ini
	policy=h.ini gate --history plays.db p4.tmt
	check "against $against: a whole run passes beside short and failed ones" [ $? = 0 ]
	check "against $against: by runs that were started alike" grep -q '39.1 KiB -> 39.1 KiB' out
done
printf '[policy]\nagainst = best of 10\n[rule all]\nmetric = requested\npercent = 5\n' >h.ini
policy=h.ini gate --history plays.db p4.tmt
check "what is left out is said" grep -q 'green runs are no base: started with other arguments' out
policy=h.ini gate --history plays.db ps3.tmt
check "a short run has short ones as its base, or none" grep -qE '9.8 KiB -> 9.8 KiB|are the same run' out
for n in 1 2 3; do tm-history add -q --no-config --build s$n --branch main --status green seeds.db seed$n.tmt >out 2>err; done
record seed4 -- ./play 40 --seed=4
policy=p.ini gate --history seeds.db seed4.tmt
check "arguments that are other ones in each run do not count" [ $? = 0 ]
sed 's/end = .*;/end = getenv("SHORT") ? 10 : 40;/' play.c >env.c && cc -g -O0 -Wl,--build-id env.c -o env || exit 1
for n in 1 2 3 4; do record v$n -- ./env; done
SHORT=1 record v5 -- ./env
for n in 1 2 3 5; do tm-history add -q --no-config --build v$n --branch main --status green env.db v$n.tmt >out 2>err; done
policy=h.ini gate --history env.db v4.tmt
check "a build that is best by having less than half is told of" grep -q '^the best build, v5, has less than half of the other builds' out

echo "one run is one, however its file is packed"
record once --no-symbols -- ./play 40
gzip -k once.tmt && xz -k once.tmt 2>/dev/null
tm-symbolize -q -o once.named.tmt once.tmt 2>err
tm-filter -q -o once.copy.tmt once.tmt 2>err
tm-compare -q --no-config --save-baseline once.tma once.tmt 2>err
tm-history add -q --no-config --build 1 once.db once.tmt >out 2>err
for file in once.tmt.gz once.tmt.xz once.named.tmt once.copy.tmt once.tma; do
	[ -e $file ] || continue
	tm-history add -q --no-config --build 1 once.db $file >out 2>err
	check "$file: was there" grep -q 'was there' out
	policy=p.ini gate once.tmt $file
	check "$file beside it: no verdict" grep -q "not judged: once.tmt and $file are the same run" out
done
tm-history add -q --no-config --build 2 once.db once.tmt.gz >out 2>err
check "with another label it is another run" grep -q ' added ' out
tm-history add -q --no-config --build 1 once.db p1.tmt >out 2>err
check "another run of the same sums is another" grep -q ' added ' out
exit $failed
