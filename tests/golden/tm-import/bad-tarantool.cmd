# An event header that means nothing; a Lua function and a trace that no symbol names; no end.
{
	printf 'ljs\3\0\0\0\200' && printf 'ljm\3\0\0\0' && printf '\11\40\6\200\40\40' && printf '\21\3\1\1'
	printf '\177'
} >memprof.bin
tm-import memprof.bin | tm-dump
printf 'ljs\3\0\0\0\200xyz' >other.bin
tm-import other.bin
{
	printf 'ljs\3\0\0\0\200' && printf 'ljm\3\0\0\0' && printf '\5\1\1\200more'
} >trailing.bin
tm-import trailing.bin | tm-dump --no-tables
