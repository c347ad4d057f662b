# SPDX-License-Identifier: MIT
#
# For tests in a browser: $browser is a Chromium; where there is none the script ends, with a skip. Read after
# set -u; $failed is its status then, if it has one.
# shellcheck shell=bash

browser=
for b in chromium chromium-browser google-chrome; do
	if [ -z "$browser" ] && command -v $b >/dev/null; then
		browser=$b
	fi
done
if [ -z "$browser" ]; then
	echo 'skip - in a browser: there is no Chromium'
	exit "${failed-0}"
fi
