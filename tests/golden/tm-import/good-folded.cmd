# Two stacks of a flame graph tool, then LuaJIT's -jp=fvG, in which every sample is there twice: 5 + 2
# samples with stacks, of which 4 were compiled code and 3 the collector.
printf 'main;update;draw 12\nmain;net.lua:40 3\n' >a.folded
tm-dump -q a.folded
printf '@0x401000;work.lua:0;frame 5\nCompiled 4\nGarbage Collector 1\nwork.lua:9;fib 2\nGarbage Collector 2\n' >jp.txt
tm-dump jp.txt
# Calls without a name, as tm-export writes them: places in modules; "main" and "operator+(int)+0x12" are names. Written and
# read again, they are the same.
printf 'main;game.exe+0x10c5 3\nmain;My Game.dll!0x180001000;libc.so.6+0x29d90 4\ngame+0x12;operator+(int)+0x12 5\n[unknown];lib.so!fn_0x1200 2\n' >places.folded
tm-import -q places.folded | tm-dump -q
tm-export -q --as folded places.folded >again.folded
tm-export -q --as speedscope places.folded | tm-export -q -f speedscope --as folded - | diff again.folded -
tm-export -q --as firefox places.folded | tm-import -q | tm-dump -q | grep -c '^location .* 0x'
tm-export -q --as pprof places.folded | tm-import -q | tm-dump -q | grep -c '^location .* 0x[0-9a-f]* module=[0-9]*$'
tm-export -q --as folded again.folded | diff again.folded -
