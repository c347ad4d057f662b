#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Without libdeflate zlib decompresses sections: the same tests of them pass. (With it, unit/object
# has run both: what is unlikely goes to zlib all the same.)
set -u

libs=$(sed -n 's/^TM_LIBS :=//p' "$SRC/build/deps.mk")
if [[ $libs != *-ldeflate* ]]; then
	echo "skip - zlib_only (built without libdeflate as it is)"
	exit 0
fi
if [ -n "${SAN-}" ]; then
	echo "skip - zlib_only (one build is enough)"
	exit 0
fi
# Objects given by name come before those of the same symbols in the library.
# shellcheck disable=SC2086
if ! "${CC:-cc}" -std=c11 -D_GNU_SOURCE -I"$SRC" -o object "$SRC/tests/unit/object.c" \
	"$SRC/lib/object/section.c" "$BUILD/rooms.a" ${libs//-ldeflate/} 2>errors; then
	head -n 5 errors
	echo "not ok - builds without libdeflate"
	exit 1
fi
echo "ok - builds without libdeflate"
if ./object >out 2>&1 && ! grep -q '^not ok' out; then
	echo "ok - unit/object with zlib only"
else
	grep '^not ok' out
	echo "not ok - unit/object with zlib only"
fi
