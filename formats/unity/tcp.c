/* SPDX-License-Identifier: MIT
 *
 * Facts: the magic and the GUIDs of data and logs from a description of such a client; the other
 * GUIDs from Unity's C# reference source. On the wire each byte of a GUID has its two digits
 * swapped; recordings with the plain order are taken too.
 */
#include "formats/unity/tcp.h"

#include "formats/emit.h"
#include "formats/unity/bytes.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"

#include <inttypes.h>
#include <stdlib.h>

enum { BODY_MAX = 256 << 20, STEP = 64 << 10 };
enum { KIND_DATA, KIND_LOG }; /* of kinds */

static const struct {
	const char *guid, *name;
} kinds[UNITY_TCP_KINDS] = {
    {"c58d77184f4b4b59b3fffc6f800ae10e", "profiler data"},
    {"394ada038ba04f26b0011a6cdeb05a62", "log"},
    {"3ded2ddacdf246d8a3f601741741e7a9", "clean log"},
    {"fe9b18127f6045c68db230d993d2a210", "ping"},
    {"38a5d246506546dfaedb6653f6e22b33", "application quit"},
    {"62ba6073d907426995e768e2c8a2b368", "no further connections"},
    {"2257466d0e0e47da89826cf04e68135c", "set profiler mode"},
    {"c48d097f8fea463494b8f08b0b55d05a", "memory record mode"},
    {"bf0c550cd24d498cbb28380a8467622d", "deep profiling"},
    {"18207525e148469ea059ec2cdfb026a5", "marker filter"},
    {"6cfdfe5ac10d4b79bfe27e8abe06915f", "instrumented assemblies"},
    {"1e792ecb5c9f4a8381d0d03528b6ae7b", "audio flags"},
    {"94d3ae57ca4b4ed98408b827f180853d", "player info"},
    {"14473694eb0a4963870aaab63efb7507", "object memory request"},
    {"8584ee18ea264718873cd92b109a0761", "object memory data"},
    {"4b9386de901a4ae2bb70084edca4c7f4", "memory snapshot request"},
    {"f3a50e1a63f9400f914d9407cd8094fb", "memory snapshot data"},
    {"edcadf462a69df81547ff4f30a52530c", "memory snapshot data"},
    {"c626f85c1d3492369e59250f015f8129", "memory snapshot begin"},
    {"80491b35c7645ea780edbe7c1d834138", "memory snapshot end"},
    {"c2a22f5d7091478ab4d6c163a7573c35", "file transfer"},
    {"4d7008c6e970447a8c34f3be95f74d66", "Lua profile"},
};

static bool is_guid(const uint8_t *p, const char *guid)
{
	bool plain = true, swapped = true;

	for (int i = 0; i < 16; i++) {
		unsigned hi = (unsigned)num_hex_digit(guid[i * 2]);
		unsigned lo = (unsigned)num_hex_digit(guid[i * 2 + 1]);

		plain &= p[i] == (hi << 4 | lo);
		swapped &= p[i] == (lo << 4 | hi);
	}
	return plain || swapped;
}

/* UNITY_TCP_KINDS: none that is known. */
static unsigned kind_of(const uint8_t *guid)
{
	unsigned k = 0;

	while (k < UNITY_TCP_KINDS && !(kinds[k].guid && is_guid(guid, kinds[k].guid)))
		k++;
	return k;
}

/* Up to the next magic number, after bytes that are no message. */
static void unity_tcp_resynchronize(struct unity_tcp *t)
{
	struct cursor *in = t->in;
	size_t n;

	t->damaged++;
	in->pos++;
	t->skipped++;
	while ((n = cursor_available(in, 4)) >= 4) {
		const uint8_t *p = in->pos;
		size_t i = 0;

		while (i + 4 <= n && le32(p + i) != UNITY_TCP_MAGIC)
			i++;
		in->pos += i;
		t->skipped += i;
		if (i + 4 <= n)
			return;
	}
	in->pos += n;
	t->skipped += n;
}

/* "u32 type, then text", of which some have a length before it. What of the body was used. */
static uint32_t parse_log(struct unity_tcp *t, uint32_t size)
{
	struct cursor *in = t->in;
	uint32_t want = size < UNITY_LOG_TEXT + 8 ? size : UNITY_LOG_TEXT + 8;
	size_t have = cursor_available(in, want);
	const char *p = (const char *)in->pos + 4;
	struct unity_log log = {.offset = t->given};
	size_t n;

	if (have < want || want < 4)
		return 0;
	if (t->logged == UNITY_LOGS) {
		t->logs_left++;
		return 0;
	}
	log.level = le32(in->pos);
	n = want - 4;
	if (n >= 4 && le32(p) == size - 8) {
		p += 4;
		n -= 4;
	}
	t->logs_cut += n > UNITY_LOG_TEXT || want < size;
	n = n < UNITY_LOG_TEXT ? n : UNITY_LOG_TEXT;
	while (n && (!p[n - 1] || p[n - 1] == '\n' || p[n - 1] == '\r'))
		n--;
	log.n = (uint32_t)n;
	log.text = mem_strndup(p, n);
	VEC_PUSH(t->logs, t->n_logs, t->cap_logs) = log;
	t->logged++;
	in->pos += want;
	return want;
}

