# Only what is live at the end has a row: a's block of 100 bytes, and c's of 0 bytes, which is a block as well; b's
# is freed.
"$GEN/script" >l.tmt <<'Y'
metric count exact
metric requested exact
metric live exact
alloc malloc a 100 10 - 4096
alloc malloc b 30 20 - 8192
free 8192 30
alloc malloc c 0 40 - 16384
Y
tm-top -q --leaks --by function --metrics live-count,live-requested l.tmt
