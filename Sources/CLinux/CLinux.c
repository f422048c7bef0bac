#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

_Static_assert(sizeof(gid_t) == sizeof(uint32_t), "SO_PEERGROUPS writes 32-bit group ids");
_Static_assert(sizeof(pid_t) == sizeof(int32_t), "process ids have 32 bits");

int CLinux_epoll_create(void) {
    return epoll_create1(EPOLL_CLOEXEC);
}

int CLinux_epoll_wait(int epoll, struct epoll_event *events, int max, int64_t timeout_usec) {
    struct timespec timeout = {
        .tv_sec = timeout_usec / 1000000,
        .tv_nsec = timeout_usec % 1000000 * 1000,
    };
    return epoll_pwait2(epoll, events, max, &timeout, NULL);
}

int CLinux_eventfd(bool non_blocking) {
    return eventfd(0, EFD_CLOEXEC | (non_blocking ? EFD_NONBLOCK : 0));
}

int CLinux_socket(bool non_blocking) {
    return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | (non_blocking ? SOCK_NONBLOCK : 0), 0);
}

int CLinux_socket_pair(int *left, int *right) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        return -1;
    *left = ends[0];
    *right = ends[1];
    return 0;
}

int CLinux_datagram_socket(void) {
    return socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

int CLinux_stream_type(void) {
    return SOCK_STREAM;
}

int CLinux_accept(int listener) {
    return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

int CLinux_pipe(int *reader, int *writer) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return -1;
    *reader = ends[0];
    *writer = ends[1];
    return 0;
}

int CLinux_peer_credentials(int socket, struct CLinux_PeerCredentials *credentials) {
    struct ucred peer;
    socklen_t size = sizeof(peer);
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0)
        return -1;
    credentials->process = peer.pid;
    credentials->user = peer.uid;
    credentials->group = peer.gid;
    return 0;
}

int CLinux_peer_groups(int socket, uint32_t *groups, size_t *count) {
    socklen_t size = (socklen_t)(*count * sizeof(uint32_t));
    int result = getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups, &size);
    if (result == 0 || errno == ERANGE)
        *count = size / sizeof(uint32_t);
    return result;
}

int CLinux_peer_pidfd(int socket) {
    int descriptor = -1;
    socklen_t size = sizeof(descriptor);
    if (getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &descriptor, &size) < 0)
        return -1;
    return descriptor;
}

int CLinux_pidfd_open(int32_t process) {
    return (int)syscall(SYS_pidfd_open, process, 0);
}

void CLinux_set_thread_name(const char *name) {
    char short_name[16];
    strncpy(short_name, name, sizeof(short_name) - 1);
    short_name[sizeof(short_name) - 1] = '\0';
    (void)pthread_setname_np(pthread_self(), short_name);
}

ssize_t CLinux_getrandom(void *buffer, size_t size) {
    return getrandom(buffer, size, 0);
}

bool CLinux_limit_arenas(int arenas) {
    return mallopt(M_ARENA_MAX, arenas) == 1;
}

int CLinux_signalfd(const int *signals, size_t count) {
    sigset_t set;
    sigemptyset(&set);
    for (size_t index = 0; index < count; index++)
        if (sigaddset(&set, signals[index]) < 0)
            return -1;
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int CLinux_read_signal(int descriptor, struct CLinux_SignalArrival *arrival) {
    struct signalfd_siginfo info;
    ssize_t count = read(descriptor, &info, sizeof(info));
    if (count < 0)
        return -1;
    arrival->signal = (int)info.ssi_signo;
    arrival->sender = info.ssi_code > 0 ? 0 : (int32_t)info.ssi_pid;
    return 0;
}

int CLinux_memfd(const char *name) {
    return memfd_create(name, MFD_CLOEXEC);
}

const char *CLinux_signal_name(int signal) {
    return sigabbrev_np(signal);
}

const char *CLinux_errno_name(int code) {
    return strerrorname_np(code);
}

int CLinux_pidfd_send_signal(int descriptor, int signal) {
    return (int)syscall(SYS_pidfd_send_signal, descriptor, signal, NULL, 0);
}

int CLinux_watch_directory(const char *path) {
    int descriptor = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (descriptor < 0)
        return -1;
    if (inotify_add_watch(descriptor, path, IN_MOVED_TO | IN_ONLYDIR) < 0) {
        int code = errno;
        close(descriptor);
        errno = code;
        return -1;
    }
    return descriptor;
}
