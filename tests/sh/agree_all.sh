#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Every place that prints a number has the same one: more questions than agree.sh asks. AGREE=all asks all
# about all captures, in hours (the choice keeps CI within its hour). Then that each place can be seen to be wrong: one digit of what it printed is
# changed. tests/agree says what is compared.
# tier: all
# timeout: 5400
set -u
. "$SRC/tests/agree/run.bash"
if [ "${AGREE-}" = all ]; then
	agree
else
	agree --questions 60 --seed $((2 * DAY))
fi && echo 'ok - places agree'
agree --questions 30 --break && echo 'ok - a changed digit is found in each place'
