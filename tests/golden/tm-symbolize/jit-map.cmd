# Code that Mono compiled (--jitmap), by perf's map. 0x5020 is a return address behind the last byte of
# f, which is what was called there; 0x6010 was used again, and the last line counts.
cat >perf-77.map <<'X'
5000 20 Game:f (int)
5020 20 Game:g ()
6000 40 Game:old ()
6000 20 (wrapper managed-to-native) Game:new ()
X
echo '{"f":1,"d":[{"t":"A","s":5,"r":8,"st":["0x5020;0x6010;0x6030;0x9000;"],"sz":[8]}]}' >run.mem
tm-symbolize -q --jit-map perf-77.map run.mem | tm-dump -q --no-events | grep -E '^(binding|  call)'
tm-symbolize -q --locations exact --jit-map perf-77.map run.mem | tm-dump -q --no-events | grep -E '^  call' | head -n 1
# Not one: an error, and the rest goes on.
echo nothing >not-one
tm-symbolize -q --jit-map not-one run.mem -o out.tmt
