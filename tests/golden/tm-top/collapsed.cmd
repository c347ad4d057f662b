# What a function calls of itself, and a module within itself, is taken out of stacks: the outermost call of each run
# stays and has what was inside it. top calls fib, fib calls itself twice over, and leaf. Times as they are: top 100 =
# 40 + 60, fib 60 = 20 + fib 40, fib 40 = 10 + fib 30, fib 30 = 25 + leaf 5. Collapsed: fib is called once, has
# 20 + 10 + 25 = 55 of its own, and leaf's 5 below it. The sums are those of all: 100.
"$GEN/script" >calls.tmt <<'X'
metric time exact
enter top 0
enter top;fib 10
enter top;fib;fib 20
enter top;fib;fib;fib 25
enter top;fib;fib;fib;leaf 30
exit top;fib;fib;fib;leaf 35
exit top;fib;fib;fib 55
exit top;fib;fib 60
exit top;fib 70
exit top 100
X
"$GEN/script" >sampled.tmt <<'X'
metric time exact
sample top 1 100 40
sample top;fib 1 60 20
sample top;fib;fib 1 40 10
sample top;fib;fib;fib 1 30 25
sample top;fib;fib;fib;leaf 1 5 5
X
for t in calls sampled; do
	for by in function stack; do
		echo "$t --by $by"
		tm-top -q --csv --metrics self-time,total-time,calls,mean-time --by $by --collapse-recursion '^fib$' $t.tmt
	done
done
# By module, over others in between: main (Game) > tick (Game) > step (Physics) > solve (Physics) > callback (Game) 100,
# main > tick > step 10, main 1. Of Game main stays and callback does, since solve calls it: main 1, step 10,
# callback 100. Of Physics step stays: solve's caller of 100 is step. Of both: main, step, callback.
cat >modules.mem <<'X'
{"f":0,"d":[{"t":"A","s":111,"r":111,"st":["callback (in Game) (/a/c.cpp:1);solve (in Physics) (/p/s.cpp:1);step (in Physics) (/p/s.cpp:9);tick (in Game) (/a/m.cpp:5);main (in Game) (/a/m.cpp:1);","step (in Physics) (/p/s.cpp:9);tick (in Game) (/a/m.cpp:5);main (in Game) (/a/m.cpp:1);","main (in Game) (/a/m.cpp:1);"],"sz":[100,10,1]}]}
X
for module in 'Game' 'Physics' '.'; do
	echo "--collapse-module '$module'"
	tm-top -q --csv --metrics real --by stack --collapse-module "$module" modules.mem
done
# Hidden first: without solve, step calls callback. Then the callees of step are taken out.
tm-top -q --csv --metrics real --by stack --hide '^solve$' --collapse-module Game modules.mem
tm-top -q --csv --metrics real --by stack --collapse-module . --prune-from '^step$' modules.mem
# A wrong expression is a usage error.
tm-top -q --collapse-recursion '(' modules.mem
tm-top -q --collapse-module '(' modules.mem
