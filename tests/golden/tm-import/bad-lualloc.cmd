# A line that is no record, one with too many fields, a block that is handed out twice, an osize
# that is not the block's, and no end.
printf '%s\n' 'lualloc 1 lua=5.3' '0x1 0 5 56 - 1 1 0x10' 'nonsense' '0x1 0 5 56 - 1 1 0x10 9' \
	'0x1 0 9 60 - 2 1 0x10' '0x1 0x10 61 0 - 3 1 0' >run.lualloc
tm-import run.lualloc | tm-dump -q
printf 'lualloc 2\n' | tm-import
printf 'lualloc 1 columns=ptr\n' | tm-import
printf 'lualloc 1 lua=6\n' | tm-import
