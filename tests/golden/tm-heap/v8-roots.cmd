# Widget 0 is on the stack, one step from a root, and in app.list, four steps from the global object; so are four other
# widgets of 40 bytes, which nothing else holds. What holds one for a moment comes last, as in Chrome's retainers, and
# the five share a row. App refers to Once by one field, and so do four elements of the list.
{
	printf '%s' '{"snapshot":{"meta":{"node_fields":["type","name","id","self_size","edge_count"],"node_types":[["hidden","array","string","object","code","closure","regexp","number","native","synthetic"],"string","number","number","number"],"edge_fields":["type","name_or_index","to_node"],"edge_types":[["context","element","property","internal","hidden","shortcut","weak"],"string_or_number","node"]},"node_count":12,"edge_count":16},'
	printf '%s' '"nodes":[9,0,1,0,2,9,1,3,0,1,9,2,5,0,1,3,3,7,20,1,3,4,9,30,2,3,5,11,16,9'
	for id in 13 15 17 19 21; do printf ',3,6,%s,40,0' $id; done
	printf '%s' ',3,10,23,8,0],"edges":[1,1,5,5,9,15,1,1,10,3,9,30,2,7,20,2,8,25,2,11,55'
	for i in 0 1 2 3 4; do printf ',1,%s,%s' $i $((30 + 5 * i)); done
	for i in 5 6 7 8; do printf ',1,%s,55' $i; done
	printf '%s\n' '],"strings":["","(GC roots)","(Stack roots)","Window","App","Array","Widget","app","list","1","Once","once"]}'
} >a.heapsnapshot
tm-heap -q --table paths --who '^Widget$' a.heapsnapshot
tm-heap -q --table paths --csv --who '^Once$' a.heapsnapshot
tm-heap -q --csv --by root a.heapsnapshot
