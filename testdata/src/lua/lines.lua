-- SPDX-License-Identifier: MIT
-- Which line allocates: 110 tables in line 11 by two callers, 10 of them before an error; 30 in a coroutine.
local tracemill = require("tracemill")
local keep = {} collectgarbage("stop") -- it makes stacks smaller, which allocates, too
for i = 1, 200 do
	keep[i] = false
end
tracemill.start{file = arg[1], lines = true}
local function make(n)
	for i = 1, n do
		keep[i] = {}
	end
end
pcall(function()
	make(10)
	error("x")
end)
make(100)
local run = coroutine.wrap(function()
	for i = 1, 30 do
		keep[i] = {}
	end
end)
run()
tracemill.stop()
