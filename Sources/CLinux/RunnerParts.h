// What the files Runner*.c share.
#pragma once
#include "CLinux.h"

#include <stdint.h>
#include <sys/types.h>
#include <time.h>

struct ucred;

// How much of standard error is kept: its end.
#define RUNNER_TAIL_BYTES 4096
// Read and passed on at once. A pipe that is ready to be written takes as much without blocking
// (PIPE_BUF, pipe(7)).
#define RUNNER_CHUNK_BYTES 4096

// The refusal that keeps a command from being run, written to its parent.
struct RunnerRefusal {
    int32_t step;
    int32_t code;
};

// Passes standard error of the command on and keeps its end.
struct RunnerStream {
    // The reading end of the command's standard error; -1 once nobody can write to it any more.
    int reader;
    // What was read and not yet passed on.
    char chunk[RUNNER_CHUNK_BYTES];
    size_t start, end;
    // The last bytes, in a ring: total bytes so far modulo its size is where the next one goes.
    char tail[RUNNER_TAIL_BYTES];
    uint64_t total;
    // Nobody takes the output any more; it is still read.
    bool is_broken;
};

bool RunnerStream_is_open(const struct RunnerStream *stream);
bool RunnerStream_has_chunk(const struct RunnerStream *stream);
void RunnerStream_read(struct RunnerStream *stream);
// `writer` is who wrote it.
void RunnerStream_write(struct RunnerStream *stream, const struct ucred *writer);

// Starts the command and sees it to its end. `signals` is a signalfd of SIGCHLD, SIGTERM and
// SIGUSR1, which are blocked.
_Noreturn void Runner_run(const struct CLinux_RunnerOrder *order, int signals);

// Becomes the command. Tells a refusal on `refusals` and ends.
_Noreturn void Runner_become_command(
    const struct CLinux_RunnerOrder *order, int error, int refusals, pid_t runner);

// Files.
int Runner_write_command(const struct CLinux_RunnerOrder *order, pid_t command);

struct RunnerResult {
    // As waitpid(2) gives it; not used where `refusal.step` is not 0.
    int status;
    struct RunnerRefusal refusal;
    bool timed_out;
    // The runner's own SIGKILL may have ended it.
    bool was_killed_here;
    int64_t ran_ms;
};
int Runner_write_result(
    const struct CLinux_RunnerOrder *order, const struct RunnerResult *result,
    const struct RunnerStream *stream);
void Runner_remove_files(const struct CLinux_RunnerOrder *order);

// CLOCK_MONOTONIC in milliseconds: a suspended host does not use a command's time up.
static inline int64_t Runner_now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
