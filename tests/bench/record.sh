#!/bin/bash
# SPDX-License-Identifier: MIT
#
# make bench-record: tm-record compared with heaptrack -r, on programs of Debian and one of ours:
# wall time of the recorded run by frame pointers, by unwind tables and with sampling at 512 KiB, as
# ratios to heaptrack's and to the plain run, and the size of what is written; the start of a recorded program; calls
# beside uftrace's; and frames of a game beside those of the plain program. Neither side puts names in, both pack. Before
# that, what each has recorded is compared: blocks and bytes with heaptrack's record, and on a program that is the same each time with
# valgrind's DHAT.
#
#     BENCH_RUNS=5    how often each is run, in turn; medians are shown
#     BENCH_ONLY=sql  only programs with this in their name
#
# A row never passes or fails by its time; a record that is not right ends the benchmark.
# Words of a list are split, and functions are handed to programs().
# shellcheck disable=SC2086,SC2317
# shellcheck source=tests/bench/lib.bash
. "$(dirname "$0")/lib.bash"
# shellcheck source=tests/heaptrack.bash
. "$SRC/tests/heaptrack.bash"
runs=${BENCH_RUNS:-3}
failed=0

command -v heaptrack >/dev/null 2>&1 || {
	say "no heaptrack here: there is nothing to compare with"
	exit 1
}
${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -g -fno-omit-frame-pointer -I"$SRC" \
	"$SRC/testdata/src/record/stress.c" -o stress -lpthread || exit 1
${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -g -fno-omit-frame-pointer -I"$SRC" \
	"$SRC/testdata/src/record/blocks.c" -o blocks -lpthread || exit 1

# --- what is recorded is right ---
ours() { # trace: blocks and bytes
	tm-dump -q "$1" | awk '
		$1 == "alloc" {
			n++
			for (i = 2; i <= NF; i++)
				if (index($i, "requested=") == 1)
					b += substr($i, 11)
		}
		END { printf "%d %.0f\n", n, b }'
}
heaptracked() { # program...
	rm -rf ht && mkdir ht
	heaptrack -r -o ht/x "$@" >ht.out 2>&1
}
same() { # what, ours, theirs
	echo "$1: ours $2, theirs $3 (blocks, bytes)"
	[ "$2" = "$3" ] || {
		say "$1: they differ"
		failed=1
	}
}
# Of libraries that heaptrack's own brings along (libstdc++) one block is asked for at the start.
extra=72704
without_extra() { # blocks, bytes
	echo "$(($1 - 1)) $(($2 - extra))"
}
checked() { # name, whether it is a C++ program, program...
	local name=$1 cxx=$2 mine theirs

	shift 2
	tm-record -q -o x.tmt --stacks fp -- "$@" >out 2>&1
	mine=$(ours x.tmt)
	tm-record -q -o x.tmt --stacks unwind -- "$@" >out 2>&1
	same "$name, fp and unwind" "$mine" "$(ours x.tmt)"
	heaptracked "$@"
	theirs=$(heaptracks ht x)
	[ "$cxx" = cxx ] || theirs=$(without_extra $theirs)
	same "$name, heaptrack" "$mine" "$theirs"
}

# --- how long it takes ---
seconds() { # program...: wall, and what it used of processors
	"$GEN/rss" -o one "$@" >/dev/null 2>err || {
		say "$*: status $?"
		exit 1
	}
	awk '{ print $1, $2 + $3 }' one
}
median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
measured() { # name, program...
	local name=$1 i how

	shift
	rm -f times.*
	for ((i = 0; i < runs; i++)); do
		seconds "$@" >>times.plain
		rm -rf ht && mkdir ht
		seconds heaptrack -r -o ht/x "$@" >>times.heaptrack
		for how in unwind fp; do
			seconds tm-record -q --no-symbols -o x.tmt --stacks $how -- "$@" >>times.$how
		done
		echo "$(stat -c %s x.tmt) $(cat ht/x.* | wc -c)" >>times.sizes
		seconds tm-record -q --no-symbols -o x.tmt --sample 524288 -- "$@" >>times.sample
	done
	for column in 1 2; do
		for how in plain heaptrack fp unwind sample; do
			cut -d ' ' -f $column times.$how | median
		done | tr '\n' ' ' | awk -v name="$name" -v what="$([ $column = 1 ] && echo wall || echo cpu)" '{
			printf "%-10s %-4s %8.2f %9.2f %8.2f %8.2f %8.2f   %6.2f %9.2f %11.2f\n", name, what,
				$1, $2, $3, $4, $5, $3 / $2, $4 / $2, $5 / $1 }'
	done
	goal "$name: fp / heaptrack -r, CPU" "$(paired fp heaptrack)" '<= 0.6'
	goal "$name: unwind / heaptrack -r, CPU" "$(paired unwind heaptrack)"
	# a sample's cost beside the start's is of runs that are long enough
	goal "$name: sampled / plain, CPU" "$(paired sample plain)" \
		"$(cut -d ' ' -f 2 times.plain | median | awk '$1 >= 2 { print "<= 1.05" }')"
	goal "$name: trace / heaptrack -r's file, bytes" "$(awk '{ print $1 / $2 }' times.sizes | median)" '<= 1.2'
}

paired() { # over, under: the median of the ratios within a round, of processor seconds
	paste -d ' ' "times.$1" "times.$2" | awk '$(2 + NF / 2) > 0 { printf "%.3f\n", $2 / $(2 + NF / 2) }' | median
}

# What a start costs, by the clock.
started() {
	local i

	rm -f times.*
	for ((i = 0; i < 5 * runs; i++)); do
		seconds true >>times.plain
		seconds tm-record -q --no-symbols -o x.tmt -- true >>times.fp
	done
	goal 'start of a recorded program, ms' "$(paste -d ' ' times.fp times.plain |
		awk '{ printf "%.1f\n", ($1 - $3) * 1000 }' | median)" '<= 10'
}

