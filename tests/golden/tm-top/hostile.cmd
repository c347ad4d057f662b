# Names that drive a terminal, hold commas, quotes and line ends, or are not UTF-8.
printf '%s\n' '{"f":1,"d":[{"t":"a\u001b[2J\nb","s":8,"r":16,"st":["0x10;"],"sz":[16]},{"t":"x,\"y\"","s":1,"r":8,"st":["0x10;"],"sz":[8]}]}' >run.mem
tm-top --slide 0 --by type run.mem
tm-top --slide 0 --by type --csv run.mem | od -An -c
tm-top --slide 0 --by type run.mem >/dev/full
echo "status $?"
tm-top --slide 0 --by type run.mem none.mem | tail -n 1
echo "status ${PIPESTATUS[0]}"
