/* DCQCN (Zhu et al., SIGCOMM 2015): the sender's rate from the notifications that
 * its receiver sends for marked packets. Timers are caught up with when the rate is
 * asked for, so that a flow costs no events of its own. */
#ifndef HSIM_RDMA_DCQCN_H
#define HSIM_RDMA_DCQCN_H

#include <stdint.h>

enum { ALPHA_ONE = 1 << 20 };

/* Parameters; the values are those the paper's authors give for their network,
 * and of simulators that reproduce it. */
static struct {
	int64_t interval;   /* N: between two notifications of a flow */
	int64_t alpha_time; /* K */
	int64_t rate_time;  /* T */
	int64_t bytes;      /* B */
	int64_t ai, hai;    /* additive and hyper increase */
	int64_t least;
	int64_t gain;       /* 1/g */
	uint32_t recovery;  /* F: steps of fast recovery */
} dcqcn = {50000000, 55000000, 55000000, 10 << 20, 40000000, 100000000, 10000000, 256, 5};

struct rate {
	int64_t line;
	int64_t now, target; /* bit/s */
	int64_t alpha_at, rate_at; /* when the timers run out */
	int64_t sent; /* bytes since the byte counter ran out */
	uint32_t alpha;
	uint32_t times, counts; /* increases by timer and by bytes since the last notification */
};

static void rate_open(struct rate *r, int64_t line) {
	*r = (struct rate){.line = line, .now = line, .target = line, .alpha = ALPHA_ONE};
}

/* rate_limits says whether a flow has to be slower than its line. */
static int rate_limits(const struct rate *r) { return r->now < r->line; }

static void rate_up(struct rate *r) {
	uint32_t most = r->times > r->counts ? r->times : r->counts;
	uint32_t least = r->times < r->counts ? r->times : r->counts;
	if (most > dcqcn.recovery) r->target += least > dcqcn.recovery ? dcqcn.hai : dcqcn.ai;
	if (r->target > r->line) r->target = r->line;
	/* Half the way, rounded up, so that it arrives. */
	r->now = (r->now + r->target + 1) / 2;
	if (r->now > r->line) r->now = r->line;
}

/* rate_at brings the timers up to date. */
static void rate_at(struct rate *r, int64_t now) {
	if (r->alpha_at == 0) return; /* never notified */
	while (rate_limits(r) && r->rate_at <= now) {
		r->times++;
		rate_up(r);
		r->rate_at += dcqcn.rate_time;
	}
	while (r->alpha > 0 && r->alpha_at <= now) {
		r->alpha -= (uint32_t)((r->alpha + dcqcn.gain - 1) / dcqcn.gain);
		r->alpha_at += dcqcn.alpha_time;
	}
}

/* rate_sent counts bytes; call it after rate_at. */
static void rate_sent(struct rate *r, int64_t bytes) {
	if (!rate_limits(r)) return;
	for (r->sent += bytes; r->sent >= dcqcn.bytes; r->sent -= dcqcn.bytes) {
		r->counts++;
		rate_up(r);
	}
}

/* rate_cut takes a notification. */
static void rate_cut(struct rate *r, int64_t now) {
	rate_at(r, now);
	r->target = r->now;
	r->now -= (r->now * r->alpha / ALPHA_ONE) / 2;
	if (r->now < dcqcn.least) r->now = dcqcn.least < r->line ? dcqcn.least : r->line;
	r->alpha += (uint32_t)((ALPHA_ONE - r->alpha) / dcqcn.gain);
	r->alpha_at = now + dcqcn.alpha_time;
	r->rate_at = now + dcqcn.rate_time;
	r->sent = 0;
	r->times = r->counts = 0;
}

#endif
