#define _GNU_SOURCE
#include "RunnerParts.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

// What runs between fork and exec of a command.

static _Noreturn void refuse(int refusals, enum CLinux_RunnerStep step) {
    struct RunnerRefusal refusal = {.step = (int32_t)step, .code = errno};
    // Its reader is the runner, which lives as long as this process (PR_SET_PDEATHSIG).
    (void)!write(refusals, &refusal, sizeof(refusal));
    _exit(127);
}

// Each signal does what it does in a fresh program; what retryd-exec ignores and blocks is its own.
static void reset_signals(void) {
    for (int signal = 1; signal < NSIG; signal++) {
        struct sigaction action = {.sa_handler = SIG_DFL};
        (void)sigaction(signal, &action, NULL);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void switch_user(const struct CLinux_RunnerOrder *order, int refusals) {
    if (setgroups(order->group_count, (const gid_t *)order->groups) != 0)
        refuse(refusals, CLinux_RunnerStep_groups);
    if (setresgid(order->group, order->group, order->group) != 0)
        refuse(refusals, CLinux_RunnerStep_group);
    if (setresuid(order->user, order->user, order->user) != 0)
        refuse(refusals, CLinux_RunnerStep_user);
}

static const char *search_path(char *const *environment) {
    for (; *environment != NULL; environment++)
        if (strncmp(*environment, "PATH=", 5) == 0)
            return *environment + 5;
    return "/bin:/usr/bin";
}

// As execvpe(3), which however would search PATH of this process and give a file that is no program
// to a shell. Nothing is given to a shell here.
static void execute(char *const *arguments, char *const *environment) {
    const char *name = arguments[0];
    if (strchr(name, '/') != NULL) {
        execve(name, arguments, environment);
        return;
    }
    size_t name_length = strlen(name);
    bool was_denied = false;
    errno = ENOENT;
    for (const char *part = search_path(environment); part != NULL;) {
        const char *end = strchrnul(part, ':');
        size_t length = (size_t)(end - part);
        char path[PATH_MAX];
        if (length + 1 + name_length < sizeof(path)) {
            // An empty part means the working directory.
            memcpy(path, part, length);
            if (length > 0)
                path[length++] = '/';
            memcpy(path + length, name, name_length + 1);
            execve(path, arguments, environment);
            if (errno == EACCES)
                was_denied = true;
            else if (errno != ENOENT && errno != ENOTDIR && errno != ENODEV && errno != ESTALE)
                return;
        }
        part = *end == ':' ? end + 1 : NULL;
    }
    errno = was_denied ? EACCES : ENOENT;
}

_Noreturn void Runner_become_command(
    const struct CLinux_RunnerOrder *order, int error, int refusals, pid_t runner) {
    // A session and so a process group of its own, without a terminal: what is sent to the group
    // reaches the command and what it started, and nobody else.
    setsid();
    if (order->input >= 0)
        dup2(order->input, STDIN_FILENO);
    dup2(error, STDERR_FILENO);
    close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);

    if (order->switches_user)
        switch_user(order, refusals);
    umask(order->umask);
    // As the user, who may enter what root may not (NFS) and the other way round.
    if (chdir(order->directory) != 0)
        if (!order->directory_is_wish || chdir("/") != 0)
            refuse(refusals, CLinux_RunnerStep_directory);

    // Without its runner nobody would report on it, and it would be run again beside itself. The
    // kernel forgets the wish when the user changes, so it is made now (prctl(2)).
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != runner)
        _exit(127);
    reset_signals();
    execute(order->arguments, order->environment);
    refuse(refusals, CLinux_RunnerStep_execute);
}
