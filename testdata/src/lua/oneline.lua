-- SPDX-License-Identifier: MIT
--
-- oneline.lua TRACE: functions that begin in one line, recorded by require "tracemill", for the Luas from 5.1 on and
-- LuaJIT. It prints NAME N for each, counted by itself.
local tm = require "tracemill"
local load = loadstring or load
count = {}
local function called(name) count[name] = (count[name] or 0) + 1 end
tm.start(arg[1])
a = function() called "a" end b = function() called "b" end local c = function() called "c" end local d = function() called "d" end
local function pair() local one, two = function() called "one" end, function() called "two" end return one, two end
local again = "local f = function() count.f = (count.f or 0) + 1 end local g = function() f() count.g = (count.g or 0) + 1 end f() g() g()"
for i = 1, 7 do a() end
for i = 1, 5 do b() end
for i = 1, 3 do c() end
for i = 1, 4 do d() end
-- Each pair is closures of one definition each, and each chunk has the definitions anew.
for i = 1, 4 do local one, two = pair() one() two() two() collectgarbage() end
for i = 1, 30 do load(again, "=again")() collectgarbage() end
tm.stop()
for name, n in pairs(count) do print(name, n) end
