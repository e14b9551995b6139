/* Threads of programs: pthread.h over hsim_sys.h. */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "hsim_sys.h"

struct start {
	void *(*start)(void *);
	void *arg;
};

/* Threads beside the first one that have not ended, for a main that leaves by pthread_exit. */
static uint32_t alive;

/* Values of keys: a table per thread, made when the thread sets one. */
static void (*destroyers[PTHREAD_KEYS_MAX])(void *);
static unsigned char taken[PTHREAD_KEYS_MAX];
static void ***tables;
static size_t tables_len;

static void **table(int make)
{
	size_t id = (size_t)hsim_thread_self();
	if (id >= tables_len) {
		if (!make)
			return NULL;
		size_t n = id * 2 + 16;
		void ***more = realloc(tables, n * sizeof *more);
		if (!more)
			return NULL;
		for (size_t i = tables_len; i < n; i++)
			more[i] = NULL;
		tables = more;
		tables_len = n;
	}
	if (!tables[id] && make)
		tables[id] = calloc(PTHREAD_KEYS_MAX, sizeof(void *));
	return tables[id];
}

static void leave(void)
{
	void **values = table(0);
	for (int round = 0, left = 1; values && left && round < 4; round++) {
		left = 0;
		for (int k = 0; k < PTHREAD_KEYS_MAX; k++) {
			void *v = values[k];
			values[k] = NULL;
			if (v && destroyers[k]) {
				left = 1;
				destroyers[k](v);
			}
		}
	}
	if (values) {
		tables[hsim_thread_self()] = NULL;
		free(values);
	}
	if (hsim_thread_self() != 1 && --alive == 0)
		hsim_futex_wake(&alive, UINT32_MAX);
}

static void *run(void *p)
{
	struct start s = *(struct start *)p;
	free(p);
	void *result = s.start(s.arg);
	leave();
	return result;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
	struct start *s = malloc(sizeof *s);
	if (!s)
		return ENOMEM;
	s->start = start;
	s->arg = arg;
	int32_t id = hsim_thread_create((void *)run, s, attr ? (uint32_t)attr->__u.__i[0] : 0);
	if (id < 0) {
		free(s);
		return -id;
	}
	alive++;
	*thread = (pthread_t)(uintptr_t)id;
	if (attr && attr->__u.__i[1] == PTHREAD_CREATE_DETACHED)
		hsim_thread_detach(id);
	return 0;
}

int pthread_join(pthread_t thread, void **result) { return hsim_thread_join((int32_t)(uintptr_t)thread, result); }
int pthread_detach(pthread_t thread) { return hsim_thread_detach((int32_t)(uintptr_t)thread); }
pthread_t pthread_self(void) { return (pthread_t)(uintptr_t)hsim_thread_self(); }
int(pthread_equal)(pthread_t a, pthread_t b) { return a == b; }
int pthread_setname_np(pthread_t thread, const char *name) { return 0; }

void pthread_exit(void *result)
{
	leave();
	if (hsim_thread_self() == 1) {
		for (uint32_t n; (n = alive) != 0;)
			hsim_futex_wait(&alive, n, -1, 0);
		exit(0);
	}
	hsim_thread_exit(result);
}

int pthread_once(pthread_once_t *once, void (*init)(void))
{
	while (*once == 1)
		hsim_futex_wait(once, 1, -1, 0);
	if (*once == 0) {
		*once = 1;
		init();
		*once = 2;
		hsim_futex_wake(once, UINT32_MAX);
	}
	return 0;
}

int pthread_attr_init(pthread_attr_t *attr)
{
	*attr = (pthread_attr_t){0};
	return 0;
}

int pthread_attr_destroy(pthread_attr_t *attr) { return 0; }

int pthread_attr_setstacksize(pthread_attr_t *attr, size_t size)
{
	if (size < PTHREAD_STACK_MIN)
		return EINVAL;
	attr->__u.__i[0] = (int)size;
	return 0;
}

int pthread_attr_getstacksize(const pthread_attr_t *attr, size_t *size)
{
	*size = attr->__u.__i[0] ? (size_t)attr->__u.__i[0] : 256 << 10;
	return 0;
}

int pthread_attr_setdetachstate(pthread_attr_t *attr, int state)
{
	attr->__u.__i[1] = state;
	return 0;
}

int pthread_attr_getdetachstate(const pthread_attr_t *attr, int *state)
{
	*state = attr->__u.__i[1];
	return 0;
}

int pthread_key_create(pthread_key_t *key, void (*destroy)(void *))
{
	for (unsigned k = 0; k < PTHREAD_KEYS_MAX; k++) {
		if (!taken[k]) {
			taken[k] = 1;
			destroyers[k] = destroy;
			*key = k;
			return 0;
		}
	}
	return EAGAIN;
}

int pthread_key_delete(pthread_key_t key)
{
	if (key >= PTHREAD_KEYS_MAX || !taken[key])
		return EINVAL;
	taken[key] = 0;
	destroyers[key] = NULL;
	for (size_t i = 0; i < tables_len; i++)
		if (tables[i])
			tables[i][key] = NULL;
	return 0;
}

void *pthread_getspecific(pthread_key_t key)
{
	void **values = table(0);
	return values && key < PTHREAD_KEYS_MAX ? values[key] : NULL;
}

int pthread_setspecific(pthread_key_t key, const void *value)
{
	if (key >= PTHREAD_KEYS_MAX || !taken[key])
		return EINVAL;
	void **values = table(1);
	if (!values)
		return ENOMEM;
	values[key] = (void *)value;
	return 0;
}
