/* UnifiedBus transports. RTP: sequence numbers, one TPACK per arrival, an
 * out-of-order window when packets may overtake each other (several paths, or
 * spray), go-back-N on a TPNAK or on the dynamic time-out. CTP: no retransmission of its own, a
 * transaction acknowledgement per arrival, an error when none comes. Memory:
 * load and store packets with compact headers, otherwise as CTP. */
#include "hsim.h"
#include "psn.h"
#include "rto.h"
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
	/* data link 4 + CNA16 8 + compact transaction 4 + compact address 12, a 512 B store each */
	MEM_HEADER = 28,
	MEM_STORE = 512,
	MEM_ACK = 16, /* data link 4 + CNA16 8 + compact ack transaction 4 */
	NOTIFY = 8, /* notify data of a write with notify */

	OOO_WINDOW = 2048,
	STATUS_RETRY = 12,
	STATUS_RNR = 13,
	ORDER_LOWER = 3,
	NAK_SEQUENCE = 0,
	NAK_RNR = 1,
};

static const int64_t RTO_STATIC[4] = {512000000, 16000000000, 128000000000, 4000000000000}; /* 512 us, 16 ms, 128 ms, 4 s */
static const int64_t TA_TIMEOUT = 4000000000000; /* CTP: jetty time-out step 8, 4 s */

struct tp {
	uint32_t next, una, high, rx;
	uint32_t mtu, window;
	uint32_t early;  /* packets held beyond rx */
	uint32_t *map;   /* of them, by psn modulo OOO_WINDOW */
	int64_t blocked; /* receiver not ready: send nothing before */
	int64_t rnr;
	uint8_t protocol, paths;
	uint8_t unordered; /* packets may overtake each other: several paths, or spray */
	uint8_t retries, rnrs, rnr_max;
	uint8_t naked, armed;
};

TABLE(struct tp, tp)

static int64_t param_window = 1000;
static int64_t param_spray;
static int64_t param_ack_early = 1;
static int64_t param_retransmit = 1;
static int64_t param_load_request;
static int64_t param_dynamic;              /* 20, 160, 1280 us ... by default */
static int64_t param_static = 1;           /* in RTO_STATIC */
static int64_t param_base = 20000000;      /* 20 us */
static int64_t param_exponent = 3;
static int64_t param_retries = 7;

static const char about[] =
	"{\"name\":\"ub\",\"version\":\"1.0\",\"about\":\"UnifiedBus RTP, CTP and memory access\",\"params\":["
	"{\"name\":\"mtu\",\"type\":\"bytes\",\"default\":\"4KiB\",\"about\":\"payload of a full packet: 256, 512, 1024, 2048, 4096 or 8192\"},"
	"{\"name\":\"window\",\"type\":\"int\",\"default\":\"1000\",\"about\":\"packets in flight of one RTP channel, or of any connection whose packets may overtake each other\"},"
	"{\"name\":\"spray\",\"type\":\"bool\",\"default\":\"false\",\"about\":\"switches pick a path per packet, not per flow\"},"
	"{\"name\":\"ack_early\",\"type\":\"bool\",\"default\":\"true\",\"about\":\"RTP: a packet beyond the expected one is acknowledged too, not only the one that closes the gap\"},"
	"{\"name\":\"retransmit\",\"type\":\"bool\",\"default\":\"true\",\"about\":\"RTP: send again what is lost; false where nothing is, or what is lost is to stay lost\"},"
	"{\"name\":\"load_request\",\"type\":\"bytes\",\"default\":\"0\",\"about\":\"memory: what a load request carries beside its headers\"},"
	"{\"name\":\"rto\",\"type\":\"enum\",\"default\":\"static\",\"values\":[\"static\",\"dynamic\"],\"about\":\"RTP: time-outs are all equal, or rto_base * 2^(rto_exponent * retry)\"},"
	"{\"name\":\"rto_static\",\"type\":\"enum\",\"default\":\"16ms\",\"values\":[\"512us\",\"16ms\",\"128ms\",\"4s\"],\"about\":\"RTP: a static time-out\"},"
	"{\"name\":\"rto_base\",\"type\":\"time\",\"default\":\"20us\",\"about\":\"RTP: the first dynamic time-out, 4us to 2097152us\"},"
	"{\"name\":\"rto_exponent\",\"type\":\"int\",\"default\":\"3\",\"about\":\"RTP: how many doublings lie between dynamic time-outs, 0 to 7\"},"
	"{\"name\":\"retries\",\"type\":\"int\",\"default\":\"7\",\"about\":\"RTP: time-outs in a row that are retried, 0 to 7; the next one is an error\"}]}";

