# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Job control: groups of their own, a stopped job that goes on, traps, descriptors that scripts like to choose.
set -m
sleep 30 &
kill -STOP %1
until [ "$(jobs -s | grep -c Stopped)" = 1 ]; do sleep 0.01; done
echo "stopped"
job=$!
kill -CONT %1
kill -TERM %1
wait "$job"
echo "ended with $?"
trap 'echo "trap"' USR1
kill -USR1 $$
(exit 5) | cat
echo "pipe ${PIPESTATUS[*]}"
for fd in 3 9 10 199 200 201 255; do
	eval "exec $fd>file.$fd" && eval "echo text >&$fd"
done
cat file.*
exec 200>&- 3>&-
coproc cat
echo "to the coprocess" >&"${COPROC[1]}"
read -r line <&"${COPROC[0]}"
echo "$line"
# Subshells, as many.
# shellcheck disable=SC2116
for i in {1..300}; do words[i]=$(echo "$i"); done
echo "${#words[@]} words"
