/* SPDX-License-Identifier: MIT
 *
 * The prefix header of the library's build (-include), which gives the C library's functions for
 * memory, file descriptors and locks the names of the zone's (zone.h). Headers that declare those
 * functions come first.
 */
#ifndef TM_BASE_ZONE_NAMES_H
#define TM_BASE_ZONE_NAMES_H

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *zone_malloc(size_t n) __attribute__((__malloc__));
void *zone_calloc(size_t n, size_t size) __attribute__((__malloc__));
void *zone_realloc(void *p, size_t n);
void *zone_aligned_alloc(size_t align, size_t n) __attribute__((malloc));
void zone_release(void *p);
char *zone_realpath(const char *path, char *to);
int zone_open(const char *path, int flags, ...);
int zone_openat(int folder, const char *path, int flags, ...);
int zone_mkostemp(char *path, int flags);
int zone_dup(int fd);
int zone_close(int fd);
DIR *zone_opendir(const char *path);
DIR *zone_fdopendir(int fd);
int zone_closedir(DIR *d);
int zone_mutex_lock(pthread_mutex_t *m);
int zone_mutex_unlock(pthread_mutex_t *m);

#ifndef ZONE_ITSELF
#define malloc               zone_malloc
#define calloc               zone_calloc
#define realloc              zone_realloc
#define aligned_alloc        zone_aligned_alloc
#define free                 zone_release
#define realpath             zone_realpath
#define open                 zone_open
#define openat               zone_openat
#define mkostemp             zone_mkostemp
#define dup                  zone_dup
#define close                zone_close
#define opendir              zone_opendir
#define fdopendir            zone_fdopendir
#define closedir             zone_closedir
#define pthread_mutex_lock   zone_mutex_lock
#define pthread_mutex_unlock zone_mutex_unlock
#endif

#endif
