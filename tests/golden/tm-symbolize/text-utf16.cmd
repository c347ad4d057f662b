# A log of 6 calls in UTF-16, as Windows' shells write it: the same from a file and from a pipe, whole or in pieces of 3 bytes.
call='    #0 0x1f08  (/lib/libnone.so+0x1f08)'
for i in 1 2 3 4 5 6; do echo "$call"; done >plain.log
printf '\377\376' >log
iconv -t UTF-16LE plain.log >>log
for from in log -; do
	tm-symbolize --text $from <log | cmp - plain.log && echo same
done
while IFS= read -r -d '' -n 3 piece || [ "$piece" ]; do printf %s "$piece"; done <plain.log | tm-symbolize -q --text - | cmp - plain.log && echo same
dd if=log bs=3 status=none | tm-symbolize -q --text - | cmp - plain.log && echo same
# Half a character at the end.
head -c -1 log | tm-symbolize --text - >/dev/null
