# tm-dump's text as the truth of testdata/gen/lua_gen.h has it.
function text(key,    s) {
	if (!match($0, " " key "=\"[^\"]*\""))
		return ""
	s = substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 4)
	gsub(" ", "_", s)
	return s
}
function field(key) {
	if (!match($0, " " key "=[^ ]*"))
		return "-"
	return substr($0, RSTART + length(key) + 2, RLENGTH - length(key) - 2)
}
# tm-dump prints target in hex.
function number(s,    i, v) {
	if (s !~ /^0x/)
		return s
	v = 0
	for (i = 3; i <= length(s); i++)
		v = v * 16 + index("123456789abcdef", substr(s, i, 1))
	return sprintf("%.0f", v)
}
function path(id,    s) {
	if (id == "-")
		return "-"
	for (s = location[at[id]]; id in parent; s = location[at[id]] ";" s)
		id = parent[id]
	return s
}
function named(s) {
	return s == "" ? "-" : s
}
$1 == "location" {
	s = text("name")
	if ($3 == "runtime")
		s = $4 ":" $5 (s == "" ? "" : ":" s)
	if (text("file") != "")
		s = s "@" text("file")
	if (field("line") != "-")
		s = s ":" field("line")
	location[$2] = s
}
$1 == "stack" {
	at[$2] = field("location")
	if (field("parent") != "-")
		parent[$2] = field("parent")
}
$1 == "marker" { marker[$2] = text("category") "/" text("name") }
$1 == "counter" && $2 ~ /^[0-9]+$/ { counter[$2] = text("name") "/" text("unit") }
$1 == "type" { type[$2] = text("name") }
$1 == "sample" {
	m = field("type")
	print "sample", m == "-" ? m : marker[m], field("count"), field("value"),
		number(field("target")), path(field("stack"))
}
$1 == "alloc" || $1 == "free" {
	print $1, field("address"), field("requested"), path(field("stack"))
}
$1 == "object" {
	print $1, field("address"), type[field("type")], field("requested"), named(text("name"))
}
$1 == "reference" {
	print $1, field("address") == "-" ? "0x0" : field("address"), field("target"), named(text("name"))
}
$1 == "counter" && $2 !~ /^[0-9]+$/ { print $1, counter[field("type")], field("value") }
