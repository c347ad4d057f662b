#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Change points of 240 series whose steps were planted, beside E-divisive (Hunter, Otava) and PELT, which
# tests/simulate/steps.py makes from their papers.
# tier: all
# timeout: 200
set -u
steps=$BUILD/tests/simulate/steps

if [ ! -x "$steps" ]; then
	echo 'skip - the steps of simulated series (only check-all builds tests/simulate/steps)'
	exit 0
fi
PYTHONDONTWRITEBYTECODE=1 python3 "$SRC/tests/simulate/steps.py" --check "$steps" || echo 'not ok - steps.py'
