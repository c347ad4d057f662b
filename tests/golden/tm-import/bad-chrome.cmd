# Of 7 frames two draws (0, 5) have no begin and one frame (0) has no end; a call that outlasts its caller;
# an object that is cut.
$GEN/chrome --frames 7 lost | tm-dump | grep -e note -e totals
$GEN/chrome --frames 2 overlap | tm-dump | grep -e note -e exit
$GEN/chrome --frames 3 complete | head -c 300 | tm-dump | grep -e note -e totals
printf '[{"ph":"B","name":"a"}]' | tm-import -f chrome
