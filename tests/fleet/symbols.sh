#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Symbols once: the build job makes the index, workers read it from a shared folder that they cannot
# write to; or a debuginfod server on loopback holds the binaries. All ways give the same names. What
# each costs per capture is measured and printed; nothing passes or fails by time.
set -u
# shellcheck source=tests/fleet/fleet.bash
. "$SRC/tests/fleet/fleet.bash"
# shellcheck source=tests/servers.bash
. "$SRC/tests/servers.bash"

trap 'server_stop; stop_daemons' EXIT
captures 3
names() { tm-dump --no-events "$1" | grep -E '^(binding|call|function) ' | LC_ALL=C sort | sha256sum; }
binaries=(-e "$game/bin/arcade" -e "$game/bin/libengine.so")

# A worker that may not write where the index is, as on a file system that is mounted read-only.
reader=()
[ "$(id -u)" != 0 ] || reader=(setpriv --reuid=65534 --regid=65534 --clear-groups)
mkdir shared
tm-symbolize -q --prewarm --cache shared "$game/bin/arcade" "$game/bin/libengine.so"
check "the build job makes the index" [ -n "$(find shared -type f)" ]
(cd shared && tar -cf ../index.tar .) # the artefact
mkdir artefact
tar -xf index.tar -C artefact
chmod -R a+rX,a-w artefact
tar -xOf index.tar | wc -c >index.bytes
where=$PWD
chmod a+rx . 2>/dev/null
reachable() { "${reader[@]}" test -r "$where/c1.tmt" -a -x "$BIN/tm-symbolize"; }
if reachable; then
	before=$(find artefact -type f -printf '%p %T@ %s\n' | sort | sha256sum)
	"${reader[@]}" "$BIN/tm-symbolize" --stats --cache artefact "${binaries[@]}" c1.tmt \
		>shared.tmt 2>shared.err
	check "a worker that may only read the folder reads the index" [ $? = 0 ]
	check "... and uses it: no unit of DWARF is read" grep -q 'bin/arcade: .* units: 0,' shared.err
	after=$(find artefact -type f -printf '%p %T@ %s\n' | sort | sha256sum)
	check "... and leaves it as it is" [ "$before" = "$after" ]
	tm-symbolize -q --no-cache "${binaries[@]}" c1.tmt >plain.tmt
	check "the names are those without an index" [ "$(names shared.tmt)" = "$(names plain.tmt)" ]
else
	echo "skip - a worker that may only read the folder (another user cannot come here)"
fi

# --- what it costs: seconds per capture, the least of three ---
cost() { # WHAT COMMAND...
	local what=$1 best=

	shift
	for _ in 1 2 3; do
		times >before
		"$@" >/dev/null 2>&1
		times >after
		best=$(awk -v b="$best" '
			function s(t) { split(t, p, /[ms]/); return p[1] * 60 + p[2] }
			FNR == 2 { u = s($1) + s($2); if (NR == FNR) first = u }
			END { t = u - first; print b == "" || t < b ? t : b }' before after)
	done
	echo "# $what: $best s of processor time"
}
# --- a server that has the debug files of what workers have stripped ---
id=$DATA/demo/clang-dwarf5-O2-buildid
if [ -d "$id/debug" ]; then
	server_elfutils "$id/debug"
	"$id/bin/arcade" --frames 5 --out . >/dev/null
	tm-import -q --maps arcade.smaps --config loli3.conf -o id.tmt arcade.stream
	stripped=(-e "$id/bin/arcade" -e "$id/bin/libengine.so")
	tm-symbolize -q --no-cache "${stripped[@]}" id.tmt >poor.tmt
	tm-symbolize -q --no-cache --debug-dir "$id/debug" "${stripped[@]}" id.tmt >local.tmt
	tm-symbolize -q --cache fetched --debuginfod="$url" "${stripped[@]}" id.tmt >served.tmt
	check "from a debuginfod server: the same names" [ "$(names served.tmt)" = "$(names local.tmt)" ]
	check "... which are more than without" [ "$(names poor.tmt)" != "$(names local.tmt)" ]
	server_stop
	tm-symbolize -q --cache fetched --debuginfod="$url" "${stripped[@]}" id.tmt >again.tmt 2>err
	check "what came once is there without the server" [ "$(names again.tmt)" = "$(names local.tmt)" ]
	cost "a capture, its debug files fetched before" \
		tm-symbolize -q --cache fetched --debuginfod="$url" "${stripped[@]}" id.tmt
else
	echo "skip - debuginfod (no demo with debug files of its own)"
fi

large=$BIN/tm-symbolize # a binary of ours: some megabytes of DWARF
"$GEN/addresses" -n 20000 "$large" >large.addresses
tm-symbolize -q --prewarm --cache large "$large"
looked_up() { tm-addr2line -f -i -C -e "$large" "$@" <large.addresses; }
cmp -s <(looked_up --no-cache) <(looked_up --cache large)
check "a binary of ours: the index says what its DWARF does" [ $? = 0 ]
what="20000 addresses of a binary of $(stat -c %s "$large") bytes"
cost "$what, without the index" looked_up --no-cache
cost "$what, with it" looked_up --cache large
cost "a capture of the demo, without the index" tm-symbolize -q --no-cache "${binaries[@]}" c1.tmt
cost "a capture of the demo, with it" tm-symbolize -q --cache artefact "${binaries[@]}" c1.tmt
echo "# the index: $(cat index.bytes) bytes for $(stat -c %s "$game/bin/arcade" "$game/bin/libengine.so" | awk '{ n += $1 } END { print n }') bytes of binaries"
exit "$failed"
