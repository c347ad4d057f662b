#!/bin/bash
# SPDX-License-Identifier: MIT
#
# tm-compare's gate over builds whose noise is known: tests/simulate/gates.py.
# tier: all
# timeout: 600
set -u

PYTHONDONTWRITEBYTECODE=1 python3 "$SRC/tests/simulate/gates.py" "$BIN" || echo 'not ok - gates.py'
