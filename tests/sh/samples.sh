#!/bin/bash
# SPDX-License-Identifier: MIT
# needs: shared
#
# The samples under ../shared against the totals that stand beside them (samples/README.md,
# formats/loliprofiler.md section 12, formats/unity-il2cpp-mono.md section 2.1). The totals are
# computed here, by awk, from tm-dump's text, with the live rule of loliprofiler.md section 7.1.
set -u
: "${SHARED:?}"

failed=0
same() { # WHAT GOT WANT
	if [ "$2" = "$3" ]; then
		echo "ok - $1"
	else
		echo "not ok - $1: $2, expected $3"
		failed=1
	fi
}

# A dump's events as "kind key=value ..."; field() picks a value.
field='function field(name,  i) {
	for (i = 2; i <= NF; i++)
		if (index($i, name "=") == 1) return substr($i, length(name) + 2)
	return ""
}'

# Frame by frame: requested bytes of the types, real bytes of the types and of the stacks.
frames() {
	tm-dump "$1" | awk "$field"'
		$1 == "frame" { f = field("value"); order[++n] = f }
		$1 == "type-total" { req[f] += field("requested"); real[f] += field("real") }
		$1 == "alloc" { stacks[f] += field("real"); entries++ }
		END {
			for (i = 1; i <= n; i++) {
				f = order[i]
				printf "%s:%d/%d/%d ", f, req[f], real[f], stacks[f]
			}
			print "entries:" entries
		}'
}

# Allocations and bytes; then those that no free with a higher number follows at their address.
live() {
	tm-dump "$@" | awk "$field"'
		$1 == "alloc" {
			n++; bytes += field("requested")
			address[n] = field("address"); seq[n] = field("seq"); size[n] = field("requested")
		}
		$1 == "free" || $1 == "freed" {
			a = field("address")
			if (!(a in freed) || freed[a] < field("seq") + 0) freed[a] = field("seq") + 0
		}
		END {
			for (i = 1; i <= n; i++)
				if (!(address[i] in freed) || seq[i] + 0 >= freed[address[i]]) {
					alive++; alive_bytes += size[i]
				}
			printf "%d/%d live %d/%d\n", n, bytes, alive, alive_bytes
		}'
}

# The parents of stack lines give its length.
depths() {
	tm-dump "$1" | awk "$field"'
		$1 == "stack" { depth[$2] = 1 + depth[field("parent")] }
		$1 == "alloc" { d = field("stack"); print d == "" ? 0 : depth[d] }' | xargs
}

for f in "$SHARED"/samples/memtracer/*.mem; do
	same "${f##*/}: requested, real and the stacks' real bytes of both frames" "$(frames "$f")" \
		'9763:496/592/592 9764:364/464/464 entries:11'
	same "${f##*/}: ten locations in every stack" "$(depths "$f")" '10 10 10 10 10 10 10 10 10 10 10'
done
samples=$SHARED/samples/loliprofiler
same 'synthetic_v106: 6 records, 5 live' "$(live "$samples/synthetic_v106_qt5158.loli")" \
	'6/1056320 live 5/1055808'
same 'synthetic_v106: 4 stacks and a record without one' \
	"$(tm-dump "$samples/synthetic_v106_qt5158.loli" | awk "$field"'
		$1 == "alloc" { s = field("stack"); if (s == "") none++; else if (!seen[s]++) n++ }
		END { print n, none }')" '4 1'
# The stream's four records: frames, no frames, a library's name, a free of the second one.
same 'synthetic_stream: 3 allocations, 2 live' "$(live "$samples/synthetic_stream.bin")" \
	'3/4685 live 2/4173'
same 'synthetic_cache_0: 2 records, no frees' "$(live "$samples/synthetic_cache_0.bin")" \
	'2/4608 live 2/4608'

# Through a trace nothing changes.
for f in "$SHARED"/samples/memtracer/*.mem "$samples"/*; do
	tm-dump "$f" | LC_ALL=C sort >direct
	tm-import -q "$f" | tm-dump | LC_ALL=C sort >by_trace
	if cmp -s direct by_trace; then
		echo "ok - ${f##*/}: the same through tm-import"
	else
		diff direct by_trace | head -n 5
		echo "not ok - ${f##*/}: the same through tm-import"
		failed=1
	fi
done
exit $failed
