/* RoCE v2 queue pairs. Reliable: acknowledgements, alone or for several packets,
 * go-back-N or selective retransmission, local ack time-out with retry count, RNR
 * with its own count and timer. Unreliable: a message with a gap is dropped.
 * Datagrams. All may be limited in rate, by a parameter or by DCQCN. */
#define HSIM_KIND_TRANSPORT
#include "hsim.h"
#include "psn.h"
#include "rto.h"
#include "sack.h"
#include "table.h"

#include "dcqcn.h"
#include "param.h"

enum {
	/* Ethernet preamble, header, FCS and gap 38, IPv4 20, UDP 8, BTH 12, ICRC 4 */
	HEADER = 82,
	RETH = 16,
	DETH = 8,
	IMMEDIATE = 4,
	ACK = 86, /* HEADER + AETH 4 */
	CNP = 98, /* HEADER + 16 reserved */
	STATUS_RETRY = 12,
	STATUS_RNR = 13,
	NAK_SEQUENCE = 0,
	NAK_RNR = 1,
	/* A limited flow sends trains of this long at most, so that its rate holds in small. */
	TRAIN = 4000000, /* ps */
};

struct qp {
	uint32_t next; /* PSN of the next packet */
	uint32_t una;  /* oldest unacknowledged */
	uint32_t high; /* after the highest ever sent */
	uint32_t rx;   /* expected from the peer */
	uint32_t mtu;
	uint32_t window;
	int64_t blocked; /* send nothing before */
	int64_t rto;
	uint32_t seen; /* after the last that came */
	uint32_t owed; /* packets taken and not acknowledged */
	struct hold *held; /* selective, receiver: what came after a gap */
	struct sack *w;    /* and sender: what the peer told of */
	uint8_t service;
	uint8_t naked; /* a NAK for rx is out */
	uint8_t armed;
	uint8_t skip; /* unreliable: the rest of the message is dropped */
	uint8_t retries, retry_max;
	uint8_t rnrs, rnr_max;
	/* a cache line ends here */
	int64_t rnr;
	int64_t free;  /* limited rate: when the next packet may leave */
	int64_t asked; /* when an acknowledgement was last asked for */
	uint32_t wanted; /* and of the packets before which one */
	int64_t told;  /* when the peer was last notified of congestion */
	uint8_t repeats; /* times the oldest packet was refused in a row */
	struct rate rate;
};

TABLE(struct qp, qp)

__attribute__((export_name("hsim_abi_transport_v1"))) int32_t abi(void) {
	return HSIM_FEATURE_RELIABLE | HSIM_FEATURE_UNRELIABLE | HSIM_FEATURE_DATAGRAM | HSIM_FEATURE_NOTIFY_WITH_WRITE | HSIM_FEATURE_READ |
		HSIM_FEATURE_SEND | HSIM_FEATURE_ORDERED | HSIM_FEATURE_SHARED;
}

__attribute__((export_name("hsim_buffer"))) int32_t buffer(int32_t size) {
	return (uint32_t)size <= sizeof lib_buffer ? (int32_t)(uintptr_t)lib_buffer : 0;
}

int32_t hsim_transport_start(void) {
	if (param_spray) param_retransmit = SELECTIVE;
	return 0;
}

static int reliable(const struct qp *q) { return q->service == HSIM_SERVICE_RELIABLE; }

static void attributes(struct qp *q, const struct hsim_conn *c) {
	uint32_t most = param_retransmit == SELECTIVE ? RING : PSN_WINDOW;
	q->mtu = c->mtu;
	q->window = c->window ? c->window : param_window ? (uint32_t)param_window : most;
	if (q->window > most) q->window = most;
	q->rto = rto_verbs(c->ack_timeout);
	q->retry_max = (uint8_t)c->retry_count;
	q->rnr_max = (uint8_t)c->rnr_count;
	q->rnr = rnr_delay(c->rnr_timer);
	q->service = c->service;
}

