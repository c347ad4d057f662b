# Two samples and nothing else have no allocation, no address and no place in time: forms that need one end with 2, say what
# there is, and leave no file; those of samples write 3 (1 + 2).
printf 'main;a 1\nmain;b 2\n' >g.folded
for form in chrome memtracer loli-stream maps; do
	tm-export -q --as $form -o out.$form g.folded
	echo "$form: $?, $(ls out.* 2>/dev/null | wc -l) files"
done
tm-export -q --as folded g.folded
printf 'counter fps fps 60 1000\n' | "$GEN/script" >fps.tmt
tm-export -q --as chrome fps.tmt | grep -c '"ph":"C"'
tm-export -q --as memtracer fps.tmt
echo "memtracer: $?"
