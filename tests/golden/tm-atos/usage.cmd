tm-atos
tm-atos -o x -l 10 -offset 0
tm-atos -o x -l zz 0
tm-atos -o x -q -arch
printf '\xca\xfe\xba\xbe' >fat
tm-atos -o fat 0
: >list
tm-atos -o /dev/null -f list
