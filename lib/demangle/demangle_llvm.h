/* SPDX-License-Identifier: MIT
 *
 * Linkage names as LLVM 19 spells them: "a<b<int>>", "'lambda0'(int)", "f(int) (.cold)", and
 * manglings that only it knows (constrained templates). Done by __cxa_demangle of LLVM 19's
 * libc++abi, linked statically: its parser is the very one of llvm-symbolizer
 * (libcxxabi/src/demangle is where llvm/Demangle is copied from), in 0.2 MB where libLLVM has 130,
 * and no header is needed. Of 60,000 symbols of libLLVM, libclang and libstdc++ it spells all as
 * llvm-cxxfilt 19 does; libiberty 2.40 does not spell 739 so, even with its "> >" closed up. Rust's
 * names stay libiberty's, which are the more readable (without hash and $LT$). Without that library
 * (HAVE_LIBCXXABI) all names are libiberty's.
 *
 * It has no limits of its own. The build gives it memory and copying of ours, by which a name is given up
 * whose text or tree is beyond reason, and a long name gets a stack for as deep as it can nest. So all memory
 * is the room's, which scopes (lib/base/resource_scope.h) hold. Thread safe.
 */
#ifndef TM_DEMANGLE_DEMANGLE_LLVM_H
#define TM_DEMANGLE_DEMANGLE_LLVM_H

/* As demangle. */
char *demangle_llvm(const char *raw);

#endif
