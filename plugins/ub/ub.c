/* UnifiedBus transports. RTP: sequence numbers, one TPACK per arrival, an
 * out-of-order window where packets may overtake each other (several paths, or
 * spray) or retransmission is selective, go-back-N on a TPNAK, what is missing on
 * a TPSACK, time-outs that first ask with one packet whether anything is lost.
 * CTP: no retransmission of its own, a transaction acknowledgement per arrival, an
 * error when none comes. UTP: packets alone, and nothing else. Memory: load and
 * store packets with compact headers, otherwise as CTP. */
#define HSIM_KIND_TRANSPORT
#include "hsim.h"
#include "param.h"
#include "psn.h"
#include "rto.h"
#include "sack.h"
#include "table.h"

enum {
	/* numbers of the topology's protocols (conn.protocol) */
	UB_CTP = 0,
	UB_TP = 1,
	UB_MEM = 2,
	HCCS = 3,
	UBOE = 4,

	/* data link 4 + IP network header 6 + IPv4 20 + UDP 8 + RTP 16 + transaction 8 + address 16 */
	RTP_HEADER = 78,
	/* the same down to RTP, congestion extension 8, ack transaction header 8 */
	RTP_ACK = 70,
	/* data link 4 + CNA16 8 + transaction 8 + address 16 */
	CTP_HEADER = 36,
	CTP_ACK = 24,
	/* as RTP without its 16: what UTP has in their place is not published */
	UTP_HEADER = 62,
	/* data link 4 + CNA16 8 + compact transaction 4 + compact address 12, a 512 B store each */
	MEM_HEADER = 28,
	MEM_STORE = 512,
	MEM_ACK = 16, /* data link 4 + CNA16 8 + compact ack transaction 4 */
	NOTIFY = 8, /* notify data of a write with notify */

	STATUS_RETRY = 12,
	STATUS_RNR = 13,
	ORDER_LOWER = 3,
	NAK_SEQUENCE = 0,
	NAK_RNR = 1,
};

struct tp {
	uint32_t next, una, high, rx;
	uint32_t seen; /* after the last packet that came */
	uint32_t mtu, window, ooo;
	uint32_t ask;    /* asking: after the last packet sent before */
	int64_t asked;   /* when a time-out had the oldest packet sent again */
	int64_t blocked; /* receiver not ready: send nothing before */
	int64_t rnr;
	struct hold *held; /* receiver: what came after a gap */
	struct sack *w;    /* sender, selective: what the peer told of */
	uint8_t protocol, paths, service;
	uint8_t unordered; /* packets may overtake each other: several paths, or spray */
	uint8_t holds;     /* a receiver keeps what comes after a gap */
	uint8_t fast;      /* a gap is a loss */
	uint8_t retries, rnrs, rnr_max;
	uint8_t naked, armed, asking;
	uint8_t repeats; /* times the oldest packet was lost in a row */
};

TABLE(struct tp, tp)

__attribute__((export_name("hsim_abi_transport_v1"))) int32_t abi(void) {
	return HSIM_FEATURE_RELIABLE | HSIM_FEATURE_UNRELIABLE | HSIM_FEATURE_DATAGRAM | HSIM_FEATURE_MEMORY | HSIM_FEATURE_NOTIFY_WITH_WRITE |
		HSIM_FEATURE_REDUCE | HSIM_FEATURE_REMOTE_REGISTERS | HSIM_FEATURE_READ | HSIM_FEATURE_SEND | HSIM_FEATURE_MULTIPATH |
		HSIM_FEATURE_ATOMIC | HSIM_FEATURE_SHARED;
}

__attribute__((export_name("hsim_describe"))) int64_t describe(void) {
	return (int64_t)(uintptr_t)about << 32 | (int64_t)(sizeof about - 1);
}

__attribute__((export_name("hsim_buffer"))) int32_t buffer(int32_t size) {
	return (uint32_t)size <= sizeof lib_buffer ? (int32_t)(uintptr_t)lib_buffer : 0;
}

int32_t hsim_transport_start(void) { return 0; }

static int reliable(const struct tp *t) { return t->service == HSIM_SERVICE_RELIABLE || t->service == HSIM_SERVICE_MEMORY; }

static int rtp(const struct tp *t) { return (t->protocol == UB_TP || t->protocol == UBOE) && reliable(t); }

static int repairs(const struct tp *t) { return rtp(t) && param.retransmit; }

