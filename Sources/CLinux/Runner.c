#define _GNU_SOURCE
#include "RunnerParts.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

// How long what the command wrote last may take to be read and passed on after its end.
#define DRAIN_MS 1000
// Between looks at whether a stopped command's group is gone, and between tries to write a result.
#define LOOK_MS 50
#define REWRITE_MS 1000
// Between looks at whether a result still lies there: with its directory gone, nobody takes it.
#define LOOK_FOR_RESULT_MS 10000

enum RunnerPhase {
    // The command runs.
    PHASE_RUNNING,
    // It ended while being stopped; others of its group may still tidy up.
    PHASE_GROUP_ENDING,
    // It ended; what it wrote last is read.
    PHASE_DRAINING,
    // The result is being written, as often as it takes.
    PHASE_WRITING,
    // The result lies there until somebody has taken it.
    PHASE_WAITING,
    // Nothing is left to do but to pass on what programs in the background write.
    PHASE_LINGERING,
};

struct Runner {
    const struct CLinux_RunnerOrder *order;
    enum RunnerPhase phase;
    struct RunnerStream stream;
    struct RunnerResult result;
    pid_t command;
    bool is_reaped;
    int refusals;
    int signals;
    int64_t started_ms;
    // Moments of Runner_now_ms; 0: none.
    int64_t times_out_at_ms;
    int64_t kill_at_ms;
    int64_t next_at_ms;
    // Nobody wants to know how it ends.
    bool is_forgotten;
};

static _Noreturn void leave(struct Runner *runner) {
    Runner_remove_files(runner->order);
    _exit(0);
}

// --- Starting

static void start_command(struct Runner *runner) {
    int stream[2] = {-1, -1}, refusals[2] = {-1, -1};
    runner->started_ms = Runner_now_ms();
    runner->command = -1;
    if (pipe2(stream, O_CLOEXEC) == 0 && pipe2(refusals, O_CLOEXEC) == 0) {
        pid_t self = getpid();
        runner->command = fork();
        if (runner->command == 0)
            Runner_become_command(runner->order, stream[1], refusals[1], self);
    }
    if (runner->command < 0) {
        runner->result.refusal =
            (struct RunnerRefusal){.step = CLinux_RunnerStep_fork, .code = errno};
        runner->stream.reader = -1;
        runner->phase = PHASE_WRITING;
        return;
    }
    close(stream[1]);
    close(refusals[1]);
    (void)fcntl(stream[0], F_SETFL, O_NONBLOCK);
    runner->stream.reader = stream[0];
    runner->refusals = refusals[0];
    if (runner->order->timeout_ms > 0)
        runner->times_out_at_ms = runner->started_ms + runner->order->timeout_ms;
    // Only whoever cleans up after a runner that was killed asks for it; the kernel then ends the
    // command itself, and what it started goes on.
    if (Runner_write_command(runner->order, runner->command) != 0)
        dprintf(STDERR_FILENO, "retryd-exec: write %s: %m\n", runner->order->command_file);
}

// --- Stopping

static void signal_group(struct Runner *runner, int signal) {
    // Until it has made its group the command alone is meant.
    if (kill(-runner->command, signal) != 0 && runner->phase == PHASE_RUNNING)
        (void)kill(runner->command, signal);
}

static void stop_command(struct Runner *runner) {
    if (runner->phase != PHASE_RUNNING || runner->kill_at_ms != 0)
        return;
    signal_group(runner, SIGTERM);
    // A stopped process would not see it.
    signal_group(runner, SIGCONT);
    runner->kill_at_ms = Runner_now_ms() + runner->order->kill_after_ms;
}

static void reap(struct Runner *runner) {
    if (runner->is_reaped)
        return;
    while (waitpid(runner->command, &runner->result.status, 0) < 0 && errno == EINTR)
        continue;
    runner->is_reaped = true;
}

