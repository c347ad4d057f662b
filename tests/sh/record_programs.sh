#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
# expects: signals
# timeout: 1200
#
# Those of tests/programs/rows that need nothing but what the other tests do: recorded in every mode
# they print and end as plain.
bash "$SRC/tests/programs/run" --few
