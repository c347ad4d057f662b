# Functions of one name in several files are a series each, from build to build by the longest common end of the path:
# ui/panel.lua's Update has 100, 110, 120, 130 bytes, ai/panel.lua's 25 (20 + 5), 26, 27, 28, though build c is made in
# another folder, d in a third, where all lines have moved. main.lua's Start is one series though b has it in another
# folder; game.lua's Start comes with build d (gaps would be blank: the others know that they have none of it, 0).
build() { # NAME FOLDER LINE UI AI START...
	start=""
	sizes="$4,$(($5 - 5)),5"
	for f in $6; do
		start="$start,\"Start (in Game) ($2$f:$(($3 + 9)));\""
		sizes="$sizes,7"
	done
	echo "{\"f\":1,\"d\":[{\"t\":\"T\",\"s\":1,\"r\":1,\"st\":[\"Update (in Game) ($2ui/panel.lua:$3);\",\"Update (in Game) ($2ai/panel.lua:$(($3 + 2)));\",\"Update (in Game) ($2ai/panel.lua:$(($3 + 3)));\"$start],\"sz\":[$sizes]}]}" >"$1.mem"
	tm-history add -q s.db "$1.mem" --date "2026-10-0$((++day))" >/dev/null || echo "add $?"
}
day=0
build a /a/ 3 100 25 main.lua
build b /a/ 3 110 26 src/main.lua
build c /b/src/ 3 120 27 main.lua
build d 'C:\\\\game\\\\' 40 130 28 'main.lua game.lua'
for key in function site; do
	tm-history trend -q s.db --by $key -n 0 --csv --table values | cut -d, -f2,3,8,11 | sort
done
echo "a name as it is shown chooses"
tm-history trend -q s.db --by function --name '^Update [(]ui/' --csv --table values | cut -d, -f2,3,8,11 | sort
