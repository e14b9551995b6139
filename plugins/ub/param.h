/* Parameters of the ub plugin. */
#ifndef HSIM_UB_PARAM_H
#define HSIM_UB_PARAM_H

#include <stdint.h>

#include "hsim.h"
#include "psn.h"

enum { RTO_STATIC = 0, RTO_DYNAMIC = 1 };
enum { FAST_AUTO = 0, FAST_ON = 1, FAST_OFF = 2 };

static const int64_t MICROSECOND = 1000000;
static const int64_t STATIC[4] = {512000000, 16000000000, 128000000000, 4000000000000}; /* 512 us, 16 ms, 128 ms, 4 s */

static struct {
	int64_t mtu, window, spray, ack_early, retransmit, load_request;
	int64_t rto, rto_static, rto_base, rto_exponent, retries;
	int64_t selective, fast, ooo_window, ta_timeout;
} param = {
	.mtu = 4096,
	.window = 1000, .ack_early = 1, .retransmit = 1,
	.rto_static = 1, .rto_base = 20000000, .rto_exponent = 3, .retries = 7,
	.ooo_window = 4,
	.ta_timeout = 4000000000000,
};

static const char about[] =
	"{\"name\":\"ub\",\"version\":\"1.1\",\"about\":\"UnifiedBus RTP, CTP, UTP and memory access\",\"params\":["
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
	"{\"name\":\"retries\",\"type\":\"int\",\"default\":\"7\",\"about\":\"RTP: time-outs in a row that are retried, 0 to 7; the next one is an error\"},"
	"{\"name\":\"selective\",\"type\":\"bool\",\"default\":\"false\",\"about\":\"RTP: acknowledgements tell what is missing (TPSACK) and only that is sent again; false is go-back-N\"},"
	"{\"name\":\"fast_retransmit\",\"type\":\"enum\",\"default\":\"auto\",\"values\":[\"auto\",\"on\",\"off\"],\"about\":\"RTP: a gap is a loss at once, or only at the time-out; auto is on where packets keep their order\"},"
	"{\"name\":\"ooo_window\",\"type\":\"enum\",\"default\":\"2048\",\"values\":[\"128\",\"256\",\"512\",\"1024\",\"2048\"],\"about\":\"RTP: packets that a receiver holds beyond the expected one\"},"
	/* The host goes by these, as by mtu. */
	"{\"name\":\"channels\",\"type\":\"int\",\"default\":\"1\",\"about\":\"connections that make one, each over a port of its own where there are several: a TP group; 1 to 32\"},"
	"{\"name\":\"slice\",\"type\":\"bytes\",\"default\":\"64KiB\",\"about\":\"the largest part of a request that goes over one channel, where there are several or outstanding is bounded; a multiple of mtu\"},"
	"{\"name\":\"outstanding\",\"type\":\"int\",\"default\":\"0\",\"about\":\"slices of a connection that are not answered, 0 = any number; 64 of 512B are a thread of loads and stores\"},"
	"{\"name\":\"order\",\"type\":\"enum\",\"default\":\"default\",\"values\":[\"default\",\"target\",\"initiator\",\"lower\"],\"about\":\"who orders operations: ROT, which is the default, ROI, whose notifies and strong operations wait a round trip, or ROL\"},"
	"{\"name\":\"ta_timeout\",\"type\":\"time\",\"default\":\"4s\",\"about\":\"CTP and memory: a transaction that is not answered for so long is an error, 0 = never; a jetty's are 512ms, 4s, 8s, 32s and eighths of them\"}]}";

static int32_t between(int64_t *to, int64_t value, int64_t least, int64_t most) {
	if (value < least || value > most) return HSIM_STATUS_INVALID;
	*to = value;
	return 0;
}

__attribute__((export_name("hsim_set_param"))) int32_t set_param(int32_t index, int64_t value) {
	switch (index) {
	case 0: /* the host cuts messages by it */
		return (value & (value - 1)) != 0 ? HSIM_STATUS_INVALID : between(&param.mtu, value, 256, 8192);
	case 1: return between(&param.window, value, 1, PSN_WINDOW);
	case 2: return between(&param.spray, value, 0, 1);
	case 3: return between(&param.ack_early, value, 0, 1);
	case 4: return between(&param.retransmit, value, 0, 1);
	case 5: return between(&param.load_request, value, 0, 8192);
	case 6: return between(&param.rto, value, 0, 1);
	case 7: return between(&param.rto_static, value, 0, 3);
	case 8: return between(&param.rto_base, value, 4 * MICROSECOND, 2097152 * MICROSECOND);
	case 9: return between(&param.rto_exponent, value, 0, 7);
	case 10: return between(&param.retries, value, 0, 7);
	case 11: return between(&param.selective, value, 0, 1);
	case 12: return between(&param.fast, value, 0, 2);
	case 13: return between(&param.ooo_window, value, 0, 4);
	case 14: return value < 1 || value > 32 ? HSIM_STATUS_INVALID : 0;
	case 15: return value < param.mtu || value > 256 << 20 || value % param.mtu != 0 ? HSIM_STATUS_INVALID : 0;
	case 16: return value < 0 || value > 65536 ? HSIM_STATUS_INVALID : 0;
	case 17: return value < 0 || value > 3 ? HSIM_STATUS_INVALID : 0;
	case 18: return value == 0 ? between(&param.ta_timeout, 0, 0, 0) : between(&param.ta_timeout, value, MICROSECOND, 128 * 1000000 * MICROSECOND);
	}
	return HSIM_STATUS_INVALID;
}

#endif
