# Three sites and five blocks. Live bytes: 100, 400 (the peak, at 20 ns), 100, 150, 155. At the peak texture has 300 of
# 400, log 100; at the end log has 100 of 155, load 50, and the last 5 are in a cache of libstdc++, which is
# not counted: of 150 they are 66.67 and 33.33 %. The texture is freed before its thread allocates again: temporary.
# With an order that was asked for, the tables are not there.
"$GEN/script" >f.tmt <<'Y'
metric count exact
metric requested exact
metric live exact
alloc malloc main;tick;log 100 10 - 4096
alloc malloc main;load_level;texture 300 20 - 8192
free 8192 30
alloc malloc main;load_level;load 50 40 - 12288
alloc malloc main;setlocale;_nl_load_locale 5 50 - 16384
Y
tm-top -q f.tmt
for t in peak live temporary; do tm-top -q --csv --table $t f.tmt; done
tm-top -q --sort count -n 1 f.tmt
# One site, 90 of whose 100 bytes are in a cache, by another caller: of the 10 that count all come by load.
"$GEN/script" >mixed.tmt <<'Y'
metric count exact
metric requested exact
metric live exact
alloc malloc main;load;get 10 10 - 4096
alloc malloc main;setlocale;get 90 20 - 8192
Y
tm-top -q --csv --table live mixed.tmt
tm-top -q --as json f.tmt | jq -r '.sections[].name'
