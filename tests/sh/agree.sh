#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Every place that prints a number has the same one: a choice of questions and captures, which changes
# each day; agree_all.sh asks all. tests/agree says what is compared.
# timeout: 900
set -u
. "$SRC/tests/agree/run.bash"
agree --questions 60 && echo 'ok - places agree'