static void attributes(struct tp *t, const struct hsim_conn *c) {
	t->mtu = c->mtu;
	t->protocol = c->protocol;
	t->service = c->service;
	t->paths = (uint8_t)c->npaths;
	t->unordered = t->paths > 1 || param.spray;
	t->holds = t->unordered || (repairs(t) && param.selective);
	t->fast = param.fast == FAST_ON || (param.fast == FAST_AUTO && !t->unordered);
	t->ooo = 128u << param.ooo_window;
	t->window = c->window ? c->window : rtp(t) || t->unordered ? (uint32_t)param.window : PSN_WINDOW;
	if (t->holds && t->window > t->ooo) t->window = t->ooo;
	t->rnr_max = (uint8_t)c->rnr_count;
	t->rnr = rnr_delay(c->rnr_timer);
}

int32_t hsim_transport_open(struct hsim_conn *c) {
	struct tp *t = tp_open(c->id);
	if (t == 0) return HSIM_STATUS_NO_MEMORY;
	*t = (struct tp){0};
	attributes(t, c);
	if (c->order == ORDER_LOWER && t->unordered) return HSIM_STATUS_INVALID;
	t->next = t->una = t->high = t->rx = t->seen = c->initial_psn;
	return 0;
}

int32_t hsim_transport_modify(struct hsim_conn *c) {
	attributes(tp_at(c->id), c);
	return 0;
}

void hsim_transport_close(int32_t id) { (void)id; }

/* timed says that what is not answered has a time-out. */
static int timed(const struct tp *t) { return rtp(t) ? param.retransmit != 0 : param.ta_timeout != 0; }

static int64_t timeout(const struct tp *t) {
	if (!rtp(t)) return param.ta_timeout;
	return param.rto == RTO_DYNAMIC ? rto_step(param.rto_base, (uint32_t)param.rto_exponent, t->retries) : STATIC[param.rto_static];
}

static uint32_t wire(const struct tp *t, uint32_t bytes, uint32_t npkts) {
	if (!reliable(t)) return bytes + npkts * UTP_HEADER;
	switch (t->protocol) {
	case UB_CTP:
		return bytes + npkts * CTP_HEADER;
	case UB_TP:
	case UBOE:
		return bytes + npkts * RTP_HEADER;
	}
	return bytes + (bytes == 0 ? 1 : (bytes + MEM_STORE - 1) / MEM_STORE) * MEM_HEADER;
}

static void resent(int64_t packets) { hsim_count("packets sent again", 18, packets); }

int64_t hsim_transport_next(int32_t id, int64_t left, int64_t room, struct hsim_packet *p) {
	struct tp *t = tp_at(id);
	uint32_t flight = t->next - t->una;
	int64_t n = left < room ? left : room;
	uint32_t npkts;
	int again = p->flags & HSIM_FLAG_RETRANSMISSION; /* one that a verdict named */
	if (t->blocked > p->now) {
		p->not_before = t->blocked;
		return 0;
	}
	if (!again && flight >= t->window && reliable(t)) return 0;
	/* A retransmitted train could cover packets that came early; alone each is
	 * either taken or known. */
	if (t->holds && psn_diff(t->next, t->high) < 0 && n > t->mtu) n = t->mtu;
	npkts = n == 0 ? 1 : (uint32_t)((n + t->mtu - 1) / t->mtu);
	if (!again && npkts > t->window - flight && reliable(t)) {
		npkts = t->window - flight;
		n = (int64_t)npkts * t->mtu;
	}
	p->npkts = npkts;
	p->payload = (uint32_t)n;
	if (param.spray) p->flags |= HSIM_FLAG_SPRAY;
	p->wire = wire(t, (uint32_t)n, npkts);
	if (n == left && (p->flags & HSIM_FLAG_NOTIFY)) p->wire += NOTIFY;
	if (p->kind == HSIM_PACKET_READ_REQUEST && t->protocol == UB_MEM) p->wire += (uint32_t)param.load_request;
	if (t->protocol == UB_MEM) {
		p->cc[0] = t->rx;
		p->cc[1] = 1;
	}
	if (again) {
		if (t->w != 0) sack_again(t->w, p->psn, t->high);
		resent(1);
	} else {
		p->psn = t->next;
		t->next += npkts;
		if (psn_diff(t->next, t->high) > 0) {
			t->high = t->next;
		} else {
			p->flags |= HSIM_FLAG_RETRANSMISSION;
			resent(npkts);
		}
	}
	if (!t->armed && reliable(t) && timed(t)) {
		t->armed = 1;
		p->timer = p->now + timeout(t);
	}
	return n;
}

