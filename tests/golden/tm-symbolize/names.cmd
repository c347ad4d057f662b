# A capture with names needs no binary. Symbolizing twice gives the same bytes.
echo '{"f":1,"d":[{"t":"A","s":5,"r":8,"st":["Load (in Game) (l.cpp:7);Main (in Game) (m.cpp:3);"],"sz":[8]}]}' >run.mem
tm-symbolize -q --gate 100 run.mem -o once.tmt
echo "status: $?"
tm-symbolize -q once.tmt | cmp - once.tmt && echo same
tm-dump --no-events once.tmt | grep -E '^(location|binding|  call)'
