cd "$DATA/heap"
tm-heap --set leak before.tmt after.tmt
tm-heap --snapshot 4 all.tmt
tm-heap --who x --destroyed all.tmt
tm-heap --by owner all.tmt
tm-heap --type '(' all.tmt
tm-heap --set nothing all.tmt
tm-heap --snapshot 1 --table types all.tmt
tm-heap --table types all.tmt
echo '{"f":1,"d":[]}' | tm-heap - || echo "status $?"
tm-heap none.tmt
tm-heap after.tmt >/dev/full
