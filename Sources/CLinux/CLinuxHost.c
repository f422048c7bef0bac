#define _GNU_SOURCE
#include "CLinux.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <unistd.h>

int CLinux_route_watch(void) {
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    if (fd < 0)
        return -1;
    struct sockaddr_nl address = {
        .nl_family = AF_NETLINK,
        .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE,
    };
    if (bind(fd, (struct sockaddr *) &address, sizeof(address)) < 0) {
        int code = errno;
        close(fd);
        errno = code;
        return -1;
    }
    return fd;
}

// The answer to RTM_GETROUTE: 1 when it is a route that leads somewhere, 0 when there is none.
static int read_route(int fd) {
    union {
        struct nlmsghdr header;
        char bytes[8192];
    } answer;
    ssize_t length;
    do
        length = recv(fd, &answer, sizeof(answer), 0);
    while (length < 0 && errno == EINTR);
    if (length < 0)
        return -1;
    if (!NLMSG_OK(&answer.header, (size_t) length)) {
        errno = EBADMSG;
        return -1;
    }
    if (answer.header.nlmsg_type == NLMSG_ERROR) {
        const struct nlmsgerr *error = NLMSG_DATA(&answer.header);
        switch (-error->error) {
        case ENETUNREACH:
        case EHOSTUNREACH:
        case EACCES: // a route of the kind `prohibit`
        case EINVAL: // `blackhole`
        case EAFNOSUPPORT: // a kernel without IPv6
        case EOPNOTSUPP:
            return 0;
        }
        errno = -error->error;
        return -1;
    }
    const struct rtmsg *route = NLMSG_DATA(&answer.header);
    return route->rtm_type == RTN_UNICAST;
}

int CLinux_has_default_route(bool ipv6) {
    struct {
        struct nlmsghdr header;
        struct rtmsg route;
        struct rtattr attribute;
        unsigned char address[16];
    } request = {
        .header = {.nlmsg_type = RTM_GETROUTE, .nlmsg_flags = NLM_F_REQUEST},
    };
    size_t size = ipv6 ? 16 : 4;
    request.route.rtm_family = ipv6 ? AF_INET6 : AF_INET;
    request.route.rtm_dst_len = ipv6 ? 128 : 32;
    request.attribute.rta_type = RTA_DST;
    request.attribute.rta_len = RTA_LENGTH(size);
    if (ipv6)
        inet_pton(AF_INET6, "e000::1", request.address);
    else
        inet_pton(AF_INET, "240.0.0.1", request.address);
    request.header.nlmsg_len = NLMSG_LENGTH(sizeof(request.route)) + RTA_LENGTH(size);

    // The kernel answers before send(2) returns.
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (fd < 0)
        return -1;
    int result = -1;
    if (send(fd, &request, request.header.nlmsg_len, 0) >= 0)
        result = read_route(fd);
    int code = errno;
    close(fd);
    errno = code;
    return result;
}

int CLinux_clock_watch(void) {
    return timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
}

int CLinux_clock_watch_arm(int timer) {
    // The end of time as the kernel counts it (ktime_t).
    struct itimerspec never = {.it_value = {.tv_sec = INT64_MAX / 1000000000}};
    return timerfd_settime(timer, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL);
}

int CLinux_clock_synchronised(void) {
    // No mode is set: this only reads.
    struct timex state = {0};
    if (adjtimex(&state) < 0)
        return -1;
    return (state.status & STA_UNSYNC) == 0;
}
