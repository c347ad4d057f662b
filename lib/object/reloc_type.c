/* SPDX-License-Identifier: MIT
 *
 * The effects of the relocations that occur in debug sections, of each machine.
 *
 * Facts: the processor supplements, as <elf.h> and binutils' include/elf name their numbers:
 * x86-64, i386, AArch64 (AAELF64), Arm (AAELF32), PowerPC, S/390, SPARC, MIPS, m68k, RISC-V (psABI,
 * where two relocations at one place make a difference), LoongArch, C-SKY, and LLVM's
 * BPFRelocationTypes. A machine is here when other tools' answers for real files of it check it
 * (tests/matrix.txt, tests/diff/corpus.txt).
 */
#include "lib/object/elf.h"

#include <elf.h>

/* Of a thread's variable: no address. */
#define NOTHING                  \
	{                        \
		RELOC_NOTHING, 0 \
	}
#define SET(bytes)               \
	{                        \
		RELOC_SET, bytes \
	}
#define RELATIVE(bytes)               \
	{                             \
		RELOC_RELATIVE, bytes \
	}
#define ADD(bytes)               \
	{                        \
		RELOC_ADD, bytes \
	}
#define SUB(bytes)               \
	{                        \
		RELOC_SUB, bytes \
	}

/* Numbers that <elf.h> did not have in 2021 (Ubuntu 22.04), or in 2022. */
enum {
	RISCV_SET_ULEB128 = 60,
	RISCV_SUB_ULEB128 = 61,
	LOONGARCH_NONE = 0,
	LOONGARCH_32 = 1,
	LOONGARCH_64 = 2,
	LOONGARCH_TLS_DTPREL32 = 8,
	LOONGARCH_TLS_DTPREL64 = 9,
	LOONGARCH_ADD8 = 47,
	LOONGARCH_ADD16 = 48,
	LOONGARCH_ADD24 = 49,
	LOONGARCH_ADD32 = 50,
	LOONGARCH_ADD64 = 51,
	LOONGARCH_SUB8 = 52,
	LOONGARCH_SUB16 = 53,
	LOONGARCH_SUB24 = 54,
	LOONGARCH_SUB32 = 55,
	LOONGARCH_SUB64 = 56,
	LOONGARCH_32_PCREL = 99,
	LOONGARCH_RELAX = 100,
	LOONGARCH_ADD6 = 105,
	LOONGARCH_SUB6 = 106,
	LOONGARCH_ADD_ULEB128 = 107,
	LOONGARCH_SUB_ULEB128 = 108,
	LOONGARCH_64_PCREL = 109,
	MIPS_PC32 = 248,
	BPF_64_ABS64 = 2,
	BPF_64_ABS32 = 3,
	BPF_64_NODYLD32 = 4,
};

