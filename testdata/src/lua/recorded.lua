-- SPDX-License-Identifier: MIT
--
-- recorded.lua FOLDER: a script that records itself with require "tracemill", and knows what it did:
-- for the Luas from 5.1 on and LuaJIT. It prints
--
--     calls NAME N       how often each of its functions was called
--     bytes OURS LUAS    growth of the heap by the module, and by collectgarbage "count"
--     fill N             tables made in fill, and nothing else
--     objects TYPE N     what the second snapshot has more than the first
local tm = require "tracemill"
local folder = arg[1]
local count = {}

local function called(name)
	count[name] = (count[name] or 0) + 1
end

function fill(n)
	called "fill"
	for i = 1, n do
		local x = {}
	end
end

function down(n)
	called "down"
	if n > 0 then
		return down(n - 1) -- a tail call
	end
	fill(3)
	return 7
end

function other(n)
	called "other"
	return down(n)
end

function twice(n)
	called "twice"
	if n > 1 then
		return twice(n - 1) + twice(n - 2)
	end
	return n
end

function thrower(n)
	called "thrower"
	if n == 0 then
		error "thrown"
	end
	thrower(n - 1)
end

function guarded(n)
	called "guarded"
	local ok = pcall(thrower, n)
	assert(not ok)
	fill(2)
end

function worker(n)
	called "worker"
	for i = 1, n do
		fill(10)
		coroutine.yield(i)
	end
	error "the end of a coroutine"
end

function drive()
	called "drive"
	local a, b = coroutine.create(worker), coroutine.create(worker)
	for i = 1, 3 do
		assert(coroutine.resume(a, 5))
		assert(coroutine.resume(b, 5))
	end
	while coroutine.resume(a) do
	end
	fill(1)
	local c = coroutine.wrap(worker)
	c(2)
	c()
end

function compared(a, b)
	called "compared"
	return a < b
end

function sorted()
	called "sorted"
	local t = {}
	for i = 1, 50 do
		t[i] = (i * 37) % 51
	end
	table.sort(t, compared)
end

function churn()
	called "churn"
	local keep = {}
	for i = 1, 2000 do
		keep[i % 100] = {tostring(i), ("x"):rep(i % 50), function()
			return keep, i
		end}
	end
	collectgarbage()
end

local function frame(f, ...)
	tm.frame()
	f(...)
end

tm.start(folder .. "/blocks.tmt")
collectgarbage() -- what the module needed to begin is its own, and gone
local b0, c0 = tm.bytes(), collectgarbage "count"
frame(fill, 100)
frame(other, 2)
frame(down, 100000)
frame(twice, 10)
frame(guarded, 5)
frame(guarded, 0)
frame(drive)
frame(sorted)
frame(churn)
tm.counter("enemies", 12, "")
local b1, c1 = tm.bytes(), collectgarbage "count"
tm.stop()

for name, n in pairs(count) do
	print("calls", name, n)
end
print("bytes", b1 - b0, (c1 - c0) * 1024)
print("fill", 100 + 3 + 3 + 2 * 2 + 10 * (3 + 2 + 3 + 2) + 1)

-- Without a collection in between, so that nothing that the first one saw is gone.
collectgarbage()
collectgarbage "stop"
local function snapshot(name)
	local n = tm.snapshot(folder .. "/" .. name)
	collectgarbage "stop"
	return n
end
local a = snapshot "a.tmt"
pool = {}
for i = 1, 100 do
	pool[i] = {name = "needle " .. i, f = function()
		return i, pool
	end}
end
weak = setmetatable({}, {__mode = "v"})
weak[1] = {}
waiting = coroutine.create(function()
	local held = {}
	coroutine.yield()
	return held
end)
coroutine.resume(waiting)
pool[true] = io.stdout
local b = snapshot "b.tmt"
print("more", b > a)
print("objects", "table", 1 + 100 + 2 + 1)
print("objects", "function", 100 + 1)
print("objects", "thread", 1)