static void acknowledged(struct tp *t, uint32_t psn, struct hsim_verdict *v) {
	if (psn_diff(psn, t->una) <= 0 || psn_diff(psn, t->high) > 0) return;
	if (t->next - t->una >= t->window) v->wake = 1;
	if (t->w != 0) sack_forget(t->w, t->una, psn);
	t->una = psn;
	if (psn_diff(t->una, t->next) > 0) t->next = t->una;
	t->retries = t->rnrs = t->repeats = 0;
	v->acked_valid = 1;
	v->acked = psn;
	if (t->una == t->high) {
		t->armed = 0;
		v->timer = -1;
	} else if (timed(t)) {
		t->armed = 1;
		v->timer = v->now + timeout(t);
	}
}

/* answer acknowledges a packet or train with as many as it has packets, which
 * travel together, or with one. */
static void answer(const struct tp *t, struct hsim_verdict *v, uint32_t npkts) {
	v->reply = 1;
	v->reply_kind = HSIM_PACKET_ACK;
	v->reply_wire = (rtp(t) ? RTP_ACK : t->protocol == UB_MEM ? MEM_ACK : CTP_ACK) * npkts;
	v->reply_psn = t->rx;
	if (repairs(t) && param.selective && t->held != 0 && t->held->early > 0) hold_tell(t->held, t->rx, v);
}

static void refuse(struct tp *t, struct hsim_verdict *v, uint32_t why) {
	answer(t, v, 1);
	v->reply_kind = HSIM_PACKET_NAK;
	v->reply_ext_len = 0;
	v->reply_cc[0] = why;
	t->naked = 1; /* what follows is out of sequence for the same reason */
}

static void data(struct tp *t, const struct hsim_packet *p, struct hsim_verdict *v) {
	int32_t gap = psn_diff(p->psn, t->rx);
	int restarted = psn_diff(p->psn, t->seen) < 0; /* the sender has gone back */
	int unready = p->flags & HSIM_FLAG_NO_RECEIVE;
	/* A train whose packets would mostly overtake each other gets one. */
	uint32_t acks = !t->unordered || param.ack_early ? p->npkts : 1;
	t->seen = p->psn + p->npkts;
	v->deliver = HSIM_DELIVER_DROP;
	if (gap == 0 && unready) {
		refuse(t, v, NAK_RNR);
	} else if (gap < 0) { /* sent twice: say again what has arrived */
		answer(t, v, acks);
	} else if (gap > 0 && !t->holds) { /* one path keeps order, so something is lost */
		if ((!t->naked || restarted) && t->fast && (repairs(t) || !rtp(t))) refuse(t, v, NAK_SEQUENCE);
	} else if (gap > 0) {
		if (!unready && hold_of(&t->held, v) != 0 && hold_take(t->held, t->rx, t->ooo, p->psn, p->npkts)) v->deliver = HSIM_DELIVER_OUT_OF_ORDER;
		if (!rtp(t) || param.ack_early || (repairs(t) && param.selective)) answer(t, v, acks);
	} else {
		v->deliver = HSIM_DELIVER_IN_ORDER;
		if (t->held != 0 && t->held->early > 0) { /* what is sent again may cover what came early */
			for (uint32_t i = 1; i < p->npkts; i++)
				if (ring_has(t->held->bits, p->psn + i)) {
					v->deliver = HSIM_DELIVER_DROP;
					answer(t, v, acks);
					return;
				}
			v->deliver = HSIM_DELIVER_OUT_OF_ORDER;
		}
		t->rx += p->npkts;
		if (t->held != 0) t->rx = hold_close(t->held, t->rx);
		t->naked = 0;
		answer(t, v, acks);
	}
	/* What a load brings is its acknowledgement, with the number in next. */
	if (t->protocol == UB_MEM && p->kind == HSIM_PACKET_READ_REQUEST && v->reply_kind == HSIM_PACKET_ACK) v->reply = 0;
}

static void go_back(struct tp *t, struct hsim_verdict *v) {
	t->next = t->una;
	v->go_back_valid = 1;
	v->go_back = t->una;
}

/* answered takes what an acknowledgement says of a question that a time-out
 * asked. The answer to the packet sent again, or to a later one, means that what
 * was sent before has come by now or is lost; the answer to an earlier one, that
 * acknowledgements are late. */
