# SPDX-License-Identifier: MIT
#
# Godot 3: a table of what Godot's own monitors say in each frame, for tracemill session and tracemill view. An autoload
# of the project; TRACEMILL_TABLE in the environment is the file. Without it nothing is written.
extends Node

var file = null

const MONITORS = {
	"memory.static (B)": Performance.MEMORY_STATIC,
	"objects": Performance.OBJECT_COUNT,
	"resources": Performance.OBJECT_RESOURCE_COUNT,
	"nodes": Performance.OBJECT_NODE_COUNT,
	"orphans": Performance.OBJECT_ORPHAN_NODE_COUNT,
	"draw_calls": Performance.RENDER_DRAW_CALLS_IN_FRAME,
	"video_memory (B)": Performance.RENDER_VIDEO_MEM_USED,
	"physics.objects": Performance.PHYSICS_3D_ACTIVE_OBJECTS,
}

func _ready():
	var path = OS.get_environment("TRACEMILL_TABLE")

	pause_mode = PAUSE_MODE_PROCESS
	process_priority = -1000 # before the game's own nodes
	if path == "":
		set_process(false)
		return
	file = File.new()
	if file.open(path, File.WRITE) != OK:
		push_error("TRACEMILL_TABLE: cannot write " + path)
		set_process(false)
		return
	file.store_line("time_us,frame," + PoolStringArray(MONITORS.keys()).join(","))

func _process(_delta):
	var row = PoolStringArray([str(OS.get_ticks_usec()), str(Engine.get_idle_frames())])

	for monitor in MONITORS.values():
		row.append("%d" % Performance.get_monitor(monitor))
	file.store_line(row.join(","))

func _exit_tree():
	if file != null:
		file.close()
