# A list of objects with a path each tells nothing of what the globals keep alive: no column says
# that they keep themselves alone. Where reports of allocations get it, they name tm-heap.
line=--------------------------------------------------------
{
	printf -- '%s\n-- Collect memory reference at line:1@file:x.lua\n%s\n' $line $line
	printf -- '-- [Table/Function/String Address/Name]\t[Reference Path]\t[Reference Count]\n'
	printf -- '%s\n-- From Root Object: table: 0x1 (registry)\n' $line
	printf 'table: 0x2\tregistry.2[_G]\t15\n'
	printf 'table: 0x3\tregistry.2[_G].package\t7\n'
} >dump.txt
tm-heap dump.txt
tm-heap --who '^nobody$' dump.txt
tm-heap --dominators dump.txt
tm-top dump.txt
tm-frames -q dump.txt
tm-spikes --table spikes dump.txt
