/* What both ends know of a window beyond a number: the receiver which packets it
 * holds after a gap, the sender which of them the peer has told of and which were
 * sent again. */
#ifndef HSIM_LIB_SACK_H
#define HSIM_LIB_SACK_H

#include <stdint.h>

#include "hsim.h"
#include "psn.h"
#include "ring.h"
#include "table.h"

enum { SACK_NO_ROOM = 2 }; /* local QP operation error */

/* hold is the receiver's part. */
struct hold {
	uint32_t bits[RING_WORDS]; /* packets beyond the expected one */
	uint32_t early;            /* their number */
	uint32_t top;              /* after the last of them */
};

/* sack is the sender's part. */
struct sack {
	uint32_t known[RING_WORDS]; /* those that the peer holds */
	uint32_t again[RING_WORDS]; /* sent again */
	uint32_t mark[RING];        /* of those in again: what was next to be sent then */
	uint32_t told;              /* after the last in known */
};

/* What a verdict points at, which the host reads before the next call. */
static uint32_t sack_list[RING_WORDS];

/* hold_of and sack_of make room when it is first needed; the connection fails where
 * there is none. */
static inline struct hold *hold_of(struct hold **h, struct hsim_verdict *v) {
	if (*h == 0 && (*h = lib_alloc(sizeof **h)) == 0) v->status = SACK_NO_ROOM;
	return *h;
}

static inline struct sack *sack_of(struct sack **w, struct hsim_verdict *v) {
	if (*w == 0 && (*w = lib_alloc(sizeof **w)) == 0) v->status = SACK_NO_ROOM;
	return *w;
}

/* hold_take takes packets beyond rx into a window of size packets. It says 0 where
 * one of them is there already or does not fit. */
static inline int hold_take(struct hold *h, uint32_t rx, uint32_t size, uint32_t psn, uint32_t npkts) {
	uint32_t end = psn + npkts, i;
	if (psn_diff(end, rx) > (int32_t)size) return 0;
	for (i = psn; i != end; i++)
		if (ring_has(h->bits, i)) return 0;
	for (i = psn; i != end; i++) ring_set(h->bits, i);
	if (h->early == 0 || psn_diff(end, h->top) > 0) h->top = end;
	h->early += npkts;
	return 1;
}

/* hold_close is the next packet expected after rx, where those that are held no
 * longer are beyond a gap. */
static inline uint32_t hold_close(struct hold *h, uint32_t rx) {
	for (; h->early > 0 && ring_has(h->bits, rx); rx++, h->early--) ring_clear(h->bits, rx);
	return rx;
}

/* hold_tell puts the bits of what is held, from rx on, beside a reply. */
static inline void hold_tell(const struct hold *h, uint32_t rx, struct hsim_verdict *v) {
	uint32_t words = (h->top - rx + 31) / 32, i;
	for (i = 0; i < words; i++) sack_list[i] = ring_word(h->bits, rx + i * 32);
	v->reply_kind = HSIM_PACKET_SACK;
	v->reply_ext_ptr = (uint32_t)(uintptr_t)sack_list;
	v->reply_ext_len = words * 4;
	v->reply_wire += words * 4;
}

/* sack_forget drops what is known of packets from una to psn, which are
 * acknowledged. */
static inline void sack_forget(struct sack *w, uint32_t una, uint32_t psn) {
	for (; una != psn; una++) {
		ring_clear(w->known, una);
		ring_clear(w->again, una);
	}
}

/* sack_learn reads the bits that came beside packet p. */
static inline void sack_learn(struct sack *w, uint32_t una, uint32_t high, const struct hsim_packet *p) {
	const uint32_t *bits = (const uint32_t *)(uintptr_t)p->ext_ptr;
	uint32_t i, b;
	for (i = 0; i < p->ext_len / 4; i++)
		for (b = bits[i]; b != 0; b &= b - 1) {
			uint32_t psn = p->psn + i * 32 + (uint32_t)__builtin_ctz(b);
			if (psn_diff(psn, high) >= 0) return;
			ring_set(w->known, psn);
			if (psn_diff(psn, w->told) >= 0 || psn_diff(w->told, una) < 0) w->told = psn + 1;
		}
}

/* sack_again notes that packet psn is sent again while high is next. */
static inline void sack_again(struct sack *w, uint32_t psn, uint32_t high) {
	w->mark[psn % RING] = high;
	ring_set(w->again, psn);
}

/* sack_missing has the packets from una to end sent again that the peer does not
 * hold: all of them, or those that it should, since it has one that was sent after
 * them. It returns their number. */
static inline uint32_t sack_missing(struct sack *w, struct hsim_verdict *v, uint32_t una, uint32_t end, int all) {
	uint32_t n = end - una, i, some = 0;
	for (i = 0; i < (n + 31) / 32; i++) {
		uint32_t lost = ~ring_word(w->known, una + i * 32);
		if (n - i * 32 < 32) lost &= (1u << (n - i * 32)) - 1;
		if (!all) {
			uint32_t seen = lost & ring_word(w->again, una + i * 32);
			for (; seen != 0; seen &= seen - 1) {
				uint32_t bit = (uint32_t)__builtin_ctz(seen);
				if (psn_diff(end, w->mark[(una + i * 32 + bit) % RING]) <= 0) lost &= ~(1u << bit);
			}
		}
		sack_list[i] = lost;
		some += (uint32_t)__builtin_popcount(lost);
	}
	if (some == 0) return 0;
	v->resend_valid = 1;
	v->resend = una;
	v->resend_count = n;
	v->resend_map = (uint32_t)(uintptr_t)sack_list;
	return some;
}

#endif
