/* SPDX-License-Identifier: MIT
 *
 * The modules of Windows that a log has: what the log says of them, and which of the given files each one is. Logs call
 * game.exe "game.exe", "game" or, as WinDbg does with what is no letter and no digit, "my_game"; letters are of either case.
 */
#ifndef TM_SYMBOLIZE_STACK_MODULES_H
#define TM_SYMBOLIZE_STACK_MODULES_H

#include "lib/base/buf.h"
#include "lib/base/hash.h"
#include "lib/base/intern.h"
#include "lib/find/files.h"
#include "lib/input/stack_line.h"

/* What a log says of a module, from one of its lines on, or a module map before all lines. */
struct stack_module {
	uint64_t base, size; /* size 0: not said */
	uint64_t line;
	uint32_t stamp;  /* the time stamp of the PE file; 0: not said */
	uint32_t name;   /* in stack_modules.names */
	uint32_t before; /* the one of its stem that was said before, + 1 */
	uint32_t id;     /* its build-id in a module map, in stack_modules.names; 0: none */
	uint32_t
	    group; /* the list that said it, number in stack_modules.groups + 1; 0: a module map */
	bool has_base;
};

/* Lines of a log that follow each other: calls of a stack, or a list of modules. */
struct stack_modules_group {
	uint64_t line; /* the first one */
	bool is_list;
	bool is_taken; /* a list: the stack before it has no other */
};

struct stack_modules { /* zeroed is valid */
	struct stack_module *items;
	size_t n, cap;
	struct map64 of; /* hash of a stem -> number in items + 1 */
	struct stack_modules_group *groups;
	size_t n_groups, cap_groups;
	/* Hash of a stem and an address -> the whole name of a call there, in names; the item of one that has the stem
	 * alone, + 1. */
	struct map64 whole, bare;
	struct intern names;
	bool open; /* lines without a name are about the last item */
};

void stack_modules_release(struct stack_modules *m);
void stack_modules_add(struct stack_modules *m, const struct stack_line_module *said,
		       uint64_t line);
/* A call, behind what it says itself of its module: a log may have a list of modules for each of its stacks, before or
 * behind it. Of two calls at one address, one may have the module's extension, and the other the module's base. */
void stack_modules_call(struct stack_modules *m, const struct stack_line *l, uint64_t line);
/* A line that a stack begins with. */
void stack_modules_begin_stack(struct stack_modules *m, uint64_t line);
/* Those of a module map. */
void stack_modules_add_map(struct stack_modules *m, const struct trace *map);
/* The build-id that a module map has for a call's module, in names: of several with the name, that of the one that holds
 * the call's address. 0: none, or without an address several. */
uint32_t stack_modules_id(const struct stack_modules *m, const struct stack_line *l);
/* The one with this name that holds an address, as a line says; NULL: none is known. */
const struct stack_module *stack_modules_at(const struct stack_modules *m,
					    struct stack_text_part name, uint64_t address,
					    uint64_t line);
/* The one with this name as a line says, with a time stamp or a size; NULL: none is known. */
const struct stack_module *stack_modules_said(const struct stack_modules *m,
					      struct stack_text_part name, uint64_t line);
/* The one with this name as a line says, whose name has the extension; NULL: none is known. */
const struct stack_module *stack_modules_whole(const struct stack_modules *m,
					       struct stack_text_part name, uint64_t line);
/* The name that was said, which may have the extension. */
struct stack_text_part stack_module_name(const struct stack_modules *m,
					 const struct stack_module *x);

/* Whether a module map has one with this name. */
bool stack_modules_mapped(const struct stack_modules *m, struct stack_text_part name);

bool stack_module_has_extension(struct stack_text_part name);
uint64_t stack_module_stem(
    struct stack_text_part name); /* a hash, equal for all that a module is called */

/* What is known of the module of a line, which its file has, too; 0: not said. */
struct stack_module_facts {
	uint32_t stamp;
	uint64_t size;
	uint8_t bits;              /* of its process's addresses */
	bool windows;              /* certainly: a file of another system is not it */
	struct object_build_id id; /* of a module map */
};
/* REASON_RESOLVED: nothing speaks against the file; else the reason, and its text is added to why. *proven: the build is
 * shown, too. */
enum reason stack_module_judge(const struct find_file *x, const struct stack_module_facts *facts,
			       bool *proven, struct buf *why);

/* The given file that is the module; NULL: none. One of which the facts show the build comes before one that they leave
 * open, and this one before one that they exclude; one that has the name with its extension before one with the stem
 * alone. *other: NULL, or another build that fits as well, so that nothing decides. */
const struct find_file *stack_module_file(const struct find_files *f, struct stack_text_part name,
					  const struct stack_module_facts *facts,
					  const struct find_file **other);

#endif
