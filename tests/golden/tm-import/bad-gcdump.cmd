for variant in far type place cut many new unnamed sum; do
	$GEN/gcdump --objects 6 $variant 2>err >$variant
	tm-dump --no-tables $variant | tail -n 2
done
printf '\24\0\0\0!FastSerialization.1\4\4\1\12\0\0\0\10\0\0\0\12\0\0\0GCHeapDump' | tm-import -o x.tmt
