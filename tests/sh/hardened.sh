#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The programs have what Debian's hardening flags give: readelf says so.
if [ -n "${SAN-}" ]; then
	echo 'skip - hardening flags (sanitizers stand in their place)'
	exit 0
fi
for program in "$BIN"/tm-* "$BIN"/tracemill; do
	name=${program##*/}
	headers=$(readelf -lW "$program") dynamic=$(readelf -dW "$program") symbols=$(readelf --dyn-syms -W "$program")
	missing=''
	[[ $dynamic == *'Flags: NOW'* ]] || missing+=' BIND_NOW'
	[[ $headers == *GNU_RELRO* ]] || missing+=' RELRO'
	[[ $headers == *'DYN (Position-Independent'* ]] || missing+=' PIE'
	[[ $symbols == *__stack_chk_fail* ]] || missing+=' stack protector'
	[[ $symbols == *_chk@* ]] || missing+=' _FORTIFY_SOURCE'
	if [ -z "$missing" ]; then
		echo "ok - $name is hardened"
	else
		echo "not ok - $name lacks$missing"
	fi
done
