# All dialects in one file; the third line is no event. 12.000250 s is 250 us behind the first line.
cat >calls.txt <<'X'
[712] enter 0x1149 0x11d2 12.000000
[712] Entry Player::Update(float, int) 12.000250
something else
[712] exit: Player::Update(float, int) 12.000320
[712] x 0x1149 0x11d2 12.001
frame 17 12.0015
X
tm-import calls.txt | tm-dump
# No times, and pvtrace's words.
printf 'E0x1149\nE0x1200\nX0x1200\nX0x1149\n' | tm-import | tm-dump --no-tables
# Seconds since 1970, and one that goes back.
printf 'e 0x10 0x20 1700000000\nx 0x10 0x20 1699999999\n' | tm-import | tm-dump --no-tables
