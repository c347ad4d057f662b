# Each is reported in one line, with status 2, also a metric that the capture does not have.
echo '{"f":1,"d":[{"t":"A","s":9,"r":12,"st":["0x20;0x10;"],"sz":[8]}]}' >run.mem
for o in '' '--as perf' '--as sqlite' '--as mem' '--as folded --original run.mem' \
	'--as pprof --events' '--as folded --sort size' '--as folded -q --sort count'; do
	tm-export $o run.mem
	echo "$?"
done
# The output's name says it, too, where it can; .json may be one of two.
tm-export -q -o run.folded run.mem && tm-export -q --as folded run.mem | cmp - run.folded && echo same
tm-export -q -o run.speedscope.json run.mem && tm-export -q --as speedscope run.mem | cmp - run.speedscope.json && echo same
tm-export -q -o run.json run.mem
echo "$?"
