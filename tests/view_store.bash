# shellcheck shell=bash
# shellcheck disable=SC2034
# SPDX-License-Identifier: MIT
#
# For tests/sh/view_store*.sh: a server of sessions in the folder store, or $folder, and what it says.
serve() { # OPTIONS...: starts; sets server, page and send (addresses that end in '/'), port
	: >address
	tm-view -q --store "${folder:-store}" "$@" >address 2>serve.err &
	server=$!
	for ((try = 0; try < 300; try++)); do
		[ "$(wc -l <address)" -ge 2 ] && break
		kill -0 $server 2>/dev/null || return 1
		sleep 0.05
	done
	page=$(sed -n 1p address) send=$(sed -n 2p address)
	port=${page#http://127.0.0.1:} port=${port%%/*}
}
stop() {
	kill "$server"
	wait "$server"
}
end_hard() {
	kill -9 "$server"
	wait "$server" 2>/dev/null
}
sessions() { # FILTER of jq
	curl -s -m 60 "${page}sessions" | jq -r "$1"
}
settle() { # until nothing waits to be read
	for ((try = 0; try < 600; try++)); do
		[ "$(sessions '[.sessions[] | select(.state == "waiting" or .state == "reading")] | length')" = 0 ] && return
		sleep 0.1
	done
	return 1
}
put() { # FILE ADDRESS [CURL OPTIONS]: the status of HTTP; the answer is in reply
	local file=$1 address=$2

	shift 2
	curl -s -m 60 -o reply -w '%{http_code}' -T "$file" "$@" "$address"
}
told() { # ADDRESS LENGTH: the offset that HEAD tells of a file of that length, and whether all is there
	curl -s -m 60 -I -H "Upload-Length: $2" "$1" | tr -d '\r' | awk -F': ' '$1 == "Upload-Offset" { o = $2 } $1 == "Upload-Complete" { c = $2 } END { print o, c }'
}
