/* Runs a command up to one of its system calls, and there something else: what a job leaves when it
   is killed at any moment, and what another one does to it meanwhile.

   usage: at_call all|names|fsync NUMBER ACTION COMMAND ...

   ACTION is for the shell, before call NUMBER of those, from 1 on, that the command's first thread
   makes; the command then goes on, unless ACTION is "kill". NUMBER 0 counts the calls: their number
   is the last line that is printed. `names` are those that give or take files' names, or cut
   files. Exits as the command does, or with 77 where nothing can be traced. */
#define _GNU_SOURCE

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SKIPPED = 77 };

static bool is_of(const char *set, unsigned long number)
{
    static const long names[] = {SYS_unlinkat,    SYS_linkat, SYS_renameat2, SYS_ftruncate,
#ifdef SYS_ftruncate64
                                 SYS_ftruncate64,
#endif
#ifdef SYS_renameat
                                 SYS_renameat,
#endif
#ifdef SYS_unlink
                                 SYS_unlink,      SYS_link,   SYS_rename,    SYS_rmdir,
#endif
                                 SYS_truncate};
    if (strcmp(set, "all") == 0) return true;
    if (strcmp(set, "fsync") == 0) return number == SYS_fsync;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (number == (unsigned long)names[i]) return true;
    return false;
}

/* Starts the command, which stops before it begins. */
static pid_t start(char **command)
{
    const pid_t child = fork();
    if (child != 0) return child;
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) _exit(SKIPPED);
    raise(SIGSTOP);
    execvp(command[0], command);
    _exit(127);
}

/* Lets it go on to its next system call or end, and hands on a signal that it got. */
static bool go_on(pid_t child, int *status)
{
    const int got = WIFSTOPPED(*status) ? WSTOPSIG(*status) : 0;
    const long pass = got == SIGSTOP || (got & 0x7f) == SIGTRAP ? 0 : got;
    return ptrace(PTRACE_SYSCALL, child, NULL, pass) == 0 &&
           waitpid(child, status, __WALL) == child;
}

/* Acts before a call; where that fails, the command is killed. */
static void act(const char *action, pid_t child)
{
    if (strcmp(action, "kill") == 0 || system(action) != 0) kill(child, SIGKILL);
}

int main(int argc, char **argv)
{
    struct __ptrace_syscall_info info;
    unsigned long number = 0;
    int status;
    if (argc < 5) return 2;
    const unsigned long wanted = strtoul(argv[2], NULL, 10);
    const pid_t child = start(argv + 4);
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFSTOPPED(status) ||
        ptrace(PTRACE_SETOPTIONS, child, NULL, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL) != 0)
        return SKIPPED;
    while (go_on(child, &status) && WIFSTOPPED(status)) {
        if (WSTOPSIG(status) != (SIGTRAP | 0x80)) continue;
        if (ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof(info), &info) <= 0) return SKIPPED;
        if (info.op != PTRACE_SYSCALL_INFO_ENTRY || !is_of(argv[1], info.entry.nr)) continue;
        if (++number == wanted) act(argv[3], child);
    }
    if (WIFSTOPPED(status)) waitpid(child, &status, __WALL);
    if (wanted == 0) printf("%lu\n", number);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
