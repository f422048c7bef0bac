// libsystemd: the event loop, readiness, the journal and D-Bus. Only SystemKit imports it.
#pragma once
#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#include <systemd/sd-id128.h>
// sd-journal.h turns sd_journal_sendv into a macro that adds CODE_FILE and CODE_LINE of the
// caller; entries here are built from values, so the plain functions are wanted.
#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-journal.h>
