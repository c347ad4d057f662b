# Which of several expressions matches nothing, and what was meant: of the first two --focus one matches main, and of the
# two threads asked for one is there. Of a part of all (--hide) too, in each program that takes such options.
"$GEN/script" >a.tmt <<'Y'
metric count exact
metric requested exact
alloc malloc main;render_scene 100 10
alloc malloc main;load_level 30 20
Y
tm-top --focus '^main$' --focus 'render_scnee' --csv a.tmt
tm-top --focus LOAD --hide nothing_like_it --csv a.tmt
tm-top -i --focus LOAD --csv a.tmt
tm-top --thread 7 --csv a.tmt
tm-top --time 5s..6s --csv a.tmt
tm-top --peek load_levle --csv a.tmt
tm-frames --every 1us --focus maim --table frames --csv a.tmt
tm-filter --ignore lod_level -o b.tmt a.tmt
echo "$?"
tm-compare --focus maim --allow-unmatched --table runs --csv a.tmt a.tmt
