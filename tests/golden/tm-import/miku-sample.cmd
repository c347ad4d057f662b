# Options for the trees of Lua profilers. What is in the file: testdata/gen/miku.c, seed 1.
"$GEN/miku" --frames 1 --seed 1 B0 >run.sample 2>truth
cut -d ' ' -f 1-4,6,7 truth | head -n 6
tm-import run.sample | tm-dump --no-events --no-tables
tm-import --unclamped run.sample | tm-dump --no-events --no-tables | grep -c 'its own are 0'
tm-import --collapse-resumes run.sample | tm-dump --no-events --no-tables | grep 'resume'
tm-import --tick-rate 3000000000 run.sample
# Damage: cut within the second root, a root that claims a node more, and nothing sound.
head -c 2000 run.sample | tm-dump --no-events --no-tables | grep -E '^(note loss|totals)'
"$GEN/miku" --variant lying B0 2>truth | tm-dump --no-events --no-tables | grep -E '^(note loss|totals)'
# A1 has the name of a picture, and B0 the picture.
"$GEN/miku" --frames 1 --seed 1 A1 2>truth | tm-dump --no-events --no-tables | grep screenshots
head -c 50 run.sample | tm-dump -f miku-sample
