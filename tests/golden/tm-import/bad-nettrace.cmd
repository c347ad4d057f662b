for variant in cut old new stack block lone; do
	$GEN/nettrace --samples 120 $variant 2>err >$variant
	tm-dump --no-tables $variant | tail -n 3
done
printf 'Nettrace' | tm-import -o x.tmt
{ printf 'Nettrace\24\0\0\0!FastSerialization.1'; head -c 40 /dev/zero; } | tm-import -o x.tmt
