# Every end that a gate has. Texture grows from 1000 to 1070 bytes, the rest stays at 100.
mem() { echo "{\"f\":1,\"d\":[{\"t\":\"Texture\",\"s\":$1,\"r\":$1,\"st\":[\"0x10;\"],\"sz\":[$1]},{\"t\":\"Other\",\"s\":100,\"r\":100,\"st\":[\"0x20;\"],\"sz\":[100]}$2]}"; }
mem 1000 >a.mem
mem 1070 >b.mem
gate() { printf "%b" "$1" >p.ini; shift; [ $# -gt 0 ] || set -- a.mem b.mem; tm-compare -q --slide 0 --today 2026-06-01 --table policy --gate p.ini "$@"; echo "status $?"; }
rule='[rule r]\nmetric = real\n'
echo "percent and absolute: both have to be exceeded"
gate "${rule}percent = 5\nabsolute = 60\n"
gate "${rule}percent = 5\nabsolute = 71\n"
gate "${rule}percent = 7\nabsolute = 60\n"
gate "${rule}key = type\nmatch = ^Tex\npercent = 6.9\n"
gate "${rule}key = type\nmatch = ^Tex\npercent = 7\n"
gate "${rule}key = type\nmatch = ^Oth\npercent = 0\n"
gate "${rule}key = type\neach = yes\npercent = 5\n"
echo "limits, new things, coverage"
gate "${rule}max = 1170\n"
gate "${rule}max = 1169\n"
mem 1000 ',{"t":"New","s":5,"r":8,"st":["0x50;"],"sz":[8]}' >c.mem
gate "${rule}key = type\nnew = 0\n" a.mem c.mem
gate "${rule}key = type\nnew = 1\n" a.mem c.mem
gate "${rule}key = type\nnew = 0\nabsolute = 9\n" a.mem c.mem
gate "${rule}coverage = 50\n"
echo "a broken rule comes before coverage"
gate "${rule}coverage = 50\n[rule s]\nmetric = real\nmax = 5\n"
echo "waivers"
waiver='[waiver w]\nrule = r\nuntil = 2026-06-30\nreason = textures are late\n'
gate "${rule}percent = 5\n$waiver" --today=2026-06-30 a.mem b.mem
gate "${rule}percent = 5\n$waiver" --today=2026-07-01 a.mem b.mem
echo "an improvement"
gate "${rule}percent = 5\n" b.mem a.mem
echo "loss: inconclusive unless allowed"
head -c 60 a.mem >>b.mem
gate "${rule}percent = 50\n"
gate "${rule}percent = 50\n" --allow-loss a.mem b.mem