static const struct row {
	uint16_t machine, type;
	struct reloc_type what;
} rows[] = {
    {EM_X86_64, R_X86_64_NONE, NOTHING},
    {EM_X86_64, R_X86_64_64, SET(8)},
    {EM_X86_64, R_X86_64_32, SET(4)},
    {EM_X86_64, R_X86_64_32S, SET(4)},
    {EM_X86_64, R_X86_64_PC32, RELATIVE(4)},
    {EM_X86_64, R_X86_64_PC64, RELATIVE(8)},
    {EM_X86_64, R_X86_64_DTPOFF32, NOTHING},
    {EM_X86_64, R_X86_64_DTPOFF64, NOTHING},
    {EM_386, R_386_NONE, NOTHING},
    {EM_386, R_386_32, SET(4)},
    {EM_386, R_386_PC32, RELATIVE(4)},
    {EM_386, R_386_TLS_LDO_32, NOTHING},
    {EM_AARCH64, R_AARCH64_NONE, NOTHING},
    {EM_AARCH64, R_AARCH64_ABS64, SET(8)},
    {EM_AARCH64, R_AARCH64_ABS32, SET(4)},
    {EM_AARCH64, R_AARCH64_PREL32, RELATIVE(4)},
    {EM_AARCH64, R_AARCH64_PREL64, RELATIVE(8)},
    {EM_AARCH64, R_AARCH64_TLS_DTPREL, NOTHING},
    {EM_ARM, R_ARM_NONE, NOTHING},
    {EM_ARM, R_ARM_ABS32, SET(4)},
    {EM_ARM, R_ARM_REL32, RELATIVE(4)},
    {EM_ARM, R_ARM_TLS_LDO32, NOTHING},
    {EM_PPC, R_PPC_NONE, NOTHING},
    {EM_PPC, R_PPC_ADDR32, SET(4)},
    {EM_PPC, R_PPC_UADDR32, SET(4)},
    {EM_PPC, R_PPC_REL32, RELATIVE(4)},
    {EM_PPC, R_PPC_DTPREL32, NOTHING},
    {EM_PPC64, R_PPC64_NONE, NOTHING},
    {EM_PPC64, R_PPC64_ADDR32, SET(4)},
    {EM_PPC64, R_PPC64_UADDR32, SET(4)},
    {EM_PPC64, R_PPC64_ADDR64, SET(8)},
    {EM_PPC64, R_PPC64_UADDR64, SET(8)},
    {EM_PPC64, R_PPC64_TOC, NOTHING}, /* the second word of a descriptor */
    {EM_PPC64, R_PPC64_REL32, RELATIVE(4)},
    {EM_PPC64, R_PPC64_REL64, RELATIVE(8)},
    {EM_PPC64, R_PPC64_DTPREL64, NOTHING},
    {EM_S390, R_390_NONE, NOTHING},
    {EM_S390, R_390_32, SET(4)},
    {EM_S390, R_390_64, SET(8)},
    {EM_S390, R_390_PC32, RELATIVE(4)},
    {EM_S390, R_390_PC64, RELATIVE(8)},
    {EM_S390, R_390_TLS_LDO32, NOTHING},
    {EM_S390, R_390_TLS_LDO64, NOTHING},
    {EM_SPARC, R_SPARC_NONE, NOTHING},
    {EM_SPARC, R_SPARC_32, SET(4)},
    {EM_SPARC, R_SPARC_UA32, SET(4)},
    {EM_SPARC, R_SPARC_64, SET(8)},
    {EM_SPARC, R_SPARC_UA64, SET(8)},
    {EM_SPARC, R_SPARC_DISP32, RELATIVE(4)},
    {EM_SPARC, R_SPARC_DISP64, RELATIVE(8)},
    {EM_SPARC, R_SPARC_TLS_DTPOFF32, NOTHING},
    {EM_SPARC, R_SPARC_TLS_DTPOFF64, NOTHING},
    {EM_MIPS, R_MIPS_NONE, NOTHING},
    {EM_MIPS, R_MIPS_32, SET(4)},
    {EM_MIPS, R_MIPS_64, SET(8)},
    {EM_MIPS, MIPS_PC32, RELATIVE(4)},
    {EM_MIPS, R_MIPS_TLS_DTPREL32, NOTHING},
    {EM_MIPS, R_MIPS_TLS_DTPREL64, NOTHING},
    {EM_68K, R_68K_NONE, NOTHING},
    {EM_68K, R_68K_32, SET(4)},
    {EM_68K, R_68K_PC32, RELATIVE(4)},
    {EM_68K, R_68K_TLS_LDO32, NOTHING},
    {EM_RISCV, R_RISCV_NONE, NOTHING},
    {EM_RISCV, R_RISCV_32, SET(4)},
    {EM_RISCV, R_RISCV_64, SET(8)},
    {EM_RISCV, R_RISCV_32_PCREL, RELATIVE(4)},
    {EM_RISCV, R_RISCV_TLS_DTPREL32, NOTHING},
    {EM_RISCV, R_RISCV_TLS_DTPREL64, NOTHING},
    {EM_RISCV, R_RISCV_RELAX, NOTHING},
    {EM_RISCV, R_RISCV_ADD8, ADD(1)},
    {EM_RISCV, R_RISCV_ADD16, ADD(2)},
    {EM_RISCV, R_RISCV_ADD32, ADD(4)},
    {EM_RISCV, R_RISCV_ADD64, ADD(8)},
    {EM_RISCV, R_RISCV_SUB8, SUB(1)},
    {EM_RISCV, R_RISCV_SUB16, SUB(2)},
    {EM_RISCV, R_RISCV_SUB32, SUB(4)},
    {EM_RISCV, R_RISCV_SUB64, SUB(8)},
    {EM_RISCV, R_RISCV_SET6, {RELOC_SET_6, 1}},
    {EM_RISCV, R_RISCV_SUB6, {RELOC_SUB_6, 1}},
    {EM_RISCV, R_RISCV_SET8, SET(1)},
    {EM_RISCV, R_RISCV_SET16, SET(2)},
    {EM_RISCV, R_RISCV_SET32, SET(4)},
    {EM_RISCV, RISCV_SET_ULEB128, {RELOC_SET_ULEB, 1}},
    {EM_RISCV, RISCV_SUB_ULEB128, {RELOC_SUB_ULEB, 1}},
    {MACHINE_LOONGARCH, LOONGARCH_NONE, NOTHING},
    {MACHINE_LOONGARCH, LOONGARCH_RELAX, NOTHING},
    {MACHINE_LOONGARCH, LOONGARCH_32, SET(4)},
    {MACHINE_LOONGARCH, LOONGARCH_64, SET(8)},
    {MACHINE_LOONGARCH, LOONGARCH_TLS_DTPREL32, NOTHING},
    {MACHINE_LOONGARCH, LOONGARCH_TLS_DTPREL64, NOTHING},
    {MACHINE_LOONGARCH, LOONGARCH_ADD8, ADD(1)},
    {MACHINE_LOONGARCH, LOONGARCH_ADD16, ADD(2)},
    {MACHINE_LOONGARCH, LOONGARCH_ADD24, ADD(3)},
    {MACHINE_LOONGARCH, LOONGARCH_ADD32, ADD(4)},
    {MACHINE_LOONGARCH, LOONGARCH_ADD64, ADD(8)},
    {MACHINE_LOONGARCH, LOONGARCH_SUB8, SUB(1)},
    {MACHINE_LOONGARCH, LOONGARCH_SUB16, SUB(2)},
    {MACHINE_LOONGARCH, LOONGARCH_SUB24, SUB(3)},
    {MACHINE_LOONGARCH, LOONGARCH_SUB32, SUB(4)},
    {MACHINE_LOONGARCH, LOONGARCH_SUB64, SUB(8)},
    {MACHINE_LOONGARCH, LOONGARCH_32_PCREL, RELATIVE(4)},
    {MACHINE_LOONGARCH, LOONGARCH_64_PCREL, RELATIVE(8)},
    {MACHINE_LOONGARCH, LOONGARCH_ADD6, {RELOC_ADD_6, 1}},
    {MACHINE_LOONGARCH, LOONGARCH_SUB6, {RELOC_SUB_6, 1}},
    {MACHINE_LOONGARCH, LOONGARCH_ADD_ULEB128, {RELOC_ADD_ULEB, 1}},
    {MACHINE_LOONGARCH, LOONGARCH_SUB_ULEB128, {RELOC_SUB_ULEB, 1}},
    {EM_CSKY, R_CKCORE_NONE, NOTHING},
    {EM_CSKY, R_CKCORE_ADDR32, SET(4)},
    {EM_CSKY, R_CKCORE_PCREL32, RELATIVE(4)},
    {EM_CSKY, R_CKCORE_TLS_LDO32, NOTHING},
    {EM_BPF, R_BPF_NONE, NOTHING},
    {EM_BPF, R_BPF_64_64, SET(8)}, /* LLVM before 13 has them in debug sections */
    {EM_BPF, R_BPF_64_32, SET(4)},
    {EM_BPF, BPF_64_ABS64, SET(8)},
    {EM_BPF, BPF_64_ABS32, SET(4)},
    {EM_BPF, BPF_64_NODYLD32, SET(4)},
};

/* Machines whose numbers are another's. */
static uint16_t family(uint16_t machine)
{
	switch (machine) {
	case EM_SPARC32PLUS:
	case EM_SPARCV9: return EM_SPARC;
	case EM_MIPS_RS3_LE: return EM_MIPS;
	default: return machine;
	}
}

const struct reloc_type *reloc_type_find(const struct object_image *f, uint32_t type)
{
	const uint16_t machine = family(f->machine);

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].machine == machine && rows[i].type == type)
			return &rows[i].what;
	return NULL;
}
