/* SPDX-License-Identifier: MIT
 *
 * The names of processors.
 */
#include "lib/object/object.h"

static const struct arch_row {
	const char *name, *triple;
} rows[ARCHS] = {
    [ARCH_X86] = {"x86", "i386"},       [ARCH_X86_64] = {"x86-64", "x86_64"},
    [ARCH_ARM] = {"arm", "arm"},        [ARCH_ARM64] = {"arm64", "arm64"},
    [ARCH_PPC] = {"PowerPC", NULL},     [ARCH_PPC64] = {"PowerPC", NULL},
    [ARCH_S390] = {"S/390", NULL},      [ARCH_SPARC] = {"SPARC", NULL},
    [ARCH_MIPS] = {"MIPS", NULL},       [ARCH_M68K] = {"m68k", NULL},
    [ARCH_RISCV] = {"RISC-V", "riscv"}, [ARCH_LOONGARCH] = {"LoongArch", NULL},
    [ARCH_IA64] = {"IA-64", NULL},      [ARCH_SH] = {"SuperH", NULL},
    [ARCH_CSKY] = {"C-SKY", NULL},      [ARCH_ARC] = {"ARC", NULL},
    [ARCH_ALPHA] = {"Alpha", NULL},     [ARCH_PARISC] = {"PA-RISC", NULL},
    [ARCH_BPF] = {"BPF", NULL},         [ARCH_WASM] = {"WebAssembly", "wasm32"},
};

const char *object_arch_name(enum object_arch arch)
{
	return arch < ARCHS ? rows[arch].name : NULL;
}

const char *object_arch_triple(enum object_arch arch)
{
	return arch < ARCHS ? rows[arch].triple : NULL;
}