static void answered(struct tp *t, const struct hsim_packet *p, struct hsim_verdict *v) {
	/* Over several paths an answer may come to what was sent later. */
	if (p->sent_at < t->asked || (t->unordered && !v->acked_valid)) {
		if (v->acked_valid) t->asking = 0;
		return;
	}
	t->asking = 0;
	if (psn_diff(t->una, t->ask) >= 0) return;
	if (param.selective && t->w != 0) {
		sack_missing(t->w, v, t->una, t->ask, 1);
	} else if (!t->unordered) {
		go_back(t, v);
	} else { /* the receiver holds what it has: the next that it lacks */
		t->asking = 1;
		t->asked = p->now;
		v->resend_valid = 1;
		v->resend = t->una;
		v->resend_count = 1;
		v->resend_map = 0;
	}
}

static void nak(struct tp *t, const struct hsim_packet *p, struct hsim_verdict *v) {
	acknowledged(t, p->psn, v);
	if (psn_diff(p->psn, t->una) < 0) return; /* an old one */
	if (p->cc[0] == NAK_RNR) {
		if (t->rnr_max != 7 && t->rnrs++ >= t->rnr_max) {
			v->status = STATUS_RNR;
			return;
		}
		t->blocked = p->now + t->rnr;
		v->timer = rtp(t) || timed(t) ? t->blocked + timeout(t) : -1;
	} else if (!rtp(t)) {
		v->timer = 0; /* a loss below CTP is final: the time-out reports it */
		return;
	} else {
		rto_spread(&t->blocked, &t->repeats, p);
		v->timer = (t->blocked > p->now ? t->blocked : p->now) + timeout(t);
	}
	t->armed = 1;
	t->asking = 0;
	if (param.selective && repairs(t) && sack_of(&t->w, v) != 0)
		sack_missing(t->w, v, t->una, t->next, 1);
	else
		go_back(t, v);
}

static void sack(struct tp *t, const struct hsim_packet *p, struct hsim_verdict *v) {
	acknowledged(t, p->psn, v);
	if (sack_of(&t->w, v) == 0 || p->psn != t->una) return; /* an old one */
	sack_learn(t->w, t->una, t->high, p);
	if (t->asking)
		answered(t, p, v);
	else if (t->fast && psn_diff(t->w->told, t->una) > 0)
		sack_missing(t->w, v, t->una, t->w->told, 0);
}

void hsim_transport_receive(struct hsim_packet *p, struct hsim_verdict *v) {
	struct tp *t = tp_at(p->conn);
	if (p->flags & HSIM_FLAG_CORRUPT) { /* the link's check fails: as if it had not come */
		v->deliver = HSIM_DELIVER_DROP;
		return;
	}
	switch (p->kind) {
	case HSIM_PACKET_DATA:
	case HSIM_PACKET_READ_REQUEST:
		if (!reliable(t)) {
			v->deliver = p->flags & HSIM_FLAG_NO_RECEIVE ? HSIM_DELIVER_DROP : HSIM_DELIVER_IN_ORDER;
			break;
		}
		if (t->protocol == UB_MEM && p->cc[1]) acknowledged(t, p->cc[0], v);
		data(t, p, v);
		break;
	case HSIM_PACKET_ACK:
		acknowledged(t, p->psn, v);
		if (t->asking) answered(t, p, v);
		break;
	case HSIM_PACKET_SACK:
		sack(t, p, v);
		break;
	case HSIM_PACKET_NAK:
		nak(t, p, v);
		break;
	}
}

void hsim_transport_timer(int32_t id, struct hsim_verdict *v) {
	struct tp *t = tp_at(id);
	t->armed = 0;
	if (t->una == t->high) return;
	if (!rtp(t) || t->retries >= param.retries) {
		v->status = STATUS_RETRY;
		return;
	}
	hsim_count("time-outs", 9, 1);
	t->retries++;
	t->asking = 1;
	t->asked = v->now;
	if (psn_diff(t->ask, t->una) <= 0 || psn_diff(t->ask, t->high) > 0) t->ask = t->next;
	if (psn_diff(t->next, t->ask) > 0) t->ask = t->next;
	v->timer = v->now + timeout(t);
	t->armed = 1;
	v->resend_valid = 1;
	v->resend = t->una;
	v->resend_count = 1;
	v->resend_map = 0;
}

void hsim_transport_link(uint32_t port, uint32_t up, int64_t rate) { (void)port, (void)up, (void)rate; }
