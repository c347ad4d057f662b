# The weak reference to the table, the shortcut of Game and the table's hold on a value are left out; arrays have a stack.
$GEN/heapsnapshot --objects 1 timeline 2>err >a.heaptimeline
tm-dump a.heaptimeline
cat err
$GEN/heapsnapshot --objects 2 old 2>err | tm-dump | grep totals
