# Of --sym-offsets=yes: valgrind 3.19 puts how far an address lies in a function behind its name. Two functions that lost
# 10 and 20 bytes are one, and + of C++ stays.
cat >a.log <<'END'
==7== Memcheck, a memory error detector
==7== 10 bytes in 1 blocks are definitely lost in loss record 1 of 2
==7==    at 0x48417B4: malloc+116 (in /usr/libexec/valgrind/vgpreload_memcheck-amd64-linux.so)
==7==    by 0x109150: operator++23 (l.c:2)
==7==    by 0x109168: main+13 (l.c:2)
==7== 
==7== 20 bytes in 1 blocks are definitely lost in loss record 2 of 2
==7==    at 0x48417B4: malloc+116 (in /usr/libexec/valgrind/vgpreload_memcheck-amd64-linux.so)
==7==    by 0x109150: operator++41 (l.c:2)
==7==    by 0x109172: main+23 (l.c:2)
END
tm-dump a.log | grep ^location
tm-top -q --by function --sort count a.log
cat >a.massif <<'END'
desc: (none)
cmd: ./l
time_unit: i
#-----------
snapshot=0
#-----------
time=9
mem_heap_B=30
mem_heap_extra_B=0
mem_stacks_B=0
heap_tree=detailed
n2: 30 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.
 n1: 20 0x109150: leak+23 (l.c:2)
  n0: 20 0x109172: main+23 (l.c:2)
 n1: 10 0x109150: leak+23 (l.c:2)
  n0: 10 0x109168: main+13 (l.c:2)
END
tm-dump a.massif | grep ^location