static void command_ended(struct Runner *runner) {
    runner->result.ran_ms = Runner_now_ms() - runner->started_ms;
    runner->times_out_at_ms = 0;
    if (read(runner->refusals, &runner->result.refusal, sizeof(struct RunnerRefusal))
        != sizeof(struct RunnerRefusal))
        runner->result.refusal.step = 0;
    close(runner->refusals);
    bool is_being_stopped = runner->kill_at_ms != 0;
    // While it is not waited for it counts as a member of its group.
    if (is_being_stopped)
        reap(runner);
    runner->phase = is_being_stopped ? PHASE_GROUP_ENDING : PHASE_DRAINING;
    runner->next_at_ms = Runner_now_ms() + (is_being_stopped ? 0 : DRAIN_MS);
}

// It is only looked at: what it wrote last is passed on as its own as long as it has its number.
static bool has_ended(const struct Runner *runner) {
    siginfo_t end = {0};
    int result = waitid(P_PID, (id_t)runner->command, &end, WEXITED | WNOHANG | WNOWAIT);
    return result == 0 && end.si_pid == runner->command;
}

// --- Signals and moments

static void take_signals(struct Runner *runner) {
    struct signalfd_siginfo arrival;
    while (read(runner->signals, &arrival, sizeof(arrival)) == sizeof(arrival)) {
        switch (arrival.ssi_signo) {
        case SIGCHLD:
            if (runner->phase == PHASE_RUNNING && has_ended(runner))
                command_ended(runner);
            break;
        case SIGTERM:
            runner->is_forgotten = true;
            if (runner->phase >= PHASE_DRAINING)
                leave(runner);
            stop_command(runner);
            break;
        case SIGUSR1:
            if (runner->phase == PHASE_WAITING)
                runner->phase = PHASE_LINGERING;
            break;
        }
    }
}

static void look_at_group(struct Runner *runner, int64_t now_ms) {
    if (now_ms < runner->next_at_ms)
        return;
    // What was sent SIGKILL is as good as gone: it may hang in the kernel for ever.
    bool is_gone = runner->result.was_killed_here || kill(-runner->command, 0) != 0;
    if (!is_gone && now_ms >= runner->kill_at_ms) {
        signal_group(runner, SIGKILL);
        is_gone = true;
    }
    runner->next_at_ms = now_ms + LOOK_MS;
    if (is_gone) {
        if (runner->is_forgotten)
            leave(runner);
        runner->phase = PHASE_DRAINING;
        runner->next_at_ms = now_ms + DRAIN_MS;
    }
}

static void write_result(struct Runner *runner, int64_t now_ms) {
    if (now_ms < runner->next_at_ms)
        return;
    if (runner->result.refusal.step != 0 && runner->next_at_ms == 0) {
        errno = runner->result.refusal.code;
        dprintf(STDERR_FILENO, "retryd-exec: %s not run: %m\n", runner->order->arguments[0]);
    }
    if (Runner_write_result(runner->order, &runner->result, &runner->stream) == 0) {
        runner->phase = PHASE_WAITING;
        runner->next_at_ms = now_ms + LOOK_FOR_RESULT_MS;
        return;
    }
    dprintf(STDERR_FILENO, "retryd-exec: write %s: %m\n", runner->order->result_file);
    runner->next_at_ms = now_ms + REWRITE_MS;
}

static bool is_drained(const struct Runner *runner) {
    if (RunnerStream_has_chunk(&runner->stream))
        return false;
    if (!RunnerStream_is_open(&runner->stream))
        return true;
    struct pollfd reader = {.fd = runner->stream.reader, .events = POLLIN};
    return poll(&reader, 1, 0) == 0;
}

// Whether SIGKILL is to follow SIGTERM.
static bool must_kill(const struct Runner *runner) {
    return runner->kill_at_ms != 0 && !runner->result.was_killed_here;
}

