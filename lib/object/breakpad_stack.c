/* SPDX-License-Identifier: MIT
 *
 * STACK records of Breakpad's .sym files. Facts: docs/symbol_files.md of Breakpad and, for what a program of Windows may
 * use, the comments of its stackwalker_x86.cc.
 *
 *	STACK CFI INIT address size rules		of a function
 *	STACK CFI address rules				from there on, in addition
 *	STACK WIN type address size prologue epilogue parameters saved locals highest has_program program
 *	                                                              or, without one, whether it has used ebp
 *
 * A rule is "register: expression". Expressions and programs are in postfix notation, @ aligns and ^ reads memory; a
 * program has assignments too. Numbers of expressions are decimal, all others are hexadecimal.
 */
#include "lib/object/breakpad_stack.h"

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/sort.h"
#include "lib/base/text.h"

#include <stdlib.h>
#include <string.h>

enum {
	DEPTH = 32,     /* values of an expression at once */
	VARIABLES = 32, /* of a program */
	BACK = 1024,    /* records that are looked at for one that is around others */
	PC = FRAME_REGISTERS,
	CFA,
	RA,
	RULES,
	WIN_FPO = 0,
	WIN_FRAME = 4,
};
/* Words of rules and programs that are read in all: of a file that is sound a walk reads some hundred. */
static const uint64_t spent_max = UINT64_C(1) << 28;

struct words { /* what is left */
	const char *s, *end;
};

struct cfi_record { /* size 0: it is in addition to those before */
	uint64_t lo, size;
	struct words rules;
	size_t first, n; /* of an INIT: its additions */
};

struct win_record {
	uint64_t lo, size, reach; /* reach: the end of those up to it */
	uint32_t type, parameters, saved, locals;
	bool has_program;
	struct words program;
};

struct breakpad_stack {
	struct cfi_record *functions, *additions;
	size_t n, cap, n_additions, cap_additions;
	struct win_record *win;
	size_t n_win, cap_win;
	uint8_t processor;
	uint64_t spent;
};

static bool next_word(struct words *w, struct words *word)
{
	while (w->s < w->end && *w->s == ' ')
		w->s++;
	word->s = w->s;
	while (w->s < w->end && *w->s != ' ')
		w->s++;
	word->end = w->s;
	return word->end > word->s;
}

static size_t words_len(const struct words *w)
{
	return (size_t)(w->end - w->s);
}

static bool is_word(const struct words *w, const char *text)
{
	return strlen(text) == words_len(w) && !memcmp(w->s, text, words_len(w));
}

static bool next_hex(struct words *w, uint64_t *v)
{
	struct words word;

	return next_word(w, &word) && num_hex(word.s, words_len(&word), v);
}

/* --- the records --- */

static void read_cfi(struct breakpad_stack *b, struct words w)
{
	struct cfi_record r = {.first = b->n_additions};
	struct words rest = w, word;
	bool init = next_word(&rest, &word) && is_word(&word, "INIT");

	if (init)
		w = rest;
	if (!next_hex(&w, &r.lo) || (init && !next_hex(&w, &r.size)))
		return;
	r.rules = w;
	if (init) {
		VEC_PUSH(b->functions, b->n, b->cap) = r;
	} else if (b->n) {
		VEC_PUSH(b->additions, b->n_additions, b->cap_additions) = r;
		b->functions[b->n - 1].n++;
	}
}

static void read_win(struct breakpad_stack *b, struct words w)
{
	enum {
		TYPE,
		ADDRESS,
		SIZE,
		PROLOGUE,
		EPILOGUE,
		PARAMETERS,
		SAVED,
		LOCALS,
		MAX,
		HAS,
		FIELDS
	};
	uint64_t v[FIELDS];

	for (size_t i = 0; i < FIELDS; i++)
		if (!next_hex(&w, &v[i]) || v[i] > UINT32_MAX)
			return;
	if (v[TYPE] != WIN_FPO && v[TYPE] != WIN_FRAME)
		return;
	VEC_PUSH(b->win, b->n_win, b->cap_win) =
	    (struct win_record){.lo = v[ADDRESS],
				.size = v[SIZE],
				.type = (uint32_t)v[TYPE],
				.parameters = (uint32_t)v[PARAMETERS],
				.saved = (uint32_t)v[SAVED],
				.locals = (uint32_t)v[LOCALS],
				.has_program = v[HAS] == 1,
				.program = w};
}

static int cfi_order(const void *a, const void *b)
{
	const struct cfi_record *x = a, *y = b;

	return (x->lo > y->lo) - (x->lo < y->lo);
}

/* What is around others comes first, and of one range that with a program last. */
static int win_order(const void *a, const void *b)
{
	const struct win_record *x = a, *y = b;

	if (x->lo != y->lo)
		return x->lo < y->lo ? -1 : 1;
	if (x->size != y->size)
		return x->size > y->size ? -1 : 1;
	return (int)x->type - (int)y->type;
}

