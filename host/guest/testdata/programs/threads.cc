// Many threads whose stacks are in use while others run: every one of them calls functions that keep arrays on the stack,
// and waits inside them in its own way. A stack that another thread wrote to is found.
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#include "acl/acl.h"

static std::mutex m;
static std::condition_variable cv;
static int turn, wrong, done;

static void rest(int id, int round)
{
	switch ((id + round) % 4) {
	case 0:
		std::this_thread::yield();
		break;
	case 1:
		std::this_thread::sleep_for(std::chrono::microseconds(1 + (id * 7 + round) % 5));
		break;
	case 2: {
		std::lock_guard<std::mutex> g(m);
		std::this_thread::sleep_for(std::chrono::nanoseconds(100 + id));
		break;
	}
	case 3: {
		std::unique_lock<std::mutex> l(m);
		turn++;
		cv.notify_one();
		cv.wait_for(l, std::chrono::microseconds(3));
		break;
	}
	}
}

static int descend(int id, int round, int depth)
{
	volatile int mine[16];
	for (int i = 0; i < 16; i++)
		mine[i] = id * 1000003 + round * 1009 + depth * 17 + i;
	if (depth > 0)
		descend(id, round, depth - 1);
	rest(id, round + depth);
	int bad = 0;
	for (int i = 0; i < 16; i++)
		bad += mine[i] != id * 1000003 + round * 1009 + depth * 17 + i;
	wrong += bad;
	return bad;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 64;
	std::vector<std::thread> all;
	for (int id = 0; id < n; id++)
		all.emplace_back([id] {
			aclrtSetDevice(id % 2);
			aclrtStream s = nullptr;
			aclrtCreateStream(&s);
			for (int round = 0; round < 6; round++)
				descend(id, round, 5);
			int32_t dev = -1;
			aclrtGetDevice(&dev);
			wrong += dev != id % 2 || aclrtDestroyStream(s) != ACL_SUCCESS;
			aclrtResetDevice(id % 2);
			done++;
		});
	for (auto &t : all)
		t.join();
	printf("%d threads, %d wrong\n", done, wrong);
	return wrong || done != n;
}
