# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# For tests/sh: debuginfod servers on the loopback interface. One at a time; server_stop ends it, and
# should be trapped on EXIT. Files go to the present folder: server.port, server.port.log (one line
# for each request to testdata/gen/debuginfod.c), server.log, server.sqlite.
server='' url='' # url is read by the script

server_stop() {
	[ -z "$server" ] || { kill "$server" && wait "$server"; } 2>/dev/null
	server=
}

# server_stub MODE FILE: testdata/gen/debuginfod.c; url becomes its address.
server_stub() {
	server_stop
	rm -f server.port server.port.log
	"$GEN/debuginfod" "$1" server.port "$2" &
	server=$!
	for ((i = 0; i < 200; i++)); do
		[ -e server.port ] && break
		sleep 0.05
	done
	# shellcheck disable=SC2034
	url=http://127.0.0.1:$(<server.port)
}

# server_elfutils FOLDER...: elfutils' debuginfod, on a port that was free a moment ago.
server_elfutils() {
	server_stub missing /dev/null
	server_stop
	rm -rf server.sqlite
	debuginfod -p "$(<server.port)" -d "$PWD/server.sqlite" -F -t 0 -g 0 "$@" >server.log 2>&1 &
	server=$!
	for ((i = 0; i < 100; i++)); do
		grep -q 'scanned=' server.log 2>/dev/null && break
		sleep 0.1
	done
	sleep 0.5 # what was scanned is written behind that line
}
