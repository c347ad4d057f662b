# The options that every report shares: formats, the output file, colour, width.
printf '%s\n' '{"f":1,"d":[{"t":"=cmd()","s":8,"r":16,"st":["0x10;"],"sz":[16]},{"t":"a\tb\\c","s":1,"r":8,"st":["0x10;"],"sz":[8]}]}' >run.mem
top() { tm-top -q --slide 0 --by type "$@" run.mem; }
top --as tsv
top --csv | tr -d '\r'
top --csv --raw-csv | tr -d '\r' | tail -n 2
top -o out.csv
tr -d '\r' <out.csv
top -o out.csv --as text && head -n 1 out.csv
top --color always | sed -n 3p | tr '\033' '^'
NO_COLOR=1 top --color auto | sed -n 3p
top --width 30 | sed -n '3,5p'
top --csv --as tsv || echo "status $?"
top --table none || echo "status $?"
top --width 10001 || echo "status $?"
tm-top -q --csv -o out.csv none.mem || echo "status $?"
head -n 1 out.csv
top -o none/out.csv || echo "status $?"
echo .*.?????? *