int32_t hsim_transport_open(struct hsim_conn *c) {
	struct qp *q = qp_open(c->id);
	if (q == 0) return HSIM_STATUS_NO_MEMORY;
	*q = (struct qp){0};
	attributes(q, c);
	q->next = q->una = q->high = q->rx = q->seen = q->wanted = c->initial_psn;
	q->told = INT64_MIN / 2;
	rate_open(&q->rate, c->rate);
	return 0;
}

int32_t hsim_transport_modify(struct hsim_conn *c) {
	attributes(qp_at(c->id), c);
	return 0;
}

void hsim_transport_close(int32_t id) { (void)id; }

/* limit is the rate that a queue pair is held to, 0 for none. */
static int64_t limit(const struct qp *q) {
	int64_t r = param_cc && rate_limits(&q->rate) ? q->rate.now : 0;
	return param_rate > 0 && (r == 0 || param_rate < r) ? param_rate : r;
}

static void pace(struct qp *q, int64_t rate, int64_t bytes, int64_t now) {
	int64_t gap = bytes * 8000000000000 / rate;
	/* A packet that had to wait for its port may be followed by one on time. */
	if (q->free < now - gap) q->free = now - gap;
	q->free += gap;
	if (param_cc) rate_sent(&q->rate, bytes);
}

int64_t hsim_transport_next(int32_t id, int64_t left, int64_t room, struct hsim_packet *p) {
	struct qp *q = qp_at(id);
	uint32_t flight = q->next - q->una;
	int64_t n = left < room ? left : room, rate = 0;
	uint32_t npkts;
	int again = p->flags & HSIM_FLAG_RETRANSMISSION; /* one that a verdict named */
	if (q->blocked > p->now) {
		p->not_before = q->blocked;
		return 0;
	}
	if (flight >= q->window && reliable(q) && !again) return 0;
	if (param_rate | param_cc) {
		if (param_cc) rate_at(&q->rate, p->now);
		rate = limit(q);
		if (rate > 0 && q->free > p->now) {
			p->not_before = q->free;
			return 0;
		}
	}
	npkts = n == 0 ? 1 : (uint32_t)((n + q->mtu - 1) / q->mtu);
	if (rate > 0 && npkts > 1) {
		int64_t most = rate / 8000000 * TRAIN / 1000000 / q->mtu;
		if (most < 1) most = 1;
		if (npkts > most) {
			npkts = (uint32_t)most;
			n = (int64_t)npkts * q->mtu;
		}
	}
	if (!again && reliable(q)) {
		if (npkts > q->window - flight) {
			npkts = q->window - flight;
			n = (int64_t)npkts * q->mtu;
		}
		/* An acknowledgement may be needed before the message ends; one under way will do. */
		if (param_ack > 1 && psn_diff(q->una, q->wanted) >= 0 && (flight + npkts >= q->window || (q->rto > 0 && p->now - q->asked > q->rto / 4))) {
			p->flags |= HSIM_FLAG_ACK_REQUEST;
			q->asked = p->now;
			q->wanted = q->next + npkts;
		}
	}
	p->npkts = npkts;
	p->payload = (uint32_t)n;
	p->wire = (uint32_t)n + npkts * HEADER;
	if (q->service == HSIM_SERVICE_DATAGRAM)
		p->wire += DETH;
	else if (p->flags & HSIM_FLAG_FIRST)
		p->wire += RETH;
	if (n == left && (p->flags & HSIM_FLAG_NOTIFY)) p->wire += IMMEDIATE;
	if (param_spray) p->flags |= HSIM_FLAG_SPRAY;
	if (again) {
		p->flags |= HSIM_FLAG_ACK_REQUEST;
		sack_again(q->w, p->psn, q->high);
	} else {
		p->psn = q->next;
		q->next += npkts;
		if (psn_diff(q->next, q->high) > 0)
			q->high = q->next;
		else
			p->flags |= HSIM_FLAG_RETRANSMISSION;
	}
	if (rate > 0) pace(q, rate, p->wire, p->now);
	if (!q->armed && q->rto > 0 && reliable(q)) {
		q->armed = 1;
		p->timer = p->now + q->rto;
	}
	return n;
}

