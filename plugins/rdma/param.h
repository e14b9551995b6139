/* Parameters of the plugin: what they are called and what they may be. */
#ifndef HSIM_RDMA_PARAM_H
#define HSIM_RDMA_PARAM_H

#include "dcqcn.h"
#include "hsim.h"
#include "psn.h"
#include "ring.h"

enum {
	GO_BACK_N = 0,
	SELECTIVE = 1,
	REORDER = 512, /* sprayed packets overtake each other by less: 2 MiB, 84 us at 200 Gb/s */
};

static int64_t param_window;
static int64_t param_cc;
static int64_t param_retransmit;
static int64_t param_ack = 1;
static int64_t param_rate;
static int64_t param_spray;
static int64_t param_reorder;

static const char about[] =
	"{\"name\":\"rdma\",\"version\":\"1.1\",\"about\":\"RoCE v2 queue pairs: reliable, unreliable, datagram\",\"params\":["
	"{\"name\":\"mtu\",\"type\":\"bytes\",\"default\":\"4KiB\",\"about\":\"payload of a full packet: 256, 512, 1024, 2048 or 4096\"},"
	"{\"name\":\"window\",\"type\":\"int\",\"default\":\"0\",\"about\":\"packets in flight of one connection, 0 = the sequence space, or 2048 where retransmission is selective\"},"
	"{\"name\":\"cc\",\"type\":\"enum\",\"default\":\"none\",\"values\":[\"none\",\"dcqcn\"],\"about\":\"congestion control; dcqcn goes by the marks of switches\"},"
	"{\"name\":\"retransmit\",\"type\":\"enum\",\"default\":\"go-back-n\",\"values\":[\"go-back-n\",\"selective\"],\"about\":\"what is sent again after a loss: everything from it on, or what is missing\"},"
	"{\"name\":\"ack_every\",\"type\":\"int\",\"default\":\"1\",\"about\":\"packets that one acknowledgement stands for, 1 to 1024; the last of a message is acknowledged at once\"},"
	"{\"name\":\"rate\",\"type\":\"rate\",\"default\":\"0Gbps\",\"about\":\"most that one connection sends, headers included, 0 = what its port can\"},"
	"{\"name\":\"cnp_interval\",\"type\":\"time\",\"default\":\"50us\",\"about\":\"dcqcn: least time between two notifications of one flow\"},"
	"{\"name\":\"alpha_timer\",\"type\":\"time\",\"default\":\"55us\",\"about\":\"dcqcn: alpha falls so long after a notification, and so often\"},"
	"{\"name\":\"rate_timer\",\"type\":\"time\",\"default\":\"55us\",\"about\":\"dcqcn: time between two increases\"},"
	"{\"name\":\"byte_counter\",\"type\":\"bytes\",\"default\":\"10MiB\",\"about\":\"dcqcn: bytes between two increases\"},"
	"{\"name\":\"rate_ai\",\"type\":\"rate\",\"default\":\"40Mbps\",\"about\":\"dcqcn: additive increase\"},"
	"{\"name\":\"rate_hai\",\"type\":\"rate\",\"default\":\"100Mbps\",\"about\":\"dcqcn: hyper increase\"},"
	"{\"name\":\"rate_min\",\"type\":\"rate\",\"default\":\"10Mbps\",\"about\":\"dcqcn: least rate\"},"
	"{\"name\":\"alpha_gain\",\"type\":\"int\",\"default\":\"256\",\"about\":\"dcqcn: 1/g, the weight of one notification in alpha\"},"
	"{\"name\":\"fast_recovery\",\"type\":\"int\",\"default\":\"5\",\"about\":\"dcqcn: increases that go half the way back before the target rises\"},"
	"{\"name\":\"qps\",\"type\":\"int\",\"default\":\"1\",\"about\":\"queue pairs of one connection, 1 to 32, each with a UDP source port of its own\"},"
	"{\"name\":\"qp_share\",\"type\":\"bytes\",\"default\":\"512KiB\",\"about\":\"least part of a message that one of several queue pairs carries, a multiple of 4096\"},"
	"{\"name\":\"spray\",\"type\":\"bool\",\"default\":\"false\",\"about\":\"switches pick a path per packet, not per flow; retransmission is then selective\"},"
	"{\"name\":\"reorder\",\"type\":\"int\",\"default\":\"0\",\"about\":\"selective: a packet is lost when the peer has one that was sent so many after it, 1 to 2048; 0 = 1, or 512 where packets are sprayed\"}]}";

__attribute__((export_name("hsim_describe"))) int64_t describe(void) {
	return (int64_t)(uintptr_t)about << 32 | (int64_t)(sizeof about - 1);
}

/* between sets a parameter to a value in its range. */
static int32_t between(int64_t *to, int64_t value, int64_t least, int64_t most) {
	if (value < least || value > most) return HSIM_STATUS_INVALID;
	*to = value;
	return 0;
}

__attribute__((export_name("hsim_set_param"))) int32_t set_param(int32_t index, int64_t value) {
	static const int64_t second = 1000000000000, terabit = 1000000000000;
	int64_t n;
	switch (index) {
	case 0: /* the host cuts messages by it */
		return value == 256 || value == 512 || value == 1024 || value == 2048 || value == 4096 ? 0 : HSIM_STATUS_INVALID;
	case 1:
		return between(&param_window, value, 0, PSN_WINDOW);
	case 2:
		return between(&param_cc, value, 0, 1);
	case 3:
		return between(&param_retransmit, value, 0, 1);
	case 4:
		return between(&param_ack, value, 1, 1024);
	case 5:
		return between(&param_rate, value, 0, 100 * terabit);
	case 6:
		return between(&dcqcn.interval, value, 0, second);
	case 7: /* from a microsecond on: the timers are caught up with one by one */
		return between(&dcqcn.alpha_time, value, second / 1000000, second);
	case 8:
		return between(&dcqcn.rate_time, value, second / 1000000, second);
	case 9:
		return between(&dcqcn.bytes, value, 65536, (int64_t)1 << 40);
	case 10:
		return between(&dcqcn.ai, value, 0, terabit);
	case 11:
		return between(&dcqcn.hai, value, 0, terabit);
	case 12:
		return between(&dcqcn.least, value, 1000000, terabit);
	case 13:
		return between(&dcqcn.gain, value, 1, 65536);
	case 14:
		if (between(&n, value, 0, 1000) != 0) return HSIM_STATUS_INVALID;
		dcqcn.recovery = (uint32_t)n;
		return 0;
	case 15: /* the host makes them and shares messages among them */
		return between(&n, value, 1, 32);
	case 16:
		return value % 4096 == 0 ? between(&n, value, 4096, (int64_t)1 << 30) : HSIM_STATUS_INVALID;
	case 17:
		return between(&param_spray, value, 0, 1);
	case 18:
		return between(&param_reorder, value, 0, RING);
	}
	return HSIM_STATUS_INVALID;
}

#endif
