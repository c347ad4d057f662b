# A row of a heap profile is of several blocks (3 of 300 bytes together): --size does not take it for one block.
printf '%s\n' 'heap profile: 4: 1300 [4: 1300] @ heapprofile' '   3:      300 [   3:      300] @ 0x1000' \
	'   1:     1000 [   1:     1000] @ 0x2000' >a.heap
tm-top -q --csv --by function --metrics count,requested --size 200..2000 a.heap
tm-top -q --csv --by function --metrics count,requested a.heap
