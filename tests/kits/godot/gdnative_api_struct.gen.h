/* SPDX-License-Identifier: MIT
 *
 * What examples/godot uses of GDNative of Godot 3, for the test: Debian has Godot 3 and no header of it. The real one is
 * gdnative_api_struct.gen.h of godot-headers; members behind those that are here are left out.
 */
#ifndef GDNATIVE_API_STRUCT_STUB_H
#define GDNATIVE_API_STRUCT_STUB_H

#include <stdbool.h>
#include <stdint.h>

#define GDN_EXPORT __attribute__((visibility("default")))

typedef void godot_object;
typedef struct {
	unsigned major, minor;
} godot_gdnative_api_version;

typedef struct godot_gdnative_api_struct {
	unsigned type;
	godot_gdnative_api_version version;
	const struct godot_gdnative_api_struct *next;
} godot_gdnative_api_struct;

typedef struct {
	unsigned type;
	godot_gdnative_api_version version;
	const godot_gdnative_api_struct *next;
	unsigned num_extensions;
	const godot_gdnative_api_struct **extensions;
} godot_gdnative_core_api_struct;

enum { GDNATIVE_CORE, GDNATIVE_EXT_NATIVESCRIPT };

typedef struct {
	bool in_editor;
	uint64_t core_api_hash, editor_api_hash, no_api_hash;
	void (*report_version_mismatch)(const godot_object *, const char *,
					godot_gdnative_api_version, godot_gdnative_api_version);
	void (*report_loading_error)(const godot_object *, const char *);
	godot_object *gd_native_library;
	const godot_gdnative_core_api_struct *api_struct;
	const void *active_library_path;
} godot_gdnative_init_options;

typedef struct {
	bool in_editor;
} godot_gdnative_terminate_options;

typedef struct {
	void *(*create_func)(godot_object *, void *);
	void *method_data;
	void (*free_func)(void *);
} godot_instance_create_func;

typedef struct {
	void (*destroy_func)(godot_object *, void *, void *);
	void *method_data;
	void (*free_func)(void *);
} godot_instance_destroy_func;

typedef struct {
	unsigned type;
	godot_gdnative_api_version version;
	const godot_gdnative_api_struct *next;
	void (*godot_nativescript_register_class)(void *, const char *, const char *,
						  godot_instance_create_func,
						  godot_instance_destroy_func);
} godot_gdnative_ext_nativescript_api_struct;

#endif
