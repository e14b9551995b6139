/* As little as a program can be; with an argument it waits for as many microseconds. */
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc > 1)
		usleep(atoi(argv[1]));
	return 0;
}
