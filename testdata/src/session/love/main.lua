-- SPDX-License-Identifier: MIT
--
-- A game for LÖVE of FRAMES frames of 4 to 8 ms, with three faults. In frame WAVE, terrain.generate makes LÖVE allocate
-- 8 images of 256 KiB; in each frame, trail.add keeps 3072 bytes of LÖVE's in a table of Lua, if LEAKS is 1; in frame
-- LEVEL, level.load takes 150 ms.
--
-- It writes what it did in each frame, and when, to OUT/counters.csv, and its log to OUT/game.log: the truth that a test
-- needs; and its heap at the end to OUT/heap.tmt. If COUNTED is set, a library counts native blocks (tests/kits/session/counter.c).
local kit = require "tracemill_love"
local tm = type(kit) == "table" and kit

local frames, wave, level = tonumber(os.getenv "FRAMES"), tonumber(os.getenv "WAVE"), tonumber(os.getenv "LEVEL")
local leaks = os.getenv "LEAKS" == "1"
local out = os.getenv "OUT"
local counters, log = assert(io.open(out .. "/counters.csv", "w")), assert(io.open(out .. "/game.log", "w"))
local clock = require("socket").gettime
local frame, images, kept, shots = -1, {}, {}, {}

-- What the heap of Lua has when a frame begins.
local heap = 0
local count = os.getenv "COUNTED" and require("ffi")

if tm and count then
	local begin_frame = tm.frame

	count.cdef "void counter_frame(void);"
	function tm.frame()
		begin_frame()
		heap = collectgarbage "count"
		count.C.counter_frame()
	end
end

local function say(text)
	local now = clock()

	print(text)
	log:write(os.date("!%Y-%m-%dT%H:%M:%S", now), ("%.3fZ "):format(now % 1):sub(2), text, "\n")
end

terrain, trail, level = {}, {}, {at = level}

function terrain.generate()
	local bytes = 0

	for i = 1, 8 do
		images[i] = love.image.newImageData(256, 256)
		bytes = bytes + images[i]:getSize()
	end
	return bytes
end

function terrain.forget()
	for i = #images, 1, -1 do
		images[i]:release()
		images[i] = nil
	end
end

function trail.add()
	local data = love.data.newByteData(3072)

	kept[#kept + 1] = data
	return data:getSize()
end

function level.load(seconds)
	local start = love.timer.getTime()

	say "WARN loading level 2 in the main thread"
	repeat until love.timer.getTime() - start >= seconds
end

local function shoot()
	for i = 1, 8 do
		shots[i] = {x = i * 20, y = frame % 200}
	end
end

function love.load()
	counters:write "frame,time_ms,image_bytes,trail_bytes,lua_heap\n"
	say "INFO the game begins"
	collectgarbage()
	collectgarbage()
end

function love.update()
	local made, added = 0, 0
	local began = love.timer.getTime()

	frame = frame + 1
	if frame == frames then
		counters:close()
		log:close()
		if tm then
			tm.snapshot(out .. "/heap.tmt")
		end
		return love.event.quit()
	end
	shoot()
	if leaks then
		added = trail.add()
	end
	if frame == wave then
		made = terrain.generate()
	elseif frame == wave + 1 then
		terrain.forget()
	elseif frame == level.at then
		level.load(0.15)
	end
	if frame % 50 == 0 then
		say("INFO frame " .. frame)
	end
	counters:write(frame, ",", ("%.3f"):format(began * 1000), ",", made, ",", added, ",", heap * 1024, "\n")
	love.timer.sleep((4000 + frame * 7919 % 4000) / 1e6)
end

function love.draw()
	for _, shot in ipairs(shots) do
		love.graphics.rectangle("fill", shot.x, shot.y, 4, 4)
	end
end
