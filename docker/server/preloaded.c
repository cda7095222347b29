/*
 * Loaded before a grader's programs when a grading's circumstances are changed; built with the image where it has gcc.
 *
 * Waits: libfaketime shifts the monotonic clock but not the calls that wait until a time on it, which Python's locks and
 * C++'s condition variables use. They would wait for as long as the clock was shifted.
 * Cores: this C library counts those of the machine, whatever a process may be scheduled on.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

/* The C library's own, past whatever else is loaded before it: libfaketime may have one of these some day. */
static void *own(const char *name) {
  void *library = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  return library == NULL ? NULL : dlsym(library, name);
}

static struct timespec unshifted(clockid_t clock, const struct timespec *until) {
  int (*really)(clockid_t, struct timespec *) = own("clock_gettime");
  struct timespec shown, now;
  clock_gettime(clock, &shown);
  really(clock, &now);
  struct timespec time = {
    .tv_sec = until->tv_sec - shown.tv_sec + now.tv_sec,
    .tv_nsec = until->tv_nsec - shown.tv_nsec + now.tv_nsec,
  };
  for (; time.tv_nsec < 0; time.tv_sec--) time.tv_nsec += 1000000000;
  for (; time.tv_nsec >= 1000000000; time.tv_sec++) time.tv_nsec -= 1000000000;
  return time;
}

int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *until) {
  int (*wait)(sem_t *, clockid_t, const struct timespec *) = own("sem_clockwait");
  struct timespec time = unshifted(clock, until);
  return wait(semaphore, clock, &time);
}

int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                           const struct timespec *until) {
  int (*wait)(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *) = own("pthread_cond_clockwait");
  struct timespec time = unshifted(clock, until);
  return wait(condition, mutex, clock, &time);
}

int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until) {
  int (*lock)(pthread_mutex_t *, clockid_t, const struct timespec *) = own("pthread_mutex_clocklock");
  struct timespec time = unshifted(clock, until);
  return lock(mutex, clock, &time);
}

long sysconf(int name) {
  long (*really)(int) = own("sysconf");
  cpu_set_t mine;
  long known = really(name);
  if (name != _SC_NPROCESSORS_ONLN || sched_getaffinity(0, sizeof mine, &mine) != 0) return known;
  return CPU_COUNT(&mine);
}
