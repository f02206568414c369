/*
 * Fails chosen system calls and allocations of the process that preloads it (LD_PRELOAD). fault_library.ts
 * compiles it and controls it through dlopen(3), which returns the library that is already loaded.
 *
 * System calls count only for files below the watched directory, allocations only when SQLite makes them.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

/* Kinds of calls; fault_library.ts has the same values. */
enum { WRITE = 1, SYNC = 2, TRUNCATE = 4, CREATE = 8, RENAME = 16, REMOVE = 32, ALLOCATE = 64 };

static char directory[PATH_MAX];
static size_t directory_length;
static _Atomic int kinds; /* 0: every call succeeds and none is counted */
static _Atomic long counted, failed, first, last;
static _Atomic int error_number;
static _Atomic bool is_short;

/* SQLite calls malloc in one place, whose address fault_calibrate learns from an allocation of a unique size. */
static _Atomic(void *) sqlite_caller;
static _Atomic size_t calibration_size;

void fault_watch(const char *path) {
  directory_length = strlen(path);
  memcpy(directory, path, directory_length + 1);
}

void fault_calibrate(size_t size) { calibration_size = size; }

int fault_is_calibrated(void) { return sqlite_caller != NULL; }

/* Fails the calls first_call to last_call of some kinds, counted from 1. A short write writes half of its bytes. */
void fault_arm(int call_kinds, long first_call, long last_call, int error, int short_write) {
  kinds = 0;
  counted = failed = 0;
  first = first_call;
  last = last_call;
  error_number = error;
  is_short = short_write;
  kinds = call_kinds;
}

void fault_disarm(void) { kinds = 0; }
long fault_counted(void) { return counted; }
long fault_failed(void) { return failed; }

static bool is_due(int kind) {
  if (!(kinds & kind)) return false;
  long n = ++counted;
  if (n < first || n > last) return false;
  failed++;
  errno = error_number;
  return true;
}

static bool is_watched(const char *path) {
  return directory_length > 0 && strncmp(path, directory, directory_length) == 0;
}

static bool fails(int kind, int fd) {
  if (!(kinds & kind)) return false;
  char link[32], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return false;
  path[length] = '\0';
  return is_watched(path) && is_due(kind);
}

/* Relative paths do not occur: the data directory is absolute. */
static bool path_fails(int kind, const char *path) { return (kinds & kind) && is_watched(path) && is_due(kind); }

/* The first failing write of a full disk stores what fits. */
static size_t short_size(size_t size) { return is_short && failed == 1 && size > 1 ? size / 2 : 0; }

#define NEXT(result, name, ...)                 \
  static result (*next)(__VA_ARGS__);           \
  if (!next) next = dlsym(RTLD_NEXT, #name)

ssize_t write(int fd, const void *data, size_t size) {
  NEXT(ssize_t, write, int, const void *, size_t);
  if (!fails(WRITE, fd)) return next(fd, data, size);
  size_t part = short_size(size);
  return part ? next(fd, data, part) : -1;
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  NEXT(ssize_t, writev, int, const struct iovec *, int);
  return fails(WRITE, fd) ? -1 : next(fd, parts, count);
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset) {
  NEXT(ssize_t, pwrite64, int, const void *, size_t, off64_t);
  if (!fails(WRITE, fd)) return next(fd, data, size, offset);
  size_t part = short_size(size);
  return part ? next(fd, data, part, offset) : -1;
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t offset) { return pwrite64(fd, data, size, offset); }

int fsync(int fd) {
  NEXT(int, fsync, int);
  return fails(SYNC, fd) ? -1 : next(fd);
}

int fdatasync(int fd) {
  NEXT(int, fdatasync, int);
  return fails(SYNC, fd) ? -1 : next(fd);
}

int ftruncate64(int fd, off64_t size) {
  NEXT(int, ftruncate64, int, off64_t);
  return fails(TRUNCATE, fd) ? -1 : next(fd, size);
}

int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }

int open64(const char *path, int flags, ...) {
  NEXT(int, open64, const char *, int, ...);
  va_list arguments;
  va_start(arguments, flags);
  int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, int) : 0;
  va_end(arguments);
  return flags & O_CREAT && path_fails(CREATE, path) ? -1 : next(path, flags, mode);
}

int open(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, int) : 0;
  va_end(arguments);
  return open64(path, flags, mode);
}

int rename(const char *from, const char *to) {
  NEXT(int, rename, const char *, const char *);
  return path_fails(RENAME, to) ? -1 : next(from, to);
}

int unlink(const char *path) {
  NEXT(int, unlink, const char *);
  return path_fails(REMOVE, path) ? -1 : next(path);
}

extern void *__libc_malloc(size_t size);

void *malloc(size_t size) {
  void *caller = __builtin_return_address(0);
  /* SQLite adds a few bytes to the size. */
  if (calibration_size != 0 && size >= calibration_size && size < calibration_size + 64) {
    sqlite_caller = caller;
    calibration_size = 0;
  }
  return kinds & ALLOCATE && caller == sqlite_caller && is_due(ALLOCATE) ? NULL : __libc_malloc(size);
}
