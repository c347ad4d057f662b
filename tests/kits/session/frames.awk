# SPDX-License-Identifier: MIT
#
# tm-dump's events against two independent counters, of each frame and domain: awk -f frames.awk COUNTED COUNTERS.csv DUMP.
# COUNTED is counter.c's: a line when a frame begins, of what its thread has asked malloc for since the last one. The column
# lua_heap of the CSV is what Lua says of its own heap when a frame begins.
#
# Prints: frames in which the native sums are equal, in which malloc was asked for a few blocks more (the Lua module's own,
# which are not recorded), and all others; the same of Lua: equal, those in which Lua freed more (blocks from before the
# recording), and all others.
function field(name) {
	return match($0, " " name "=[0-9a-fx]+") ? substr($0, RSTART + length(name) + 2, RLENGTH - length(name) - 2) : 0
}
FNR == 1 { file++ }
file == 1 { blocks[FNR - 2] = $1; bytes[FNR - 2] = $2; next }
file == 2 {
	split($0, cell, ",")
	for (i = 1; FNR == 1 && i in cell; i++)
		if (cell[i] == "lua_heap")
			at = i
	if (FNR > 1)
		heap[cell[1]] = cell[at]
	next
}
$1 == "frame" { frame = field("value"); thread = 0; next }
/ domain=lua/ && $1 == "alloc" { size[field("address")] = field("requested"); lua[frame] += field("requested"); thread = field("thread") }
/ domain=lua/ && $1 == "free" && (field("address") in size) { lua[frame] -= size[field("address")] }
/ domain=lua/ && !(frame in of) && thread { of[frame] = thread }
$1 == "alloc" && !/ domain=/ { n[frame, field("thread")]++; b[frame, field("thread")] += field("requested") }
END {
	for (i = 1; (i + 1) in heap && i in blocks; i++) {
		more = blocks[i] - n[i, of[i]]
		if (!more && bytes[i] == b[i, of[i]])
			native["equal"]++
		else if (more > 0 && more < 16 && bytes[i] > b[i, of[i]])
			native["own"]++
		else
			native["other"]++
		grown = heap[i + 1] - heap[i]
		script[grown == lua[i] ? "equal" : grown < lua[i] ? "before" : "other"]++
	}
	print native["equal"] + 0, native["own"] + 0, native["other"] + 0, script["equal"] + 0, script["before"] + 0, script["other"] + 0
}