static struct breakpad_stack *breakpad_stack_read(const struct object_source *source,
						  uint8_t processor)
{
	struct breakpad_stack *b = mem_zalloc(sizeof *b);
	const char *p = (const char *)source->bytes, *end = p + source->size;
	uint64_t reach = 0;

	b->processor = processor;
	while (p < end) {
		const char *eol = memchr(p, '\n', (size_t)(end - p));
		struct words w = {p, eol ? eol : end};

		p = eol ? eol + 1 : end;
		if (w.end > w.s && w.end[-1] == '\r')
			w.end--;
		if (text_begins(w.s, words_len(&w), "STACK CFI "))
			read_cfi(b, (struct words){w.s + 10, w.end});
		else if (text_begins(w.s, words_len(&w), "STACK WIN "))
			read_win(b, (struct words){w.s + 10, w.end});
	}
	if (b->n)
		sort_array(b->functions, b->n, sizeof *b->functions, cfi_order);
	if (b->n_win)
		sort_array(b->win, b->n_win, sizeof *b->win, win_order);
	for (size_t i = 0; i < b->n_win; i++) {
		uint64_t hi = b->win[i].lo + b->win[i].size; /* of 32 bits each */

		reach = hi > reach ? hi : reach;
		b->win[i].reach = reach;
	}
	return b;
}

void breakpad_stack_free(struct breakpad_stack *b)
{
	if (!b)
		return;
	free(b->functions);
	free(b->additions);
	free(b->win);
	free(b);
}

/* --- registers --- */

static int numbered(const struct words *w, char letter, unsigned n)
{
	uint64_t v;

	return words_len(w) > 1 && *w->s == letter && num_dec(w->s + 1, words_len(w) - 1, &v) &&
		       v < n
		   ? (int)v
		   : -1;
}

static int named(const struct words *w, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (is_word(w, names[i]))
			return (int)i;
	return -1;
}

/* A number of struct frame_state or PC, CFA, RA. -1: it is no register. */
static int register_of(uint8_t processor, struct words w)
{
	static const char *const x86_64[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp",
					     "rsi", "rdi", "r8",  "r9",  "r10", "r11",
					     "r12", "r13", "r14", "r15"};
	static const char *const x86[] = {"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi"};
	static const char *const arm[] = {"sp", "lr"};
	int i;

	if (is_word(&w, ".cfa"))
		return CFA;
	if (is_word(&w, ".ra"))
		return RA;
	w.s += *w.s == '$';
	switch (processor) {
	case FRAME_X86_64: return is_word(&w, "rip") ? PC : named(&w, x86_64, 16);
	case FRAME_X86: return is_word(&w, "eip") ? PC : named(&w, x86, 8);
	case FRAME_ARM64:
		if (is_word(&w, "pc"))
			return PC;
		return is_word(&w, "sp") ? FRAME_ARM64_SP : numbered(&w, 'x', FRAME_ARM64_SP);
	case FRAME_ARM:
		i = is_word(&w, "pc") ? 15 : named(&w, arm, 2);
		i = i >= 0 && i < 2 ? FRAME_ARM_SP + i : i >= 0 ? i : numbered(&w, 'r', 16);
		return i == 15 ? PC : i;
	default: return -1;
	}
}

/* Those that a function leaves as they were, where no rule says more. */
static uint32_t saved_registers(uint8_t processor)
{
	switch (processor) {
	case FRAME_X86_64: return 0xf028;
	case FRAME_X86: return 0xe8;
	case FRAME_ARM64: return 0x3ff80000;
	case FRAME_ARM: return 0xff0;
	default: return 0;
	}
}

/* --- expressions --- */

struct variable {
	struct words name;
	uint64_t value;
};

struct operand { /* a number, or a name that is looked up where its value is needed */
	struct words name;
	uint64_t value;
	bool is_name;
};

struct program {
	struct breakpad_stack *b;
	const struct frame_memory *memory;
	struct frame_state
	    *s;        /* that names are looked up in, and assignments of a program change */
	uint64_t mask; /* of a word */
	uint64_t special[RULES - CFA];
	bool knows[RULES - CFA];
	struct variable variables[VARIABLES];
	size_t n_variables;
	struct operand stack[DEPTH];
	size_t depth;
	bool assigns; /* it may */
	bool set_pc, set_sp;
};

