/* Variables of threads are those of the process here: what C++ registers for the end of a thread runs at the end of the process. */
extern int __cxa_atexit(void (*f)(void *), void *arg, void *dso);

int __cxa_thread_atexit(void (*f)(void *), void *arg, void *dso)
{
	return __cxa_atexit(f, arg, dso);
}
