# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# agree [OPTION...]: agree.py on all captures that are here, traces of events that are drawn at random among
# them. The seed is the day (tests/run), unless an option says another one.
agree() {
	local files=()

	while IFS= read -r file; do
		files+=("$file")
	done < <(find "$SRC/tests/fuzz/corpus" "$DATA" "${SHARED:-/nonexistent}/samples" -type f -size -4096k 2>/dev/null | sort)
	python3 "$SRC/tests/agree/agree.py" "$BIN" --seed "$DAY" "$@" "${files[@]}"
}
