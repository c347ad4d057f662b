-- SPDX-License-Identifier: MIT
--
-- A LÖVE game records itself: require("tracemill_love") as the first line of main.lua, before the game defines
-- anything. Without the module tracemill, or without TRACEMILL_LOVE in the environment, nothing is changed.
--
-- TRACEMILL_LOVE is the file of the trace, or "-": into the trace of the tm-record that runs the game.
local file = os.getenv("TRACEMILL_LOVE")
local found, tm = pcall(require, "tracemill")

if not file or not found then return nil end

local run = love.run or function() end

local stats = {}

local function count()
	if love.graphics and love.graphics.isActive() then
		local s = love.graphics.getStats(stats)

		tm.counter("love.drawcalls", s.drawcalls)
		tm.counter("love.texturememory", s.texturememory, "B")
		tm.counter("love.images", s.images)
		tm.counter("love.canvases", s.canvases)
	end
	if love.audio then tm.counter("love.sources", love.audio.getActiveSourceCount()) end
	if love.timer then tm.counter("love.fps", love.timer.getFPS(), "fps") end
end

-- love.run returns the function that LÖVE calls once a frame, until it returns something.
function love.run(...)
	local frame = run(...)

	return function()
		tm.frame()

		local status, restart = frame()

		if status then
			tm.stop()
		elseif not love.graphics then
			count()
		end
		return status, restart
	end
end

-- When a frame is shown LÖVE begins to count draw calls anew.
if love.graphics then
	local present = love.graphics.present

	function love.graphics.present(...)
		count()
		return present(...)
	end
end

-- What the game prints is a line of the log, in the frame that printed it.
local say = print

function print(...)
	local texts = {}

	for i = 1, select("#", ...) do texts[i] = tostring((select(i, ...))) end
	tm.log(table.concat(texts, "\t"))
	return say(...)
end

-- What asks for a file without LÖVE's own reader shows in the log beside the frame in which it was read.
if love.filesystem then
	local load = love.filesystem.load

	function love.filesystem.load(name, ...)
		tm.log("load " .. name)
		return load(name, ...)
	end
end

if file == "-" then
	tm.start()
else
	tm.start(file)
end
return tm