static bool look_up(const struct program *p, const struct words *name, uint64_t *v)
{
	int i = register_of(p->s->processor, *name);

	if (i == PC) {
		*v = p->s->pc;
		return true;
	}
	if (i >= CFA) {
		*v = p->special[i - CFA];
		return p->knows[i - CFA];
	}
	if (i >= 0) {
		*v = p->s->r[i];
		return p->s->known >> i & 1;
	}
	for (size_t k = 0; k < p->n_variables; k++)
		if (words_len(&p->variables[k].name) == words_len(name) &&
		    !memcmp(p->variables[k].name.s, name->s, words_len(name))) {
			*v = p->variables[k].value;
			return true;
		}
	return false;
}

static bool set_variable(struct program *p, struct words name, uint64_t v)
{
	struct variable *at = NULL;

	for (size_t k = 0; k < p->n_variables; k++)
		if (words_len(&p->variables[k].name) == words_len(&name) &&
		    !memcmp(p->variables[k].name.s, name.s, words_len(&name)))
			at = &p->variables[k];
	if (!at && p->n_variables == VARIABLES)
		return false;
	if (!at)
		at = &p->variables[p->n_variables++];
	*at = (struct variable){name, v};
	return true;
}

static bool assign(struct program *p, struct words name, uint64_t v)
{
	int i = register_of(p->s->processor, name);

	p->set_pc |= i == PC;
	p->set_sp |= i == (int)frame_sp(p->s);
	if (i == PC)
		p->s->pc = v;
	else if (i >= 0 && i < FRAME_REGISTERS) {
		p->s->r[i] = v;
		p->s->known |= UINT32_C(1) << i;
	} else {
		return set_variable(p, name, v);
	}
	return true;
}

static bool take(struct program *p, uint64_t *v)
{
	const struct operand *o = p->depth ? &p->stack[--p->depth] : NULL;

	if (o && !o->is_name)
		*v = o->value;
	return o && (!o->is_name || look_up(p, &o->name, v));
}

static bool give(struct program *p, struct operand o)
{
	if (p->depth == DEPTH)
		return false;
	o.value &= p->mask;
	p->stack[p->depth++] = o;
	return true;
}

static bool take_two(struct program *p, char op)
{
	uint64_t a, b;

	if (!take(p, &b) || !take(p, &a))
		return false;
	switch (op) {
	case '+': a += b; break;
	case '-': a -= b; break;
	case '*': a *= b; break;
	case '/':
	case '%':
		if (!b)
			return false;
		a = op == '/' ? a / b : a % b;
		break;
	default: /* @: down to a power of two */
		if (!b || b & (b - 1))
			return false;
		a &= ~(b - 1);
	}
	return give(p, (struct operand){.value = a});
}

static bool operate(struct program *p, char op)
{
	struct operand to;
	uint64_t v;

	if (op == '^')
		return take(p, &v) && p->memory->word(p->memory->arg, v, &v) &&
		       give(p, (struct operand){.value = v});
	if (op != '=')
		return take_two(p, op);
	if (!p->assigns || !take(p, &v) || !p->depth)
		return false;
	to = p->stack[--p->depth];
	return to.is_name && assign(p, to.name, v);
}

static bool number_of(const struct words *w, uint64_t *v)
{
	int64_t n;

	if (!num_i64(w->s, words_len(w), &n))
		return false;
	*v = (uint64_t)n;
	return true;
}

/* All words of text. */
static bool evaluate(struct program *p, struct words text)
{
	struct words w;
	uint64_t v;

	p->depth = 0;
	while (next_word(&text, &w)) {
		bool good;

		if (p->b->spent++ >= spent_max)
			return false;
		if (words_len(&w) == 1 && strchr("+-*/%@^=", *w.s))
			good = operate(p, *w.s);
		else if (number_of(&w, &v))
			good = give(p, (struct operand){.value = v});
		else
			good = give(p, (struct operand){.name = w, .is_name = true});
		if (!good)
			return false;
	}
	return true;
}

static bool value_of(struct program *p, struct words expression, uint64_t *v)
{
	return evaluate(p, expression) && p->depth == 1 && take(p, v);
}

/* --- STACK CFI --- */

/* By register: the expression that holds; s NULL: no rule. False: a rule is none. */
static bool collect_rules(struct breakpad_stack *b, struct words text, struct words rules[RULES])
{
	struct words w;
	int at = -1;

	while (next_word(&text, &w)) {
		if (b->spent++ >= spent_max)
			return false;
		if (w.end[-1] == ':') {
			w.end--;
			at = w.end > w.s ? register_of(b->processor, w) : -1;
			if (at >= 0)
				rules[at] = (struct words){text.s, text.s};
		} else if (at >= 0) {
			rules[at].end = w.end;
		}
	}
	return true;
}

