#define _XOPEN_SOURCE 700

#include "interrupts.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "output.h"

/* Leaves no temporary file behind, then dies of the signal as if it had not been caught. */
static void die_of(int number)
{
    sigset_t one;
    output_end();
    signal(number, SIG_DFL);
    sigemptyset(&one);
    sigaddset(&one, number);
    pthread_sigmask(SIG_UNBLOCK, &one, NULL);
    raise(number);
}

static void *wait_for_signals(void *set)
{
    int number;
    while (sigwait(set, &number) != 0)
        continue;
    die_of(number);
    return NULL;
}

static bool is_ignored(int number)
{
    struct sigaction now;
    return sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

/* Catches a signal by a handler, in the thread that it comes to. */
static void handle(int number)
{
    struct sigaction action = {.sa_handler = die_of};
    sigemptyset(&action.sa_mask);
    if (!is_ignored(number)) sigaction(number, &action, NULL);
}

void interrupts_catch(void)
{
    static const int signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGALRM, SIGTERM, SIGXCPU};
    static sigset_t waited; /* the thread's, for as long as the process lives */
    pthread_t thread;
    sigemptyset(&waited);
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        if (!is_ignored(signals[i])) sigaddset(&waited, signals[i]);
    pthread_sigmask(SIG_BLOCK, &waited, NULL);
    if (pthread_create(&thread, NULL, wait_for_signals, &waited) == 0) {
        pthread_detach(thread);
    } else {
        for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
            handle(signals[i]);
        pthread_sigmask(SIG_UNBLOCK, &waited, NULL);
    }
    handle(SIGPIPE);          /* it comes to the thread that writes */
    signal(SIGXFSZ, SIG_IGN); /* a file above the limit is then an error of write */
}
