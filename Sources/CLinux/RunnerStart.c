#define _GNU_SOURCE
#include "RunnerParts.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

// From a copy of retryd-exec to a runner.

// Leaves 0 to 2, and of what is above only what is needed. It is a copy of another program, which
// wants to see its files and sockets close when it closes them.
static void keep_only(int first, int second) {
    int low = first < second ? first : second, high = first < second ? second : first;
    unsigned int next = STDERR_FILENO + 1;
    for (int index = 0; index < 2; index++) {
        int kept = index == 0 ? low : high;
        if (kept < (int)next)
            continue;
        if (kept > (int)next)
            close_range(next, (unsigned int)kept - 1, 0);
        next = (unsigned int)kept + 1;
    }
    close_range(next, ~0U, 0);
}

static void take_streams(const struct CLinux_RunnerOrder *order) {
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (order->output != STDOUT_FILENO)
        dup2(order->output, STDOUT_FILENO);
    if (order->error != STDERR_FILENO)
        dup2(order->error, STDERR_FILENO);
    dup2(null, STDIN_FILENO);
}

static _Noreturn void become_runner(const struct CLinux_RunnerOrder *order, int start) {
    // Of its own session, so that nothing a terminal sends to retryd-exec reaches it.
    setsid();
    prctl(PR_SET_NAME, "retryd-runner");
    // It may live long and is not to keep a file system mounted.
    (void)!chdir("/");
    take_streams(order);
    keep_only(start, order->input);

    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_SETMASK, &set, NULL);
    // Its command is waited for.
    signal(SIGCHLD, SIG_DFL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    int signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);

    char word;
    ssize_t count;
    do
        count = read(start, &word, 1);
    while (count < 0 && errno == EINTR);
    close(start);
    if (count != 1) {
        Runner_remove_files(order);
        _exit(0);
    }
    Runner_run(order, signals);
}

int32_t CLinux_start_runner(const struct CLinux_RunnerOrder *order, int *start) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return -1;
    pid_t runner = fork();
    if (runner == 0) {
        close(ends[1]);
        become_runner(order, ends[0]);
    }
    int code = errno;
    close(ends[0]);
    if (runner < 0) {
        close(ends[1]);
        errno = code;
        return -1;
    }
    *start = ends[1];
    return runner;
}
