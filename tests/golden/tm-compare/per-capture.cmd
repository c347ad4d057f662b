# A base of two captures with 100 and 300 bytes is 200 a capture; the new side's one capture has 260: +30 %.
capture() { # NAME BYTES
	printf 'metric count exact\nmetric requested exact\nframe 0 0\nalloc malloc main;mesh %d 1\n' "$2" | "$GEN/script" >"$1.tmt"
}
capture a 100
capture b 300
capture c 260
tm-compare -q --save-baseline a.tma a.tmt && tm-compare -q --save-baseline b.tma b.tmt && tm-merge -q -o ab.tma a.tma b.tma
tm-compare -q --by function --per capture --table changes ab.tma c.tmt
