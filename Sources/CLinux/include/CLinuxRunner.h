// The process that runs one command for retryd-exec and outlives it. It is made by fork and runs
// no Swift: all it does is in Runner*.c. Only SystemKit imports it.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What to run, as whom, and where to leave word. It is read in the new process, so it need not
// outlive the call that takes it.
struct CLinux_RunnerOrder {
    // NULL-terminated. The program is arguments[0], looked for in PATH of `environment`.
    char *const *arguments;
    char *const *environment;
    // Where the command starts. With `directory_is_wish` it starts in / if that cannot be entered.
    const char *directory;
    bool directory_is_wish;
    uint32_t umask;

    // Without `switches_user` it stays who the caller is.
    bool switches_user;
    uint32_t user;
    uint32_t group;
    const uint32_t *groups;
    size_t group_count;

    // Descriptors; -1 for input is /dev/null. Output and error may be the same.
    int input;
    int output;
    int error;

    // Milliseconds; 0: the command may take as long as it wants.
    int64_t timeout_ms;
    // From SIGTERM to SIGKILL when it is stopped.
    int64_t kill_after_ms;

    // Files: `command_file` gets the command's process id and start as soon as it exists,
    // `result_file` at its end how it ended. The runner removes all three where it ends without
    // a result.
    const char *state_file;
    const char *command_file;
    const char *result_file;
};

// Makes the runner, which waits. A byte written to *start makes it start the command; when *start
// closes without one it removes the state file and ends.
//
// Signals to the runner: SIGTERM stops the command and ends the runner without a result; SIGUSR1,
// once there is a result, says that it was taken, so that the runner can go. It stays until then,
// or until the result file is gone: its life is what holds the lease.
//
// Returns its process id, or -1 with errno. The caller must have one thread only.
int32_t CLinux_start_runner(const struct CLinux_RunnerOrder *order, int *start);

// What a runner was doing for the command when the kernel refused, in the result file as a number.
enum CLinux_RunnerStep {
    CLinux_RunnerStep_fork = 1,
    CLinux_RunnerStep_groups = 2,
    CLinux_RunnerStep_group = 3,
    CLinux_RunnerStep_user = 4,
    CLinux_RunnerStep_directory = 5,
    CLinux_RunnerStep_execute = 6,
};
