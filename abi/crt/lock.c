/* Locks of programs: threads switch only where they wait, so a lock is a word and a queue of those who wait for it. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>

#include "hsim_sys.h"

enum { WHY_MUTEX = 1, WHY_CONDITION, WHY_SEMAPHORE, WHY_BARRIER, WHY_LOCK };

/* Nanoseconds until a time of a clock, at least 0; negative for ever. */
static int64_t until(const struct timespec *t, clockid_t clock)
{
	struct timespec now;
	if (!t)
		return -1;
	clock_gettime(clock, &now);
	int64_t ns = (t->tv_sec - now.tv_sec) * 1000000000LL + (t->tv_nsec - now.tv_nsec);
	return ns > 0 ? ns : 0;
}

/* Mutex: 0 held, 1 owner, 2 depth, 3 type. */
#define HELD(m) ((m)->__u.__i[0])
#define OWNER(m) ((m)->__u.__i[1])
#define DEPTH(m) ((m)->__u.__i[2])
#define TYPE(m) ((m)->__u.__i[3])

int pthread_mutexattr_init(pthread_mutexattr_t *a)
{
	a->__attr = 0;
	return 0;
}

int pthread_mutexattr_destroy(pthread_mutexattr_t *a) { return 0; }

int pthread_mutexattr_settype(pthread_mutexattr_t *a, int type)
{
	a->__attr = (unsigned)type;
	return 0;
}

int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *a)
{
	*m = (pthread_mutex_t){0};
	TYPE(m) = a ? (int)a->__attr : PTHREAD_MUTEX_NORMAL;
	return 0;
}

int pthread_mutex_destroy(pthread_mutex_t *m) { return HELD(m) ? EBUSY : 0; }

static int lock(pthread_mutex_t *m, const struct timespec *t)
{
	int self = hsim_thread_self();
	if (HELD(m) && OWNER(m) == self && TYPE(m) == PTHREAD_MUTEX_RECURSIVE) {
		DEPTH(m)++;
		return 0;
	}
	if (HELD(m) && OWNER(m) == self && TYPE(m) == PTHREAD_MUTEX_ERRORCHECK)
		return EDEADLK;
	while (HELD(m)) {
		int64_t ns = until(t, CLOCK_REALTIME);
		if (ns == 0)
			return ETIMEDOUT;
		hsim_futex_wait(&HELD(m), 1, ns, WHY_MUTEX);
	}
	HELD(m) = 1;
	OWNER(m) = self;
	return 0;
}

int pthread_mutex_lock(pthread_mutex_t *m) { return lock(m, NULL); }
int pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *t) { return lock(m, t); }

int pthread_mutex_trylock(pthread_mutex_t *m)
{
	if (HELD(m) && !(OWNER(m) == hsim_thread_self() && TYPE(m) == PTHREAD_MUTEX_RECURSIVE))
		return EBUSY;
	return lock(m, NULL);
}

int pthread_mutex_unlock(pthread_mutex_t *m)
{
	if (!HELD(m) || (TYPE(m) != PTHREAD_MUTEX_NORMAL && OWNER(m) != hsim_thread_self()))
		return EPERM;
	if (DEPTH(m) > 0) {
		DEPTH(m)--;
		return 0;
	}
	HELD(m) = OWNER(m) = 0;
	hsim_futex_wake(&HELD(m), 1);
	return 0;
}

/* Condition variable: 0 number of signals, 1 whether times are of the monotonic clock. */
int pthread_condattr_init(pthread_condattr_t *a)
{
	a->__attr = 0;
	return 0;
}

int pthread_condattr_destroy(pthread_condattr_t *a) { return 0; }

int pthread_condattr_setclock(pthread_condattr_t *a, clockid_t clock)
{
	a->__attr = clock == CLOCK_MONOTONIC;
	return 0;
}

int pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *a)
{
	*c = (pthread_cond_t){0};
	c->__u.__i[1] = a ? (int)a->__attr : 0;
	return 0;
}

int pthread_cond_destroy(pthread_cond_t *c) { return 0; }

int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *t)
{
	int seen = c->__u.__i[0];
	int64_t ns = until(t, c->__u.__i[1] ? CLOCK_MONOTONIC : CLOCK_REALTIME);
	int depth = DEPTH(m);
	DEPTH(m) = 0;
	pthread_mutex_unlock(m);
	int r = ns == 0 ? ETIMEDOUT : hsim_futex_wait(&c->__u.__i[0], (uint32_t)seen, ns, WHY_CONDITION);
	pthread_mutex_lock(m);
	DEPTH(m) = depth;
	return r == ETIMEDOUT ? ETIMEDOUT : 0;
}

int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m) { return pthread_cond_timedwait(c, m, NULL); }

