// What Swift cannot call in glibc and the kernel: macros, variadic functions and calls that
// glibc only declares with _GNU_SOURCE. Only SystemKit imports it.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
// Swift's Glibc module leaves epoll out. It needs no _GNU_SOURCE, so it is taken as it is.
#include <sys/epoll.h>
#include <sys/types.h>

#include "CLinuxHost.h"
#include "CLinuxRunner.h"

// Every function here that can fail returns -1 and sets errno, as the call behind it does.

// epoll_create1(EPOLL_CLOEXEC).
int CLinux_epoll_create(void);

// epoll_pwait2(2) without a signal mask: a timeout in microseconds. Kernels before 5.11 do not know
// it (ENOSYS).
int CLinux_epoll_wait(int epoll, struct epoll_event *events, int max, int64_t timeout_usec);

// eventfd(2), close-on-exec. Its header is not in Swift's Glibc module.
int CLinux_eventfd(bool non_blocking);

// A stream socket of the Unix kind, close-on-exec, and a connected pair of them. Whether Swift sees
// the SOCK_ constants depends on the order of its imports.
int CLinux_socket(bool non_blocking);
int CLinux_socket_pair(int *left, int *right);

// A datagram socket of the Unix kind, close-on-exec.
int CLinux_datagram_socket(void);

// sd_is_socket_unix(3) takes one of those constants too.
int CLinux_stream_type(void);

// accept4(2) with SOCK_CLOEXEC and SOCK_NONBLOCK: declared with _GNU_SOURCE only.
int CLinux_accept(int listener);

// pipe2(2) with O_CLOEXEC: declared with _GNU_SOURCE only.
int CLinux_pipe(int *reader, int *writer);

// struct ucred is declared with _GNU_SOURCE only.
struct CLinux_PeerCredentials {
    int32_t process;
    uint32_t user;
    uint32_t group;
};
int CLinux_peer_credentials(int socket, struct CLinux_PeerCredentials *credentials);

// SO_PEERGROUPS. `count` is the room for groups before the call and their number after it; it is
// also set when the room was too small (ERANGE).
int CLinux_peer_groups(int socket, uint32_t *groups, size_t *count);

// SO_PEERPIDFD (Linux 6.5), which Debian 12's headers do not know.
int CLinux_peer_pidfd(int socket);

// pidfd_open(2): a syscall without a declaration that Swift sees. Its result is close-on-exec.
int CLinux_pidfd_open(int32_t process);

// pthread_setname_np(3) for the calling thread: declared with _GNU_SOURCE only. Names longer than
// 15 bytes are cut, which the call itself would refuse.
void CLinux_set_thread_name(const char *name);

// getrandom(2): its header is not in Swift's Glibc module.
ssize_t CLinux_getrandom(void *buffer, size_t size);

// mallopt(M_ARENA_MAX): its header is not in Swift's Glibc module.
bool CLinux_limit_arenas(int arenas);

// A signalfd(2) for the given signals, close-on-exec and non-blocking. Its header is not in Swift's
// Glibc module.
int CLinux_signalfd(const int *signals, size_t count);

// What one arrival of a signal tells, out of struct signalfd_siginfo.
struct CLinux_SignalArrival {
    int signal;
    // 0 when the kernel sent it, as the terminal driver does for Ctrl-C.
    int32_t sender;
};
int CLinux_read_signal(int descriptor, struct CLinux_SignalArrival *arrival);

// memfd_create(2), close-on-exec: declared with _GNU_SOURCE only.
int CLinux_memfd(const char *name);

// sigabbrev_np(3), "KILL" for SIGKILL: declared with _GNU_SOURCE only. NULL for other numbers.
const char *CLinux_signal_name(int signal);

// strerrorname_np(3), "ENOENT" for 2: declared with _GNU_SOURCE only. NULL for other numbers.
const char *CLinux_errno_name(int code);

// pidfd_send_signal(2): a syscall without a declaration that Swift sees.
int CLinux_pidfd_send_signal(int descriptor, int signal);

// An inotify(7) descriptor, close-on-exec and non-blocking, that is readable when a file was moved
// into the directory. Its header is not in Swift's Glibc module.
int CLinux_watch_directory(const char *path);
