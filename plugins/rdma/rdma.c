/* RoCE v2 reliable connections: 24-bit PSN, one acknowledgement per arrival,
 * NAK on a gap, go-back-N, local ack time-out with retry count, RNR with its own
 * count and timer. */
#include "hsim.h"
#include "psn.h"
#include "rto.h"
#include "table.h"

enum {
	/* Ethernet preamble, header, FCS and gap 38, IPv4 20, UDP 8, BTH 12, ICRC 4 */
	HEADER = 82,
	RETH = 16,
	IMMEDIATE = 4,
	ACK = 86, /* HEADER + AETH 4 */
	STATUS_RETRY = 12,
	STATUS_RNR = 13,
	NAK_SEQUENCE = 0,
	NAK_RNR = 1,
};

struct qp {
	uint32_t next;  /* PSN of the next packet */
	uint32_t una;   /* oldest unacknowledged */
	uint32_t high;  /* after the highest ever sent */
	uint32_t rx;    /* expected from the peer */
	uint32_t mtu;
	uint32_t window;
	int64_t rto;
	int64_t blocked; /* RNR: send nothing before */
	int64_t rnr;
	uint8_t retries, retry_max;
	uint8_t rnrs, rnr_max;
	uint8_t naked; /* a NAK for rx is out */
	uint8_t armed;
};

TABLE(struct qp, qp)

static int64_t param_window;

static const char about[] =
	"{\"name\":\"rdma\",\"version\":\"1.0\",\"about\":\"RoCE v2 reliable connections with go-back-N\",\"params\":["
	"{\"name\":\"mtu\",\"type\":\"bytes\",\"default\":\"4KiB\",\"about\":\"payload of a full packet: 256, 512, 1024, 2048 or 4096\"},"
	"{\"name\":\"window\",\"type\":\"int\",\"default\":\"0\",\"about\":\"packets in flight of one connection, 0 = the sequence space\"},"
	"{\"name\":\"cc\",\"type\":\"enum\",\"default\":\"none\",\"values\":[\"none\"],\"about\":\"congestion control\"}]}";

__attribute__((export_name("hsim_abi_transport_v1"))) int32_t abi(void) {
	return HSIM_FEATURE_RELIABLE | HSIM_FEATURE_NOTIFY_WITH_WRITE | HSIM_FEATURE_READ | HSIM_FEATURE_SEND | HSIM_FEATURE_ORDERED;
}

__attribute__((export_name("hsim_describe"))) int64_t describe(void) {
	return (int64_t)(uintptr_t)about << 32 | (int64_t)(sizeof about - 1);
}

__attribute__((export_name("hsim_set_param"))) int32_t set_param(int32_t index, int64_t value) {
	switch (index) {
	case 0: /* the host cuts messages by it */
		return value == 256 || value == 512 || value == 1024 || value == 2048 || value == 4096 ? 0 : HSIM_STATUS_INVALID;
	case 1:
		if (value < 0 || value > PSN_WINDOW) return HSIM_STATUS_INVALID;
		param_window = value;
		return 0;
	case 2:
		return value == 0 ? 0 : HSIM_STATUS_INVALID;
	}
	return HSIM_STATUS_INVALID;
}

__attribute__((export_name("hsim_buffer"))) int32_t buffer(int32_t size) {
	return (uint32_t)size <= sizeof lib_buffer ? (int32_t)(uintptr_t)lib_buffer : 0;
}

__attribute__((export_name("hsim_transport_start"))) int32_t start(void) { return 0; }

static void attributes(struct qp *q, const struct hsim_conn *c) {
	q->mtu = c->mtu;
	q->window = c->window ? c->window : param_window ? (uint32_t)param_window : PSN_WINDOW;
	q->rto = rto_verbs(c->ack_timeout);
	q->retry_max = (uint8_t)c->retry_count;
	q->rnr_max = (uint8_t)c->rnr_count;
	q->rnr = rnr_delay(c->rnr_timer);
}

__attribute__((export_name("hsim_transport_open"))) int32_t open(const struct hsim_conn *c) {
	struct qp *q = qp_open(c->id);
	if (q == 0) return HSIM_STATUS_NO_MEMORY;
	*q = (struct qp){0};
	attributes(q, c);
	q->next = q->una = q->high = q->rx = c->initial_psn;
	return 0;
}

__attribute__((export_name("hsim_transport_modify"))) int32_t modify(const struct hsim_conn *c) {
	attributes(qp_at(c->id), c);
	return 0;
}

__attribute__((export_name("hsim_transport_close"))) void close(int32_t id) { (void)id; }