__attribute__((export_name("hsim_abi_transport_v1"))) int32_t abi(void) {
	return HSIM_FEATURE_RELIABLE | HSIM_FEATURE_MEMORY | HSIM_FEATURE_NOTIFY_WITH_WRITE | HSIM_FEATURE_REDUCE |
		HSIM_FEATURE_REMOTE_REGISTERS | HSIM_FEATURE_READ | HSIM_FEATURE_SEND | HSIM_FEATURE_MULTIPATH |
		HSIM_FEATURE_ATOMIC;
}

__attribute__((export_name("hsim_describe"))) int64_t describe(void) {
	return (int64_t)(uintptr_t)about << 32 | (int64_t)(sizeof about - 1);
}

__attribute__((export_name("hsim_set_param"))) int32_t set_param(int32_t index, int64_t value) {
	switch (index) {
	case 0: /* the host cuts messages by it */
		return value >= 256 && value <= 8192 && (value & (value - 1)) == 0 ? 0 : HSIM_STATUS_INVALID;
	case 1:
		if (value < 1 || value > OOO_WINDOW) return HSIM_STATUS_INVALID;
		param_window = value;
		return 0;
	case 2:
		param_spray = value != 0;
		return 0;
	case 3:
		param_ack_early = value != 0;
		return 0;
	case 4:
		param_retransmit = value != 0;
		return 0;
	case 5:
		if (value < 0 || value > 8192) return HSIM_STATUS_INVALID;
		param_load_request = value;
		return 0;
	case 6:
		param_dynamic = value;
		return 0;
	case 7:
		param_static = value;
		return 0;
	case 8:
		if (value < 4000000 || value > 2097152000000) return HSIM_STATUS_INVALID;
		param_base = value;
		return 0;
	case 9:
		if (value < 0 || value > 7) return HSIM_STATUS_INVALID;
		param_exponent = value;
		return 0;
	case 10:
		if (value < 0 || value > 7) return HSIM_STATUS_INVALID;
		param_retries = value;
		return 0;
	}
	return HSIM_STATUS_INVALID;
}

__attribute__((export_name("hsim_buffer"))) int32_t buffer(int32_t size) {
	return (uint32_t)size <= sizeof lib_buffer ? (int32_t)(uintptr_t)lib_buffer : 0;
}

__attribute__((export_name("hsim_transport_start"))) int32_t start(void) { return 0; }

static int rtp(const struct tp *t) { return t->protocol == UB_TP || t->protocol == UBOE; }

static void attributes(struct tp *t, const struct hsim_conn *c) {
	t->mtu = c->mtu;
	t->protocol = c->protocol;
	t->paths = (uint8_t)c->npaths;
	t->unordered = t->paths > 1 || param_spray;
	t->window = c->window ? c->window : rtp(t) || t->unordered ? (uint32_t)param_window : PSN_WINDOW;
	if (t->unordered && t->window > OOO_WINDOW) t->window = OOO_WINDOW;
	t->rnr_max = (uint8_t)c->rnr_count;
	t->rnr = rnr_delay(c->rnr_timer);
}

__attribute__((export_name("hsim_transport_open"))) int32_t open(const struct hsim_conn *c) {
	struct tp *t = tp_open(c->id);
	if (t == 0) return HSIM_STATUS_NO_MEMORY;
	*t = (struct tp){0};
	attributes(t, c);
	if (c->order == ORDER_LOWER && t->unordered) return HSIM_STATUS_INVALID;
	t->next = t->una = t->high = t->rx = c->initial_psn;
	return 0;
}

__attribute__((export_name("hsim_transport_modify"))) int32_t modify(const struct hsim_conn *c) {
	attributes(tp_at(c->id), c);
	return 0;
}

