# LoliProfiler text: what is live, in steps of time; no frames are marked in it.
"$GEN/loli" -S 1 -n 200 -d 4 -s 20 text >run.txt 2>truth
tm-frames -q --table frames run.txt
tm-frames -q --every 100ms -n 3 --table frames run.txt
