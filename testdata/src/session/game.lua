-- SPDX-License-Identifier: MIT
--
-- The rules of the game: FRAMES frames of 2 to 4 ms. In frame WAVE a wave of 1500 enemies, each a table here and a block in C++;
-- in frame LEVEL a level is loaded for 150 ms. TRACE: the Lua module's file.
local tm = require "tracemill"
local frames, wave, level = tonumber(os.getenv "FRAMES"), tonumber(os.getenv "WAVE"), tonumber(os.getenv "LEVEL")
local leaks = os.getenv "LEAKS" == "1"
local enemies = {}

local function spawn_wave(n)
	for i = 1, n do
		enemies[i] = {id = i, hp = 100, name = "enemy" .. i}
	end
	world.spawn(n)
end

local function on_tick(i)
	local t = {}
	for k = 1, 8 do
		t[k] = k * i
	end
	if leaks then
		world.tick()
	end
end

tm.start(os.getenv "TRACE")
world.say "INFO the game begins"
for i = 0, frames - 1 do
	tm.frame(i == 20 and "sync level 1" or nil)
	if i == 20 then
		world.say "INFO sync level 1"
	end
	tm.counter("enemies", #enemies)
	on_tick(i)
	if i == wave then
		spawn_wave(1500)
	elseif i == wave + 1 then
		world.clear()
		enemies = {}
	elseif i == level then
		world.say "WARN loading level 2 in the main thread"
		world.load(150)
	end
	if i % 50 == 0 then
		world.say("INFO frame " .. i)
	end
	world.sleep(2000 + i * 7919 % 2000)
end
tm.stop()
