# Cut in its third object; a size and a reference that make no sense; no objects.
printf '%s\n' '{"objects":{' '"0x10":{"type":"table","cat":0,"size":-4,"array":["0x20",true,7]},' \
	'"0x20":{"type":"string","cat":0,"size":27,"data":"hp"},' '"0x30":{"type":"ta' >heap.json
tm-import heap.json | tm-dump
printf '{"objects":{"0":{}},"roots":{}}' >empty.json
tm-import empty.json
