# v1, mode 1: Root (3 ms in all) calls Tick of main.lua:7 twice (2.5 ms), which keeps 1 kB of the 3
# it allocated.
{
	printf '\1\0\0\0'
	printf '\5\0\0\0Root\0' && printf '\0\0\0\0' && printf '\0\0\0\0\0\0\0\0' && printf '\0\0\0\0\0\0\0\0'
	printf '\0\0\0\0\0\0\10\100' # 3.0
	printf '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' && printf '\0\0\0\0\377\377\377\377\1\0\0\0'
	printf '\22\0\0\0main.lua:7~9 Tick\0'
	printf '\0\0\0\0' && printf '\0\0\0\0\0\0\0\0' && printf '\0\0\0\0\0\0\0\0'
	printf '\0\0\0\0\0\0\4\100' # 2.5
	printf '\0\0\200\77\0\0\0\100\0\0\0\0\0\0\0\0' && printf '\2\0\0\0\377\377\377\377\0\0\0\0'
} >game.elprof
tm-import game.elprof | tm-dump
