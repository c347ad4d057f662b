# A diff in the network stream of 3.1.x: each list is a capture behind that of the samples.
"$GEN/miku" --frames 1 wire31 2>truth | tm-dump --no-tables | grep -Ev '^(sample|delta|counter|frame)'
# The beginning is missing, and junk comes between two messages.
"$GEN/miku" --variant lost wire4 2>truth | tm-dump --no-tables --no-events | grep '^note loss'
# One head alone is no capture.
printf '\24\105\21\0\2\0\0\0' | tm-dump