static void acknowledged(struct qp *q, uint32_t psn, struct hsim_verdict *v) {
	if (psn_diff(psn, q->una) <= 0 || psn_diff(psn, q->high) > 0) return;
	if (q->next - q->una >= q->window) v->wake = 1;
	if (q->w != 0) sack_forget(q->w, q->una, psn);
	q->una = psn;
	if (psn_diff(q->una, q->next) > 0) q->next = q->una;
	q->retries = q->rnrs = q->repeats = 0;
	v->acked_valid = 1;
	v->acked = psn;
	if (q->una == q->high) {
		q->armed = 0;
		v->timer = -1;
	} else if (q->rto > 0) {
		q->armed = 1;
		v->timer = v->now + q->rto;
	}
}

/* answer acknowledges what has come. */
static void answer(struct qp *q, struct hsim_verdict *v, uint32_t acks) {
	q->owed = 0;
	v->reply = 1;
	v->reply_kind = HSIM_PACKET_ACK;
	v->reply_psn = q->rx;
	v->reply_wire = ACK * acks;
	if (q->held != 0 && q->held->early > 0) hold_tell(q->held, q->rx, v); /* and what of the rest */
}

static void refuse(struct qp *q, struct hsim_verdict *v, uint32_t why) {
	q->naked = 1; /* what follows is out of sequence for the same reason */
	q->owed = 0;
	v->reply = 1;
	v->reply_kind = HSIM_PACKET_NAK;
	v->reply_psn = q->rx;
	v->reply_wire = ACK;
	v->reply_cc[0] = why;
}

/* expected takes the packet that comes next. */
static void expected(struct qp *q, const struct hsim_packet *p, struct hsim_verdict *v) {
	v->deliver = HSIM_DELIVER_IN_ORDER;
	q->rx += p->npkts;
	q->naked = 0;
	if (q->held != 0 && q->held->early > 0) {
		v->deliver = HSIM_DELIVER_OUT_OF_ORDER;
		q->rx = hold_close(q->held, q->rx);
		answer(q, v, 1);
		return;
	}
	q->owed += p->npkts;
	if (p->flags & (HSIM_FLAG_LAST | HSIM_FLAG_ACK_REQUEST)) {
		answer(q, v, (q->owed + (uint32_t)param_ack - 1) / (uint32_t)param_ack);
	} else if (q->owed >= param_ack) {
		uint32_t rest = q->owed % (uint32_t)param_ack;
		answer(q, v, q->owed / (uint32_t)param_ack);
		q->owed = rest;
	}
}

static void data(struct qp *q, const struct hsim_packet *p, struct hsim_verdict *v) {
	int32_t gap = psn_diff(p->psn, q->rx);
	int restarted = psn_diff(p->psn, q->seen) < 0; /* the sender has gone back */
	q->seen = p->psn + p->npkts;
	if (gap == 0 && !(p->flags & HSIM_FLAG_NO_RECEIVE)) {
		expected(q, p, v);
		return;
	}
	v->deliver = HSIM_DELIVER_DROP;
	if (gap == 0) {
		refuse(q, v, NAK_RNR);
	} else if (gap < 0) { /* sent twice: say again what has arrived */
		answer(q, v, 1);
	} else if (param_retransmit == SELECTIVE) {
		if (hold_of(&q->held, v) == 0) return;
		if (!(p->flags & HSIM_FLAG_NO_RECEIVE) && hold_take(q->held, q->rx, RING, p->psn, p->npkts)) v->deliver = HSIM_DELIVER_OUT_OF_ORDER;
		if (q->held->early > 0) answer(q, v, 1);
	} else if (!q->naked || restarted) {
		refuse(q, v, NAK_SEQUENCE);
	}
}

/* unreliable drops messages with a gap up to the next one. */
static void unreliable(struct qp *q, const struct hsim_packet *p, struct hsim_verdict *v) {
	int32_t gap = psn_diff(p->psn, q->rx);
	v->deliver = HSIM_DELIVER_DROP;
	if (gap < 0) return; /* late: its message is given up */
	q->rx = p->psn + p->npkts;
	if (p->flags & HSIM_FLAG_FIRST)
		q->skip = 0;
	else if (gap > 0)
		q->skip = 1;
	if (p->flags & HSIM_FLAG_NO_RECEIVE) q->skip = 1;
	if (!q->skip) v->deliver = HSIM_DELIVER_IN_ORDER;
}

