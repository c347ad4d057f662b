# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# Addresses of programs of Windows that are asked of tm-llvm-symbolizer and llvm-symbolizer 19.

# N addresses of a file's code at random, the same each time.
draw() { # FILE N
	llvm-objdump-19 -h "$1" | awk -v n="$2" '
		$5 ~ /^TEXT/ && $3 !~ /^0+$/ {
			lo[++k] = $4
			for (i = 1; i <= length($3); i++)
				size[k] = 16 * size[k] + index("0123456789abcdef", substr($3, i, 1)) - 1
			all += size[k]
		}
		END {
			srand(38)
			for (; n > 0 && all; n--) {
				at = int(rand() * all)
				for (i = 1; at >= size[i]; i++)
					at -= size[i]
				print lo[i], at
			}
		}' | while read -r lo at; do printf '0x%x\n' $((16#$lo + at)); done
}
