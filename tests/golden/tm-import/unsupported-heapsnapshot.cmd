# What V8 wrote before 2012 has no table of fields.
$GEN/heapsnapshot ancient | tm-import -f heapsnapshot
$GEN/heapsnapshot ancient | tm-import
