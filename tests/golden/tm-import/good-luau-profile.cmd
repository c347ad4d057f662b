# Innermost first: 1500 us in spawn, which main calls, and 20 us of the collector below an anonymous
# function of a file whose name has a comma.
printf '1500 game.luau,spawn,12;game.luau,,\n20 GC,GC,;a,b.luau,,3\n' >profile.out
tm-dump profile.out
