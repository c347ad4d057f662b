# SPDX-License-Identifier: MIT
#
# Split DWARF 5 as GCC 10 and 11 write it: the .dwo file has no .debug_rnglists.dwo, and its units count
# lists from DW_AT_rnglists_base of their skeleton. Sections .dwo are for objcopy --extract-dwo. The
# section has another table of lists before the right one.
	.text
	.file 0 "/game" "lists.c"
	.globl battle
	.type battle, @function
battle:
	.loc 0 10 0
	nop
	nop
	nop
	nop
.Lin:
	.loc 0 3 0
	nop
	nop
	nop
	nop
	.loc 0 11 0
	nop
	nop
	nop
	nop
.Lin_again:
	.loc 0 4 0
	nop
	nop
	nop
	nop
	.loc 0 12 0
	nop
	nop
	nop
	nop
	.size battle, . - battle

	.section .debug_abbrev, "", @progbits
	.uleb128 1, 0x4a		# DW_TAG_skeleton_unit
	.byte 0
	.uleb128 0x10, 0x17		# DW_AT_stmt_list, DW_FORM_sec_offset
	.uleb128 0x1b, 0x08		# DW_AT_comp_dir, DW_FORM_string
	.uleb128 0x76, 0x08		# DW_AT_dwo_name
	.uleb128 0x11, 0x01		# DW_AT_low_pc, DW_FORM_addr
	.uleb128 0x12, 0x06		# DW_AT_high_pc, DW_FORM_data4
	.uleb128 0x73, 0x17		# DW_AT_addr_base
	.uleb128 0x74, 0x17		# DW_AT_rnglists_base
	.byte 0, 0, 0

	.section .debug_info, "", @progbits
	.long .Lskeleton_end - .Lskeleton
.Lskeleton:
	.short 5
	.byte 4, 8			# DW_UT_skeleton
	.long .debug_abbrev
	.quad 0x1122334455667788
	.uleb128 1
	.long .debug_line
	.asciz "/game"
	.asciz "lists.dwo"
	.quad battle
	.long 20
	.long .Laddresses
	.long .Llists
.Lskeleton_end:

	.section .debug_addr, "", @progbits
	.long .Laddresses_end - . - 4
	.short 5
	.byte 8, 0
.Laddresses:
	.quad battle, .Lin, .Lin_again
.Laddresses_end:

	.section .debug_rnglists, "", @progbits
	.long .Lother_end - . - 4
	.short 5
	.byte 8, 0
	.long 2
.Lother:
	.long .Lother_list - .Lother, .Lother_list - .Lother
.Lother_list:
	.byte 3				# DW_RLE_startx_length
	.uleb128 0, 20
	.byte 0
.Lother_end:
	.long .Llists_end - . - 4
	.short 5
	.byte 8, 0
	.long 2
.Llists:
	.long .Lempty - .Llists, .Llist - .Llists
.Lempty:
	.byte 0
.Llist:
	.byte 3
	.uleb128 1, 4
	.byte 3
	.uleb128 2, 4
	.byte 0
.Llists_end:

	.section .debug_abbrev.dwo, "e", @progbits
	.uleb128 1, 0x11		# DW_TAG_compile_unit
	.byte 1
	.uleb128 0x03, 0x08		# DW_AT_name
	.byte 0, 0
	.uleb128 2, 0x2e		# DW_TAG_subprogram
	.byte 0
	.uleb128 0x03, 0x08
	.uleb128 0x20, 0x0b		# DW_AT_inline, DW_FORM_data1
	.byte 0, 0
	.uleb128 3, 0x2e
	.byte 1
	.uleb128 0x03, 0x08
	.uleb128 0x11, 0x1b		# DW_FORM_addrx
	.uleb128 0x12, 0x06
	.byte 0, 0
	.uleb128 4, 0x1d		# DW_TAG_inlined_subroutine
	.byte 0
	.uleb128 0x31, 0x13		# DW_AT_abstract_origin, DW_FORM_ref4
	.uleb128 0x55, 0x23		# DW_AT_ranges, DW_FORM_rnglistx
	.uleb128 0x58, 0x0b		# DW_AT_call_file
	.uleb128 0x59, 0x0b		# DW_AT_call_line
	.byte 0, 0, 0

	.section .debug_info.dwo, "e", @progbits
.Lunit:
	.long .Lunit_end - . - 4
	.short 5
	.byte 5, 8			# DW_UT_split_compile
	.long 0
	.quad 0x1122334455667788
	.uleb128 1
	.asciz "lists.c"
.Lhurt:
	.uleb128 2
	.asciz "hurt"
	.byte 1
	.uleb128 3
	.asciz "battle"
	.uleb128 0
	.long 20
	.uleb128 4
	.long .Lhurt - .Lunit
	.uleb128 1
	.byte 0, 13
	.byte 0, 0
.Lunit_end:

	.section .debug_line, "", @progbits
	.section .note.GNU-stack, "", @progbits
