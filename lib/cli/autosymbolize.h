/* SPDX-License-Identifier: MIT
 *
 * The look-up of symbols for captures that have none, in every program that shows names. Before it enters its
 * sandbox, a program hands its operands to cli_autosymbolize, which reads the tables of each, asks libtracemill for
 * the symbols of their locations, and keeps these symbols. When cli_inputs reads the operand, they are in the trace
 * before the report sees its first event. Nothing is copied, and no process is started.
 *
 * The sandbox: paths in captures lead to binaries, and these to debug files, anywhere; a report needs its operands
 * only. So there are two profiles. The first one is the program's with the rights of tm-symbolize, and holds while
 * untrusted captures and binaries are read here; the second one is the program's own, and holds from the report's
 * first byte on.
 *
 * Memory: the symbols of all operands are held until the end, their tables are freed after the look-up. A trace is read
 * twice: the first reading steps over the events, and ends where it finds symbols. Of another format the first reading
 * is a whole one, and the last one if its events fit into some memory: then they are replayed. A pipe can be read once only, and its tables may come behind its events: standard input,
 * FIFOs and folders stay without symbols. So does an operand whose modules are not on this machine by their build-ids.
 */
#ifndef TM_CLI_AUTOSYMBOLIZE_H
#define TM_CLI_AUTOSYMBOLIZE_H

#include "formats/reader.h"
#include "lib/cli/symbols.h"

#define CLI_SYMBOLS_ROW(s) \
	ROW_FLAG(0, "no-symbols", "do not symbolize traces without names", &(s).off)

/* Before cli_sandbox, with the same program and exception: looks up the symbols of operands, which may be NULL, by
 * these options. Of what cannot be read nothing is said: cli_inputs will say it. */
void cli_autosymbolize(struct cli_symbols *s, const char *program, const char *when,
		       const struct import_options *o, size_t n, const char *const *operands);

/* The same for captures that are in memory and grow, as often as asked. */
struct cli_symbolizer;
/* Before the sandbox, whose profile must have the rights of tm-symbolize; s is borrowed. */
struct cli_symbolizer *cli_symbolizer_start(struct cli_symbols *s, const struct import_options *o);
/* Looks up all locations of t again, if it has no symbols or has them from here, and puts the notes on that in the
 * place of those of the last time. True: a binary with the captured build-id names some; else t has no symbols. */
bool cli_symbolizer_again(struct cli_symbolizer *s, struct trace *t);
void cli_symbolizer_end(struct cli_symbolizer *s); /* accepts NULL */

#endif
