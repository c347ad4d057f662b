# jit/p.lua's lists: percent, and samples with callers (3 of 10 have one that is shown, so 7 have
# none); a VM state with a function; annotated source, of which line 13 is below the least.
printf '61%%  sortit < frame\n39%%  fib\n' >percent.txt
tm-dump percent.txt
printf '   10  sortit\n  <-     3  frame\n    4  C code\n  --     4  order\n' >raw.txt
tm-dump -q raw.txt
printf '\n====== work.lua ======\n@@ 12 @@\n   14 | local x = 1\n      | local y\n    3 | x = y | 4\n' >source.txt
tm-dump -q source.txt
echo '[No samples collected]' >none.txt
tm-dump none.txt
# What `luajit -jp=v` wrote of a script that sorts and joins texts has states of the VM and no stacks: the report
# points to the key that has something; by that, and with a function below each state (-jp=vf), there is no need.
printf '64%%  C code\n30%%  Compiled\n 6%%  Garbage Collector\n' >v
tm-top -q v
tm-top -q --by type v
printf '59%%  C code\n  -- 98%%  sortit\n31%%  Compiled\n  -- 100%%  strs\n10%%  Garbage Collector\n  -- 100%%  strs\n' | tm-top -q