__attribute__((export_name("hsim_transport_close"))) void close(int32_t id) { (void)id; }

static int64_t timeout(const struct tp *t) {
	if (!rtp(t)) return TA_TIMEOUT;
	return param_dynamic ? rto_step(param_base, (uint32_t)param_exponent, t->retries) : RTO_STATIC[param_static];
}

static uint32_t wire(const struct tp *t, uint32_t bytes, uint32_t npkts) {
	switch (t->protocol) {
	case UB_CTP:
		return bytes + npkts * CTP_HEADER;
	case UB_TP:
	case UBOE:
		return bytes + npkts * RTP_HEADER;
	}
	return bytes + (bytes == 0 ? 1 : (bytes + MEM_STORE - 1) / MEM_STORE) * MEM_HEADER;
}

__attribute__((export_name("hsim_transport_next"))) int64_t next(int32_t id, int64_t left, int64_t room, struct hsim_packet *p) {
	struct tp *t = tp_at(id);
	uint32_t flight = t->next - t->una;
	int64_t n = left < room ? left : room;
	uint32_t npkts;
	if (t->blocked > p->now) {
		p->not_before = t->blocked;
		return 0;
	}
	if (flight >= t->window) return 0;
	/* A retransmitted train could cover packets that came early; alone each is
	 * either taken or known. */
	if (t->unordered && psn_diff(t->next, t->high) < 0 && n > t->mtu) n = t->mtu;
	npkts = n == 0 ? 1 : (uint32_t)((n + t->mtu - 1) / t->mtu);
	if (npkts > t->window - flight) {
		npkts = t->window - flight;
		n = (int64_t)npkts * t->mtu;
	}
	p->psn = t->next;
	p->npkts = npkts;
	p->payload = (uint32_t)n;
	if (param_spray) p->flags |= HSIM_FLAG_SPRAY;
	p->wire = wire(t, (uint32_t)n, npkts);
	if (n == left && (p->flags & HSIM_FLAG_NOTIFY)) p->wire += NOTIFY;
	if (p->kind == HSIM_PACKET_READ_REQUEST && t->protocol == UB_MEM) p->wire += (uint32_t)param_load_request;
	if (t->protocol == UB_MEM) {
		p->cc[0] = t->rx;
		p->cc[1] = 1;
	}
	t->next += npkts;
	if (psn_diff(t->next, t->high) > 0)
		t->high = t->next;
	else
		p->flags |= HSIM_FLAG_RETRANSMISSION;
	if (!t->armed && (param_retransmit || !rtp(t))) {
		t->armed = 1;
		p->timer = p->now + timeout(t);
	}
	return n;
}

static void acknowledged(struct tp *t, uint32_t psn, struct hsim_verdict *v) {
	if (psn_diff(psn, t->una) <= 0 || psn_diff(psn, t->high) > 0) return;
	if (t->next - t->una >= t->window) v->wake = 1;
	t->una = psn;
	if (psn_diff(t->una, t->next) > 0) t->next = t->una;
	t->retries = t->rnrs = 0;
	v->acked_valid = 1;
	v->acked = psn;
	if (t->una == t->high) {
		t->armed = 0;
		v->timer = -1;
	} else if (param_retransmit || !rtp(t)) {
		t->armed = 1;
		v->timer = v->now + timeout(t);
	}
}

static int held(const struct tp *t, uint32_t psn) {
	uint32_t i = psn & (OOO_WINDOW - 1);
	return t->map[i >> 5] >> (i & 31) & 1;
}

static void flip(struct tp *t, uint32_t psn) {
	uint32_t i = psn & (OOO_WINDOW - 1);
	t->map[i >> 5] ^= 1u << (i & 31);
}

/* early takes a packet beyond the expected one into the window; it says 0 for
 * one that is there already or does not fit. */
static int early(struct tp *t, const struct hsim_packet *p) {
	uint32_t i;
	if (psn_diff(p->psn + p->npkts, t->rx) > OOO_WINDOW) return 0;
	if (t->map == 0 && (t->map = lib_alloc(OOO_WINDOW / 8)) == 0) return 0;
	for (i = 0; i < p->npkts; i++)
		if (held(t, p->psn + i)) return 0;
	for (i = 0; i < p->npkts; i++) flip(t, p->psn + i);
	t->early += p->npkts;
	return 1;
}