int pthread_cond_signal(pthread_cond_t *c)
{
	c->__u.__i[0]++;
	hsim_futex_wake(&c->__u.__i[0], 1);
	return 0;
}

int pthread_cond_broadcast(pthread_cond_t *c)
{
	c->__u.__i[0]++;
	hsim_futex_wake(&c->__u.__i[0], UINT32_MAX);
	return 0;
}

/* Read-write lock: 0 readers, or -1 for a writer. */
int pthread_rwlock_init(pthread_rwlock_t *l, const pthread_rwlockattr_t *a)
{
	*l = (pthread_rwlock_t){0};
	return 0;
}

int pthread_rwlock_destroy(pthread_rwlock_t *l) { return 0; }

int pthread_rwlock_rdlock(pthread_rwlock_t *l)
{
	while (l->__u.__i[0] < 0)
		hsim_futex_wait(&l->__u.__i[0], (uint32_t)l->__u.__i[0], -1, WHY_LOCK);
	l->__u.__i[0]++;
	return 0;
}

int pthread_rwlock_tryrdlock(pthread_rwlock_t *l) { return l->__u.__i[0] < 0 ? EBUSY : pthread_rwlock_rdlock(l); }

int pthread_rwlock_wrlock(pthread_rwlock_t *l)
{
	while (l->__u.__i[0] != 0)
		hsim_futex_wait(&l->__u.__i[0], (uint32_t)l->__u.__i[0], -1, WHY_LOCK);
	l->__u.__i[0] = -1;
	return 0;
}

int pthread_rwlock_trywrlock(pthread_rwlock_t *l) { return l->__u.__i[0] != 0 ? EBUSY : pthread_rwlock_wrlock(l); }

int pthread_rwlock_unlock(pthread_rwlock_t *l)
{
	if (l->__u.__i[0] > 0)
		l->__u.__i[0]--;
	else
		l->__u.__i[0] = 0;
	hsim_futex_wake(&l->__u.__i[0], UINT32_MAX);
	return 0;
}

/* Barrier: 0 round, 1 arrived, 2 count. */
int pthread_barrier_init(pthread_barrier_t *b, const pthread_barrierattr_t *a, unsigned count)
{
	if (count == 0)
		return EINVAL;
	*b = (pthread_barrier_t){0};
	b->__u.__i[2] = (int)count;
	return 0;
}

int pthread_barrier_destroy(pthread_barrier_t *b) { return 0; }

int pthread_barrier_wait(pthread_barrier_t *b)
{
	int round = b->__u.__i[0];
	if (++b->__u.__i[1] == b->__u.__i[2]) {
		b->__u.__i[1] = 0;
		b->__u.__i[0]++;
		hsim_futex_wake(&b->__u.__i[0], UINT32_MAX);
		return PTHREAD_BARRIER_SERIAL_THREAD;
	}
	while (b->__u.__i[0] == round)
		hsim_futex_wait(&b->__u.__i[0], (uint32_t)round, -1, WHY_BARRIER);
	return 0;
}

int pthread_spin_init(pthread_spinlock_t *l, int shared) { return *l = 0; }
int pthread_spin_destroy(pthread_spinlock_t *l) { return 0; }

int pthread_spin_lock(pthread_spinlock_t *l)
{
	while (*l)
		hsim_futex_wait(l, 1, -1, WHY_LOCK);
	*l = 1;
	return 0;
}

int pthread_spin_trylock(pthread_spinlock_t *l) { return *l ? EBUSY : pthread_spin_lock(l); }

int pthread_spin_unlock(pthread_spinlock_t *l)
{
	*l = 0;
	hsim_futex_wake(l, 1);
	return 0;
}

int sem_init(sem_t *s, int shared, unsigned value)
{
	s->__val[0] = (int)value;
	return 0;
}

int sem_destroy(sem_t *s) { return 0; }

static int sem_take(sem_t *s, const struct timespec *t)
{
	while (s->__val[0] == 0) {
		int64_t ns = until(t, CLOCK_REALTIME);
		if (ns == 0) {
			errno = ETIMEDOUT;
			return -1;
		}
		hsim_futex_wait((const void *)&s->__val[0], 0, ns, WHY_SEMAPHORE);
	}
	s->__val[0]--;
	return 0;
}

int sem_wait(sem_t *s) { return sem_take(s, NULL); }
int sem_timedwait(sem_t *restrict s, const struct timespec *restrict t) { return sem_take(s, t); }

int sem_trywait(sem_t *s)
{
	if (s->__val[0] > 0)
		return sem_take(s, NULL);
	errno = EAGAIN;
	return -1;
}

int sem_post(sem_t *s)
{
	s->__val[0]++;
	hsim_futex_wake((const void *)&s->__val[0], 1);
	return 0;
}

int sem_getvalue(sem_t *restrict s, int *restrict value)
{
	*value = s->__val[0];
	return 0;
}