# Enter and exit of each call.
called() {
	local i calls=$((${BENCH_ROUNDS:-500000} * 2))

	command -v uftrace >/dev/null 2>&1 || {
		say 'there is no uftrace: calls are compared with nothing'
		return
	}
	${CC:-cc} -O2 -g -finstrument-functions "$SRC/testdata/src/spike/cost.c" -o cost || exit 1
	rm -f times.*
	for ((i = 0; i < runs; i++)); do
		rm -rf uf
		seconds tm-record -q --no-symbols -o x.tmt --calls all -- ./cost "$calls" >>times.calls
		seconds uftrace record --no-libcall -d uf ./cost "$calls" >>times.uftrace
	done
	rm -rf uf
	goal '--calls all / uftrace record, CPU' "$(paired calls uftrace)" '<= 1'
}

# Times of frames: their 99th percentile and the longest, medians of runs.
framed() {
	local i frames=${BENCH_FRAMES:-1500}

	${CXX:-c++} -std=c++17 -O2 -g -fno-omit-frame-pointer -I"$SRC/lib/recorder" "$SRC/tests/bench/game.cpp" -o game -lpthread || exit 1
	rm -f times.*
	for ((i = 0; i < 2 * runs + 1; i++)); do
		./game "$frames" >>times.plain || exit 1
		rm -rf ht && mkdir ht
		heaptrack -r -o ht/x ./game "$frames" 2>/dev/null | grep '^[0-9.]* [0-9.]* [0-9.]*$' >>times.heaptrack
		tm-record -q --no-symbols -o x.tmt -- ./game "$frames" >>times.fp || exit 1
	done
	for how in plain heaptrack fp; do
		for column in 1 2 3; do
			cut -d ' ' -f $column times.$how | median
		done | tr '\n' ' ' | awk -v how=$how '{ printf "frames, %-10s p50 %.3f ms, p99 %.3f ms, longest %.3f ms\n", how, $1, $2, $3 }'
	done
	goal "frames: p99 / plain's, ms" "$(paired fp plain)" '<= 1.6'
	goal "frames: heaptrack -r's p99 / plain's, ms" "$(paired heaptrack plain)"
	goal "frames: longest - plain's, ms" "$(paste -d ' ' times.fp times.plain | awk '{ printf "%.3f\n", $3 - $6 }' | median)" '<= 1'
}

