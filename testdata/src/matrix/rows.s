# SPDX-License-Identifier: MIT
#
# Debug information as old assemblers wrote it for a file of several sections: a unit without addresses,
# without ranges and without functions; only its line table knows what is where. In addition to its
# functions there are marks of compilers, which are no functions.
	.text
	.file 1 "rows.S"
	.type first, @function
first:
.annobin_first.start:
	.loc 1 10
	nop
	nop
	.loc 1 11
	nop
	nop
.Lfirst_end:
	.size first, . - first
.annobin_first.end:
	.section .text.second, "ax", @progbits
gcc2_compiled.:
	.loc 1 20
	nop
	nop
	nop
	nop

	.section .debug_abbrev, "", @progbits
	.uleb128 1, 0x11		# DW_TAG_compile_unit
	.byte 0
	.uleb128 0x10, 0x06		# DW_AT_stmt_list, DW_FORM_data4
	.uleb128 0x03, 0x08		# DW_AT_name, DW_FORM_string
	.uleb128 0x1b, 0x08		# DW_AT_comp_dir
	.byte 0, 0, 0

	.section .debug_info, "", @progbits
	.long .Lunit_end - . - 4
	.short 2
	.long .debug_abbrev
	.byte 8
	.uleb128 1
	.long .debug_line
	.asciz "rows.S"
	.asciz "/game"
.Lunit_end:

	.section .debug_line, "", @progbits
	.section .note.GNU-stack, "", @progbits
