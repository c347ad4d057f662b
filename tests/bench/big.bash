#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Rows of run.sh for a capture of 10 GB, compressed by zstd: the time beside the disk's for the same bytes, memory beside that
# for a tenth of it, and how far the time left that is shown is from what it then took.
big=${BENCH_BIG:-$((mb * 10))}

# progress FILE SECONDS: the worst error of the times left in the second half of a run, as a part of the whole.
progress() {
	local begin line

	begin=$(date +%s.%N)
	tm-top --progress=always "$1" 2>&1 >/dev/null | while IFS= read -r line; do
		echo "$(date +%s.%N) $line"
	done | awk -v begin="$begin" '
		match($0, /%, [0-9]+ s left/) { at[++n] = $1 - begin; left[n] = substr($0, RSTART + 3) + 0 }
		{ end = $1 - begin }
		END {
			for (i = 1; i <= n; i++) {
				d = at[i] + left[i] - end
				if (at[i] > end / 2 && (d < 0 ? -d : d) - 1 > worst) # shown in whole seconds
					worst = (d < 0 ? -d : d) - 1
			}
			if (n)
				printf "%.3f", worst / end
		}'
}

[[ 'large capture' == *"$only"* ]] || big=0
if [ "$big" != 0 ] && [ -n "$(command -v zstd)" ]; then
	"$GEN/memtracer" --seed 1 --bytes "$((big / 10))M" 2>/dev/null | zstd -q >tenth.mem.zst
	"$GEN/memtracer" --seed 1 --bytes "${big}M" 2>/dev/null | zstd -q >large.mem.zst
	runs_kept=$runs runs=1
	row 'tm-top, a tenth of the large capture' "$((big * 100000))" 0 tm-top -q tenth.mem.zst
	tenth=$peak
	row 'tm-top, a large capture, by zstd' "$((big * 1000000))" 0 tm-top -q large.mem.zst
	large=$clock
	goal 'large capture: peak / that of a tenth' "$(part "$peak" "$tenth")" '<= 1.2'
	row '  zstd -dc of the large capture' "$((big * 1000000))" 0 zstd -dcq large.mem.zst
	goal 'large capture: zstd -dc / tm-top, time' "$(part "$clock" "$large")" '>= 1'
	row '  the large capture from the disk' "$(size large.mem.zst)" 0 dd if=large.mem.zst of=/dev/null bs=4M iflag=direct status=none
	goal 'large capture: the disk / tm-top, time' "$(part "$clock" "$large")" '>= 1'
	goal 'large capture: error of the time left' "$(progress large.mem.zst)" '<= 0.1'
	runs=$runs_kept
	rm -f tenth.mem.zst large.mem.zst
fi
