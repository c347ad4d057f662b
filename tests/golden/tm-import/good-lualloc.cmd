# tracemill-lualloc(5), each of the four calls: in frame 1 a table of 56 bytes at 0x10, an array of
# 32 that grows to 64 and moves, a prototype; a realloc that fails; nothing asked for. In frame 2 the
# table goes. In use: 56 + 64 + 128 = 248, then 192. One realloc of "other".
cat >run.lualloc <<'X'
lualloc 1 lua=5.4 clock=us
# ud ptr osize nsize kind time frame result
0x1f0 (nil) 5 56 - 1200 1 0x10
0x1f0 0 0 32 - 1201 1 0x60
0x1f0 0x60 32 64 - 1202 1 0xa0
0x1f0 0 10 128 - 1203 1 0x100
0x1f0 0x100 128 9999 - 1204 1 (nil)
0x1f0 0 0 0 - 1205 1 (nil)
0x1f0 0x10 56 0 - 17000 2 (nil)
end 7
X
tm-import run.lualloc | tm-dump
