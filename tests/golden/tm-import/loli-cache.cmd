# A desktop cache (loliprofiler.md 3.6), big-endian: one block of two records.
#   seq 1, address 0x1000, 32 bytes, 10 ms, two frames 0x500 called from 0x600
#   seq 2, address 0x2000, 48 bytes, 12 ms, no frames
{
	printf '\0\0\0\2'
	printf '\0\0\0\1' && printf '\0\0\0\0\0\0\20\0' && printf '\0\0\0\40' && printf '\0\0\0\0\0\0\0\12'
	printf '\0\0\0\0' && printf '\1' && printf '\0\0\0\2'
	printf '\0\0\0\0\0\0\5\0' && printf '\0\0\0\0\0\0\6\0'
	printf '\0\0\0\2' && printf '\0\0\0\0\0\0\40\0' && printf '\0\0\0\60' && printf '\0\0\0\0\0\0\0\14'
	printf '\0\0\0\0' && printf '\1' && printf '\0\0\0\0'
} >cache_0.bin
tm-import -q cache_0.bin | tm-dump | grep -E '^(alloc|stack|location|totals|attribute) '
