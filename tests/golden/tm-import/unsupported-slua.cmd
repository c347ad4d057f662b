# Oodle, as Unreal Engine 4.27 and later pack, and another version.
"$GEN/slua" --frames 1 --variant oodle 2>/dev/null | tm-import
"$GEN/slua" --frames 1 --variant v3 2>/dev/null | tm-import
