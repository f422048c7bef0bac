// What the kernel tells about the host: its routes and its clocks. Part of CLinux.h.
#pragma once
#include <stdbool.h>

// A netlink socket that is readable after a route or a link changed (rtnetlink(7)), close-on-exec
// and non-blocking.
int CLinux_route_watch(void);

// Whether the kernel would send a packet for an address nobody has, and so has a default route:
// RTM_GETROUTE without a dump, one message each way. Nothing is sent into the network. 240.0.0.1
// and e000::1 lie in space that is reserved (RFC 1112 section 4, RFC 4291 section 2.4); networks
// for documentation are used in laboratories all the same. 1, 0, or -1.
int CLinux_has_default_route(bool ipv6);

// A timer on CLOCK_REALTIME that never fires, close-on-exec and non-blocking.
int CLinux_clock_watch(void);

// Arms it: read(2) gives ECANCELED when the clock is set afterwards (timerfd_create(2),
// TFD_TIMER_CANCEL_ON_SET).
int CLinux_clock_watch_arm(int timer);

// Whether the kernel takes its clock for synchronised (adjtimex(2), STA_UNSYNC): 1, 0, or -1.
int CLinux_clock_synchronised(void);
