#!/bin/bash
# SPDX-License-Identifier: MIT
#
# tm-history blame in stores with one planted step, some builds ago: tests/simulate/blame.py.
# tier: all
# timeout: 400
set -u

PYTHONDONTWRITEBYTECODE=1 python3 "$SRC/tests/simulate/blame.py" "$BIN" 25 2 || echo 'not ok - blame.py'
