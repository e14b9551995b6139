/* A transport that goes wrong where its parameter says: it loops for ever in next or receive, writes past its memory, or
 * traps. Built with: hsim plugin build cmd/hsim/testdata/spin */
#define HSIM_KIND_TRANSPORT
#include "hsim.h"

HSIM_MODULE(transport, HSIM_FEATURE_RELIABLE | HSIM_FEATURE_NOTIFY_WITH_WRITE | HSIM_FEATURE_ORDERED)
HSIM_BUFFER(4096)
HSIM_DESCRIBE("{\"name\":\"spin\",\"version\":\"1.0\",\"about\":\"a transport that goes wrong\",\"params\":["
	"{\"name\":\"fault\",\"type\":\"enum\",\"default\":\"next\",\"values\":[\"next\",\"receive\",\"memory\",\"trap\",\"grow\"],\"about\":\"where\"}]}")

static int64_t fault;
static volatile uint32_t steps;

int32_t hsim_set_param(uint32_t index, int64_t value)
{
	(void)index;
	fault = value;
	return 0;
}

HSIM_EXPORT("hsim_transport_start") int32_t start(void) { return 0; }
HSIM_EXPORT("hsim_transport_open") int32_t open(const struct hsim_conn *c) { (void)c; return 0; }
HSIM_EXPORT("hsim_transport_modify") int32_t modify(const struct hsim_conn *c) { (void)c; return 0; }
HSIM_EXPORT("hsim_transport_close") void close(int32_t id) { (void)id; }

HSIM_EXPORT("hsim_transport_next") int64_t next(int32_t id, int64_t left, int64_t room, struct hsim_packet *p)
{
	int64_t n = left < room ? left : room;
	(void)id;
	switch (fault) {
	case 0: for (;;) steps++;
	case 2: *(volatile uint32_t *)0x7ffffff0 = 1; break;
	case 3: __builtin_trap();
	case 4: while (__builtin_wasm_memory_grow(0, 1024) != (__SIZE_TYPE__)-1) steps++; __builtin_trap();
	}
	p->npkts = 1;
	p->payload = (uint32_t)n;
	p->wire = (uint32_t)n + 40;
	return n;
}

HSIM_EXPORT("hsim_transport_receive") void receive(const struct hsim_packet *p, struct hsim_verdict *v)
{
	(void)p, (void)v;
	for (;;) steps++;
}

HSIM_EXPORT("hsim_transport_timer") void timer(int32_t id, struct hsim_verdict *v) { (void)id, (void)v; }
HSIM_EXPORT("hsim_transport_link") void link(uint32_t port, uint32_t up, int64_t rate) { (void)port, (void)up, (void)rate; }
