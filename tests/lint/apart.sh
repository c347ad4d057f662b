#!/bin/bash
# SPDX-License-Identifier: MIT
#
# apart.sh [ROOT]: the reader of DWARF on libdwarf, lib/dwarf/reference, checks lib/dwarf/fast: so none
# of its objects needs an object of the other, directly or through others. By the symbols of the objects
# in $BUILD/obj (or ROOT/obj): an include is not needed for it.
set -u
objects=${1:-$BUILD}/obj

find "$objects/lib" -name '*.o' | sort | xargs -r nm -A -g 2>/dev/null | awk -v root="$objects/" '
	{
		object = $1
		sub(/:.*/, "", object)
		object = substr(object, length(root) + 1)
		sub(/\.o$/, "", object)
		kind = $(NF - 1)
		if (kind == "U")
			needs[object] = needs[object] " " $NF
		else if (kind ~ /^[TDBRVWC]$/)
			at[$NF] = object
	}
	function visit(object, path, n, list, i, to) {
		seen[object] = 1
		if (object ~ /^lib\/dwarf\/fast\//) {
			printf "  %s\n", path
			bad++
			return
		}
		n = split(needs[object], list, " ")
		for (i = 1; i <= n; i++) {
			to = at[list[i]]
			if (to != "" && !(to in seen))
				visit(to, path " -> " list[i] " of " to)
		}
	}
	END {
		for (object in needs)
			if (object ~ /^lib\/dwarf\/reference\//) {
				checked++
				if (!(object in seen))
					visit(object, object)
			}
		if (!checked)
			print "not ok - apart: no object of lib/dwarf/reference seen"
		else if (bad)
			printf "not ok - apart: lib/dwarf/reference needs %d objects of lib/dwarf/fast\n", bad
		else
			printf "ok - apart: %d objects need none of lib/dwarf/fast\n", checked
		exit bad > 0 || !checked
	}'
