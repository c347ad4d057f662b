/* SPDX-License-Identifier: MIT
 *
 * The mains of the programs that answer, under names of their own (the Makefile gives them).
 */
#ifndef TM_CMD_VIEW_PROGRAMS_H
#define TM_CMD_VIEW_PROGRAMS_H

int tm_top_main(int argc, char **argv);
int tm_frames_main(int argc, char **argv);
int tm_compare_main(int argc, char **argv);
int tm_heap_main(int argc, char **argv);
int tm_spikes_main(int argc, char **argv);
int tm_export_main(int argc, char **argv);
int tm_inspect_main(int argc, char **argv);

#endif
