# LuaJIT's or Lua's line trace has times of lines and no calls with a time: nothing is lost, no loss is told, and nothing was
# judged, so a gate cannot tell: 5, with that reason. Two lines of 10 and 1.5 us.
cat >trace-out.txt <<'X'
3 10
> my file.lua 10 20
11 1.5
<
4 1
X
tm-spikes trace-out.txt 2>&1 >out | grep -c loss
tm-spikes -q --gate 100000 trace-out.txt >out
echo "status $?"
grep inconclusive out
