/* SPDX-License-Identifier: MIT
 *
 * Names that Unity's il2cpp gives the C++ functions it makes of managed methods, read back for
 * people: "NewBehaviourScript_Start_m40HEXDIGITS" is NewBehaviourScript.Start. The hash is what
 * keeps two methods apart (namespaces are dropped from the name), so the raw name stays the
 * function's identity and this is for display only.
 *
 * Facts from generated sources (Unity 2018 to 6): Type_Method_m<40 hex>, in older versions _m and
 * 8 to 10 decimal digits; generic arguments _Tis<Type>[_t<40 hex>]; characters that C cannot have
 * as U and two hex digits; "." as "_". Type and method may contain "_" themselves: they are split
 * only where there is one way to do so, and printed unchanged otherwise.
 */
#ifndef TM_MANAGED_IL2CPP_NAME_H
#define TM_MANAGED_IL2CPP_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* A malloc'ed display name; NULL: il2cpp did not make this one. name is a C name or a demangled
 * C++ one, of which the parameters (il2cpp's own types) are dropped. */
char *il2cpp_display(const char *name);
/* True when a raw name, mangled as C++ or not, has il2cpp's hash in it. */
bool il2cpp_generated(const char *raw);
/* How many bytes of such a name are the function's own: before "(" and before what compilers add
 * (".cold", " [clone .isra.0]"). */
size_t il2cpp_bare(const char *name);

#endif
