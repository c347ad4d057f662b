# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# For scripts that compare or measure on Debian's packages without installing them: they are
# unpacked under build/packages and stay there.
: "${SRC:?}"
packages=$SRC/build/packages

# fetch PACKAGE: its newest version unpacked as $packages/PACKAGE, and named in PACKAGE.version beside it.
# Done once; fails, with a line on standard error, when it is not to be had.
fetch() {
	local at=$packages/$1

	[ ! -d "$at" ] || return 0
	rm -rf "$at.part" && mkdir -p "$at.part/deb" || return 1
	if ! (cd "$at.part/deb" && apt-get download -q "$1") >"$at.log" 2>&1; then
		echo "$1: apt-get download failed (with old lists, run apt-get update):" \
			"$(grep -m 1 '^E:' "$at.log")" >&2
		return 1
	fi
	dpkg-deb -x "$at.part/deb/"*.deb "$at.part" &&
		dpkg-deb -f "$at.part/deb/"*.deb Package Version | sed 's/.*: //' | paste -sd ' ' >"$at.version" &&
		rm -r "$at.part/deb" && mv "$at.part" "$at"
}

# The newest llvm-symbolizer of Debian 12 as the array llvm; 14, the default, takes minutes for what
# 19 does in seconds. Fails when it is not to be had.
fetch_llvm() {
	fetch libllvm19 && fetch llvm-19 || return 1
	llvm=(env "LD_LIBRARY_PATH=$(echo "$packages"/libllvm19/usr/lib/*-linux-gnu)"
		"$packages/llvm-19/usr/lib/llvm-19/bin/llvm-symbolizer")
	"${llvm[@]}" --version >/dev/null 2>&1
}
