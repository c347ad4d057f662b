# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# For tests/sh/history*.sh: twenty builds of a game with known sums, and what any store must say of
# them: $1 is a file or a URL. Texture::load allocates 36000 bytes more from build 115 on.
: "${GEN:?}"

# One build's capture, NUMBER from 1 on; and a line "FUNCTION BYTES" for each in FILE.truth.
make_build() { # NUMBER FILE
	awk -v n="$1" -v truth="$2.truth" '
	function alloc(path, function_, bytes) {
		print "alloc malloc " path, bytes
		sum[function_] += bytes
	}
	BEGIN {
		srand(n * 7 + 3)
		print "metric requested exact"
		print "metric count exact"
		for (f = 0; f < 3; f++) {
			print "frame", f
			alloc("main;update;Texture::load", "Texture::load", 100000 + int(rand() * 3000) + (n >= 15 ? 12000 : 0))
			alloc("main;update;Audio::mix", "Audio::mix", 50000 + int(rand() * 1500))
			alloc("main;render;Mesh::build", "Mesh::build", 80000 + int(rand() * 2000))
			alloc("main;render;Texture::load", "Texture::load", 20000 + int(rand() * 500))
		}
		for (f in sum)
			print f, sum[f] >truth
	}' | "$GEN/script" >"$2"
}

make_builds() {
	local i

	for i in $(seq 101 120); do
		make_build $((i - 100)) "b$i.tmt"
	done
}

add_builds() { # STORE
	local i

	for i in $(seq 101 120); do
		tm-history add -q "$1" "b$i.tmt" --branch main --machine m1 \
			--date "2026-10-$((i - 91))" --status green >/dev/null || return 1
	done
}

# The columns of a CSV's rows: columns FILE NAME...
columns() {
	awk -F, -v names="${*:2}" '
		{ gsub(/\r/, ""); n = split(names, name, " ") }
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ line = ""; for (i = 1; i <= n; i++) line = line (i > 1 ? " " : "") $at[name[i]]; print line }
	' "$1"
}

# "b101 Texture::load 364564.000" a line, from the captures' own truth.
truth_by_function() {
	local i

	for i in $(seq 101 120); do
		sed "s/^/b$i /; s/\$/.000/" "b$i.tmt.truth"
	done | sort
}

store_says() { # WHAT STORE
	tm-history list "$2" --csv >list.csv 2>err
	check "$1: list has the runs in order" eval \
		'[ "$(columns list.csv build status branch machine captures frames | tr "\n" /)" = "$(
			for i in $(seq 101 120); do echo "b$i green main m1 1 3"; done | tr "\n" /)" ]'
	tm-history trend -n 0 "$2" --by function --csv 2>err >trend.csv
	columns trend.csv build name value | sort >got
	truth_by_function >want
	check "$1: values are those that were made" cmp got want
	tm-history trend -n 0 "$2" --csv 2>err >total.csv
	columns total.csv build value | sort >got
	truth_by_function | awk '{ s[$1] += $3 } END { for (b in s) printf "%s %.3f\n", b, s[b] }' | sort >want
	check "$1: and so are those of everything" cmp got want

	# With 5 % noise alone steps in one series of twenty.
	tm-history change-points "$2" --by function --alpha 0.01 --csv >steps.csv 2>err
	check "$1: the planted step is found, and nothing else" eval \
		'[ "$(columns steps.csv direction name build_before build)" = "up Texture::load b114 b115" ]'
	tm-history change-points -q "$2" --gate >out 2>err
	check "$1: --gate ends with 1 for it" [ $? = 1 ]
	tm-history change-points -q "$2" --gate --until 2026-10-23 >out 2>err
	check "$1: and with 0 before it" [ $? = 0 ]
	tm-history change-points -q "$2" --gate --last 4 >out 2>err
	check "$1: and with 5 where there are too few runs to tell" [ $? = 5 ]

	# The mean of the six runs from b115 on, less that of the ten up to b114.
	truth_by_function | awk '$1 >= "b115" { s += $3 / 6 } $1 >= "b105" && $1 < "b115" { s -= $3 / 10 } END { printf "%.0f\n", s }' >want
	for by in stack site function; do
		tm-history blame "$2" --from b114 --to b115 --by $by -n 0 --csv >blame.csv 2>err
		columns blame.csv change | awk '{ s += $1 } END { printf "%.0f\n", s }' >got
		check "$1: blame by $by adds up to the difference" cmp got want
	done
	tm-history blame "$2" --csv >blame.csv 2>err
	check "$1: blame names the stack" eval 'columns blame.csv name | head -n 1 | grep -qx "Texture::load"'
	tm-history blame "$2" >blame.txt 2>err
	check "$1: with its calls" eval 'sed -n "/Texture::load/{n;p;n;p;n;p;q}" blame.txt | tr -d " \n" | grep -qx "Texture::loadupdatemain"'

	printf '[rule load]\nmetric = requested\nkey = function\nmatch = ^Texture\npercent = 3\n' >policy.ini
	tm-history trend "$2" --rules policy.ini --csv >rule.csv 2>err
	columns rule.csv build value >got
	truth_by_function | awk '$2 == "Texture::load" { print $1, $3 }' >want
	check "$1: a rule's values" cmp got want
	# The newest five green runs are b116 to b120, all with the step.
	tm-compare -q --history "$2" --base-branch main --gate policy.ini b115.tmt >out 2>err
	check "$1: a gate on the newest green runs passes what is like them" [ $? = 0 ]
	tm-compare -q --history "$2" --base-branch none --gate policy.ini b115.tmt >out 2>err
	check "$1: and is inconclusive where there are none" [ $? = 5 ]
	tm-compare -q --history "$2" --base-last 3 b114.tmt --by function --csv -n 0 >compare.csv 2>err
	columns compare.csv function base_requested | sed -n 's/^Texture::load //p' >got
	truth_by_function | awk '$2 == "Texture::load" && $1 >= "b118" { print int($3) }' | sort -n | sed -n 2p >want
	check "$1: the base is the median of three runs" cmp got want
}
