# retryd: build, try, test, measure, install.
#
#   make            build the programs for use (.build/release)
#   make run        show the life of some failed operations, end by itself (KEEP=1: stay up)
#   make test       run every test
#   make bench      measure, beside beanstalkd on the same disk
#   make install    DESTDIR= PREFIX=/usr
#   make uninstall  DESTDIR= PREFIX=/usr; keeps /var/lib/retryd and /etc/retryd
#
# Each installs the Debian packages it needs when run as root, and names them otherwise.

PREFIX ?= /usr
DESTDIR ?=

SWIFT ?= swift
# The programs carry Swift's runtime, so that a host needs no toolchain to run them.
BUILD := $(SWIFT) build -c release --static-swift-stdlib
RELEASE := .build/release
PROGRAMS := retryd retryd-exec retryctl
UNITS := retryd.socket retryd.service retryd-exec.service retryd@.service

# Tests are optimised, for the simulations; assertions stay on, and @testable works. They have a
# scratch directory of their own, so that neither build throws away the other's work.
TEST_SCRATCH := .build/tests
TEST_FLAGS := -c release --scratch-path $(TEST_SCRATCH) \
	-Xswiftc -enable-testing -Xswiftc -assert-config -Xswiftc Debug
# A client of the protocol that we did not write is one of the tests.
VENV := .build/venv
VARLINK := varlink==31.0.0

BUILD_PACKAGES := libsystemd-dev libsqlite3-dev libsimdjson-dev libtomlplusplus-dev pkg-config
TEST_PACKAGES := systemd systemd-container dbus iproute2 python3-venv
BENCH_PACKAGES := beanstalkd

bindir := $(PREFIX)/bin
vendordir := $(PREFIX)/lib/retryd
unitdir := $(PREFIX)/lib/systemd/system
userunitdir := $(PREFIX)/lib/systemd/user
presetdir := $(PREFIX)/lib/systemd/system-preset
userpresetdir := $(PREFIX)/lib/systemd/user-preset
sysusersdir := $(PREFIX)/lib/sysusers.d
tmpfilesdir := $(PREFIX)/lib/tmpfiles.d
catalogdir := $(PREFIX)/lib/systemd/catalog
docdir := $(PREFIX)/share/doc/retryd

.PHONY: all build deps deps-test deps-bench run test bench install uninstall check-built clean

all: build

build: deps
	$(BUILD)

# --- Packages: a look at dpkg's list when all are there, which takes milliseconds.

deps:
	@.ci/packages $(BUILD_PACKAGES)

deps-test: deps $(VENV)/.complete
	@.ci/packages $(TEST_PACKAGES)

deps-bench: deps
	@.ci/packages $(BENCH_PACKAGES)

$(VENV)/.complete: Makefile
	@.ci/packages python3-venv
	python3 -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --disable-pip-version-check $(VARLINK)
	touch $@

# --- Use

run: build
	Tests/Demo/run $(RELEASE)

test: build deps-test
	$(SWIFT) build --build-tests $(TEST_FLAGS)
	$(SWIFT) test --skip-build $(TEST_FLAGS)

bench: build deps-bench
	$(RELEASE)/RetryBench

# --- Installation

# What was built is installed and nothing is built, so that `sudo make install` leaves no files of
# root's in the tree.
check-built:
	@for program in $(PROGRAMS); do \
		test -x $(RELEASE)/$$program || { \
			echo "$(RELEASE)/$$program is missing: run make first" >&2; exit 1; }; \
	done

# Units of a directory, with the paths of this PREFIX.
define install-units
for unit in $(UNITS); do \
	sed -e 's|/usr/bin/|$(bindir)/|' -e 's|/usr/share/doc/|$(PREFIX)/share/doc/|' \
		$(1)/$$unit > $(DESTDIR)$(2)/$$unit && \
	chmod 644 $(DESTDIR)$(2)/$$unit || exit 1; \
done
endef

install: check-built
	install -d $(DESTDIR)$(bindir) $(DESTDIR)$(vendordir)/rules.d $(DESTDIR)$(unitdir) \
		$(DESTDIR)$(userunitdir) $(DESTDIR)$(presetdir) $(DESTDIR)$(userpresetdir) \
		$(DESTDIR)$(sysusersdir) $(DESTDIR)$(tmpfilesdir) $(DESTDIR)$(catalogdir) \
		$(DESTDIR)$(docdir)/docs/decisions $(DESTDIR)$(docdir)/examples
	for program in $(PROGRAMS); do \
		install -m 755 $(RELEASE)/$$program $(DESTDIR)$(bindir)/ && \
		strip $(DESTDIR)$(bindir)/$$program || exit 1; \
	done
	install -m 644 config/retryd.toml $(DESTDIR)$(vendordir)/
	install -m 644 config/rules.d/*.toml $(DESTDIR)$(vendordir)/rules.d/
	install -m 644 README.md $(DESTDIR)$(docdir)/
	install -m 644 docs/*.md $(DESTDIR)$(docdir)/docs/
	install -m 644 docs/decisions/*.md $(DESTDIR)$(docdir)/docs/decisions/
	install -m 644 systemd/examples/* $(DESTDIR)$(docdir)/examples/
	$(call install-units,systemd,$(unitdir))
	$(call install-units,systemd/user,$(userunitdir))
	install -m 644 systemd/90-retryd.preset $(DESTDIR)$(presetdir)/
	install -m 644 systemd/90-retryd-user.preset $(DESTDIR)$(userpresetdir)/90-retryd.preset
	install -m 644 systemd/retryd.sysusers $(DESTDIR)$(sysusersdir)/retryd.conf
	install -m 644 systemd/retryd.tmpfiles $(DESTDIR)$(tmpfilesdir)/retryd.conf
	install -m 644 systemd/retryd.catalog $(DESTDIR)$(catalogdir)/
	@test -n "$(DESTDIR)" || systemd/after-install

uninstall:
	@test -n "$(DESTDIR)" || systemd/before-uninstall
	rm -f $(PROGRAMS:%=$(DESTDIR)$(bindir)/%) $(UNITS:%=$(DESTDIR)$(unitdir)/%)
	rm -f $(UNITS:%=$(DESTDIR)$(userunitdir)/%)
	rm -f $(DESTDIR)$(presetdir)/90-retryd.preset $(DESTDIR)$(userpresetdir)/90-retryd.preset
	rm -f $(DESTDIR)$(sysusersdir)/retryd.conf $(DESTDIR)$(tmpfilesdir)/retryd.conf
	rm -f $(DESTDIR)$(catalogdir)/retryd.catalog
	rm -rf $(DESTDIR)$(vendordir) $(DESTDIR)$(docdir)
	@test -n "$(DESTDIR)" || systemd/after-uninstall

clean:
	rm -rf .build
