/*
 * A disk that fails on demand, for the tests: preloaded under a process, it lets calls on the files of one SQLite
 * database fail as the control file says. See DiskFaults.ts.
 *
 * The control file holds one line: serial, call (`write`, `sync` or `any`), file (what comes after the database's
 * path: `-wal`, `-shm`, `-journal`, `-` for the database itself or `*`), errno, how many such calls go well first, how
 * many fail then (-1: all), and what happens to the bytes of a failed sync: `kept` in the file, or `lost`, as a kernel
 * does that drops the pages which it could not write. Without the file nothing fails. A new serial begins to count anew.
 * Failures are written line by line in the file `<control>.failed`.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long current_serial = -1;
static long seen = 0;

/* What comes after the database's path in the name of the open file; NULL for any other file. */
static const char *part_of(int fd, char *path, size_t size) {
  const char *database = getenv("DISK_FAULTS_DATABASE");
  char link[64];
  if (database == NULL) return NULL;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, size - 1);
  if (length < 0) return NULL;
  path[length] = '\0';
  size_t prefix = strlen(database);
  if (strncmp(path, database, prefix) != 0) return NULL;
  const char *part = path + prefix;
  if (*part == '\0') return "-";
  return strcmp(part, "-wal") == 0 || strcmp(part, "-shm") == 0 || strcmp(part, "-journal") == 0 ? part : NULL;
}

static void tell(const char *control, const char *call, const char *part) {
  char name[4096], line[64];
  snprintf(name, sizeof name, "%s.failed", control);
  int length = snprintf(line, sizeof line, "%s %s\n", call, part);
  int fd = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) return;
  syscall(SYS_write, fd, line, (size_t)length);
  close(fd);
}

/* The previous bytes where something was written that no sync has confirmed yet; the latest first. */
struct before {
  struct before *next;
  char part[16];
  off_t offset, size;
  ssize_t length;
  char bytes[];
};
static struct before *unconfirmed = NULL;

static void keep_before(int fd, size_t count, off_t offset) {
  char path[4096];
  struct stat file;
  int saved = errno;
  const char *part = part_of(fd, path, sizeof path);
  if (part != NULL && strcmp(part, "-shm") != 0 && fstat(fd, &file) == 0) {
    struct before *before = malloc(sizeof *before + count);
    snprintf(before->part, sizeof before->part, "%s", part);
    before->offset = offset;
    before->size = file.st_size;
    before->length = syscall(SYS_pread64, fd, before->bytes, count, offset);
    pthread_mutex_lock(&lock);
    before->next = unconfirmed;
    unconfirmed = before;
    pthread_mutex_unlock(&lock);
  }
  errno = saved;
}

/* Forgets what was written to the file: the disk has it, or, where it is lost, has the previous bytes. */
static void settle(int fd, int is_lost) {
  char path[4096];
  int saved = errno;
  const char *part = part_of(fd, path, sizeof path);
  pthread_mutex_lock(&lock);
  for (struct before **at = &unconfirmed; part != NULL && *at != NULL;) {
    struct before *before = *at;
    if (strcmp(before->part, part) != 0) {
      at = &before->next;
      continue;
    }
    if (is_lost && before->length > 0) syscall(SYS_pwrite64, fd, before->bytes, before->length, before->offset);
    if (is_lost) syscall(SYS_ftruncate, fd, before->size);
    *at = before->next;
    free(before);
  }
  pthread_mutex_unlock(&lock);
  errno = saved;
}

/* The errno with which the call has to fail, or 0. */
static int fault(int fd, const char *call) {
  const char *control = getenv("DISK_FAULTS_CONTROL");
  char path[4096], text[256], wanted_call[16], wanted_part[16], bytes[16];
  long serial, skip, times;
  int error;
  if (control == NULL) return 0;
  int saved = errno;
  const char *part = part_of(fd, path, sizeof path);
  int file = part == NULL ? -1 : open(control, O_RDONLY | O_CLOEXEC);
  ssize_t length = file < 0 ? -1 : read(file, text, sizeof text - 1);
  if (file >= 0) close(file);
  errno = saved;
  if (length <= 0) return 0;
  text[length] = '\0';
  if (sscanf(text, "%ld %15s %15s %d %ld %ld %15s", &serial, wanted_call, wanted_part, &error, &skip, &times,
             bytes) != 7)
    return 0;
  if (strcmp(wanted_call, "any") != 0 && strcmp(wanted_call, call) != 0) return 0;
  if (strcmp(wanted_part, "*") != 0 && strcmp(wanted_part, part) != 0) return 0;
  pthread_mutex_lock(&lock);
  if (serial != current_serial) {
    current_serial = serial;
    seen = 0;
  }
  long number = seen++;
  pthread_mutex_unlock(&lock);
  if (number < skip || (times >= 0 && number >= skip + times)) return 0;
  tell(control, call, part);
  if (strcmp(call, "sync") == 0 && strcmp(bytes, "lost") == 0) settle(fd, 1);
  return error;
}

#define FAIL_IF_ASKED(fd, call)     \
  do {                              \
    int error = fault((fd), (call)); \
    if (error != 0) {               \
      errno = error;                \
      return -1;                    \
    }                               \
  } while (0)

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int fd, const void *bytes, size_t count) {
  FAIL_IF_ASKED(fd, "write");
  keep_before(fd, count, lseek(fd, 0, SEEK_CUR));
  return REAL(write)(fd, bytes, count);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset) {
  FAIL_IF_ASKED(fd, "write");
  keep_before(fd, count, offset);
  return REAL(pwrite)(fd, bytes, count, offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset) {
  FAIL_IF_ASKED(fd, "write");
  keep_before(fd, count, offset);
  return REAL(pwrite64)(fd, bytes, count, offset);
}

int ftruncate(int fd, off_t length) {
  FAIL_IF_ASKED(fd, "write");
  return REAL(ftruncate)(fd, length);
}

int ftruncate64(int fd, off64_t length) {
  FAIL_IF_ASKED(fd, "write");
  return REAL(ftruncate64)(fd, length);
}

int fsync(int fd) {
  FAIL_IF_ASKED(fd, "sync");
  int result = REAL(fsync)(fd);
  if (result == 0) settle(fd, 0);
  return result;
}

int fdatasync(int fd) {
  FAIL_IF_ASKED(fd, "sync");
  int result = REAL(fdatasync)(fd);
  if (result == 0) settle(fd, 0);
  return result;
}
