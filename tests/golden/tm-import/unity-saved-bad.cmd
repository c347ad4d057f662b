# Three frames: cut within the last one; the second without its end word; a word of the first changed
# that makes its arrays longer; another version; a .pdata without its names.
for f in data pdata; do
	cp "$DATA/unity/small.$f" .
done
size=$(stat -c %s small.data)
second=$(LC_ALL=C grep -aboP '\xaf\xaf\xaf\xaf' small.data | sed -n '2s/:.*//p')
see() {
	echo "== $1"
	tm-import -q "$2" | tm-dump -q | grep -E '^(frame|note (loss|guess)|totals)' | sed 's/ locations=.*//; s/[0-9]* bytes, [0-9]*/N bytes, N/; s/at byte [0-9]*/at byte N/'
	echo "status ${PIPESTATUS[0]}"
} 2>&1
head -c $((size - 100)) small.data >cut.data
see cut cut.data
cp small.data end.data
printf 'xxxx' | dd of=end.data bs=1 seek="$second" conv=notrunc status=none
see 'end word' end.data
cp small.data arrays.data
printf '\377\377' | dd of=arrays.data bs=1 seek=$((28 + 4 * (7 + 320))) conv=notrunc status=none
see arrays arrays.data
printf 'XXXX' | cat - small.data >head.data
see 'no header' head.data
head -c 300 small.pdata >cut.pdata
see 'no names' cut.pdata
printf '\10' | cat - small.pdata | head -c 1 >eight.pdata
tail -c +2 small.pdata >>eight.pdata
tm-import -f unity-pdata eight.pdata
echo "status $?"
