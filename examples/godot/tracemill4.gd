# SPDX-License-Identifier: MIT
#
# Godot 4: the same as tracemill.gd.
extends Node

var file: FileAccess = null

const MONITORS = {
	"memory.static (B)": Performance.MEMORY_STATIC,
	"objects": Performance.OBJECT_COUNT,
	"resources": Performance.OBJECT_RESOURCE_COUNT,
	"nodes": Performance.OBJECT_NODE_COUNT,
	"orphans": Performance.OBJECT_ORPHAN_NODE_COUNT,
	"draw_calls": Performance.RENDER_TOTAL_DRAW_CALLS_IN_FRAME,
	"video_memory (B)": Performance.RENDER_VIDEO_MEM_USED,
	"physics.objects": Performance.PHYSICS_3D_ACTIVE_OBJECTS,
}

func _ready() -> void:
	var path := OS.get_environment("TRACEMILL_TABLE")

	process_mode = Node.PROCESS_MODE_ALWAYS
	process_priority = -1000 # before the game's own nodes
	if path != "":
		file = FileAccess.open(path, FileAccess.WRITE)
		if file == null:
			push_error("TRACEMILL_TABLE: cannot write " + path)
	set_process(file != null)
	if file != null:
		file.store_line("time_us,frame," + ",".join(PackedStringArray(MONITORS.keys())))

func _process(_delta: float) -> void:
	var row := PackedStringArray([str(Time.get_ticks_usec()), str(Engine.get_process_frames())])

	for monitor in MONITORS.values():
		row.append("%d" % Performance.get_monitor(monitor))
	file.store_line(",".join(row))

func _exit_tree() -> void:
	if file != null:
		file.close()
