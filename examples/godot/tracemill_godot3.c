/* SPDX-License-Identifier: MIT
 *
 * Marks each frame of a game of Godot 3 in the recording of tm-record: a library of GDNative. Its symbols are the
 * interface of Godot 3: godot_nativescript_frame is called once a frame. README.md says where it goes.
 */
#include <gdnative_api_struct.gen.h>
#include <tracemill.h>

static const godot_gdnative_ext_nativescript_api_struct *scripts;

void GDN_EXPORT godot_gdnative_init(godot_gdnative_init_options *o)
{
	for (unsigned i = 0; i < o->api_struct->num_extensions; i++)
		if (o->api_struct->extensions[i]->type == GDNATIVE_EXT_NATIVESCRIPT)
			scripts = (const void *)o->api_struct->extensions[i];
}

void GDN_EXPORT godot_gdnative_terminate(godot_gdnative_terminate_options *o)
{
	(void)o;
	scripts = 0;
}

static void *create(godot_object *object, void *data)
{
	(void)object;
	return data;
}

static void destroy(godot_object *object, void *data, void *own)
{
	(void)object, (void)data, (void)own;
}

/* The node that the project loads at the start; it does nothing. */
void GDN_EXPORT godot_nativescript_init(void *handle)
{
	godot_instance_create_func to_create = {create, 0, 0};
	godot_instance_destroy_func to_destroy = {destroy, 0, 0};

	if (scripts)
		scripts->godot_nativescript_register_class(handle, "Tracemill", "Node", to_create,
							   to_destroy);
}

void GDN_EXPORT godot_nativescript_frame(void)
{
	tracemill_frame();
}
