#define _GNU_SOURCE
#include "RunnerParts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// Field 22 of /proc/PID/stat, proc(5): clock ticks from boot to the start of a process. The second
// field is a name in parentheses and may hold anything. 0 if it cannot be read.
static unsigned long long start_ticks(pid_t process) {
    char path[64], text[1024];
    snprintf(path, sizeof(path), "/proc/%d/stat", (int)process);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return 0;
    ssize_t count = read(file, text, sizeof(text) - 1);
    close(file);
    if (count <= 0)
        return 0;
    text[count] = '\0';
    char *field = strrchr(text, ')');
    for (int number = 2; field != NULL && number < 22; number++)
        field = strchr(field + 1, ' ');
    return field == NULL ? 0 : strtoull(field + 1, NULL, 10);
}

static int write_all(int file, const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t written = write(file, bytes, count);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return -1;
        bytes += written;
        count -= (size_t)written;
    }
    return 0;
}

// Writes a file under another name first, so that nobody sees a part of it.
static int write_file(const char *path, const char *bytes, size_t count) {
    char temporary[PATH_MAX];
    if (snprintf(temporary, sizeof(temporary), "%s.new", path) >= (int)sizeof(temporary)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0)
        return -1;
    int result = write_all(file, bytes, count);
    // Not synced: when the host goes down the command goes with it, and what a result says about
    // an attempt that the daemon has given up by then is worth no wait for the disk.
    if (close(file) != 0)
        result = -1;
    if (result == 0)
        result = rename(temporary, path);
    if (result != 0) {
        int code = errno;
        unlink(temporary);
        errno = code;
    }
    return result;
}

int Runner_write_command(const struct CLinux_RunnerOrder *order, pid_t command) {
    char text[64];
    int count = snprintf(text, sizeof(text), "%d %llu\n", (int)command, start_ticks(command));
    return write_file(order->command_file, text, (size_t)count);
}

// Lines of words, then the bytes of standard error. RunnerResult.swift reads it.
int Runner_write_result(
    const struct CLinux_RunnerOrder *order, const struct RunnerResult *result,
    const struct RunnerStream *stream) {
    char text[512 + RUNNER_TAIL_BYTES];
    int count;
    if (result->refusal.step != 0)
        count = snprintf(
            text, 256, "refused %d %d\n", (int)result->refusal.step, (int)result->refusal.code);
    else if (WIFSIGNALED(result->status))
        count = snprintf(
            text, 256, "killed %d %d %d\n", WTERMSIG(result->status),
            WCOREDUMP(result->status) ? 1 : 0, result->was_killed_here ? 1 : 0);
    else
        count = snprintf(text, 256, "exited %d\n", WEXITSTATUS(result->status));
    size_t kept = stream->total < RUNNER_TAIL_BYTES ? (size_t)stream->total : RUNNER_TAIL_BYTES;
    count += snprintf(
        text + count, 256, "timed-out %d\nran-ms %lld\nstderr %zu %llu\n",
        result->timed_out ? 1 : 0, (long long)result->ran_ms, kept,
        (unsigned long long)stream->total);
    for (size_t index = 0; index < kept; index++)
        text[(size_t)count + index] =
            stream->tail[(stream->total - kept + index) % RUNNER_TAIL_BYTES];
    return write_file(order->result_file, text, (size_t)count + kept);
}

void Runner_remove_files(const struct CLinux_RunnerOrder *order) {
    (void)unlink(order->result_file);
    (void)unlink(order->command_file);
    (void)unlink(order->state_file);
}
