-- SPDX-License-Identifier: MIT
--
-- A mod for Minetest of FRAMES steps of the server, with three faults. In step WAVE, terrain.copy makes Minetest
-- copy 64 x 64 x 64 nodes; in each step, echo.keep keeps a copy of 16 x 16 x 16 nodes in a table of Lua, if LEAKS is 1; in
-- step LEVEL, route.search takes 400 ms. Minetest has 5 bytes for each node of a copy: 4 of it, and a flag.
--
-- It writes what it did in each step, and when, to OUT/counters.csv, and to Minetest's log: the truth that a test needs. If
-- COUNTED is set, a library counts native blocks (tests/kits/session/counter.c). At the end its heap is in OUT/heap.tmt.
local insecure = assert(minetest.request_insecure_environment(), "secure.trusted_mods has to name this mod")
local tm = insecure.require "tracemill"
local getenv = insecure.os.getenv
local steps, wave, level = tonumber(getenv "FRAMES"), tonumber(getenv "WAVE"), tonumber(getenv "LEVEL")
local leaks = getenv "LEAKS" == "1"
local counters = assert(insecure.io.open(getenv "OUT" .. "/counters.csv", "w"))
local step, kept, sheep, heap = -1, {}, {}, 0
local count = getenv "COUNTED" and insecure.require "ffi"

minetest.register_node("faults:stone", {description = "Stone"})
minetest.register_alias("mapgen_singlenode", "air")
minetest.register_on_generated(function() end)

local function bytes_of(low, high)
	return 5 * (high.x - low.x + 1) * (high.y - low.y + 1) * (high.z - low.z + 1)
end

local terrain, echo, route = {}, {}, {}

function terrain.copy()
	local copy = VoxelManip()
	local low, high = copy:read_from_map({x = 0, y = 0, z = 0}, {x = 63, y = 63, z = 63})

	return bytes_of(low, high)
end

function echo.keep()
	local copy = VoxelManip()
	local low, high = copy:read_from_map({x = 0, y = 0, z = 0}, {x = 15, y = 15, z = 15})

	kept[#kept + 1] = copy
	return bytes_of(low, high)
end

function route.search(seconds)
	local start = minetest.get_us_time()

	minetest.log("warning", "searching a route in the server's step")
	repeat until minetest.get_us_time() - start >= seconds * 1e6
end

local function graze()
	for i = 1, 8 do
		sheep[i] = {x = i, y = step % 16, z = 0}
	end
end

local function on_step()
	local copied, added, began = 0, 0, nil

	step = step + 1
	if step == 0 then
		collectgarbage()
		collectgarbage()
	elseif step == steps then
		counters:close()
		tm.snapshot(getenv "OUT" .. "/heap.tmt")
		minetest.request_shutdown()
		return
	elseif step > steps then
		return
	end
	tm.frame()
	heap = collectgarbage "count"
	if count then
		count.C.counter_frame()
	end
	began = minetest.get_us_time()
	graze()
	if leaks then
		added = echo.keep()
	end
	if step == wave then
		copied = terrain.copy()
	elseif step == level then
		route.search(0.4)
	end
	if step % 50 == 0 then
		minetest.log("action", "step " .. step)
	end
	counters:write(step, ",", ("%.3f"):format(began / 1000), ",", copied, ",", added, ",", heap * 1024, "\n")
end

counters:write "frame,time_ms,copied_bytes,kept_bytes,lua_heap\n"
if count then
	count.cdef "void counter_frame(void);"
end
minetest.register_globalstep(on_step)
minetest.register_on_shutdown(function() tm.stop() end)
tm.start()
