# Of a capture of calls that also tells what they allocated, time is what tm-top ranks by and what
# stacks weigh.
printf '%s\n' 'metric time exact' 'metric requested exact' 'sample main 1 100 40' 'sample main;f 1 60 60' 'alloc mono main;f 8' |
	"$GEN/script" >run.tmt
tm-export --as folded run.tmt
tm-export --as folded --sort requested run.tmt
tm-top --csv run.tmt | cut -d, -f 1,9
# Its word is the one of tm-top; time is the same.
tm-export --as folded --sort self-time run.tmt
tm-export --as folded --sort time run.tmt
tm-top --csv --sort self-time run.tmt | cut -d, -f 1,9
