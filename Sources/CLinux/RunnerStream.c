#define _GNU_SOURCE
#include "RunnerParts.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

bool RunnerStream_is_open(const struct RunnerStream *stream) {
    return stream->reader >= 0;
}

bool RunnerStream_has_chunk(const struct RunnerStream *stream) {
    return stream->start < stream->end;
}

static void remember(struct RunnerStream *stream, const char *bytes, size_t count) {
    for (size_t index = 0; index < count; index++)
        stream->tail[(stream->total + index) % RUNNER_TAIL_BYTES] = bytes[index];
    stream->total += count;
}

// Reads what is there, at most a chunk. Only when the last chunk was passed on.
void RunnerStream_read(struct RunnerStream *stream) {
    ssize_t count = read(stream->reader, stream->chunk, sizeof(stream->chunk));
    if (count < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (count <= 0) {
        close(stream->reader);
        stream->reader = -1;
        return;
    }
    remember(stream, stream->chunk, (size_t)count);
    stream->start = 0;
    stream->end = stream->is_broken ? 0 : (size_t)count;
}

// journald notes who wrote each line, and shows users their own only: the command's word is passed
// on as the command's (SCM_CREDENTIALS, unix(7)), which root may do for others.
static ssize_t send_as(const struct ucred *writer, const char *bytes, size_t count) {
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(struct ucred))];
    } control = {0};
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
    struct msghdr message = {
        .msg_iov = &part,
        .msg_iovlen = 1,
        .msg_control = &control,
        .msg_controllen = sizeof(control),
    };
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_CREDENTIALS;
    header->cmsg_len = CMSG_LEN(sizeof(struct ucred));
    memcpy(CMSG_DATA(header), writer, sizeof(struct ucred));
    return sendmsg(STDERR_FILENO, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void RunnerStream_write(struct RunnerStream *stream, const struct ucred *writer) {
    const char *rest = stream->chunk + stream->start;
    size_t count = stream->end - stream->start;
    ssize_t written = send_as(writer, rest, count);
    // The command is gone, or this process may not speak for others: then it is its own word.
    if (written < 0 && (errno == ESRCH || errno == EPERM))
        written = send(STDERR_FILENO, rest, count, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (written < 0 && errno == ENOTSOCK)
        written = write(STDERR_FILENO, rest, count);
    if (written >= 0) {
        stream->start += (size_t)written;
    } else if (errno != EAGAIN && errno != EINTR) {
        // The journal was restarted, or the reader is gone. The command is not to suffer from it.
        stream->is_broken = true;
        stream->start = stream->end;
    }
}
