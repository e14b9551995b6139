/* Threads and locks of pthread.h, semaphore.h and their ends. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "hsim_sys.h"

static int failures;
#define EXPECT(x) \
	do { \
		if (!(x)) { \
			failures++; \
			printf("line %d: %s\n", __LINE__, #x); \
		} \
	} while (0)

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t sem;
static int initialised, destroyed, serial, readers, ready;

static void init(void)
{
	usleep(5);
	initialised++;
}

static void destroy(void *v) { destroyed += *(int *)v; }

static void *worker(void *arg)
{
	int id = (int)(size_t)arg, value = id;
	pthread_once(&once, init);
	EXPECT(initialised == 1);
	pthread_setspecific(key, &value);
	if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
		serial++;
	pthread_rwlock_rdlock(&rw);
	readers++;
	usleep(10);
	pthread_rwlock_unlock(&rw);
	sem_post(&sem);
	pthread_mutex_lock(&mutex);
	while (!ready)
		pthread_cond_wait(&cond, &mutex);
	pthread_mutex_unlock(&mutex);
	EXPECT(*(int *)pthread_getspecific(key) == id);
	if (id % 2)
		pthread_exit((void *)(size_t)(id * 10));
	return (void *)(size_t)(id * 10);
}

static void *sleeper(void *arg)
{
	usleep(1000);
	puts("the detached thread ends last");
	return arg;
}

int main(void)
{
	enum { N = 6 };
	pthread_t t[N];
	EXPECT(pthread_key_create(&key, destroy) == 0);
	EXPECT(pthread_barrier_init(&barrier, NULL, N) == 0);
	EXPECT(sem_init(&sem, 0, 0) == 0);
	for (int i = 0; i < N; i++)
		EXPECT(pthread_create(&t[i], NULL, worker, (void *)(size_t)(i + 1)) == 0);
	EXPECT(pthread_self() != t[0]);
	for (int i = 0; i < N; i++)
		EXPECT(sem_wait(&sem) == 0);
	EXPECT(sem_trywait(&sem) == -1 && errno == EAGAIN);
	EXPECT(readers == N && serial == 1);
	pthread_rwlock_wrlock(&rw);
	EXPECT(pthread_rwlock_tryrdlock(&rw) == EBUSY);
	pthread_rwlock_unlock(&rw);

	/* Nobody signals: the wait ends by its time, which is that of the simulation. */
	struct timespec until, now;
	pthread_mutex_lock(&mutex);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 2000000;
	EXPECT(pthread_cond_timedwait(&cond, &mutex, &until) == ETIMEDOUT);
	clock_gettime(CLOCK_REALTIME, &now);
	EXPECT(now.tv_sec == until.tv_sec && now.tv_nsec == until.tv_nsec);
	ready = 1;
	pthread_cond_broadcast(&cond);
	pthread_mutex_unlock(&mutex);
	for (int i = 0; i < N; i++) {
		void *r;
		EXPECT(pthread_join(t[i], &r) == 0 && r == (void *)(size_t)((i + 1) * 10));
	}
	EXPECT(destroyed == 1 + 2 + 3 + 4 + 5 + 6);
	EXPECT(pthread_join(t[0], NULL) == ESRCH);
	EXPECT(pthread_join(pthread_self(), NULL) == EDEADLK);
	EXPECT(pthread_join((pthread_t)1000, NULL) == ESRCH);

	pthread_mutexattr_t ma;
	pthread_mutex_t m;
	pthread_mutexattr_init(&ma);
	pthread_mutexattr_settype(&ma, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&m, &ma);
	EXPECT(pthread_mutex_lock(&m) == 0 && pthread_mutex_lock(&m) == 0 && pthread_mutex_trylock(&m) == 0);
	EXPECT(pthread_mutex_unlock(&m) == 0 && pthread_mutex_unlock(&m) == 0 && pthread_mutex_unlock(&m) == 0 && pthread_mutex_unlock(&m) == EPERM);
	pthread_mutexattr_settype(&ma, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&m, &ma);
	EXPECT(pthread_mutex_lock(&m) == 0 && pthread_mutex_lock(&m) == EDEADLK);
	EXPECT(pthread_mutex_destroy(&m) == EBUSY);

	pthread_attr_t a;
	pthread_attr_init(&a);
	EXPECT(pthread_attr_setstacksize(&a, 16 << 10) == 0 && pthread_attr_setstacksize(&a, 1) == EINVAL);
	pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
	EXPECT(pthread_create(&t[0], &a, sleeper, NULL) == 0);
	EXPECT(pthread_join(t[0], NULL) == EINVAL);
	EXPECT(hsim_thread_create((void *)12345, NULL, 0) == -EAGAIN);
	char host[32];
	EXPECT(gethostname(host, sizeof host) == 0 && strcmp(host, "server0") == 0);
	EXPECT(getpid() == 1000);
	printf("%d failures at %lld us\n", failures, (long long)(hsim_time_now() / 1000000));
	if (failures)
		exit(1);
	pthread_exit(NULL);
}
