/* SPDX-License-Identifier: MIT
 *
 * Marks each frame of a game of Godot 4.5 or later in the recording of tm-record: a GDExtension. README.md says where it
 * goes. Older versions of Godot 4 have no call once a frame for extensions: there tracemill_init returns false, and
 * Godot says that it could not initialize the library.
 */
#include <gdextension_interface.h>
#include <tracemill.h>

static void frame(void)
{
	tracemill_frame();
}

static void nothing(void *data, GDExtensionInitializationLevel level)
{
	(void)data, (void)level;
}

__attribute__((visibility("default"))) GDExtensionBool
tracemill_init(GDExtensionInterfaceGetProcAddress get, GDExtensionClassLibraryPtr library,
	       GDExtensionInitialization *to)
{
	static GDExtensionMainLoopCallbacks callbacks = {.frame_func = frame};
	GDExtensionInterfaceRegisterMainLoopCallbacks call =
	    (GDExtensionInterfaceRegisterMainLoopCallbacks)get("register_main_loop_callbacks");

	to->minimum_initialization_level = GDEXTENSION_INITIALIZATION_SCENE;
	to->initialize = nothing;
	to->deinitialize = nothing;
	if (!call)
		return 0;
	call(library, &callbacks);
	return 1;
}
