# The forms of a text of ftrace: lines with and without processes, in a page, and lines that are none.
$GEN/systrace --n 1 atrace | tm-dump
$GEN/systrace --n 1 page | tm-top -q --by function --csv | cut -d , -f 9-11 | tr -d "\r"
$GEN/systrace --n 1 odd | tm-dump -q | grep ^note
