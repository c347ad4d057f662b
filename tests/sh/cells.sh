#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Whether a value is absent or 0 is decided for each cell: tm-top and tm-compare agree with cells.py, a model
# of random captures in which some stacks lack real bytes or addresses.
set -u
: "${GEN:?}" "${SRC:?}"
python3 "$SRC/tests/sh/cells.py" "$GEN/script" 150
