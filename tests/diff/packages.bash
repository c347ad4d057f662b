# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# For scripts that compare or measure on Debian's packages without installing them.

# fetch PACKAGE: its newest version unpacked as ./PACKAGE, and named in ./PACKAGE.version. Done once;
# fails, with a line on standard error, when it is not to be had.
fetch() {
	local package=$1 deb

	[ ! -d "$package" ] || return 0
	rm -rf "$package.part" && mkdir -p "$package.part/deb" || return 1
	if ! (cd "$package.part/deb" && apt-get download -q "$package") >"$package.log" 2>&1; then
		echo "$package: apt-get download failed (with old lists, run apt-get update): $(
			grep -m 1 '^E:' "$package.log")" >&2
		return 1
	fi
	deb=$(find "$package.part/deb" -name '*.deb')
	dpkg-deb -x "$deb" "$package.part" && dpkg-deb -f "$deb" Package Version | sed 's/.*: //' |
		paste -sd ' ' >"$package.version" && rm -r "$package.part/deb" &&
		mv "$package.part" "$package"
}
