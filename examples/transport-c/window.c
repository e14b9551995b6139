/* A transport plugin in C: a reliable protocol with a fixed window. Build it with
 * `hsim plugin build examples/transport-c`, or copy this directory, change it, and
 * build the copy; then say what it carries in sim.toml:
 *
 *     [transport]
 *     HCCS = { plugin = "transport-c.wasm", params = { window = 16 } }
 *
 * A connection has at most `window` packets under way and sends on when the
 * receiver has acknowledged some; window = 1 is stop-and-wait. So its rate is at
 * most window * mtu in a round trip, whatever the link can do. What is not
 * acknowledged in time is sent again from the oldest packet on. */
#define HSIM_KIND_TRANSPORT
#include "hsim.h"
#include "psn.h"   /* sequence numbers that wrap */
#include "rto.h"   /* time-outs */
#include "table.h" /* connections by number */

enum { HEADER = 40, ACK = 40, STATUS_RETRY = 12 };

HSIM_MODULE(transport, HSIM_FEATURE_RELIABLE | HSIM_FEATURE_NOTIFY_WITH_WRITE | HSIM_FEATURE_ORDERED)

HSIM_EXPORT("hsim_buffer") void *hsim_buffer(uint32_t size)
{
	return size <= sizeof lib_buffer ? lib_buffer : 0;
}

HSIM_DESCRIBE(
	"{\"name\":\"window\",\"version\":\"1.0\",\"about\":\"a fixed window, acknowledged packet by packet\",\"params\":["
	"{\"name\":\"mtu\",\"type\":\"bytes\",\"default\":\"4KiB\",\"about\":\"payload of a full packet: 256, 512, 1024, 2048 or 4096\"},"
	"{\"name\":\"window\",\"type\":\"int\",\"default\":\"16\",\"about\":\"packets under way on one connection; 1 = stop-and-wait\"}]}")

static uint32_t window = 16;

int32_t hsim_set_param(uint32_t index, int64_t value)
{
	if (index == 0) /* the host cuts messages by it and tells each connection */
		return value >= 256 && value <= 4096 && (value & (value - 1)) == 0 ? HSIM_STATUS_OK : HSIM_STATUS_INVALID;
	if (value < 1 || value > PSN_WINDOW) return HSIM_STATUS_INVALID;
	window = (uint32_t)value;
	return HSIM_STATUS_OK;
}

/* One end of a connection: both directions of it. */
struct line {
	uint32_t next;     /* number of the next packet to send */
	uint32_t oldest;   /* oldest that is not acknowledged */
	uint32_t newest;   /* after the last one ever sent */
	uint32_t expected; /* from the peer */
	uint32_t mtu;
	int64_t timeout;
	uint32_t retries, retry_max;
	int32_t armed; /* the timer is running */
};

TABLE(struct line, line)

int32_t hsim_transport_start(void) { return HSIM_STATUS_OK; }

int32_t hsim_transport_modify(struct hsim_conn *conn)
{
	struct line *l = line_at(conn->id);
	l->mtu = conn->mtu;
	l->timeout = rto_verbs(conn->ack_timeout);
	l->retry_max = conn->retry_count;
	return HSIM_STATUS_OK;
}

int32_t hsim_transport_open(struct hsim_conn *conn)
{
	struct line *l = line_open(conn->id);
	if (l == 0) return HSIM_STATUS_NO_MEMORY;
	*l = (struct line){ .next = conn->initial_psn, .oldest = conn->initial_psn, .newest = conn->initial_psn, .expected = conn->initial_psn };
	return hsim_transport_modify(conn);
}

void hsim_transport_close(int32_t id) { (void)id; }

/* The port could send: fill the next packet, or several that travel together as
 * one, and return their bytes. 0 = not now; an acknowledgement wakes us. */
int64_t hsim_transport_next(int32_t id, int64_t left, int64_t room, struct hsim_packet *packet)
{
	struct line *l = line_at(id);
	uint32_t under_way = l->next - l->oldest;
	if (under_way >= window) return 0;

	int64_t n = left < room ? left : room;
	uint32_t packets = n == 0 ? 1 : (uint32_t)((n + l->mtu - 1) / l->mtu);
	uint32_t most = window - under_way;
	if (most > (window + 3) / 4) most = (window + 3) / 4; /* a quarter at a time keeps the window sliding */
	if (packets > most) {
		packets = most;
		n = (int64_t)packets * l->mtu;
	}
	packet->psn = l->next;
	packet->npkts = packets;
	packet->payload = (uint32_t)n;
	packet->wire = (uint32_t)n + packets * HEADER;
	l->next += packets;
	if (psn_diff(l->next, l->newest) > 0)
		l->newest = l->next;
	else
		packet->flags |= HSIM_FLAG_RETRANSMISSION;
	if (!l->armed && l->timeout > 0) {
		l->armed = 1;
		packet->timer = packet->now + l->timeout;
	}
	return n;
}

/* A packet of the peer's data: take it if it is the expected one, and say what
 * has arrived so far in any case. */
static void data(struct line *l, const struct hsim_packet *packet, struct hsim_verdict *verdict)
{
	verdict->deliver = HSIM_DELIVER_DROP;
	if (packet->psn == l->expected) {
		verdict->deliver = HSIM_DELIVER_IN_ORDER;
		l->expected += packet->npkts;
	}
	verdict->reply = 1;
	verdict->reply_kind = HSIM_PACKET_ACK;
	verdict->reply_psn = l->expected;
	verdict->reply_wire = ACK;
}

/* The peer has everything before packet->psn. */
static void acknowledged(struct line *l, const struct hsim_packet *packet, struct hsim_verdict *verdict)
{
	if (psn_diff(packet->psn, l->oldest) <= 0 || psn_diff(packet->psn, l->newest) > 0) return;
	l->oldest = packet->psn;
	if (psn_diff(l->oldest, l->next) > 0) l->next = l->oldest;
	l->retries = 0;
	verdict->acked_valid = 1;
	verdict->acked = packet->psn;
	verdict->wake = 1;
	l->armed = l->oldest != l->newest && l->timeout > 0;
	verdict->timer = l->armed ? verdict->now + l->timeout : -1;
}

void hsim_transport_receive(struct hsim_packet *packet, struct hsim_verdict *verdict)
{
	struct line *l = line_at(packet->conn);
	if (packet->kind == HSIM_PACKET_DATA) data(l, packet, verdict);
	if (packet->kind == HSIM_PACKET_ACK) acknowledged(l, packet, verdict);
}

/* Nothing was acknowledged for too long: go back to the oldest packet. */
void hsim_transport_timer(int32_t id, struct hsim_verdict *verdict)
{
	struct line *l = line_at(id);
	l->armed = 0;
	if (l->oldest == l->newest) return;
	if (l->retries++ >= l->retry_max) {
		verdict->status = STATUS_RETRY;
		return;
	}
	l->next = l->oldest;
	verdict->go_back_valid = 1;
	verdict->go_back = l->oldest;
	verdict->wake = 1;
}

void hsim_transport_link(uint32_t port, uint32_t up, int64_t rate) { (void)port, (void)up, (void)rate; }
