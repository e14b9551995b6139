/* Ways to end: by the argument. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "acl/acl.h"

static volatile int zero, hole;
static volatile char *wild = (char *)0x7ffffff0;

static int deep(int n)
{
	volatile char pad[512];
	pad[0] = (char)n;
	return n < 0 ? 0 : deep(n + 1) + pad[0];
}

static void *other(void *arg)
{
	usleep(20);
	printf("the thread ends the process\n");
	exit(9);
}

static void *greedy(void *arg)
{
	volatile char big[8192];
	for (int i = 0; i < 8192; i++)
		big[i] = (char)i;
	usleep(1);
	aclrtSetDevice(0);
	return (void *)(size_t)big[77];
}

static void ends(void *how)
{
	if (how)
		exit(7);
	abort();
}

static void *waits(void *arg)
{
	pthread_mutex_lock(arg);
	pthread_mutex_lock(arg);
	return arg;
}

int main(int argc, char **argv)
{
	const char *how = argv[1];
	pthread_t t;
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	printf("%s\n", how);
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "memory"))
		return *wild;
	if (!strcmp(how, "device")) {
		void *d;
		aclrtSetDevice(0);
		aclrtMalloc(&d, 64, ACL_MEM_MALLOC_HUGE_FIRST);
		return *(volatile int *)d;
	}
	if (!strcmp(how, "divide"))
		return 1234 / zero;
	if (!strcmp(how, "stack"))
		return deep(1);
	if (!strcmp(how, "pointer"))
		return ((int (*)(void))(size_t)(hole + 5000))();
	if (!strcmp(how, "loop"))
		for (;;)
			zero = 0;
	if (!strcmp(how, "thread")) {
		pthread_create(&t, NULL, other, NULL);
		pthread_join(t, NULL);
		return 1;
	}
	if (!strcmp(how, "killed")) { /* main ends before its threads */
		pthread_create(&t, NULL, waits, &m);
		usleep(1);
		return 4;
	}
	if (!strncmp(how, "callback", 8)) { /* ends inside a call of the runtime, which a thread makes or main itself */
		aclrtStream s;
		aclrtSetDevice(0);
		aclrtCreateStream(&s);
		aclrtSubscribeReport((uintptr_t)pthread_self(), s);
		aclrtLaunchCallback(ends, how[8] ? NULL : &m, ACL_CALLBACK_BLOCK, s);
		aclrtProcessReport(-1);
	}
	if (!strcmp(how, "overrun")) { /* a thread that needs more than its stack */
		pthread_attr_t a;
		pthread_attr_init(&a);
		pthread_attr_setstacksize(&a, 4096);
		pthread_create(&t, &a, greedy, NULL);
		pthread_join(t, NULL);
	}
	if (!strcmp(how, "deadlock")) {
		pthread_create(&t, NULL, waits, &m);
		pthread_join(t, NULL);
	}
	if (!strcmp(how, "clock")) { /* looks at the clock until 3 ms have passed */
		struct timespec a, b;
		clock_gettime(CLOCK_MONOTONIC, &a);
		do
			clock_gettime(CLOCK_MONOTONIC, &b);
		while ((b.tv_sec - a.tv_sec) * 1000000000LL + b.tv_nsec - a.tv_nsec < 3000000);
		return 0;
	}
	if (!strcmp(how, "running")) { /* tasks are queued and under way */
		void *d;
		aclrtStream s;
		char *h = calloc(1, 8 << 20);
		aclrtSetDevice(0);
		aclrtCreateStream(&s);
		aclrtMalloc(&d, 8 << 20, ACL_MEM_MALLOC_HUGE_FIRST);
		for (int i = 0; i < 10; i++)
			aclrtMemcpyAsync(h, 8 << 20, d, 8 << 20, ACL_MEMCPY_DEVICE_TO_HOST, s);
		usleep(30);
		return 6;
	}
	if (!strcmp(how, "leak")) {
		void *d, *h;
		aclrtStream s;
		aclrtEvent e;
		aclrtNotify n;
		aclrtSetDevice(0);
		aclrtCreateStream(&s);
		aclrtCreateStream(&s);
		aclrtCreateEvent(&e);
		aclrtCreateNotify(&n, 0);
		aclrtMalloc(&d, 1000, ACL_MEM_MALLOC_HUGE_FIRST);
		aclrtMallocHost(&h, 24);
	}
	return 0;
}
