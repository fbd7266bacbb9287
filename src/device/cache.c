#include "cache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trusted_file.h"

/* A file: this header, the key's bytes, the binary's bytes. All numbers in the machine's own byte
   order: a cache is not carried between machines, and the magic number differs on a machine of the
   other order. */
typedef struct cache_header {
    uint64_t magic;
    uint64_t key_size;
    uint64_t binary_size;
    uint64_t checksum; /* of the sizes, the key and the binary */
} cache_header;

/* "clspbin" and the format's version */
static const uint64_t cache_magic = UINT64_C(0x636c737062696e01);

enum { BINARY_MAX = 256 << 20 };

/* ---- the folder ---- */

/* Makes a folder where there is none. */
static bool make_folder(const char *path)
{
    struct stat status;

    if (mkdir(path, 0700) == 0) return true;
    if (errno != EEXIST || stat(path, &status) != 0) return false;
    errno = ENOTDIR;
    return S_ISDIR(status.st_mode) != 0;
}

/* Makes the folder and its missing parents, all for this user alone. Returns why not, NULL where it
   is there and can be written. */
static const char *make_folders(char *path)
{
    bool made = true;

    for (char *slash = strchr(path + 1, '/'); slash && made; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        made = make_folder(path);
        *slash = '/';
    }
    if (made && make_folder(path) && access(path, W_OK | X_OK) == 0) return NULL;
    return errno == ENOTDIR ? "it is not a folder, or lies in none" : strerror(errno);
}

static char *join(const char *a, const char *b)
{
    const size_t size = strlen(a) + strlen(b) + 1;
    char *const path = malloc(size);

    if (path) snprintf(path, size, "%s%s", a, b);
    return path;
}

/* Returns the folder that is asked for, malloc'ed; NULL when there is none to be had. */
static char *wanted_folder(const char *wanted)
{
    const char *const xdg = getenv("XDG_CACHE_HOME");
    const char *const home = getenv("HOME");

    if (!wanted) wanted = getenv("CLSPLINE_CACHE_DIR");
    if (wanted) return *wanted ? join(wanted, "") : NULL;
    if (xdg && *xdg == '/') return join(xdg, "/clspline");
    if (home && *home == '/') return join(home, "/.cache/clspline");
    return NULL;
}

void clspi_cache_open(char **dir, const char *wanted, clspi_log *log)
{
    const char *const source =
        !wanted && getenv("CLSPLINE_CACHE_DIR") ? "CLSPLINE_CACHE_DIR" : "cache";
    const char *why;

    *dir = wanted_folder(wanted);
    if (!*dir) return;
    why = make_folders(*dir);
    if (!why) why = clspi_folder_refusal(*dir);
    if (!why) return;
    clspi_message(log, CLSP_LOG_WARNING, "%s: %s is not used: %s; nothing is kept from run to run",
                  source, *dir, why);
    free(*dir);
    *dir = NULL;
}

/* ---- the key ---- */

/* Adds bytes to a hash, FNV-1a of 64 bits: it names files and finds damage; it is no defence
   against forgery. */
