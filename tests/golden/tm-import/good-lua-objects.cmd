# The texts of Lua snapshots: a table that a function and the registry hold, four ways.
cat >a.txt <<'X'
 registry table 0x1000
  cache table 0x2000 | cache 0x1000 | | cache 0x3000 |
   main.lua:3~9 function 0x3000 | main.lua:3~9 0x2000 |
X
cat >b.txt <<'X'
+userdata: 0x00002000 [table
(nil) : [registry]
0x00003000 : cache
]
+userdata: 0x00003000 [func: main.lua:3
0x00002000 : new
]
+userdata: 0x00004000 [main.lua:12 thread: 
0x00005000 : co : main.lua:12
]
X
{
	printf '%056d\n' 0 | tr 0 -
	printf -- '-- Collect memory reference at line:23@file:main.lua\n'
	printf 'table: 0x55d872221bc0\tregistry.cache[class:Cache]\t2\n'
	printf 'function: 0x55d872239ac0\tregistry.cache.new[line:3@file:main.lua]\t1\n'
	printf 'string: "a\tb"\tregistry.cache.text[string]\t1\n'
} >c.txt
printf 'total memroy: 12\npotential leak(7) in {_G.cache,_R.1}\n' >d.txt
for f in a b c d; do tm-import $f.txt | tm-dump; done
