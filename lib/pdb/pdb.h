/* SPDX-License-Identifier: MIT
 *
 * The engine that answers from PDB files: own decoders over checked bytes, in parallel over modules, of which it decodes
 * those that hold an address. It answers as the engines of DWARF do (lib/dwarf/engine.h), with their calls and stores.
 *
 *	pdb.c     owners of addresses, the queue
 *	module.c  procedures and inlined calls of a module that hold an address
 *	lines.c   its lines, files and the first lines of inlined functions
 *	names.c   names: public symbols, ids and types, files
 *	cross.c   functions whose ids other modules have
 *	answer.c  one module and its addresses -> answers
 *	whole.c   answers for all addresses, of which an index is made
 *
 * Facts: Microsoft's microsoft-pdb (include/cvinfo.h), and what LLVM and lld read and write.
 */
#ifndef TM_PDB_PDB_H
#define TM_PDB_PDB_H

#include "lib/dwarf/whole.h"

/* Answers every job, each of an object with a PDB (object_has_pdb). */
dwarf_answer_fn pdb_answer;
/* Left to it (DWARF_ASK) are modules that are broken. */
dwarf_whole_fn pdb_whole;

#endif
