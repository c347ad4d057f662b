# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# agree [OPTION...]: agree.py on all captures that are here, but for traces of events that are drawn at
# random (N-events-N, corpus/trace): their calls contradict each other and their sums pass 64 bits, and there the
# order of adding up still decides. The seed is the day of the newest commit.
agree() {
	local files=()

	while IFS= read -r file; do
		files+=("$file")
	done < <(find "$SRC/tests/fuzz/corpus" "$DATA" "${SHARED:-/nonexistent}/samples" -type f -size -4096k ! -name '*-events-*' \
		! -path '*/corpus/trace/*' 2>/dev/null | sort)
	echo "left out: $(find "$SRC/tests/fuzz/corpus" "$DATA" -name '*-events-*' -o -path '*/corpus/trace/*' -type f | wc -l) traces of events that are drawn at random"
	python3 "$SRC/tests/agree/agree.py" "$BIN" "$@" \
		--seed $(($(git -C "$SRC" log -1 --format=%ct 2>/dev/null || echo 0) / 86400)) "${files[@]}"
}
