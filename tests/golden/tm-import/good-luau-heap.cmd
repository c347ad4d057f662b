# A table whose field "hp", a string that comes after it, is another table; its metatable; a
# proto's place; the roots and the size that the VM counts itself.
cat >heap.json <<'X'
{"objects":{
"0x10":{"type":"table","cat":0,"size":48,"pairs":["0x40","0x20",null,"0x30"],"metatable":"0x20"},
"0x20":{"type":"table","cat":0,"size":56,"array":["0x10"]},
"0x30":{"type":"proto","cat":1,"size":200,"source":"game.luau","line":7,"constants":["0x40"]},
"0x40":{"type":"string","cat":1,"size":27,"data":"hp"},
"0":{"type":"userdata","cat":0,"size":0}
},"roots":{
"mainthread":"0x10","registry":"0x99"},"stats":{
"size":331,
"categories":{
"0":{"name":"main", "size":104},
"1":{"size":227},
"none":{}
}
}}
X
tm-dump heap.json
