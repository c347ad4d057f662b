# A second level without a first is no list of LuaJIT's; with more than the first, a loss.
printf '  <-     3  frame\n' >second.txt
tm-import -f luajit-jp second.txt
printf '   10  sortit\n  <-    30  frame\n' >more.txt
tm-import more.txt | tm-dump --no-tables
printf '\n====== ERROR: gone.lua: No such file or directory\n====== work.lua ======\n   14 | local x = 1\n' >gone.txt
tm-import gone.txt | tm-dump --no-tables
