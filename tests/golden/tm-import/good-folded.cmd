# Two stacks of a flame graph tool, then LuaJIT's -jp=fvG, in which every sample is there twice: 5 + 2
# samples with stacks, of which 4 were compiled code and 3 the collector.
printf 'main;update;draw 12\nmain;net.lua:40 3\n' >a.folded
tm-dump -q a.folded
printf '@0x401000;work.lua:0;frame 5\nCompiled 4\nGarbage Collector 1\nwork.lua:9;fib 2\nGarbage Collector 2\n' >jp.txt
tm-dump jp.txt