cat >work.pl <<'PL'
my (@rows, %groups);
for my $i (0 .. 149999) {
    push @rows, {id => $i, name => "entity $i", tags => ["t" . $i % 7, "$i"]};
}
for my $row (@rows) {
    push @{$groups{$row->{tags}[0]}}, uc $row->{name};
}
my $text = join ",", map { "$_->{id}:$_->{name}" } @rows;
my @back = map { [split /:/] } split /,/, $text;
print scalar(@back), " ", join(" ", map { scalar @{$groups{$_}} } sort keys %groups), "\n";
PL
cat >work.cpp <<'CPP'
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <regex>
#include <string>
#include <unordered_map>
#include <vector>
template <int N> struct node { std::map<int, std::vector<std::string>> m; node<N - 1> next; int f(int x) { m[x].push_back(std::to_string(N)); return next.f(x + 1); } };
template <> struct node<0> { int f(int x) { return x; } };
int main() { node<200> n; std::regex r("a(b|c)*d"); std::cout << n.f(1) << std::regex_match("abcd", r); }
CPP
[ -s work.csv ] || awk 'BEGIN { for (i = 0; i < 150000; i++) printf "%d,name %d,%d.%d,%s\n", i, i * 7919 % 100003, i % 1000, i % 97, "text of a row " i }' >work.csv
cat >work.sql <<'SQL'
.mode csv
create table t(id integer primary key, name text, x real, note text);
.import work.csv t
create index byname on t(name);
select count(*), sum(x), max(length(note)) from t;
select name, count(*) c from t group by name order by c desc, name limit 20;
select a.id from t a join t b on a.name = b.name where a.id < b.id order by a.id limit 10;
SQL
cc1plus=$(g++ -print-prog-name=cc1plus)
g++ -E work.cpp -o work.ii || exit 1
export PERL_HASH_SEED=0
perl=/usr/bin/perl

chosen() { [[ $1 == *"$only"* ]]; }
programs() { # what to do with each: name, kind, program...
	chosen sqlite3 && "$@" sqlite3 c sqlite3 :memory: '.read work.sql'
	chosen perl && [ -x $perl ] && "$@" perl c $perl work.pl
	chosen cc1plus && [ -x "$cc1plus" ] && "$@" cc1plus cxx "$cc1plus" -quiet -fpreprocessed -O1 work.ii -o work.s
	chosen stress && "$@" stress c ./stress "${BENCH_ROUNDS:-500000}"
}
only_time() { # name, kind, program...
	local name=$1

	shift 2
	measured "$name" "$@"
}

goals_begin record
echo "what is recorded, beside others:"
checked blocks c ./blocks random
tm-record -q -o x.tmt -- ./blocks random 2>out
if command -v valgrind >/dev/null 2>&1; then
	valgrind --tool=dhat --dhat-out-file=dhat.json ./blocks random >/dev/null 2>dhat.txt
	same "blocks, DHAT" "$(ours x.tmt)" "$(sed -n 's/.*Total: *\([0-9,]*\) bytes in \([0-9,]*\) blocks.*/\2 \1/p' dhat.txt | tr -d ,)"
else
	say "no valgrind here: nothing to compare with DHAT"
fi
chosen sqlite3 && checked sqlite3 c sqlite3 :memory: '.read work.sql'

echo
grep -m 1 '^model name' /proc/cpuinfo | sed 's/.*: //' || true
echo "medians of $runs runs in turn, $(nproc) processors, load $(cut -d ' ' -f 1 /proc/loadavg)"
printf '%-10s %-4s %8s %9s %8s %8s %8s   %6s %9s %11s\n' '' s plain heaptrack fp unwind sample fp/ht unwind/ht sample/plain
programs only_time
chosen start && started
chosen calls && called
chosen frames && framed
goals_end
exit $failed
