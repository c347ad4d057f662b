#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
# timeout: 900
#
# Of 20,000 files of /usr none is a capture (tests/sh/claims.sh).
: "${SRC:?}"
CLAIMS=20000 exec bash "$SRC/tests/sh/claims.sh"
