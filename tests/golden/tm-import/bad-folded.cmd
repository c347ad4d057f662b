# One line in nine may be damaged; the last one may be cut, and says so.
for i in 1 2 3 4 5 6 7 8; do echo "a;b$i $i"; done >run.folded
printf 'a;c\na;d 1' >>run.folded
tm-import run.folded | tm-dump --no-tables
# Lines of which none is a stack and a number.
printf 'hello\n' >no.folded
tm-import -f folded no.folded
