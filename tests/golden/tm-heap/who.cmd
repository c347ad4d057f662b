# The ten widgets of the open window are held by their closures and by the window's list, which
# is farther away: 3 paths were asked for, 2 there are.
cd "$DATA/heap"
tm-heap --who 82017 --table paths open.tmt
tm-heap --who '^function$' --csv open.tmt | tr -d '\r'
tm-heap --who table --site ui.lua:5 --csv --table referrers open.tmt | tr -d '\r'
tm-heap --who nobody --table referrers open.tmt
# Destroyed: 3 of the 4 userdata.
tm-heap --destroyed after.tmt
# Equal contents: the two strings. Equal names: what one line of source made.
tm-heap --duplicates --csv after.tmt | tr -d '\r'