static void time_passed(struct Runner *runner) {
    int64_t now_ms = Runner_now_ms();
    if (runner->times_out_at_ms != 0 && now_ms >= runner->times_out_at_ms) {
        runner->times_out_at_ms = 0;
        runner->result.timed_out = true;
        dprintf(
            STDERR_FILENO, "retryd-exec: stopped, because it runs longer than %lld ms\n",
            (long long)runner->order->timeout_ms);
        stop_command(runner);
    }
    if (runner->phase == PHASE_RUNNING && must_kill(runner) && now_ms >= runner->kill_at_ms) {
        signal_group(runner, SIGKILL);
        runner->result.was_killed_here = true;
    }
    if (runner->phase == PHASE_GROUP_ENDING)
        look_at_group(runner, now_ms);
    if (runner->phase == PHASE_DRAINING && (is_drained(runner) || now_ms >= runner->next_at_ms)) {
        reap(runner);
        runner->phase = PHASE_WRITING;
        runner->next_at_ms = 0;
    }
    if (runner->phase == PHASE_WRITING)
        write_result(runner, now_ms);
    if (runner->phase == PHASE_WAITING && now_ms >= runner->next_at_ms) {
        runner->next_at_ms = now_ms + LOOK_FOR_RESULT_MS;
        if (access(runner->order->result_file, F_OK) != 0 && errno == ENOENT)
            runner->phase = PHASE_LINGERING;
    }
    if (runner->phase == PHASE_LINGERING && !RunnerStream_is_open(&runner->stream)
        && !RunnerStream_has_chunk(&runner->stream))
        _exit(0);
}

// --- The loop

// Milliseconds until the next moment; -1: there is none.
static int next_moment(const struct Runner *runner) {
    int64_t next_ms = INT64_MAX;
    if (runner->times_out_at_ms != 0)
        next_ms = runner->times_out_at_ms;
    if (runner->phase == PHASE_RUNNING && must_kill(runner) && runner->kill_at_ms < next_ms)
        next_ms = runner->kill_at_ms;
    bool looks = runner->phase != PHASE_RUNNING && runner->phase != PHASE_LINGERING;
    if (looks && runner->next_at_ms < next_ms)
        next_ms = runner->next_at_ms;
    if (next_ms == INT64_MAX)
        return -1;
    int64_t left_ms = next_ms - Runner_now_ms();
    return left_ms < 0 ? 0 : left_ms > 3600000 ? 3600000 : (int)left_ms;
}

static void pass_on(struct Runner *runner) {
    const struct CLinux_RunnerOrder *order = runner->order;
    struct ucred writer = {
        .pid = runner->is_reaped ? getpid() : runner->command,
        .uid = order->switches_user ? order->user : getuid(),
        .gid = order->switches_user ? order->group : getgid(),
    };
    RunnerStream_write(&runner->stream, &writer);
}

static void turn(struct Runner *runner) {
    bool has_chunk = RunnerStream_has_chunk(&runner->stream);
    struct pollfd ready[] = {
        {.fd = runner->signals, .events = POLLIN},
        // poll(2) passes over negative descriptors.
        {.fd = has_chunk ? -1 : runner->stream.reader, .events = POLLIN},
        {.fd = has_chunk ? STDERR_FILENO : -1, .events = POLLOUT},
    };
    if (poll(ready, 3, next_moment(runner)) > 0) {
        if (ready[1].revents != 0)
            RunnerStream_read(&runner->stream);
        if (ready[2].revents != 0)
            pass_on(runner);
        if (ready[0].revents != 0)
            take_signals(runner);
    }
    time_passed(runner);
}

_Noreturn void Runner_run(const struct CLinux_RunnerOrder *order, int signals) {
    struct Runner runner = {.order = order, .phase = PHASE_RUNNING, .signals = signals};
    start_command(&runner);
    if (order->input >= 0)
        close(order->input);
    while (true)
        turn(&runner);
}
