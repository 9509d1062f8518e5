/* What can be known of an output before long work. */
#include "cli/output.h"
#include "io/leftover.h"
#include "plot/chart.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* The directory that the file is made in: of a link's target where that is there. */
static void directory_of(const char *path, char directory[PATH_MAX]) {
  char target[PATH_MAX];
  snprintf(directory, PATH_MAX, "%s", realpath(path, target) ? target : path);
  char *slash = strrchr(directory, '/');
  if (!slash) {
    snprintf(directory, PATH_MAX, ".");
  } else if (slash == directory) {
    slash[1] = '\0';
  } else {
    *slash = '\0';
  }
}

/* Makes the file of mkstemp's template, with the mode that a new file has. */
static FILE *open_temporary(char *template) {
  const mode_t mask = umask(0);
  umask(mask);
  const int descriptor = mkstemp(template);
  if (descriptor < 0) return NULL;
  FILE *stream = fchmod(descriptor, 0666 & ~mask) == 0 ? fdopen(descriptor, "w") : NULL;
  if (stream) return stream;
  const int error = errno;
  close(descriptor);
  unlink(template);
  errno = error;
  return NULL;
}

/* The template of a temporary name beside `path`, from malloc; NULL without memory. */
static char *temporary_name(const char *path) {
  static const char suffix[] = ".XXXXXX";
  const size_t size = strlen(path) + sizeof suffix;
  char *name = malloc(size);
  if (name) snprintf(name, size, "%s%s", path, suffix);
  return name;
}

/* Permissions alone do not tell: some file systems let nobody make a file, not even root. */
static int try_temporary(const char *path) {
  char *name = temporary_name(path);
  FILE *stream = name ? open_temporary(name) : NULL;
  const int error = errno;
  if (stream) {
    fclose(stream);
    unlink(name);
  }
  free(name);
  if (stream) return CLI_DONE;
  return cli_error(CLI_MISUSED, "%s: cannot be written: %s", path, strerror(error));
}

int cli_check_writable(const char *path) {
  struct stat there;
  char directory[PATH_MAX];
  const bool exists = stat(path, &there) == 0;
  if (exists && S_ISDIR(there.st_mode))
    return cli_error(CLI_MISUSED, "%s: cannot be written: it is a directory", path);
  if (exists && !S_ISREG(there.st_mode)) return CLI_DONE;
  directory_of(path, directory);
  if (stat(directory, &there) == 0 && !S_ISDIR(there.st_mode))
    return cli_error(CLI_MISUSED, "%s: cannot be written: %s is not a directory", path, directory);
  if (access(directory, W_OK | X_OK) != 0)
    return cli_error(CLI_MISUSED, "%s: cannot be written: directory %s: %s", path, directory,
                     strerror(errno));
  return try_temporary(path);
}

int cli_check_plot(const char *path) {
  if (!path) return CLI_DONE;
  if (!qn_chart_available())
    return cli_error(CLI_MISUSED, "--plot: this build draws nothing: cairo was missing when it was "
                                  "configured (Debian: libcairo2-dev)");
  const size_t length = strlen(path);
  const char *end = length > 4 ? path + length - 4 : "";
  if (strcmp(end, ".svg") != 0 && strcmp(end, ".png") != 0)
    return cli_error(CLI_MISUSED, "--plot takes a name that ends in .svg or .png, not '%s'", path);
  return cli_check_writable(path);
}

int cli_check_room(const char *path, uint64_t bytes) {
  struct stat there;
  struct statvfs system;
  char directory[PATH_MAX];
  if (stat(path, &there) == 0 && !S_ISREG(there.st_mode)) return CLI_DONE;
  directory_of(path, directory);
  if (statvfs(directory, &system) != 0) return CLI_DONE; /* writing will tell */
  const double room = (double)system.f_bavail * (double)system.f_frsize;
  if ((double)bytes <= room) return CLI_DONE;
  return cli_error(CLI_FAILED, "%s: cannot be written: it needs %.3g GB and the disk has %.3g left",
                   path, 1e-9 * (double)bytes, 1e-9 * room);
}

static void drop_temporary(cli_text_file *file) {
  qn_leftover_forget(file->temporary);
  free(file->temporary);
  file->temporary = NULL;
}

int cli_text_begin(cli_text_file *file, const char *path) {
  *file = (cli_text_file){.path = path};
  struct stat there;
  if (strcmp(path, "-") == 0) {
    file->stream = stdout;
    return CLI_DONE;
  }
  if (stat(path, &there) == 0 && !S_ISREG(there.st_mode)) {
    file->stream = fopen(path, "w");
  } else {
    file->temporary = temporary_name(path);
    if (file->temporary) {
      qn_leftover_expect(file->temporary);
      file->stream = open_temporary(file->temporary);
    }
  }
  if (file->stream) return CLI_DONE;
  const int error = errno;
  drop_temporary(file);
  return cli_error(CLI_MISUSED, "%s: cannot be written: %s", path, strerror(error));
}

int cli_text_end(cli_text_file *file, bool whole) {
  FILE *stream = file->stream;
  file->stream = NULL;
  if (!stream || stream == stdout) return CLI_DONE; /* cli_finish tells what became of stdout */
  bool good = fflush(stream) == 0 && !ferror(stream);
  good = fclose(stream) == 0 && good;
  if (file->temporary && good && whole) {
    good = rename(file->temporary, file->path) == 0;
  }
  const int error = errno;
  if (file->temporary && !(good && whole)) unlink(file->temporary);
  drop_temporary(file);
  if (good || !whole) return CLI_DONE;
  return cli_error(CLI_FAILED, "%s: cannot be written: %s", file->path, strerror(error));
}
