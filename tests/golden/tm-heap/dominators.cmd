# After the window was closed (testdata/gen/heap.c has the list). By hand, of 2122 bytes in 37 objects:
#   each widget is held by one closure alone: 40 + 50 = 90, ten of them 900 in 20 objects
#   onClick 32 + 900 = 932 (21 objects), events 48 + 932 = 980 (22)
#   players 64 + 4 x 80 = 384 (5), config 100 + 2 x 20 = 140 (3), cache 24 + 4 x 16 = 88 (5), log 30
#   _G 500 + 980 + 384 + 140 + 88 + 30 = 2122
tm-heap --dominators - <"$DATA/heap/after.tmt"
# 5 % are 106.1 bytes: config is the last that has a row. cache and log, 118 together, are two of a
# type; the strings are left out, and beneath the two the four userdata: 40 + 64 bytes.
tm-heap --dominators --min 5 --bytes - <"$DATA/heap/after.tmt"
tm-heap --dominators --sort count --min 13.51 -n 7 --csv - <"$DATA/heap/after.tmt" | tr -d '\r'
# While it is open the widgets are held by two: what dominates them is _G; ten of 50 bytes.
tm-heap --dominators --site ui.lua:5 --csv - <"$DATA/heap/open.tmt" | tr -d '\r'
# Two textures, the one of them held by Hero's component: 200 + 4096.
tm-heap -q --dominators "$DATA/heap/il2cpp.snap" | sed "s|$DATA/||"
# No roots: what nothing refers to stands for them, beneath a row of its own.
tm-heap -q --dominators --bytes --min 0 - <"$DATA/heap/hostile.tmt"
# Nothing is left; usage.
tm-heap --dominators --type nothing - <"$DATA/heap/after.tmt"
tm-heap --dominators --min 101 - <"$DATA/heap/after.tmt"
tm-heap --dominators --sort size - <"$DATA/heap/after.tmt"
tm-heap --min 3 - <"$DATA/heap/after.tmt"
tm-heap --dominators --duplicates - <"$DATA/heap/after.tmt"
