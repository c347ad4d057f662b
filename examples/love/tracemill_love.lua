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

local function count()
	if love.graphics and love.graphics.isActive() then
		local s = love.graphics.getStats()

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
		else
			count()
		end
		return status, restart
	end
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
	tm.start {calls = false}
else
	tm.start(file)
end
return tm