static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *const at = bytes;

    for (size_t i = 0; i < size; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static const uint64_t hash_start = UINT64_C(0xcbf29ce484222325);

/* Joins all parts of the key in one malloc'ed text; the whole text is compared, so that no two keys
   can be mixed up. */
static char *key_text(const clspi_cache_key *key)
{
    static const char format[] = "platform %s\ndevice %s\ndriver %s\nversion %s\noptions %s\n%s";
    const clsp_device_info *const d = key->device;
    const int length = snprintf(NULL, 0, format, d->platform, d->name, d->driver, d->version,
                                key->options, key->source);
    char *const text = length < 0 ? NULL : malloc((size_t)length + 1);

    if (text)
        snprintf(text, (size_t)length + 1, format, d->platform, d->name, d->driver, d->version,
                 key->options, key->source);
    return text;
}

static char *file_path(const char *dir, const char *text)
{
    const size_t size = strlen(dir) + 32;
    char *const path = malloc(size);

    if (path)
        snprintf(path, size, "%s/%016llx.bin", dir,
                 (unsigned long long)hash_bytes(hash_start, text, strlen(text)));
    return path;
}

static uint64_t checksum(const cache_header *header, const char *text, const unsigned char *binary)
{
    uint64_t hash = hash_bytes(hash_start, &header->key_size, sizeof header->key_size);

    hash = hash_bytes(hash, &header->binary_size, sizeof header->binary_size);
    hash = hash_bytes(hash, text, (size_t)header->key_size);
    return hash_bytes(hash, binary, (size_t)header->binary_size);
}

/* ---- reading and writing ---- */

/* Reads the binary behind the header; NULL unless key, sizes and checksum all agree. */
static unsigned char *read_binary(FILE *file, const char *text, size_t *size)
{
    const size_t key_size = strlen(text);
    cache_header header;
    char *stored = NULL;
    unsigned char *binary = NULL;
    bool whole = false;

    if (fread(&header, sizeof header, 1, file) != 1) return NULL;
    if (header.magic != cache_magic || header.key_size != key_size) return NULL;
    if (header.binary_size == 0 || header.binary_size > BINARY_MAX) return NULL;
    stored = malloc(key_size);
    binary = malloc((size_t)header.binary_size);
    if (stored && binary)
        whole = fread(stored, 1, key_size, file) == key_size &&
                memcmp(stored, text, key_size) == 0 &&
                fread(binary, 1, (size_t)header.binary_size, file) == header.binary_size &&
                fgetc(file) == EOF && checksum(&header, text, binary) == header.checksum;
    free(stored);
    *size = (size_t)header.binary_size;
    if (whole) return binary;
    free(binary);
    return NULL;
}

bool clspi_cache_load(const char *dir, const clspi_cache_key *key, unsigned char **binary,
                      size_t *size, clspi_log *log)
{
    char *const text = key_text(key);
    char *const path = text ? file_path(dir, text) : NULL;
    clspi_trusted_file opened = {.state = CLSPI_FILE_MISSING};

    *binary = NULL;
    if (path) opened = clspi_trusted_open(path, sizeof(cache_header) + strlen(text) + BINARY_MAX);
    if (opened.state == CLSPI_FILE_REFUSED)
        clspi_message(log, CLSP_LOG_WARNING, "cache: %s is not read: %s", path, opened.why);
    if (opened.file) {
        *binary = read_binary(opened.file, text, size);
        fclose(opened.file);
    }
    free(path);
    free(text);
    return *binary != NULL;
}

/* What a file is made of. */
typedef struct cache_entry {
    cache_header header;
    const char *text; /* the key */
    const unsigned char *binary;
} cache_entry;

static bool write_entry(FILE *file, const void *user)
{
    const cache_entry *const e = user;
    const size_t key_size = (size_t)e->header.key_size, size = (size_t)e->header.binary_size;

    return fwrite(&e->header, sizeof e->header, 1, file) == 1 &&
           fwrite(e->text, 1, key_size, file) == key_size &&
           fwrite(e->binary, 1, size, file) == size;
}

void clspi_cache_store(const char *dir, const clspi_cache_key *key, const unsigned char *binary,
                       size_t size, clspi_log *log)
{
    char *const text = key_text(key);
    char *const path = text ? file_path(dir, text) : NULL;

    if (path && size > 0 && size <= BINARY_MAX) {
        cache_entry entry = {{cache_magic, strlen(text), size, 0}, text, binary};
        entry.header.checksum = checksum(&entry.header, text, binary);
        const char *const why = clspi_trusted_replace(path, write_entry, &entry);
        if (why) clspi_message(log, CLSP_LOG_WARNING, "cache: cannot write %s: %s", path, why);
    }
    free(path);
    free(text);
}
