# Records of tracemill-instrument(5) by hand: f at 0x1149, called at 0x11d2, enters at 1000 ticks of
# 1 ns, leaves at 1250; frame 17 at 1100. Then without its last byte, and the generator's odd ones.
u() { # VALUE BYTES, little-endian
	local v=$1 i

	for ((i = 0; i < $2; i++)); do
		# shellcheck disable=SC2059 # an escape
		printf "\\$(printf %o $((v >> 8 * i & 255)))"
	done
}
record() { # FUNCTION CALLER TICKS KIND
	u "$1" 8 && u "$2" 8 && u "$3" 8 && u 7 4 && u "$4" 4
}
{
	printf 'tmcalls\0'
	u 1 2 && u 8 2 && u 42 4 && u 1000000000 8 && u 1000 8
	record 0x1149 0x11d2 1000 0
	record 17 0 1100 2
	record 0x1149 0x11d2 1250 1
} >run.calls
tm-import run.calls | tm-dump
head -c -1 run.calls | tm-import -q | tm-dump --no-tables | grep -E '^(enter|exit|frame|note loss|totals)'
"$GEN/instrument" calls-odd 3 | tm-import -q | tm-dump -q --no-events --no-tables | grep -E '^(note loss|totals)'
"$GEN/instrument" truth 3 | awk '{ n[$1]++ } END { print n["frame"], n["enter"], n["exit"] }'
# A data directory of uftrace: as many, without frames.
mkdir uf
"$GEN/instrument" uftrace uf 3
tm-import uf | tm-dump -q --no-events --no-tables
printf 'odd' >>uf/700.dat
tm-import -q uf | tm-dump -q --no-events --no-tables | grep 'note loss'
