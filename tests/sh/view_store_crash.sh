#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# A server of sessions that is killed 300 times in the middle of uploads.
# timeout: 1200
# expects: signals
set -u
: "${SRC:?}"

if tm-view --listen nowhere x 2>&1 | grep -q 'without libmicrohttpd'; then
	echo 'skip - a server of sessions: built without libmicrohttpd'
	exit 0
fi
exec python3 "$SRC/tests/view_store_crash.py" "${ROUNDS:-300}" 7