static void forget_logs(struct unity_tcp *t)
{
	for (size_t i = 0; i < t->n_logs; i++)
		free(t->logs[i].text);
	t->n_logs = t->next_log = 0;
}

const struct unity_log *unity_tcp_log(struct unity_tcp *t, uint64_t offset)
{
	if (t->next_log < t->n_logs && t->logs[t->next_log].offset <= offset)
		return &t->logs[t->next_log++];
	if (t->next_log == t->n_logs)
		forget_logs(t);
	return NULL;
}

/* Moves to the body of the next message with data; false: none. */
static bool unity_tcp_next_data(struct unity_tcp *t)
{
	struct cursor *in = t->in;

	while (!cursor_failed(in)) {
		size_t have = cursor_available(in, UNITY_TCP_HEADER);
		const uint8_t *p = in->pos;
		unsigned kind;
		uint32_t size;

		if (have < UNITY_TCP_HEADER) {
			t->skipped += have;
			in->pos += have;
			return false;
		}
		size = le32(p + 20);
		if (le32(p) != UNITY_TCP_MAGIC || size > BODY_MAX) {
			unity_tcp_resynchronize(t);
			continue;
		}
		kind = kind_of(p + 4);
		in->pos += UNITY_TCP_HEADER;
		if (kind == KIND_DATA) {
			t->data++;
			t->left = size;
			return true;
		}
		if (kind == KIND_LOG)
			size -= parse_log(t, size);
		else if (kind < UNITY_TCP_KINDS)
			t->kinds[kind]++;
		else
			t->others++;
		while (size && (have = cursor_available(in, 1))) {
			have = have < size ? have : size;
			in->pos += have;
			size -= (uint32_t)have;
		}
		t->missing += size;
	}
	return false;
}

static bool unity_tcp_refill(struct cursor *c, size_t need)
{
	struct unity_tcp *t = c->owner;
	uint64_t offset = cursor_offset(c);
	size_t len = cursor_window(c);

	if (len && c->pos != t->window)
		memmove(t->window, c->pos, len);
	/* more than is needed, so that bytes are moved few times */
	while (len < need + STEP && !t->ended) {
		size_t have;

		if (!t->left && !unity_tcp_next_data(t)) {
			t->ended = true;
			break;
		}
		if (!t->left)
			continue;
		have = cursor_available(t->in, 1);
		if (!have) {
			t->missing += t->left;
			t->ended = true;
			break;
		}
		have = have < t->left ? have : (size_t)t->left;
		have = have < STEP ? have : (size_t)STEP;
		if (t->cap < len + have)
			t->window = mem_grow(t->window, &t->cap, len + have, 1);
		memcpy(t->window + len, t->in->pos, have);
		t->in->pos += have;
		t->left -= have;
		t->given += have;
		len += have;
	}
	c->base = c->pos = t->window;
	c->base_offset = offset;
	c->end = t->window + len;
	c->at_end = t->ended;
	if (cursor_failed(t->in)) {
		*c->e = *t->in->e;
		return len >= need;
	}
	return true;
}

void unity_tcp_init(struct unity_tcp *t, struct cursor *in)
{
	*t = (struct unity_tcp){.in = in};
	t->window = mem_grow(NULL, &t->cap, STEP, 1);
	cursor_init(&t->payload, t->window, 0, 0, in->e);
	t->payload.at_end = false;
	t->payload.refill = unity_tcp_refill;
	t->payload.owner = t;
}

void unity_tcp_release(struct unity_tcp *t)
{
	forget_logs(t);
	free(t->logs);
	free(t->window);
	*t = (struct unity_tcp){0};
}

void unity_tcp_notes(struct unity_tcp *t, struct trace *to)
{
	for (unsigned k = 0; k < UNITY_TCP_KINDS; k++)
		if (t->kinds[k])
			trace_note(to, NOTE_INFO, t->kinds[k],
				   "other messages in the "
				   "connection: %s",
				   kinds[k].name);

	const struct trace_loss losses[] = {
	    LOSS_WITH(NOTE_LOSS, t->logs_cut, "lines of the log are cut after {} bytes",
		      UNITY_LOG_TEXT),
	    LOSS_WITH(NOTE_LOSS, t->logs_left,
		      "lines of the log follow the first {} and were not read", UNITY_LOGS),
	    LOSS(NOTE_INFO, t->others, "other messages in the connection: of an unknown kind"),
	    LOSS(NOTE_LOSS, t->damaged, "places in the connection hold no message"),
	    LOSS(NOTE_LOSS, t->skipped, "bytes of the connection belong to no message"),
	    LOSS(NOTE_LOSS, t->missing, "bytes of the last message are missing"),
	};

	TRACE_LOSSES(to, losses);
	memset(t->kinds, 0, sizeof t->kinds);
	t->others = t->skipped = t->damaged = t->missing = t->logs_cut = t->logs_left = 0;
}

int unity_tcp_bid(const uint8_t *head, size_t n)
{
	if (n < UNITY_TCP_HEADER || le32(head) != UNITY_TCP_MAGIC || le32(head + 20) > BODY_MAX)
		return 0;
	return kind_of(head + 4) < UNITY_TCP_KINDS ? 128 : 33;
}
