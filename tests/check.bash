# shellcheck shell=bash
# shellcheck disable=SC2034
# SPDX-License-Identifier: MIT
#
# For tests/sh: one line per check; what a failed command left in the file err is printed above it.
# The script ends with: exit $failed
failed=0 # read by the script
check() { # WHAT; then a command that must succeed
	local what=$1

	shift
	if "$@"; then
		echo "ok - $what"
	else
		head -n 5 err 2>/dev/null | sed 's/^/    /'
		echo "not ok - $what"
		failed=1
	fi
}
equals() { # WHAT GOT WANT
	printf '%s\n%s\n' "$2" "$3" >err
	check "$1" [ "$2" = "$3" ]
}
