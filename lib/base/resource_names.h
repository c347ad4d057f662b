/* SPDX-License-Identifier: MIT
 *
 * The prefix header of the library's build (-include), which gives the C library's functions for
 * memory, file descriptors and locks the names of the scope's (resource_scope.h). Headers that declare those
 * functions come first.
 */
#ifndef TM_BASE_RESOURCE_NAMES_H
#define TM_BASE_RESOURCE_NAMES_H

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *scoped_malloc(size_t n) __attribute__((__malloc__));
void *scoped_calloc(size_t n, size_t size) __attribute__((__malloc__));
void *scoped_realloc(void *p, size_t n);
void *scoped_aligned_alloc(size_t align, size_t n) __attribute__((malloc));
void scoped_release(void *p);
char *scoped_realpath(const char *path, char *to);
int scoped_open(const char *path, int flags, ...);
int scoped_openat(int folder, const char *path, int flags, ...);
int scoped_mkostemp(char *path, int flags);
int scoped_dup(int fd);
int scoped_close(int fd);
DIR *scoped_opendir(const char *path);
DIR *scoped_fdopendir(int fd);
int scoped_closedir(DIR *d);
int scoped_mutex_lock(pthread_mutex_t *m);
int scoped_mutex_unlock(pthread_mutex_t *m);

#ifndef RESOURCE_SCOPE_ITSELF
#define malloc               scoped_malloc
#define calloc               scoped_calloc
#define realloc              scoped_realloc
#define aligned_alloc        scoped_aligned_alloc
#define free                 scoped_release
#define realpath             scoped_realpath
#define open                 scoped_open
#define openat               scoped_openat
#define mkostemp             scoped_mkostemp
#define dup                  scoped_dup
#define close                scoped_close
#define opendir              scoped_opendir
#define fdopendir            scoped_fdopendir
#define closedir             scoped_closedir
#define pthread_mutex_lock   scoped_mutex_lock
#define pthread_mutex_unlock scoped_mutex_unlock
#endif

#endif
