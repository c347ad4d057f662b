# What cannot be read is reported when it is loaded, and by the answer; status 3. A full disk as
# well.
echo nothing >none.txt
"$GEN/trace" --seed 1 --allocs 50 --stacks 5 >run.tmt
tm-view -q --query 'top --csv' none.txt missing.tmt
echo "status $?"
tm-view -q --query 'top' run.tmt >/dev/full
echo "status $?"
