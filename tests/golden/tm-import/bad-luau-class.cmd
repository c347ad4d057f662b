# A class as recent builds write it: its name has no quotes, a list no end. The objects around it are
# read, and an error behind it is at its place in the file (the x is byte 222).
printf '%s\n' '{"objects":{' \
	'"0x10":{"type":"table","cat":0,"size":48,"array":["0x20"]},' \
	'"0x20":{"type":"class","cat":0,"size":72,"name":Hero,"super":null,"staticmembers":[,"memberstooffset":"0x10"},' \
	'"0x30":{"type":"table","cat":0,"size":x' >heap.json
tm-import heap.json | tm-dump
grep -bo x$ heap.json
