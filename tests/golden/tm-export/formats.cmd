# One allocation of 5 bytes (8 real) below two unnamed calls, and one without a stack, in all text
# formats. Innermost first in the capture, outermost first in folded stacks.
echo '{"f":1,"d":[{"t":"A","s":9,"r":12,"st":["0x20;0x10;"],"sz":[8]}]}' >run.mem
tm-export -q --as folded --slide 0 run.mem
tm-export -q --as folded --types --slide 0 run.mem
tm-export -q --as folded --sort entries --slide 0 run.mem
tm-export -q --as chrome --slide 0 run.mem | sed "s,tm-export [0-9.]*,tm-export VERSION,"
tm-export -q --as speedscope --slide 0 run.mem | sed "s,tm-export [0-9.]*,tm-export VERSION,"
