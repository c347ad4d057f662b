cat >owners <<'O'
[UI]
file ^ui\.lua
function ^events\.lua
[Gameplay]
file ^player
type ^string$
O
tm-heap --owners owners --by owner --csv "$DATA/heap/after.tmt" | tr -d '\r'
tm-heap --owners owners --owner Game --by type --csv "$DATA/heap/after.tmt" | tr -d '\r'
tm-heap --owners owners --owner UI --site ui.lua:9 --csv "$DATA/heap/after.tmt" | tr -d '\r'
tm-heap --type STRING -i --root '^_G$' --csv "$DATA/heap/after.tmt" | tr -d '\r'
