# No maps, no binary: every location says why it has no name, and coverage is printed.
echo '{"f":1,"d":[{"t":"A","s":5,"r":8,"st":["0x20;0x10;"],"sz":[8]}]}' >run.mem
tm-symbolize run.mem | tm-dump --no-events | grep -E '^(binding|  call)'
tm-symbolize -q --gate 1 run.mem >/dev/null
echo "status: $?"
