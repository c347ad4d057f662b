# What C# holds of Lua (lua.md 1.5): "name count:n", sorted; a name with a line end in it.
printf '%s\n' 'function:@game/ui.lua&line:40 count:7' 'two' 'lines count:2' '_G.UI count:1' >function.txt
tm-dump -f miku-ref function.txt
# By its content, where every line is a row; a text that only looks like it at first is no such
# capture.
printf 'a count:2\nb count:1\n' | tm-dump --no-tables
printf 'a count:1\nb count:2\n' | tm-dump
