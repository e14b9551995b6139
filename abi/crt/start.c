/* What every program gets at its start, and small calls that WASI lacks. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "hsim_sys.h"

/* Lines appear when they are printed, in the order of virtual time, also when the program is stopped later on. */
__attribute__((constructor)) static void line_buffered(void)
{
	static char buffer[1024];
	setvbuf(stdout, buffer, _IOLBF, sizeof buffer);
}

pid_t getpid(void) { return hsim_process_pid(); }

int gethostname(char *name, size_t len)
{
	char text[24];
	snprintf(text, sizeof text, "server%d", (int)hsim_process_server());
	strncpy(name, text, len);
	if (len)
		name[len - 1] = 0;
	return 0;
}
