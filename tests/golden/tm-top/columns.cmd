# 1000 requested bytes. Real ones are 1100, which is 10 % more: no column where rows are by count. 1101 are more than
# that, as are 899 less; 900 are not.
for real in 1100 1101 900 899; do
	printf '%s\n' 'metric count exact' 'metric requested exact' 'metric real exact' 'metric live exact' \
		"alloc malloc main;update@game.cpp:7 1000 10 $real 4096" | "$GEN/script" >$real.tmt
	tm-top -q --sort count $real.tmt | grep '^#'
done
# By real bytes, and where metrics are asked for, it is there; CSV has it always.
tm-top -q --sort real 1100.tmt | grep '^#'
tm-top -q --sort count --metrics count,requested,real 1100.tmt | grep '^#'
tm-top -q --sort count --csv 1100.tmt
# Where there is no room, requested and real go before what is live; file and line stay.
printf '%s\n' 'metric count exact' 'metric requested exact' 'metric real exact' 'metric live exact' \
	"alloc malloc main;game::World<int>::update_all_entities@/srv/game/src/world/update.cpp:1234 1000 10 2000 4096" | "$GEN/script" >wide.tmt
tm-top -q --sort count --width 120 wide.tmt | sed -n '/^#/,$p'
tm-top -q --sort count --width 100 wide.tmt | sed -n '/^#/,$p'
tm-top -q --sort count --width 80 wide.tmt | sed -n '/^#/,$p'
tm-top -q --sort count --width 60 wide.tmt | sed -n '/^#/,$p'
tm-top -q --sort requested --width 80 wide.tmt | sed -n '/^#/,$p'
