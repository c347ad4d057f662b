#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Change points of stores whose builds have several runs: tests/simulate/builds.py.
# tier: all
# timeout: 600
set -u

PYTHONDONTWRITEBYTECODE=1 python3 "$SRC/tests/simulate/builds.py" "$BIN" || echo 'not ok - builds.py'
