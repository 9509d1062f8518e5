/* From a cubin to SASS, by nvdisasm or cuobjdump where one of them is installed. */
#include "cli/disassemble.h"
#include "io/leftover.h"
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const struct {
  const char *name, *option;
} tools[] = {{"nvdisasm", "--print-code"}, {"cuobjdump", "-sass"}};

enum { PATH_SIZE = sizeof((cli_disassembler *)0)->path };

static bool stands_in(char path[PATH_SIZE], const char *folder, size_t length, const char *below,
                      const char *name) {
  const int size = snprintf(path, PATH_SIZE, "%.*s%s/%s", (int)length, folder, below, name);
  return length > 0 && size < PATH_SIZE && access(path, X_OK) == 0;
}

/* $PATH, then where NVIDIA's installers put it. */
static bool find(char path[PATH_SIZE], const char *name) {
  const char *folder = getenv("PATH"), *toolkit = getenv("CUDA_PATH");
  while (folder && *folder) {
    const size_t length = strcspn(folder, ":");
    if (stands_in(path, folder, length, "", name)) return true;
    folder += length + (folder[length] == ':');
  }
  if (toolkit && stands_in(path, toolkit, strlen(toolkit), "/bin", name)) return true;
  static const char usual[] = "/usr/local/cuda";
  return stands_in(path, usual, sizeof usual - 1, "/bin", name);
}

/* Runs it with its standard output to `out`; whether it ended well. */
static bool run(const cli_disassembler *t, char *file, FILE *out) {
  char *words[] = {(char *)t->name, (char *)t->option, file, NULL};
  posix_spawn_file_actions_t actions;
  pid_t child;
  int status = -1;
  if (fflush(out) != 0 || posix_spawn_file_actions_init(&actions) != 0) return false;
  const bool started = posix_spawn_file_actions_adddup2(&actions, fileno(out), 1) == 0 &&
                       posix_spawn(&child, t->path, &actions, NULL, words, environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  if (!started) return false;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool write_all(int descriptor, const char *data, size_t size) {
  while (size > 0) {
    const ssize_t written = write(descriptor, data, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    data += written;
    size -= (size_t)written;
  }
  return true;
}

/* Neither tool reads a pipe. */
int cli_disassemble(const cli_disassembler *tool, const void *cubin, size_t size, FILE *out) {
  const char *folder = getenv("TMPDIR");
  char file[PATH_SIZE];
  snprintf(file, sizeof file, "%s/quern-XXXXXX", folder && *folder ? folder : "/tmp");
  const int descriptor = mkstemp(file);
  if (descriptor < 0) return cli_error(CLI_FAILED, "%s: %s", file, strerror(errno));
  qn_leftover_expect(file);
  bool good = write_all(descriptor, cubin, size);
  good = close(descriptor) == 0 && good;
  const bool told = good && run(tool, file, out);
  unlink(file);
  qn_leftover_forget(file);
  if (!good) return cli_error(CLI_FAILED, "%s: cannot be written", file);
  return told ? CLI_DONE : cli_error(CLI_FAILED, "%s failed", tool->path);
}

int cli_find_disassembler(cli_disassembler *tool) {
  for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
    tool->name = tools[i].name;
    tool->option = tools[i].option;
    if (find(tool->path, tool->name)) return CLI_DONE;
  }
  return cli_error(CLI_FAILED,
                   "no nvdisasm or cuobjdump in PATH, $CUDA_PATH/bin or /usr/local/cuda/bin: "
                   "NVIDIA's packages cuda-nvdisasm and cuda-cuobjdump bring them");
}
