# SPDX-License-Identifier: MIT
#
# Read by bash before every .cmd and .sh test. A program that a signal ends in the middle of a
# pipeline goes unseen (and pipefail would make the harmless SIGPIPE a failure at random),
# so note it after each command; tests/run then fails the case.
unset BASH_ENV
tm_killed() {
	local s

	for s; do
		if ((s > 128 && s < 160 && s != 141)); then
			echo "a program was ended by SIG$(kill -l "$s")" >>"$KILLED"
		fi
	done
	return 0
}
trap 'tm_killed "${PIPESTATUS[@]}"' DEBUG EXIT
set -T
