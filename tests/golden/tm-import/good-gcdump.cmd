# [roots] -> 1 -> 2 ... -> 6, and 5 -> 1: 24 bytes of odd ones, 16 + i of even ones; 3 * 24 + 3 * 16 + 12 = 132.
$GEN/gcdump --objects 6 plain 2>truth | tm-dump
cat truth
$GEN/gcdump --objects 1000 plain 2>truth | tm-heap -q --csv - | cut -d , -f 1-6
$GEN/gcdump --objects 6 sampled 2>truth | tm-dump --no-tables -q | tail -n 2
