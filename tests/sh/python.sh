#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# The Python module: its own tests, as it is in the tree and as pip installs it, without a network, in a
# virtual environment.
# Debian's own Python: its packages are what .ci/deps installs.
set -u
. "$SRC/tests/check.bash"

if [ -n "${SAN-}" ]; then
	echo "skip - python (a sanitizer's library needs its runtime in Python, too)"
	exit 0
fi
"${CC:-cc}" -std=c11 -g -I"$SRC/lib/library" -o program "$SRC/examples/library/trace.c" -L"$BUILD/lib" -ltracemill
export LD_LIBRARY_PATH=$BUILD/lib PROGRAM=$PWD/program TRACE=$PWD/x.tmt PYTHONDONTWRITEBYTECODE=1
./program write >x.tmt
export NAMELESS=$PWD/nameless.tmt
"$GEN/trace" --module "$PROGRAM" --build-id "$(readelf -n program | sed -n 's/.*Build ID: //p')" --base 0x10000000 \
	--address "$(printf 0x%x $((0x10000000 + 16#$(nm program | sed -n 's/ T main$//p') + 1)))" >nameless.tmt

counted() { # WHAT, then a Python
	local what=$1

	shift
	"$@" "$SRC/python/tests/test_tracemill.py" >out 2>err
	check "$what: $(grep '^Ran ' err)" grep -q '^OK$' err
}
PYTHONPATH=$SRC/python counted "in the tree" /usr/bin/python3
cp -r "$SRC/python" copy
check "a virtual environment" /usr/bin/python3 -m venv --system-site-packages env 2>err
check "pip installs it" env/bin/pip install -q --no-build-isolation --no-index ./copy 2>err
counted "installed" env/bin/python
if /usr/bin/python3 -m mypy --version >/dev/null 2>&1; then
	/usr/bin/python3 -m mypy --strict --no-error-summary copy/tracemill >err 2>&1
	check "types, by mypy --strict" [ $? = 0 ]
else
	echo "skip - types (no mypy)"
fi
exit $failed
