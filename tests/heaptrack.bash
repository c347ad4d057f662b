# SPDX-License-Identifier: MIT
#
# What heaptrack -r has written, for what is compared with it.
# shellcheck shell=bash

# Blocks and bytes of its raw record, FOLDER/NAME.*.
heaptracks() { # folder, name
	local f

	for f in "$1/$2".*; do
		case $f in
		*.zst) zstd -qdc "$f" ;;
		*.gz) gzip -dc "$f" ;;
		esac
	done | mawk '
		BEGIN { for (i = 0; i < 16; i++) v[substr("0123456789abcdef", i + 1, 1)] = i }
		$1 == "+" {
			n++
			x = 0
			for (i = 1; i <= length($2); i++)
				x = x * 16 + v[substr($2, i, 1)]
			b += x
		}
		END { printf "%d %.0f\n", n, b }'
}
