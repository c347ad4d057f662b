#!/bin/bash
# SPDX-License-Identifier: MIT
#
# make bench-symbolize: 400,000 different addresses of a large debug file (libjvm of Debian's
# openjdk-17-dbg, its sections decompressed) by our addr2line and by others', as a table. All that is
# needed beyond `make check` is fetched with apt-get download and unpacked under build/; the peer
# in Rust is built offline from Debian's librust-*-dev packages when they and cargo are there.
#
# First the answers are compared: ours with each other (threads, index, order) to the byte, with
# llvm-symbolizer's and gimli's fact by fact. Nothing is timed unless they agree. Then all rows run in
# alternation, whole processes on cached files with their text going to /dev/null (and, for one row
# each, into a pipe and to a file); times are medians, ratios are medians of the ratios within a round, with
# the lowest and the highest. A goal that is missed is marked so; nothing here fails by time.
#
#   BENCH_RUNS   rounds (7)
#   BENCH_SEED   of the addresses (1)
#   BENCH_COUNT  addresses of the large batch (400000)
#   BENCH_GOALS  1: only the peers that goals need
#   BENCH_ONLY   pdb: only the rows of a large PDB (pdb.bash)
# shellcheck disable=SC2086 # counts are numbers
set -eu -o pipefail
: "${SRC:?is set by make bench-symbolize}" "${BIN:?}" "${GEN:?}"
export LC_ALL=C
PATH=$BIN:$PATH
runs=${BENCH_RUNS:-7} seed=${BENCH_SEED:-1} count=${BENCH_COUNT:-400000}
work=$SRC/build/bench-symbolize
few=1000 fewer=100
mkdir -p "$work"
cd "$work"

say() { echo "bench-symbolize: $*" >&2; }
stop() {
	say "$@"
	exit 1
}
missing() { # ROW WHY
	say "no row of $1: $2"
	printf '%s\n' "- no row of $1: $2" >>"$work/absent"
}

. "$SRC/tests/diff/packages.bash"
. "$SRC/tests/bench/goals.bash"
. "$SRC/tests/bench/pdb.bash"

if [ "${BENCH_ONLY-}" = pdb ]; then
	: >absent
	bench_pdb
	cat absent
	exit
fi

for tool in apt-get dpkg-deb tar objcopy taskset awk; do
	command -v $tool >/dev/null || stop "needs $tool"
done
free_mb=$(df -Pm . | awk 'NR == 2 {print $4}')
if [ ! -f libjvm.debug ] && [ "$free_mb" -lt 2500 ]; then
	stop "needs 2500 MB of disk here (packages, a decompressed file, answers); $free_mb are free"
fi

# The largest file of the package is the server's libjvm; its sections are compressed.
if [ ! -f libjvm.debug ]; then
	fetch openjdk-17-dbg
	largest=$(find "$packages/openjdk-17-dbg" -name '*.debug' -printf '%s %p\n' | sort -rn | sed -n 1p)
	objcopy --decompress-debug-sections "${largest#* }" part
	mv part libjvm.debug
fi
grep -q BoundedDispatch libjvm.debug || stop 'libjvm.debug is not what it should be'

make_addresses() {
	"$GEN/addresses" -n "$count" -s "$seed" libjvm.debug >shuffled.$count
	[ "$(sort -u shuffled.$count | wc -l)" = "$count" ] ||
		stop "libjvm.debug has not enough code for $count addresses"
	sort shuffled.$count >sorted.$count
	for n in $few $fewer 1; do
		head -n $n shuffled.$count >shuffled.$n
		sort shuffled.$n >sorted.$n
	done
}
make_addresses
: >absent
rm -rf cache.none cache.index

# The commands: their addresses are standard input, their text is like that of addr2line -afi.
no_cache=()
if tm-addr2line --help | grep -e --no-cache >/dev/null; then
	no_cache=(--no-cache)
