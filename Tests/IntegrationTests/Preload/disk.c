// A disk that is slow or broken when a test says so: preloaded into retryd (ld.so(8)).
//
// RETRYD_TEST_DISK names a file that says what syncing and writing do at present:
//
//   sync-delay MILLISECONDS     each fsync and fdatasync takes that long before it happens
//   sync-error ERRNO            each fsync and fdatasync fails
//   read-delay MILLISECONDS     each pread takes that long before it happens
//   write-error ERRNO           each pwrite fails
//   read-error ERRNO            each pread fails
//   free-kib KIB                so much is free for users, of 1 GiB in all
//
// An empty file, or none: a disk in good order.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

// The number behind a word in the file; 0: the word is not there.
static int setting(const char *word)
{
    const char *path = getenv("RETRYD_TEST_DISK");
    if (!path)
        return 0;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return 0;
    char text[256];
    ssize_t count = read(file, text, sizeof text - 1);
    close(file);
    text[count > 0 ? count : 0] = '\0';
    const char *found = strstr(text, word);
    return found ? atoi(found + strlen(word)) : 0;
}

static int fails(const char *word)
{
    int code = setting(word);
    if (code)
        errno = code;
    return code != 0;
}

static void delay(const char *word)
{
    int milliseconds = setting(word);
    struct timespec left = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        ;
}

int fsync(int file)
{
    static int (*next)(int);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "fsync");
    delay("sync-delay ");
    return fails("sync-error ") ? -1 : next(file);
}

int fdatasync(int file)
{
    static int (*next)(int);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "fdatasync");
    delay("sync-delay ");
    return fails("sync-error ") ? -1 : next(file);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset)
{
    static ssize_t (*next)(int, const void *, size_t, off64_t);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "pwrite64");
    return fails("write-error ") ? -1 : next(file, bytes, count, offset);
}

ssize_t pread64(int file, void *bytes, size_t count, off64_t offset)
{
    static ssize_t (*next)(int, void *, size_t, off64_t);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "pread64");
    delay("read-delay ");
    return fails("read-error ") ? -1 : next(file, bytes, count, offset);
}

int statvfs(const char *path, struct statvfs *status)
{
    static int (*next)(const char *, struct statvfs *);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "statvfs");
    int result = next(path, status);
    int free = setting("free-kib ");
    if (result == 0 && free > 0) {
        status->f_frsize = 1024;
        status->f_bavail = free;
        status->f_blocks = 1024 * 1024;
    }
    return result;
}
