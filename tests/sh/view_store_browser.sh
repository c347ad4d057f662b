#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# The page of a server of sessions in a headless browser: sessions appear, a note, two clicks compare, a trend whose
# step is known, search, hostile names, in Chinese, dark and narrow. PICTURES=DIR keeps pictures there.
# timeout: 300
set -u
: "${SRC:?}" "${GEN:?}"

# shellcheck source=tests/browser.bash
. "$SRC/tests/browser.bash"
if tm-view --listen nowhere x 2>&1 | grep -q 'without libmicrohttpd'; then
	echo 'skip - in a browser: built without libmicrohttpd'
	exit 0
fi
"$GEN/trace" --seed 3 --allocs 5000 --live 200 --stacks 60 --frames 10 >low.tmt
"$GEN/trace" --seed 3 --allocs 10000 --live 400 --stacks 60 --frames 10 >high.tmt
for i in {0..14}; do
	printf '%s\n' 'metric requested exact' 'metric live exact' 'thread main 1' "alloc malloc main $((1000 + i * 30 + i * 7 % 5)) 1000000 - 4096" | "$GEN/script" >"up$i.tmt"
done
cp up0.tmt few.tmt
# What steps from 100 bytes to 1100: in one run x has most of it, in others y has it all.
for of in '0 0 flat' '600 400 turn' '0 1000 high2'; do
	read -r x y name <<<"$of"
	printf '%s\n' 'metric requested exact' 'metric live exact' 'thread main 1' 'alloc malloc main 100 1000000 - 4096' >script
	[ "$x" = 0 ] || echo "alloc malloc main;x $x 2000000 - 8192" >>script
	[ "$y" = 0 ] || echo "alloc malloc main;y $y 3000000 - 12288" >>script
	"$GEN/script" <script >"$name.tmt"
done
echo nothing >junk.txt
printf '[rule memory]\nmetric = requested\npercent = 10\n' >gate.ini
# shellcheck disable=SC2154 # of browser.bash
exec python3 "$SRC/tests/view_store_browser.py" "$browser" "$SRC"