fi
cold=(env "XDG_CACHE_HOME=$work/cache.none" tm-addr2line -q --lenient "${no_cache[@]}" -afi -e libjvm.debug)
one=(taskset -c 0 "${cold[@]}")
warm=()
if tm-symbolize --help | grep -e --prewarm >/dev/null; then
	build=(env "XDG_CACHE_HOME=$work/cache.index" tm-symbolize -q --prewarm libjvm.debug)
	warm=(env "XDG_CACHE_HOME=$work/cache.index" tm-addr2line -q --lenient -afi -e libjvm.debug)
	"${build[@]}" || stop "tm-symbolize --prewarm: status $?"
else
	missing 'tracemill from its index' 'tm-symbolize has no --prewarm yet'
fi

# A program of others: compiled outside of the tree with what `make install` put into a folder.
outside=()
rm -rf installed
if ! command -v pkg-config >/dev/null; then
	missing 'a program on the library' 'there is no pkg-config'
else
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$SRC" NODEPS=1 PREFIX=/usr DESTDIR="$work/installed" install >installed.log 2>&1 ||
		stop "make install: $(tail -n 1 installed.log)"
	options=$(PKG_CONFIG_SYSROOT_DIR=$work/installed PKG_CONFIG_PATH=$work/installed/usr/lib/pkgconfig \
		pkg-config --cflags --libs tracemill) || stop 'pkg-config does not know tracemill'
	${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -o many "$SRC/examples/library/many.c" $options ||
		stop 'examples/library/many.c does not compile outside of the tree'
	outside=(env "LD_LIBRARY_PATH=$work/installed/usr/lib" ./many libjvm.debug)
fi

# The same of a client that waits for each answer: on the library's large file, and on a small one of many units.
waiting=()
if [ -d installed/usr/include ]; then
	backtrace=()
	if echo '#include <backtrace.h>' | ${CC:-cc} -E - >/dev/null 2>&1; then
		backtrace=(-DHAVE_BACKTRACE -lbacktrace)
	else
		missing libbacktrace 'the compiler has no backtrace.h'
	fi
	${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -o one_by_one "$SRC/tests/bench/one_by_one.c" $options "${backtrace[@]}" ||
		stop 'tests/bench/one_by_one.c does not compile'
	# Both ends of the pipe on one processor: else it costs several times as much, and never the same.
	waiting=(env "LD_LIBRARY_PATH=$work/installed/usr/lib" taskset -c 0 ./one_by_one)
	many=684 # libraries of the system in one handle: those with code, and without debug information
	find /usr/lib -name '*.so*' -type f -size +15k | sort | while read -r file; do
		readelf -SW "$file" 2>err | awk '/ \.text /{ text = 1 } /\.z?debug_/{ debug = 1 } END { exit !text || debug }' &&
			echo "$file"
	done | sed -n "1,${many}p" >libraries
	[ "$(wc -l <libraries)" -ge $many ] || missing 'many libraries' "there are not $many below /usr/lib"
	small=$BIN/tm-addr2line
	"$GEN/addresses" -n 3000 -s "$seed" "$small" >small.addresses
	printf '#include <%s>\n' algorithm functional iostream map memory regex sstream string vector >cxx.cc
	cat >>cxx.cc <<-'END'
		int main()
		{
			std::regex pair("([a-z]+)=([0-9]+)");
			std::map<std::string, std::vector<long>> all;
			std::ostringstream out;
			std::string line;
			std::smatch m;
			while (std::getline(std::cin, line))
				if (std::regex_search(line, m, pair))
					all[m[1]].push_back(std::stol(m[2]));
			for (auto &one : all)
				std::sort(one.second.begin(), one.second.end(), std::greater<long>());
			for (auto &one : all)
				out << one.first << one.second.front() << std::regex_replace(line, pair, "$2");
			std::cout << out.str();
		}
	END
	cxx=
	if ${CXX:-c++} -std=c++17 -O2 -g -o cxx cxx.cc; then
		cxx=$work/cxx
		"$GEN/addresses" -n 3000 -s "$seed" "$cxx" >cxx.addresses
	else
		missing 'a small file of C++' 'it does not compile'
	fi
fi

# A report of the address sanitizer: 30 frames in 5 files.
for name in tm-addr2line tm-compare tm-record tm-top tm-view; do
	"$GEN/addresses" -n 6 -s "$seed" "$BIN/$name" | sed "s|^|$BIN/$name |"
done >asan.frames
{
	echo '==1234==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at pc 0x550000000001'
	echo 'READ of size 4 at 0x602000000010 thread T0'
	awk '{ sub(/^0x/, "", $2); printf "    #%d 0x55%010x  (%s+0x%s)\n", NR - 1, NR, $1, $2 }' asan.frames
} >asan.log
awk '{ sub(/^0x/, "", $2); print $1 " 0x" $2 }' asan.frames >asan.requests

gimli=()
registry=/usr/share/cargo/registry
if ! command -v cargo >/dev/null; then
	missing gimli 'there is no cargo'
elif ! compgen -G "$registry/addr2line-0.19*" >/dev/null || ! compgen -G "$registry/memmap2-0.5*" >/dev/null; then
	missing gimli 'run: apt-get install librust-addr2line-dev librust-object-dev librust-memmap2-dev'
else
	mkdir -p gimli
	cp -r "$SRC/tests/bench/gimli/." gimli/
	if (cd gimli && cargo build -q --release --offline --config "source.crates-io.replace-with='debian'" \
		--config "source.debian.directory='$registry'") 2>gimli.log; then
		gimli=(gimli/target/release/gimli-addr2line libjvm.debug)
	else
		missing gimli "it does not build: $(head -n 1 gimli.log)"
	fi
fi

if command -v llvm-symbolizer-19 >/dev/null; then
	llvm=(llvm-symbolizer-19)
elif ! fetch_llvm; then
	missing 'llvm-symbolizer 19' 'the package llvm-19 is not to be had'
	llvm=()
fi
llvm_waits=("${llvm[@]}")
[ -z "${BENCH_GOALS-}" ] || llvm=() # of a large batch it takes minutes
if [ ${#llvm[@]} != 0 ]; then
	llvm_name="llvm-symbolizer $("${llvm[@]}" --version | sed -n 's/.*version //p')"
	llvm+=(--output-style=GNU -a -i --functions=linkage --no-demangle --obj=libjvm.debug)
fi
gnu=(addr2line -afi -e libjvm.debug)
elfutils=(eu-addr2line -afi -e libjvm.debug)
for tool in addr2line eu-addr2line; do
	command -v $tool >/dev/null || missing $tool 'not installed'
done

# The same addresses in a capture: 3,400 frames, 133,000 stacks of 12. Names are put in on the way to a report, which
# has no option for the cache: there is none where no variable says where.
capture=(env -u HOME -u XDG_CACHE_HOME tm-top -q -e libjvm.debug run.mem)
capture_warm=(env "XDG_CACHE_HOME=$work/cache.index" tm-top -q -e libjvm.debug run.mem)
"$GEN/memtracer" --seed "$seed" --addresses shuffled.$count --slide 0x100000000 --frames 3400 --stacks 133000 \
	--depth 12 >run.mem
# Ten times fewer, and ten times as many, with repeats: time grows with them at most.
tenth=$((count / 10)) ten=$((count * 10))
head -n $tenth shuffled.$count >shuffled.$tenth
for ((i = 0; i < 10; i++)); do cat shuffled.$count; done >shuffled.$ten

# --- do they agree? --------------------------------------------------------------------------------
flatten() { # one line per address; what is written in several ways, in one
	awk '
		/^0x/ { if (s) print s; sub(/^0x0*/, "0x"); s = $0; next }
		$0 != "" { sub(/ \(discriminator [0-9]+\)$/, ""); sub(/:\?$/, ":0"); s = s "|" $0 }
		END { print s }'
}
say "comparing answers of $count addresses"
"${cold[@]}" <sorted.$count | flatten >ours.flat
[ "$(wc -l <ours.flat)" = "$count" ] || stop "$(wc -l <ours.flat) answers to $count addresses"
sort ours.flat | cksum >want
same() { # WHAT COMMAND...: the same answers in the shuffled order
	local what=$1

	shift
	"$@" <shuffled.$count | flatten | sort | cksum | cmp -s - want ||
		stop "tracemill answers otherwise $what: no table"
}
same 'when the addresses are shuffled' "${cold[@]}"
same 'on one processor' "${one[@]}"
[ ${#outside[@]} = 0 ] || same 'through its library' "${outside[@]}"
[ ${#warm[@]} = 0 ] || same 'from its index' "${warm[@]}"

# An answer differs in its outermost name only where one side takes that from the symbol table: llvm
# where it can, we where DWARF has no linkage name, gimli never. All else is counted and listed;
# more than one of 1,000 and the times would mean nothing.
agree() { # PEER FILE
	awk -v peer="$1" '
		function without(s, last) {
			last = s
			sub(/.*\|/, "", last)
			sub(/\|[^|]*\|[^|]*$/, "", s)
			return s "|" last
		}
		FNR == NR { ours[substr($0, 1, index($0, "|"))] = $0; next }
		{
			a = ours[substr($0, 1, index($0, "|"))]
			n++
			if (a == $0)
				same++
			else if (a != "" && without(a) == without($0))
				named++
			else {
				if (++other <= 3)
					print "  ours  " substr(a, 1, 300) "\n  " peer "  " substr($0, 1, 300) >"/dev/stderr"
				print substr($0, 1, index($0, "|") - 1) >("differ." peer)
			}
		}
		END {
			printf "- %s: of %d answers %d are the same, %d but for the outermost name, %d differ\n", peer, n,
				same, named, other
			exit !(n > 0 && other * 1000 <= n)
		}' ours.flat "$2" >>agreed || stop "answers differ from those of $1, see $work/differ.$1: no table"
}
: >agreed
rm -f differ.*
if [ ${#gimli[@]} != 0 ]; then
	"${gimli[@]}" <sorted.$count | flatten >gimli.flat
	agree gimli gimli.flat
fi
if [ ${#llvm[@]} != 0 ]; then
	"${llvm[@]}" <sorted.$count | flatten >llvm.flat
	agree llvm llvm.flat
	# Who is right where gimli and we differ?
	if [ -s differ.gimli ] && [ ! -s differ.llvm ]; then
		echo "  (in all $(wc -l <differ.gimli) that differ from gimli's, llvm-symbolizer says what we say)" >>agreed
	fi
fi
cat agreed >&2

# --- times -----------------------------------------------------------------------------------------
rm -f samples waited
row() { # NAME ADDRESSES INPUT COMMAND...: one run
	local name=$1 n=$2 input=$3

	shift 3
	if ! "$GEN/rss" -o one "$@" <"$input" >/dev/null 2>err; then
		stop "$name: $(head -n 1 err)"
	fi
	awk -v name="$name" -v n="$n" -v round="$round" -v OFS='\t' '{print name, n, round, $1, $4, $2 + $3}' one >>samples
}
wait_for() { # NAME KIND ADDRESSES N PROGRAM...: one run of a client that waits for each answer
	local name=$1

	shift
	"${waiting[@]}" "$@" >one 2>err || stop "$name: $(head -n 1 err)"
	printf '%s\t%s\n' "$name" "$(<one)" >>waited
}
load() { cut -d' ' -f1 /proc/loadavg; }
load_before=$(load)
for ((round = 1; round <= runs; round++)); do
	say "round $round of $runs"
	cat libjvm.debug >/dev/null
	row 'tracemill' $tenth shuffled.$tenth "${cold[@]}"
	row 'tracemill' $ten shuffled.$ten "${cold[@]}"
	row 'tm-top -e of a capture' $count /dev/null "${capture[@]}"
	[ ${#warm[@]} = 0 ] || row 'tm-top -e of a capture, from the index' $count /dev/null "${capture_warm[@]}"
	for n in $count $few $fewer 1; do
		row 'tracemill' $n shuffled.$n "${cold[@]}"
		[ ${#outside[@]} = 0 ] || row 'tracemill, through its library' $n shuffled.$n "${outside[@]}"
		[ $n != "$count" ] || row 'tracemill, one processor' $n shuffled.$n "${one[@]}"
		[ $n != "$count" ] || row 'tracemill, into a pipe' $n shuffled.$n bash -c '"$@" | cat' - "${cold[@]}"
		[ $n != "$count" ] || row 'tracemill, to a file' $n shuffled.$n bash -c '"$@" >text.out' - "${cold[@]}"
		[ ${#warm[@]} = 0 ] || row 'tracemill, from its index' $n shuffled.$n "${warm[@]}"
		[ ${#gimli[@]} = 0 ] || row 'gimli addr2line 0.19, sorted' $n sorted.$n "${gimli[@]}"
		[ ${#gimli[@]} = 0 ] || [ $n != "$count" ] || row 'gimli addr2line 0.19' $n shuffled.$n "${gimli[@]}"
		[ ${#llvm[@]} = 0 ] || row "$llvm_name" $n shuffled.$n "${llvm[@]}"
		[ -z "${BENCH_GOALS-}" ] || continue
		[ $n -gt $few ] || ! command -v addr2line >/dev/null ||
			row "GNU addr2line $(addr2line --version | sed -n '1s/.* //p')" $n sorted.$n "${gnu[@]}"
		[ $n -gt $fewer ] || ! command -v eu-addr2line >/dev/null ||
			row "eu-addr2line $(eu-addr2line --version | sed -n '1s/.* //p')" $n sorted.$n "${elfutils[@]}"
	done
	if [ ${#llvm_waits[@]} != 0 ]; then
		for ((i = 0; i < 5; i++)); do
			row 'a report of ASan by tm-symbolize' 30 asan.log tm-symbolize -q --no-cache --text
			row 'a report of ASan by llvm-symbolizer' 30 asan.requests "${llvm_waits[@]}"
		done
	fi
	if [ ${#waiting[@]} != 0 ]; then
		[ "$(wc -l <libraries)" -lt $many ] ||
			wait_for 'libtracemill, many libraries' libraries libraries $many
		wait_for 'libtracemill, large' library shuffled.$few 600 libjvm.debug
		wait_for 'libtracemill, small' library small.addresses 3000 "$small"
		[ ${#backtrace[@]} = 0 ] || wait_for 'libbacktrace, small' backtrace small.addresses 3000 "$small"
		wait_for 'nothing but the pipe' pipe small.addresses 3000 ./one_by_one echo
		for tool in "tm-llvm-symbolizer --no-cache" "${llvm_waits[*]}"; do
			[ -n "$tool" ] || continue
			wait_for "${tool%% *} through a pipe, large" pipe shuffled.$few 600 $tool --obj=libjvm.debug
			wait_for "${tool%% *} through a pipe, small" pipe small.addresses 3000 $tool "--obj=$small"
			[ -z "$cxx" ] || wait_for "${tool%% *} through a pipe, C++" pipe cxx.addresses 3000 $tool "--obj=$cxx"
		done
	fi
	if [ ${#warm[@]} != 0 ]; then
		rm -rf cache.index
		row 'tracemill, building its index' 0 /dev/null "${build[@]}"
	fi
done

echo
echo "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) processors, Linux $(uname -r);" \
	"load $load_before before and $(load) after; tracemill $(cat "$SRC/VERSION"), $runs rounds, seed $seed;"
echo "libjvm of $(cat "$packages/openjdk-17-dbg.version"), $(($(stat -c %s libjvm.debug) / 1000000)) MB. Answers compared first:"
cat agreed
echo
dwarf_bytes=$(readelf -SW libjvm.debug | sed -n 's/.*\.debug_[a-z_]* *PROGBITS *[0-9a-f]* [0-9a-f]* \([0-9a-f]*\) .*/0x\1/p' |
	{ n=0; while read -r size; do n=$((n + size)); done; echo $n; })
index_bytes=$(find cache.index -type f -size +64k -printf '%s\n' 2>/dev/null | sort -n | tail -n 1)
goals_begin symbolize
awk -F '\t' -v large="$count" -v tenth="$tenth" -v ten="$ten" -v goals="$goals" -v dwarf_bytes="$dwarf_bytes" -v index_bytes="${index_bytes:-0}" '
	function median(list, n, i, j, t, v) {
		n = split(list, v, " ")
		for (i = 2; i <= n; i++)
			for (j = i; j > 1 && v[j - 1] + 0 > v[j] + 0; j--) {
				t = v[j]; v[j] = v[j - 1]; v[j - 1] = t
			}
		return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
	}
	function ratio(over, under, n) { return ratio_of(over, n, under, n) }
	function ratio_of(over, n_over, under, n_under, r, list, v) { # "": a row is not there; sets least and most
		least = most = ""
		for (r = 1; r <= rounds; r++) {
			if (!((over, n_over, r) in wall && (under, n_under, r) in wall))
				continue
			v = wall[over, n_over, r] / wall[under, n_under, r]
			list = list " " v
			if (least == "" || v < least) least = v
			if (most == "" || v > most) most = v
		}
		return list == "" ? "" : median(list)
	}
	function reach(what, got, want, how, spread) {
		if (got == "") {
			printf "- %s: not measured (goal: %s %s)\n", what, how, want
			return
		}
		printf "%s\t%.3f\t%s %s\n", what, got, how, want >goals
		if (want == "") {
			printf "- %s: %.3f [%.3f .. %.3f]\n", what, got, least, most
			least = most = ""
			return
		}
		spread = least == "" ? "" : sprintf(" [%.3f .. %.3f]", least, most)
		printf "- %s: %.3f%s (goal: %s %s)%s\n", what, got, spread, how, want,
			(how == ">=" ? got >= want : how == "<" ? got < want : got <= want) ? "" : " MISSED"
		least = most = ""
	}
	function time_of(name, n) { return (name, n) in walls ? median(walls[name, n]) : "" }
	{
		if (!(($1, $2) in walls)) { order[++rows] = $1 SUBSEP $2 }
		wall[$1, $2, $3] = $4
		walls[$1, $2] = walls[$1, $2] " " $4
		cpu[$1, $2] = cpu[$1, $2] " " $6
		if ($5 > peak[$1, $2]) peak[$1, $2] = $5
		if ($3 > rounds) rounds = $3
		if ($1 ~ /^gimli.*sorted/) gimli = $1
		if ($1 ~ /^llvm/) llvm = $1
	}
	END {
		us = "tracemill"
		print "| program | addresses | median, s | CPU, s | x tracemill | peak, MiB |"
		print "|---|--:|--:|--:|--:|--:|"
		for (i = 1; i <= rows; i++) {
			split(order[i], k, SUBSEP)
			r = ratio(k[1], us, k[2])
			printf "| %s | %s | %.3f | %.2f | %s | %.0f |\n", k[1], k[2] ? k[2] : "",
				median(walls[k[1], k[2]]), median(cpu[k[1], k[2]]), r == "" ? "" : sprintf("%.2f", r), peak[k[1], k[2]] / 1024
		}
		print ""
		reach("tracemill / gimli sorted, " large, ratio(us, gimli, large), 0.15, "<=")
		reach("tracemill / gimli sorted, 1000", ratio(us, gimli, 1000), 0.12, "<=")
		reach("into a pipe / gimli sorted, " large, ratio("tracemill, into a pipe", gimli, large), "", "")
		reach("to a file / gimli sorted, " large, ratio("tracemill, to a file", gimli, large), "", "")
		reach("a capture to a TopN / gimli sorted, " large, ratio("tm-top -e of a capture", gimli, large), 0.45, "<=")
		reach("the same from the index / gimli sorted, " large, ratio("tm-top -e of a capture, from the index", gimli, large), "", "")
		reach("tracemill, " large " / tracemill, " tenth, ratio_of(us, large, us, tenth), 10, "<=")
		reach("tracemill, " ten " / tracemill, " large, ratio_of(us, ten, us, large), 10, "<=")
		reach("a program on the library / tracemill, " large, ratio("tracemill, through its library", us, large), 1.05, "<=")
		reach("from the index / gimli sorted, " large, ratio("tracemill, from its index", gimli, large), 0.05, "<=")
		build = "tracemill, building its index"
		reach("building the index / gimli sorted, " large, ratio_of(build, 0, gimli, large), 1, "<=")
		least = most = ""
		reach("the index on disk / its DWARF", index_bytes ? index_bytes / dwarf_bytes : "", 0.15, "<=")
		if (llvm ~ / 19\./)
			reach(llvm " / tracemill, " large, ratio(llvm, us, large), 40, ">=")
		reach("one processor / all, " large, ratio("tracemill, one processor", us, large), 1.7, ">=")
		least = most = ""
		asan = "a report of ASan by "
		own = time_of(asan "tm-symbolize", 30)
		peer = time_of(asan "llvm-symbolizer", 30)
		reach(asan "tm-symbolize / llvm-symbolizer", peer == "" ? "" : own / peer, 0.5, "<=")
		reach("one address, s", time_of(us, 1), 0.025, "<=")
		reach("peak / gimli, " large, (gimli, large) in peak ? peak[us, large] / peak[gimli, large] : "", 1, "<")
		reach("peak of building / gimli, " large,
			(gimli, large) in peak && (build, 0) in peak ? peak[build, 0] / peak[gimli, large] : "", 1, "<")
	}' samples
if [ -e waited ]; then
	echo
	echo 'One address at a time, microseconds of CPU (medians): 600 of the large file, 3000 of one with many small units in C, 3000 of one in C++.'
	echo
	awk -F '\t' -v goals="$goals" '
	function median(list, n, i, j, t, v) {
		n = split(list, v, " ")
		for (i = 2; i <= n; i++)
			for (j = i; j > 1 && v[j - 1] + 0 > v[j] + 0; j--) {
				t = v[j]; v[j] = v[j - 1]; v[j - 1] = t
			}
		return n ? n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2 : ""
	}
	function at(name, column) { return median(values[name, column]) }
	function part(over, under, column, a, b) {
		a = at(over, column)
		b = at(under, column)
		return a == "" || b == "" ? "" : a / b
	}
	function reach(what, got, want) {
		if (got == "")
			return
		printf "%s\t%.3f\t%s\n", what, got, want == "" ? "" : "<= " want >>goals
		if (want == "")
			printf "- %s: %.3f\n", what, got
		else
			printf "- %s: %.3f (goal: <= %s)%s\n", what, got, want, got <= want ? "" : " MISSED"
	}
	{
		if (!($1 in seen)) { seen[$1] = 1; order[++n] = $1 }
		for (i = 2; i <= 6; i++)
			if ($i != "")
				values[$1, i] = values[$1, i] " " $i
		if ($1 ~ /^llvm.*large$/) llvm = $1
		if ($1 ~ /^llvm.*small$/) llvm_small = $1
		if ($1 ~ /^llvm.*C\+\+$/) llvm_cxx = $1
	}
	END {
		print "| program | up to the first | each of the others | each of all | the same again | peak, MiB |"
		print "|---|--:|--:|--:|--:|--:|"
		for (i = 1; i <= n; i++)
			printf "| %s | %.0f | %.1f | %.1f | %s | %.0f |\n", order[i], at(order[i], 2), at(order[i], 3),
				at(order[i], 4), at(order[i], 5), at(order[i], 6) / 1024
		print ""
		reach("the first answer of a large file, one at a time, ms", at("libtracemill, large", 2) / 1000, 40)
		reach("one at a time, large / llvm-symbolizer", part("tm-llvm-symbolizer through a pipe, large", llvm, 3), 0.5)
		reach("one at a time, small / llvm-symbolizer", part("tm-llvm-symbolizer through a pipe, small", llvm_small, 3), 0.5)
		reach("one at a time, C++ / llvm-symbolizer", part("tm-llvm-symbolizer through a pipe, C++", llvm_cxx, 3), 0.5)
		reach("nothing but the pipe, small / llvm-symbolizer", part("nothing but the pipe", llvm_small, 3), "")
		reach("one at a time, small / libbacktrace", part("libtracemill, small", "libbacktrace, small", 4), 1)
		reach("the same address again, us", at("libtracemill, small", 5), 5)
		if (at("libtracemill, many libraries", 6) != "")
			reach("peak of 684 libraries that are asked once, MiB", at("libtracemill, many libraries", 6) / 1024, 60)
		reach("peak of one at a time / llvm-symbolizer", part("tm-llvm-symbolizer through a pipe, large", llvm, 6), 0.25)
	}' waited
fi
bench_pdb
cat absent
