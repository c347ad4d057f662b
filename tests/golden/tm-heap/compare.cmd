# Swapped, every change is negated.
cd "$DATA/heap"
tm-heap before.tmt after.tmt
tm-heap --csv before.tmt after.tmt | tr -d '\r'
tm-heap --csv after.tmt before.tmt | tr -d '\r'
tm-heap --by site --csv -n 3 open.tmt after.tmt | tr -d '\r'
# What is chosen is chosen on both sides.
tm-heap --type userdata --csv before.tmt after.tmt | tr -d '\r'