/* notify tells the sender that packets of it were marked. */
static void notify(struct qp *q, const struct hsim_packet *p) {
	static struct hsim_packet cnp;
	if (p->now - q->told < dcqcn.interval) return;
	q->told = p->now;
	cnp = (struct hsim_packet){.size = sizeof cnp, .kind = HSIM_PACKET_CNP, .conn = p->conn, .wire = CNP, .lane = p->lane};
	hsim_send(&cnp);
}

static void sack(struct qp *q, const struct hsim_packet *p, struct hsim_verdict *v) {
	uint32_t end;
	acknowledged(q, p->psn, v);
	if (sack_of(&q->w, v) == 0 || p->psn != q->una) return; /* an old one */
	sack_learn(q->w, q->una, q->high, p);
	end = q->w->told - (param_reorder ? (uint32_t)param_reorder : param_spray ? REORDER : 1) + 1;
	if (psn_diff(end, q->una) > 0) sack_missing(q->w, v, q->una, end, 0);
}

static void nak(struct qp *q, const struct hsim_packet *p, struct hsim_verdict *v) {
	acknowledged(q, p->psn, v);
	if (psn_diff(p->psn, q->una) < 0) return; /* an old one */
	q->wanted = q->una;
	if (p->cc[0] == NAK_RNR) {
		if (q->rnr_max != 7 && q->rnrs++ >= q->rnr_max) {
			v->status = STATUS_RNR;
			return;
		}
		q->blocked = p->now + q->rnr;
		if (q->rto > 0) v->timer = q->blocked + q->rto;
	} else {
		rto_spread(&q->blocked, &q->repeats, p);
		if (q->rto > 0) v->timer = (q->blocked > p->now ? q->blocked : p->now) + q->rto;
	}
	if (param_retransmit == SELECTIVE) {
		if (sack_of(&q->w, v) != 0) sack_missing(q->w, v, q->una, q->high, 1);
		return;
	}
	q->next = q->una;
	v->go_back_valid = 1;
	v->go_back = q->una;
}

void hsim_transport_receive(struct hsim_packet *p, struct hsim_verdict *v) {
	struct qp *q = qp_at(p->conn);
	if (p->flags & HSIM_FLAG_CORRUPT) { /* its check sum fails, so it is as if it had not come */
		v->deliver = HSIM_DELIVER_DROP;
		return;
	}
	switch (p->kind) {
	case HSIM_PACKET_DATA:
	case HSIM_PACKET_READ_REQUEST:
		if (p->marked > 0 && param_cc) notify(q, p);
		if (reliable(q))
			data(q, p, v);
		else if (q->service == HSIM_SERVICE_UNRELIABLE)
			unreliable(q, p, v);
		else
			v->deliver = p->flags & HSIM_FLAG_NO_RECEIVE ? HSIM_DELIVER_DROP : HSIM_DELIVER_IN_ORDER;
		break;
	case HSIM_PACKET_ACK:
		acknowledged(q, p->psn, v);
		break;
	case HSIM_PACKET_SACK:
		sack(q, p, v);
		break;
	case HSIM_PACKET_NAK:
		nak(q, p, v);
		break;
	case HSIM_PACKET_CNP:
		if (param_cc) rate_cut(&q->rate, p->now);
		break;
	}
}

void hsim_transport_timer(int32_t id, struct hsim_verdict *v) {
	struct qp *q = qp_at(id);
	q->armed = 0;
	if (q->una == q->high) return;
	if (q->retries++ >= q->retry_max) {
		v->status = STATUS_RETRY;
		return;
	}
	v->wake = 1;
	q->wanted = q->una;
	if (param_retransmit == SELECTIVE) {
		if (sack_of(&q->w, v) != 0) sack_missing(q->w, v, q->una, q->high, 1);
		return;
	}
	q->next = q->una;
	v->go_back_valid = 1;
	v->go_back = q->una;
}

void hsim_transport_link(uint32_t port, uint32_t up, int64_t rate) { (void)port, (void)up, (void)rate; }
