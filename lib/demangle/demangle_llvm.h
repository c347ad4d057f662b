/* SPDX-License-Identifier: MIT
 *
 * Linkage names as LLVM 19 spells them: "a<b<int>>", "'lambda0'(int)", "f(int) (.cold)", manglings that only
 * it knows (constrained templates), and Microsoft's decorated names. Done by libLLVMDemangle.a of LLVM 19, of
 * which 0.2 MB are linked where libLLVM has 130; no header of it is needed. Of 60,000 symbols of libLLVM, libclang
 * and libstdc++ it spells all as llvm-cxxfilt 19 does; libiberty 2.40 does not spell 739 so, even with its "> >"
 * closed up. Rust's names stay libiberty's, which are the more readable (without hash and $LT$). Without that
 * library (HAVE_LLVM_DEMANGLE) all names are libiberty's, and Microsoft's stay as they are.
 *
 * It has no limits of its own. The build gives it memory and copying of ours, by which a name is given up
 * whose text or tree is beyond reason, and a long name gets a stack for as deep as it can nest. So all memory
 * is the room's, which scopes (lib/base/resource_scope.h) hold. Thread safe.
 */
#ifndef TM_DEMANGLE_DEMANGLE_LLVM_H
#define TM_DEMANGLE_DEMANGLE_LLVM_H

/* As demangle: C++, Rust, D and Microsoft's C++. */
char *demangle_llvm(const char *raw);
/* The same of names of Microsoft's C++ ("?f@a@@YAXH@Z"), as llvm-symbolizer shows them: without access, calling
 * convention, result and "static". The options of llvm-undname for that are --no-access-specifier,
 * --no-calling-convention, --no-return-type and --no-member-type. */
char *demangle_microsoft(const char *raw);

#endif
