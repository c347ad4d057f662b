# An unknown event, bytes that are no buffer, a count larger than its buffer, a cut: what was sound is
# kept and what was lost is counted.
for trap in unknown junk count cut names empty; do
	echo "$trap"
	tm-import -q "$DATA/mono/$trap.mlpd" | tm-dump -q --no-tables | grep -E '^(note loss|totals|capture)'
done
