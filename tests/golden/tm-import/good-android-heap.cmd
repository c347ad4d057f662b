# The numbers of the three vectors of AOSP's native_heapdump_viewer. Of version 1.0 num is valid where size x num
# adds up to Total memory: 4 x 1000 + 6 x 2000 + 1200 + 2 x 8300 = 33800 in 13 blocks, which is what its head calls
# records. Where the sizes alone add up to it each is one block: 12500 in 4. Version 1.1 is always right: 16 x
# 12500 = 200000 in 64. All blocks are live, so they are leaks too. A sum that fits neither is told.
dump() { # VERSION TOTAL RECORDS NUM...
	printf '%s\n' "Android Native Heap Dump v$1" '' "Total memory: $2" "Allocation records: $3" 'Backtrace size: 16' ''
	shift 3
	for size in 1000 2000 1200 8300; do
		printf 'z 1  sz %6d  num %5d  bt %x 2000 3000\n' "$size" "$1" $((size + 4096))
		shift
	done
	printf '%s\n' MAPS '1000-10000 r-xp 00000000 fd:00 495                   /data/does_not_exist.so' END
}
dump 1.0 33800 13 4 6 1 2 >valid
dump 1.0 12500 4 16 16 16 16 >invalid
dump 1.1 200000 64 16 16 16 16 >v11
dump 1.0 77 4 16 16 16 16 >neither
for file in valid invalid v11 neither; do
	tm-dump -q $file | grep -e ^capture -e ^note
	tm-top --csv --by type $file
	tm-top --leaks --csv -n 1 --by stack $file
done
cat valid | tm-top --csv --by type
tm-top --by location valid
