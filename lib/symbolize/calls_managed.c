/* SPDX-License-Identifier: MIT
 *
 * Calls at lines of C#: inside those of the C++ that il2cpp made of it (calls.h, managed.h).
 */
#include "lib/symbolize/calls.h"

#include "lib/trace/model.h"

#include <string.h>

enum { DEEPEST = 64 }; /* records of a usym that are inlined into each other */

static const char *text(const struct symbolize_calls *c, uint32_t string)
{
	return intern_text(&c->to->strings, string, NULL);
}

uint32_t calls_at_line(struct calls_of *o, uint32_t call)
{
	struct symbolize_calls *c = o->calls;
	const struct symbol_call cpp = c->to->calls[call];
	struct managed_at at = {.string = cpp.file, .line = cpp.line, .memo = &o->line_memo};
	const char *file;
	uint32_t line;

	if (!o->managed->n_maps || !cpp.function || !cpp.file || !cpp.line)
		return call;
	at.function = text(c, c->to->functions[cpp.function].raw);
	at.path = text(c, cpp.file);
	if (call < c->n_extras && c->extras[call].file == cpp.file &&
	    c->extras[call].line <= cpp.line)
		at.first = c->extras[call].line;
	if (!managed_line(c->managed, o->managed, &at, &file, &line))
		return call;
	return calls_add(c, &(struct symbol_call){.outer = call,
						  .function = cpp.function,
						  .file = calls_string(c, file),
						  .line = line});
}

static uint32_t file_of(struct symbolize_calls *c, struct usym_text t)
{
	bool cut = false;
	uint32_t id = t.n ? intern_add_cut(&c->to->strings, t.s, t.n, TRACE_STRING_MAX, &cut) : 0;

	*c->cut += cut;
	return id;
}

/* The managed half of a record, inside outer. */
static uint32_t managed_half(struct symbolize_calls *c, const struct usym_line *l, uint32_t outer,
			     uint32_t function)
{
	if (!l->managed.n && !(l->managed_file.n && l->managed_line))
		return outer;
	if (l->managed.n)
		function = calls_function(c, l->managed.s, l->managed.n);
	return calls_add(c, &(struct symbol_call){.outer = outer,
						  .function = function,
						  .file = file_of(c, l->managed_file),
						  .line = l->managed_line});
}

/* The chain of a record; function names what the record does not. 0: it says nothing. */
static uint32_t record_call(struct symbolize_calls *c, const struct usym *u, uint32_t record,
			    uint32_t function)
{
	uint32_t chain[DEEPEST], n = 0, outer = 0;

	for (; record && n < DEEPEST; record = usym_line(u, record).parent)
		chain[n++] = record;
	while (n) {
		struct usym_line l = usym_line(u, chain[--n]);
		struct symbol_call native = {.outer = outer,
					     .function = outer ? 0 : function,
					     .file = file_of(c, l.native_file),
					     .line = l.native_line};

		if (l.native.n)
			native.function = calls_function(c, l.native.s, l.native.n);
		if (native.function || native.line)
			outer = calls_add(c, &native);
		outer = managed_half(c, &l, outer, native.function);
	}
	return outer;
}

static bool is_managed(const struct symbolize_calls *c, uint32_t call)
{
	size_t n;
	const char *file = intern_text(&c->to->strings, c->to->calls[call].file, &n);

	return n > 3 && !strcmp(file + n - 3, ".cs");
}

uint32_t calls_at_address(struct calls_of *o, uint64_t addr, uint32_t call)
{
	const struct usym *u = o->managed->usym;
	const struct object_symbol *sym;
	struct symbolize_calls *c = o->calls;
	uint64_t base = o->managed->base;
	uint32_t record = addr >= base ? usym_at(u, addr - base) : 0, made;
	struct usym_line l;

	if (!record)
		return call;
	sym = object_symbol_at(o->object, addr);
	if (sym && usym_address(u, record) + base < sym->lo)
		return call; /* of the function before */
	if (!call || !c->to->calls[call].line) {
		made = record_call(c, u, record, call ? c->to->calls[call].function : 0);
		return made ? made : call;
	}
	if (is_managed(c, call))
		return call;
	l = usym_line(u, record);
	return managed_half(c, &l, call, c->to->calls[call].function);
}

struct symbolize_named calls_of_usym(struct symbolize_calls *c, const struct usym *u,
				     uint64_t address)
{
	uint32_t record = usym_at(u, address);
	struct symbolize_named n = {.reason = REASON_NO_SYMBOL};

	if (record)
		n.call = record_call(c, u, record, 0);
	if (n.call)
		n.reason = REASON_RESOLVED;
	return n;
}
