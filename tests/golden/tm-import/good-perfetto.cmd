# Two callstacks: 1000 and 2000 B in 2 and 4 blocks, of which 400 B in one of the first are freed.
$GEN/perfetto --n 2 heap | tm-dump
# Two objects of 24 bytes, one of 64; obfuscated a.b is app.Node, and its field c is next.
$GEN/perfetto --n 2 graph | tm-dump
# Two threads with two frames each; and a call that begins on one and ends on the other.
$GEN/perfetto --n 2 calls | tm-dump -q | grep -e thread -e 'thread=3'
$GEN/perfetto --n 40 calls | tm-top -q --by function --csv | cut -d , -f 2-6
$GEN/perfetto --n 5 samples | tm-dump | tail -n 8
