# One object of id 3 that is held as "a", then as "b": V8's ids are odd, and an object keeps its own. So both snapshots
# have it by its id, and by its path neither has the other's.
snapshot() {
	printf '%s' '{"snapshot":{"meta":{"node_fields":["type","name","id","self_size","edge_count"],"node_types":[["hidden","array","string","object","code","closure","regexp","number","native","synthetic"],"string","number","number","number"],"edge_fields":["type","name_or_index","to_node"],"edge_types":[["context","element","property","internal","hidden","shortcut","weak"],"string_or_number","node"]},"node_count":2,"edge_count":1},'
	printf '%s' '"nodes":[9,0,1,0,1,3,1,3,40,0],"edges":[2,2,5],"strings":["","Boss","'"$1"'"]}'
}
snapshot a >a.heapsnapshot
snapshot b >b.heapsnapshot
tm-heap -q --as csv --set and --same address a.heapsnapshot b.heapsnapshot
tm-heap -q --as csv --set add --same address a.heapsnapshot b.heapsnapshot
tm-heap -q --as csv --set and --same path a.heapsnapshot b.heapsnapshot
