# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# For tests of what a user without rights meets: the user "nobody" when root runs them. Folders of
# the tests may lie where that user cannot come, so:
# nobody_folder PROGRAM...	a new folder that everybody can reach, with the programs in its bin/; it
#				is removed by whoever asked for it
# as_nobody COMMAND...		runs it as that user
nobody_folder() {
	local folder p

	folder=$(mktemp -d /tmp/tracemill.XXXXXX) && mkdir "$folder/bin" || return 1
	for p in "$@"; do
		cp "$BIN/$p" "$folder/bin/" || return 1
	done
	chmod -R a+rX "$folder"
	echo "$folder"
}
as_nobody() {
	if [ "$(id -u)" = 0 ]; then
		setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
	else
		"$@"
	fi
}
