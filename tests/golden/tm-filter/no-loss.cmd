# What a filter leaves out of a trace is no loss: of two records one stays, of the others none.
cat >run.mem <<'X'
{"slide":"0x8"}
{"f":5,"d":[{"t":"A","s":11,"r":48,"st":["0x30;","0x20;"],"sz":[16,32]},{"t":"B","s":1,"r":16,"st":["0x10;"],"sz":[16]}]}
X
tm-import -q run.mem | tm-filter --type B | tm-dump --no-tables
tm-import -q run.mem | tm-filter --focus nothing | tm-dump --no-tables
