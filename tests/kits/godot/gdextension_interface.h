/* SPDX-License-Identifier: MIT
 *
 * What examples/godot uses of gdextension_interface.h of Godot 4.5, for the test: Debian has no Godot 4.
 */
#ifndef GDEXTENSION_INTERFACE_STUB_H
#define GDEXTENSION_INTERFACE_STUB_H

#include <stdint.h>

typedef uint8_t GDExtensionBool;
typedef void *GDExtensionClassLibraryPtr;
typedef void (*GDExtensionInterfaceFunctionPtr)(void);
typedef GDExtensionInterfaceFunctionPtr (*GDExtensionInterfaceGetProcAddress)(const char *);

typedef enum {
	GDEXTENSION_INITIALIZATION_CORE,
	GDEXTENSION_INITIALIZATION_SERVERS,
	GDEXTENSION_INITIALIZATION_SCENE,
	GDEXTENSION_INITIALIZATION_EDITOR,
} GDExtensionInitializationLevel;

typedef struct {
	GDExtensionInitializationLevel minimum_initialization_level;
	void *userdata;
	void (*initialize)(void *, GDExtensionInitializationLevel);
	void (*deinitialize)(void *, GDExtensionInitializationLevel);
} GDExtensionInitialization;

typedef struct {
	void (*startup_func)(void);
	void (*shutdown_func)(void);
	void (*frame_func)(void);
} GDExtensionMainLoopCallbacks;

typedef void (*GDExtensionInterfaceRegisterMainLoopCallbacks)(GDExtensionClassLibraryPtr,
							      const GDExtensionMainLoopCallbacks *);

#endif
