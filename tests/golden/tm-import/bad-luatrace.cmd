# Nine sound lines and one that is not; a call in progress and a cut line at the end.
printf '> a.lua 1 9\n1 1\n2 1\n3 1\n4 1\n5 1\n6 1\n7 -1\n8 1\n> b.lua 1 2\n9' >trace-out.txt
tm-import trace-out.txt | tm-dump --no-tables
