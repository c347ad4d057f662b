-- SPDX-License-Identifier: MIT
tm.start(trace)
local enemies = {}
local function spawn(n)
	enemies[#enemies + 1] = {health = n, name = "enemy " .. n}
end
for frame = 1, 60 do
	tm.frame()
	spawn(frame)
	tm.counter("enemies", #enemies)
end
tm.stop()
