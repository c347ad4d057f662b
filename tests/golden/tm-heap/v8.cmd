# By the rules of the generator: texture 0 alone holds its array and, as the key of a WeakMap, a value, 32 + 100 + 24;
# texture 1 40 + 100; texture 2 48 + 100; Game 40, the table's 64 and these.
$GEN/heapsnapshot plain 2>err >a.heapsnapshot
tm-heap -q --table objects --csv a.heapsnapshot
# A shortcut of the root that is only counted leads to a global object.
sed 's/"Game"/"2"/' a.heapsnapshot >b.heapsnapshot
tm-heap -q --by root --csv b.heapsnapshot
