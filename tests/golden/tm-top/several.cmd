# Two files add up; one given twice counts twice.
echo '{"f":1,"d":[{"t":"A","s":8,"r":16,"st":["0x10;"],"sz":[16]}]}' >a.mem
echo '{"f":1,"d":[{"t":"A","s":1,"r":4,"st":["0x10;"],"sz":[4]},{"t":"B","s":2,"r":8,"st":["0x20;"],"sz":[8]}]}' >b.mem
tm-top --slide 0 --by type --csv a.mem b.mem
tm-top --slide 0 --by site --csv a.mem b.mem
tm-top --slide 0 --by type --csv a.mem a.mem
