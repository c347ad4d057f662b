# A step of 1000 to 1500 bytes, and a type that differs by thousands from run to run anyway: the
# step comes first, though the other's means are further apart (98000 and 100100), and --name shows
# no other.
i=0
for big in 97000 103000 95000 99000 96000 98000 102000 97500 104500 99500 106500 92500; do
	i=$((i + 1))
	small=$((i <= 7 ? 1000 + i % 2 : 1500 + i % 2))
	echo "{\"f\":1,\"d\":[{\"t\":\"Big\",\"s\":1,\"r\":1,\"st\":[\"0x10;\"],\"sz\":[$big]},{\"t\":\"Small\",\"s\":1,\"r\":1,\"st\":[\"0x20;\"],\"sz\":[$small]}]}" >"b$i.mem"
	tm-history add -q --slide 0 s.db b$i.mem --build "b$(printf %02d $i)" --branch main >/dev/null || echo "add $?"
done
tm-history blame -q --slide 0 s.db --by type
tm-history blame -q --slide 0 s.db --by type --name '^Small$'
