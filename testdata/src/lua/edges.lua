-- SPDX-License-Identifier: MIT
--
-- edges.lua FOLDER [exit|error]: what a recording must get over. It prints what failed and how, and
-- whether a snapshot has objects.
local tm = require "tracemill"
local dir = arg[1]
local function fails(f, ...) local ok, e = pcall(f, ...); assert(not ok); return tostring(e) end
print(fails(tm.start, "/nowhere/x"))
print(fails(tm.start))
print(fails(tm.start, {}))
print(fails(tm.snapshot, "/nowhere/x"))
tm.stop() -- none
tm.frame()
tm.counter("x", 1)
tm.start(dir.."/e1.tmt")
print(fails(tm.start, dir.."/e2.tmt"))
-- deep recursion until the stack overflows
local function deep(n) return 1 + deep(n + 1) end
if arg[2] == "end" then
	print((fails(deep, 1):gsub("\n.*", "")))
end
-- errors in coroutines, closed and collected coroutines
for i = 1, 200 do
  local co = coroutine.create(function(a) coroutine.yield(a) error("x") end)
  coroutine.resume(co, 1)
  if i % 3 == 0 then coroutine.resume(co) end
  if i % 7 == 0 and coroutine.close then coroutine.close(co) end
end
collectgarbage() collectgarbage()
-- functions that come and go at the same addresses
for i = 1, 2000 do
  local f = assert((loadstring or load)("return function() return "..i.." end"))()
  f()
  if i % 100 == 0 then collectgarbage() end
end
-- started in one, stopped in another
local co = coroutine.create(function() tm.stop() tm.start{file=dir.."/e3.tmt", calls=true, blocks=false} coroutine.yield() tm.stop() end)
coroutine.resume(co)
local function f() return 1 end
f() f()
coroutine.resume(co)
tm.start{file=dir.."/e4.tmt", calls=false}
local t = {} for i=1,1000 do t[i] = {i} end
tm.stop()
-- metamethods that would interfere
setmetatable(_G, {__index=function(t,k) error("no "..tostring(k)) end, __newindex=function() error "x" end})
local odd = setmetatable({}, {__metatable="hidden", __mode="kv", __index=error, __len=error, __pairs=error, __tostring=error})
local cyc = {} cyc[cyc]=cyc cyc.s = odd
print(tm.snapshot(dir.."/e5.tmt") > 10)
tm.start(dir.."/e6.tmt")  -- to the end of the state
local keep = {} for i = 1, 100 do keep[i] = {} end
if arg[2] == "exit" then os.exit(3) end
if arg[2] == "error" then error "the end" end
