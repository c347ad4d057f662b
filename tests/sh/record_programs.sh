#!/bin/bash
# SPDX-License-Identifier: MIT
# expects: signals
# timeout: 600
#
# Those of tests/programs/rows that need nothing but what the other tests do: recorded in every mode
# they print and end as plain.
bash "$SRC/tests/programs/run" --few
