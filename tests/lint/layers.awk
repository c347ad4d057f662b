# SPDX-License-Identifier: MIT
#
# The table of layers.txt, for layers.sh and links.sh: rows, what each permits, and its cycles.
# Fills allowed[row], a list of what the row names; problems are printed and counted in bad.

function folder(path) { sub(/\/[^\/]*$/, "", path); return path }

# The longest row that path lies under: lib/a/b.c, lib/a/b (b.c and b.h, or all of a program), lib/a, lib. A family
# of formats without a row has what formats/* says.
function row(path, x, part) {
	if (path in row_of)
		return row_of[path]
	x = path
	if (!(x in allowed))
		sub(/\.[a-z]+$/, "", x)
	while (!(x in allowed) && x ~ /\//)
		x = folder(x)
	if (x == "formats" && path ~ /^formats\/[^\/.]+(\/|$)/ && ("formats/*" in allowed)) {
		split(path, part, "/")
		x = "formats/" part[2]
		allowed[x] = allowed["formats/*"]
		copy[x] = "formats/*"
	}
	return row_of[path] = x in allowed ? x : ""
}

# The item of a row that permits the file `to`, or ""; the object of a header may be needed where the
# header may be included.
function permits(from, to, n, list, i, p, target, header) {
	target = row(to)
	header = to
	sub(/\.c$/, ".h", header)
	n = split(allowed[from], list, " ")
	for (i = 1; i <= n; i++) {
		p = list[i]
		if (p == target || p == to || p == header || (p ~ /\/\*$/ && index(to, substr(p, 1, length(p) - 1)) == 1))
			return p
	}
	return ""
}

# Where what x permits leads back to x.
function visit(x, path, n, list, i) {
	if (state[x] == 1) {
		printf "  a cycle in %s: %s %s\n", table, path, x
		bad++
		return
	}
	if (state[x] == 2 || !(x in allowed))
		return
	state[x] = 1
	n = split(allowed[x], list, " ")
	for (i = 1; i <= n; i++) {
		if (row(list[i]) != x)
			visit(row(list[i]), path " " x " ->")
		if (sub(/\.h$/, ".c", list[i]) && row(list[i]) != x)
			visit(row(list[i]), path " " x " ->")
	}
	state[x] = 2
}

function read_layers(line, n, word, i, x) {
	while ((getline line < table) > 0) {
		sub(/#.*/, "", line)
		n = split(line, word, " ")
		if (!n)
			continue
		if (word[1] in allowed) {
			printf "  %s: %s is there twice\n", table, word[1]
			bad++
		}
		allowed[word[1]] = ""
		for (i = 2; i <= n; i++)
			allowed[word[1]] = allowed[word[1]] " " word[i]
		rows++
	}
	if (!rows) {
		printf "  %s: no rows\n", table
		bad++
	}
	for (x in allowed)
		visit(x, "")
}
