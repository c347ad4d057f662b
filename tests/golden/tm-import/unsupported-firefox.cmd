# What came before it, and what Android's tools write for the same viewer.
printf '{"format":"profileJSONWithSymbolicationTable,1","meta":{}}' | tm-import
printf '{\n  "format": "profileJSONWithSymbolicationTable,1",\n "meta":{}}' | tm-import
printf 'SLOW\3\0\0\0' | tm-import