static bool rules_at(struct breakpad_stack *b, uint64_t address, struct words rules[RULES])
{
	size_t n = BISECT(i, 0, b->n, b->functions[i].lo <= address);
	const struct cfi_record *f = n ? &b->functions[n - 1] : NULL;

	if (!f || address - f->lo >= f->size || !collect_rules(b, f->rules, rules))
		return false;
	for (size_t i = 0; i < f->n; i++)
		if (b->additions[f->first + i].lo <= address &&
		    !collect_rules(b, b->additions[f->first + i].rules, rules))
			return false;
	return rules[CFA].s && rules[RA].s;
}

static bool walk_cfi(struct breakpad_stack *b, uint64_t address, const struct frame_memory *memory,
		     struct frame_state *s)
{
	struct words rules[RULES] = {{NULL, NULL}};
	struct frame_state caller = *s;
	struct program p = {
	    .b = b, .memory = memory, .s = s, .mask = frame_word(s) == 4 ? UINT32_MAX : UINT64_MAX};
	const unsigned sp = frame_sp(s);

	if (!rules_at(b, address, rules) || !value_of(&p, rules[CFA], &p.special[0]))
		return false;
	p.knows[0] = true;
	if (!value_of(&p, rules[RA], &caller.pc))
		return false;
	caller.known &= saved_registers(s->processor);
	caller.r[sp] = p.special[0];
	caller.known |= UINT32_C(1) << sp;
	for (unsigned i = 0; i < FRAME_REGISTERS; i++) {
		uint64_t v = 0;

		if (!rules[i].s)
			continue;
		caller.known &= ~(UINT32_C(1) << i);
		if (value_of(&p, rules[i], &v))
			caller.known |= UINT32_C(1) << i;
		caller.r[i] = v;
	}
	caller.arguments = 0;
	*s = caller;
	return true;
}

/* --- STACK WIN --- */

static const struct win_record *win_at(const struct breakpad_stack *b, uint64_t address)
{
	size_t n = BISECT(i, 0, b->n_win, b->win[i].lo <= address);

	for (size_t back = 0; n && back < BACK && b->win[n - 1].reach > address; n--, back++)
		if (address - b->win[n - 1].lo < b->win[n - 1].size)
			return &b->win[n - 1];
	return NULL;
}

static void set_number(struct program *p, const char *name, uint64_t v)
{
	set_variable(p, (struct words){name, name + strlen(name)}, v & p->mask);
}

/* Where the return address is, the program says in place of a search; one that aligns the stack counts from ebp. */
static uint64_t return_place(const struct win_record *w, const struct frame_state *s)
{
	if (w->has_program && s->known >> FRAME_RBP & 1 && w->program.s < w->program.end &&
	    memchr(w->program.s, '@', words_len(&w->program)))
		return s->r[FRAME_RBP] + 4;
	return s->r[FRAME_RSP] + s->arguments + w->locals + w->saved;
}

static struct words win_program(const struct win_record *w)
{
	static const char plain[] = "$eip .raSearchStart ^ = $esp .raSearchStart 4 + =";
	static const char saves[] =
	    "$eip .raSearchStart ^ = $ebp $esp .cbCalleeParams + .cbSavedRegs + 8 - ^ = "
	    "$esp .raSearchStart 4 + =";
	struct words rest = w->program, word;

	if (w->has_program)
		return rest;
	if (next_word(&rest, &word) && is_word(&word, "1"))
		return (struct words){saves, saves + sizeof saves - 1};
	return (struct words){plain, plain + sizeof plain - 1};
}

static bool walk_win(struct breakpad_stack *b, const struct win_record *w,
		     const struct frame_memory *memory, struct frame_state *s)
{
	struct frame_state caller = *s;
	struct program p = {
	    .b = b, .memory = memory, .s = &caller, .mask = UINT32_MAX, .assigns = true};

	if (!(s->known >> FRAME_RSP & 1))
		return false;
	set_number(&p, ".cbCalleeParams", s->arguments);
	set_number(&p, ".cbSavedRegs", w->saved);
	set_number(&p, ".cbLocals", w->locals);
	set_number(&p, ".cbParams", w->parameters);
	set_number(&p, ".raSearchStart", return_place(w, s));
	set_number(&p, ".raSearch", return_place(w, s));
	caller.known &= saved_registers(FRAME_X86) | 1 << FRAME_RSP;
	if (!evaluate(&p, win_program(w)) || !p.set_pc || !p.set_sp)
		return false;
	caller.arguments = w->parameters;
	*s = caller;
	return true;
}

bool breakpad_walk(struct object_source *source, uint64_t base, const struct frame_memory *memory,
		   struct frame_state *s)
{
	const uint64_t address = s->pc - s->is_caller - base;
	const struct win_record *w;

	if (!source->stack)
		source->stack = breakpad_stack_read(source, s->processor);
	w = s->processor == FRAME_X86 ? win_at(source->stack, address) : NULL;
	return w ? walk_win(source->stack, w, memory, s)
		 : walk_cfi(source->stack, address, memory, s);
}
