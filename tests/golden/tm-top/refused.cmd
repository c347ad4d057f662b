# What is asked for and cannot be: a form that no report has, a recording in the report's place, a frame that
# the capture does not have, a name that nothing has.
cat >run.mem <<'M'
{"f":1,"d":[{"t":"String","s":30,"r":64,"st":["0x1010;"],"sz":[64]}]}
{"f":2,"d":[{"t":"String","s":5,"r":16,"st":["0x1030;"],"sz":[16]}]}
M
tm-import -q -o run.tmt run.mem && cp run.tmt run.csv
for name in x.svg x.pdf x.xml x.junit x.JSON x.CSV tmp.kN3qXw7Zc1 x.1; do tm-top -q --slide 0 -o $name run.mem; echo "status $?, $(ls $name 2>/dev/null | wc -l) written"; done
tm-top -q --slide 0 -o run.csv run.mem; echo "status $?"
cmp run.csv run.tmt && echo "the recording stays"
tm-top --slide 0 --type nobody run.mem; echo "status $?"
tm-top --slide 0 --frame 500 run.mem; echo "status $?"
tm-top --slide 0 --frame 2 run.mem | tail -n 4
tm-top --by sites run.mem; echo "status $?"
