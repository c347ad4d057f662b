/* SPDX-License-Identifier: MIT
 *
 * The limits of memory and disk that the machine sets for this process.
 */
#ifndef TM_BASE_MACHINE_H
#define TM_BASE_MACHINE_H

#include <stdint.h>

/* Bytes of memory: the smallest of the machine's, the limits of the address space and of data
 * (setrlimit(2): ulimit -v, ulimit -d) and those of the control groups that the process is in, of
 * both versions (a container's, systemd's MemoryMax=). What is free just now does not count, so
 * that the same command gives the same answers on a busy machine. */
uint64_t machine_memory(void);
/* From here on memory of this process's own (no mapped file) that is more than three quarters of that
 * is out of memory, by its soft RLIMIT_DATA: who asked hears so, where the kernel would end this process, or
 * another one, by a signal. machine_memory stays what it was. */
void machine_hold_memory(void);
/* The smallest limit of the groups that list names (as /proc/self/cgroup does), with their
 * hierarchies at root (as /sys/fs/cgroup); UINT64_MAX: none that can be read. */
uint64_t machine_memory_of_groups(const char *list, const char *root);

/* Half of what is free where the open file lies: the most that a temporary file may become of what
 * a compressed file unpacks to, so that several of them leave some. UINT64_MAX: not known. */
uint64_t machine_disk_share(int fd);

#endif
