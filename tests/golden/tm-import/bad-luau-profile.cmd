# A frame without its commas.
for i in 1 2 3 4 5 6 7 8; do echo "$i game.luau,f$i,$i"; done >profile.out
echo '9 game.luau' >>profile.out
tm-import profile.out | tm-dump --no-tables
