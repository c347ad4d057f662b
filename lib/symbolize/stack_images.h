/* SPDX-License-Identifier: MIT
 *
 * The lists "Binary Images" in crash reports of macOS and iOS: where the modules of a process were, and what they are. A text
 * may have several reports, each of which has its calls before its list.
 */
#ifndef TM_SYMBOLIZE_STACK_IMAGES_H
#define TM_SYMBOLIZE_STACK_IMAGES_H

#include "lib/base/intern.h"
#include "lib/input/stack_line.h"

struct stack_image {
	uint64_t lo, hi;
	uint32_t path, uuid; /* in stack_images.texts; uuid: hexadecimal digits */
};

struct stack_images { /* zeroed is valid */
	struct stack_image *items;
	size_t n, cap;
	struct stack_images_list *lists;
	size_t n_lists, cap_lists;
	struct intern texts;
	bool open; /* the next image is in the last list */
};

void stack_images_release(struct stack_images *m);
/* line: its number. */
void stack_images_add(struct stack_images *m, const struct stack_line_image *image, uint64_t line);
/* A call: an image behind it begins another list. */
void stack_images_call(struct stack_images *m);
/* The image that holds the address of a call in this line, by the first list behind it, or else the last one before it.
 * NULL: none. */
const struct stack_image *stack_images_at(struct stack_images *m, uint64_t address, uint64_t line);

#endif