__attribute__((export_name("hsim_transport_next"))) int64_t next(int32_t id, int64_t left, int64_t room, struct hsim_packet *p) {
	struct qp *q = qp_at(id);
	uint32_t flight = q->next - q->una;
	int64_t n = left < room ? left : room;
	uint32_t npkts;
	if (q->blocked > p->now) {
		p->not_before = q->blocked;
		return 0;
	}
	if (flight >= q->window) return 0;
	npkts = n == 0 ? 1 : (uint32_t)((n + q->mtu - 1) / q->mtu);
	if (npkts > q->window - flight) {
		npkts = q->window - flight;
		n = (int64_t)npkts * q->mtu;
	}
	p->psn = q->next;
	p->npkts = npkts;
	p->payload = (uint32_t)n;
	p->wire = (uint32_t)n + npkts * HEADER;
	if (p->flags & HSIM_FLAG_FIRST) p->wire += RETH;
	if (n == left && (p->flags & HSIM_FLAG_NOTIFY)) p->wire += IMMEDIATE;
	q->next += npkts;
	if (psn_diff(q->next, q->high) > 0)
		q->high = q->next;
	else
		p->flags |= HSIM_FLAG_RETRANSMISSION;
	if (!q->armed && q->rto > 0) {
		q->armed = 1;
		p->timer = p->now + q->rto;
	}
	return n;
}

static void acknowledged(struct qp *q, uint32_t psn, struct hsim_verdict *v) {
	if (psn_diff(psn, q->una) <= 0 || psn_diff(psn, q->high) > 0) return;
	if (q->next - q->una >= q->window) v->wake = 1;
	q->una = psn;
	if (psn_diff(q->una, q->next) > 0) q->next = q->una;
	q->retries = q->rnrs = 0;
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

static void data(struct qp *q, const struct hsim_packet *p, struct hsim_verdict *v) {
	int32_t gap = psn_diff(p->psn, q->rx);
	v->reply_wire = ACK;
	if (gap == 0 && (p->flags & HSIM_FLAG_NO_RECEIVE)) {
		v->deliver = HSIM_DELIVER_DROP;
		v->reply = 1;
		v->reply_kind = HSIM_PACKET_NAK;
		v->reply_psn = q->rx;
		v->reply_cc[0] = NAK_RNR;
		q->naked = 1; /* what follows is out of sequence for the same reason */
	} else if (gap == 0) {
		q->rx += p->npkts;
		q->naked = 0;
		v->deliver = HSIM_DELIVER_IN_ORDER;
		v->reply = 1;
		v->reply_kind = HSIM_PACKET_ACK;
		v->reply_psn = q->rx;
	} else if (gap < 0) { /* sent twice: say again what has arrived */
		v->deliver = HSIM_DELIVER_DROP;
		v->reply = 1;
		v->reply_kind = HSIM_PACKET_ACK;
		v->reply_psn = q->rx;
	} else {
		v->deliver = HSIM_DELIVER_DROP;
		if (q->naked) return;
		q->naked = 1;
		v->reply = 1;
		v->reply_kind = HSIM_PACKET_NAK;
		v->reply_psn = q->rx;
		v->reply_cc[0] = NAK_SEQUENCE;
	}
}

static void nak(struct qp *q, const struct hsim_packet *p, struct hsim_verdict *v) {
	acknowledged(q, p->psn, v);
	if (psn_diff(p->psn, q->una) < 0) return; /* an old one */
	if (p->cc[0] == NAK_RNR) {
		if (q->rnr_max != 7 && q->rnrs++ >= q->rnr_max) {
			v->status = STATUS_RNR;
			return;
		}
		q->blocked = p->now + q->rnr;
		if (q->rto > 0) v->timer = q->blocked + q->rto;
	} else if (q->rto > 0) {
		v->timer = p->now + q->rto;
	}
	q->next = q->una;
	v->go_back_valid = 1;
	v->go_back = q->una;
}

__attribute__((export_name("hsim_transport_receive"))) void receive(const struct hsim_packet *p, struct hsim_verdict *v) {
	struct qp *q = qp_at(p->conn);
	switch (p->kind) {
	case HSIM_PACKET_DATA:
	case HSIM_PACKET_READ_REQUEST:
		data(q, p, v);
		break;
	case HSIM_PACKET_ACK:
		acknowledged(q, p->psn, v);
		break;
	case HSIM_PACKET_NAK:
		nak(q, p, v);
		break;
	}
}

__attribute__((export_name("hsim_transport_timer"))) void timer(int32_t id, struct hsim_verdict *v) {
	struct qp *q = qp_at(id);
	q->armed = 0;
	if (q->una == q->high) return;
	if (q->retries++ >= q->retry_max) {
		v->status = STATUS_RETRY;
		return;
	}
	q->next = q->una;
	v->go_back_valid = 1;
	v->go_back = q->una;
	v->wake = 1;
}

__attribute__((export_name("hsim_transport_link"))) void link(uint32_t port, uint32_t up, int64_t rate) {
	(void)port, (void)up, (void)rate;
}
