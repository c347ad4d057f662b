# Sampled stacks have samples, and neither calls nor entries to show.
printf 'main;run 3\nmain;draw 4\n' >run.folded
printf 'main;run 5\nmain;draw 4\n' >new.folded
tm-frames run.folded
tm-frames --sort samples --csv --table frames run.folded | tr , '\n' | tail -n 2
tm-compare --sort samples --table changes run.folded new.folded