static void data(struct tp *t, const struct hsim_packet *p, struct hsim_verdict *v) {
	int32_t gap = psn_diff(p->psn, t->rx);
	v->deliver = HSIM_DELIVER_DROP;
	v->reply = 1;
	v->reply_kind = HSIM_PACKET_ACK;
	v->reply_wire = rtp(t) ? RTP_ACK : t->protocol == UB_MEM ? MEM_ACK : CTP_ACK;
	/* A train is acknowledged by as many as it has packets, which travel together;
	 * by one where most of its packets would overtake each other and get none. */
	if (!t->unordered || param_ack_early) v->reply_wire *= p->npkts;
	v->reply_psn = t->rx;
	/* What a load brings is its acknowledgement, with the number in next. */
	if (t->protocol == UB_MEM && p->kind == HSIM_PACKET_READ_REQUEST) v->reply = 0;
	if (gap == 0 && (p->flags & HSIM_FLAG_NO_RECEIVE)) {
		v->reply_kind = HSIM_PACKET_NAK;
		v->reply_cc[0] = NAK_RNR;
		t->naked = 1; /* what follows is out of sequence for the same reason */
		return;
	}
	if (gap < 0) return; /* sent twice: say again what has arrived */
	if (gap > 0 && !t->unordered) { /* one path keeps order, so something is lost */
		v->reply_kind = HSIM_PACKET_NAK;
		v->reply_cc[0] = NAK_SEQUENCE;
		if (t->naked || (rtp(t) && !param_retransmit)) v->reply = 0;
		t->naked = 1;
		return;
	}
	if (gap > 0) {
		if (!(p->flags & HSIM_FLAG_NO_RECEIVE) && early(t, p)) v->deliver = HSIM_DELIVER_OUT_OF_ORDER;
		if (rtp(t) && !param_ack_early) v->reply = 0;
		return;
	}
	if (t->early > 0) { /* a retransmission may cover what came early */
		uint32_t i;
		for (i = 1; i < p->npkts; i++)
			if (held(t, p->psn + i)) return;
	}
	v->deliver = t->early > 0 ? HSIM_DELIVER_OUT_OF_ORDER : HSIM_DELIVER_IN_ORDER;
	t->rx += p->npkts;
	while (t->early > 0 && held(t, t->rx)) {
		flip(t, t->rx);
		t->rx++;
		t->early--;
	}
	t->naked = 0;
	v->reply_psn = t->rx;
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
		v->timer = t->blocked + timeout(t);
	} else if (!rtp(t)) {
		v->timer = 0; /* a loss below CTP is final: the time-out reports it */
		return;
	} else {
		v->timer = p->now + timeout(t);
	}
	t->next = t->una;
	v->go_back_valid = 1;
	v->go_back = t->una;
}

__attribute__((export_name("hsim_transport_receive"))) void receive(const struct hsim_packet *p, struct hsim_verdict *v) {
	struct tp *t = tp_at(p->conn);
	switch (p->kind) {
	case HSIM_PACKET_DATA:
	case HSIM_PACKET_READ_REQUEST:
		if (t->protocol == UB_MEM && p->cc[1]) acknowledged(t, p->cc[0], v);
		data(t, p, v);
		break;
	case HSIM_PACKET_ACK:
		acknowledged(t, p->psn, v);
		break;
	case HSIM_PACKET_NAK:
		nak(t, p, v);
		break;
	}
}

__attribute__((export_name("hsim_transport_timer"))) void timer(int32_t id, struct hsim_verdict *v) {
	struct tp *t = tp_at(id);
	t->armed = 0;
	if (t->una == t->high) return;
	if (!rtp(t) || t->retries >= param_retries) {
		v->status = STATUS_RETRY;
		return;
	}
	t->retries++;
	t->next = t->una;
	v->go_back_valid = 1;
	v->go_back = t->una;
	v->wake = 1;
}

__attribute__((export_name("hsim_transport_link"))) void link(uint32_t port, uint32_t up, int64_t rate) {
	(void)port, (void)up, (void)rate;
}
