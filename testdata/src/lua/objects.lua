-- Known numbers of objects of every kind, a frame of the game each; the numbers are those of
-- tests/sh/lualloc.sh.
local keep, text
collectgarbage("stop")
keep = {} -- grown before, so that frame 2 makes nothing but what it says
for i = 1, 1000 do keep[i] = false end
frame(2)
for i = 1, 1000 do keep[i] = {} end
frame(3)
for i = 1, 200 do keep[i] = function() return i end end
frame(4)
for i = 1, 50 do keep[i] = coroutine.create(print) end
frame(5)
for i = 1, 30 do keep[i] = userdata(100) end
frame(6)
text = "seed of the strings"
for i = 1, 100 do text = text .. "+" end
frame(7)
for i = 1, 10 do keep[i] = load("return 1") end
frame(8)
keep, text = nil, nil
collectgarbage("collect")
frame(9)
