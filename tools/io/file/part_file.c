#include "part_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder_output.h"
#include "output.h"

#define HEAD "clspline part 1\n"

/* ---- names ---- */

/* Makes NAME.part, and behind it what the format says; the caller frees. */
static char *path_of(const char *name, uint32_t number, uint32_t count)
{
    enum { MORE = 40 };
    const size_t size = strlen(name) + MORE;
    char *path = malloc(size);
    if (!path) return NULL;
    if (count == 0)
        snprintf(path, size, "%s.part", name);
    else
        snprintf(path, size, "%s.part-%" PRIu32 "-of-%" PRIu32, name, number, count);
    return path;
}

static const char *last_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Reads K and N of the name of a record of `name`, both without their folder. */
static bool read_name(const char *file, const char *name, uint32_t *number, uint32_t *count)
{
    const size_t length = strlen(name);
    int end = 0;
    if (strncmp(file, name, length) != 0) return false;
    return sscanf(file + length, ".part-%" SCNu32 "-of-%" SCNu32 "%n", number, count, &end) == 2 &&
           file[length + (size_t)end] == 0 && *number > 0 && *number <= *count &&
           *count <= PART_MAX_COUNT;
}

/* ---- records ---- */

void part_record_text(char to[PART_TEXT_BYTES], const char *text)
{
    size_t i = 0;
    for (; text[i] && i + 1 < PART_TEXT_BYTES; i++)
        to[i] = (unsigned char)text[i] < ' ' ? ' ' : text[i];
    to[i] = 0;
}

/* Reads the rest of a line behind a word. */
static bool read_line(FILE *file, const char *word, char to[PART_TEXT_BYTES])
{
    char line[PART_TEXT_BYTES + 16];
    const size_t length = strlen(word);
    if (!fgets(line, sizeof(line), file) || strncmp(line, word, length) != 0) return false;
    line[strcspn(line, "\n")] = 0;
    part_record_text(to, line + length);
    return true;
}

/* Reads the record of a part. False with a message where it is none. */
static bool read_record(const char *name, uint32_t number, uint32_t count, part_record *r,
                        io_message *message)
{
    char head[sizeof(HEAD)] = "", bytes[PART_TEXT_BYTES];
    char *const path = path_of(name, number, count);
    FILE *const file = path ? fopen(path, "rb") : NULL;
    *r = (part_record){.number = number, .count = count};
    const bool is_read = file && fgets(head, sizeof(head), file) && strcmp(head, HEAD) == 0 &&
                         read_line(file, "bytes ", bytes) && read_line(file, "job ", r->job) &&
                         read_line(file, "made by ", r->made) &&
                         sscanf(bytes, "%" SCNu64, &r->bytes) == 1;
    if (file) fclose(file);
    if (!is_read) io_fail(message, "%s: not a record of a part", path ? path : name);
    free(path);
    return is_read;
}

static bool write_record(const char *name, const part_record *r, io_message *message)
{
    char *const path = path_of(name, r->number, r->count);
    output out;
    bool done = path && output_open(&out, path, message);
    if (done) {
        fprintf(out.file, HEAD "bytes %" PRIu64 "\njob %s\nmade by %s\n", r->bytes, r->job,
                r->made);
        done = output_close(&out, true);
    }
    free(path);
    return done;
}

/* ---- all records of a file ---- */

/* Opens the folder of a file. */
static DIR *open_folder(const char *name)
{
    const char *slash = strrchr(name, '/');
    char *const folder = slash ? strndup(name, (size_t)(slash - name) + 1) : strdup(".");
    DIR *const files = folder ? opendir(folder) : NULL;
    free(folder);
    return files;
}

/* Finds the next record of a file in its folder. */
static bool next_record(DIR *files, const char *name, uint32_t *number, uint32_t *count)
{
    for (const struct dirent *d; (d = readdir(files)) != NULL;)
        if (read_name(d->d_name, last_name(name), number, count)) return true;
    return false;
}

uint32_t part_file_count(const char *name, uint32_t count)
{
    DIR *const files = open_folder(name);
    uint32_t found = 0, number, of;
    while (files && next_record(files, name, &number, &of))
        found += of == count;
    if (files) closedir(files);
    return found;
}

/* Complains of a record that does not suit another one. */
static bool suits(const char *name, const part_record *r, const part_record *other,
                  io_message *message)
{
    if (r->count != other->count)
        return io_fail(message, "%s: there are parts of %" PRIu32 " and of %" PRIu32, name,
                       r->count, other->count);
    if (strcmp(r->job, other->job) == 0) return true;
    return io_fail(message,
                   "%s: part %" PRIu32 " was made otherwise: by '%s', part %" PRIu32 " by '%s'",
                   name, other->number, other->job, r->number, r->job);
}

part_state part_file_state(const char *name, const part_record *wanted, io_message *message)
{
    DIR *const files = open_folder(name);
    part_state state = PART_MISSING;
    part_record found = {.count = 0};
    if (!files) return state; /* opening the file says why */
    while (state != PART_OTHER && next_record(files, name, &found.number, &found.count)) {
        if (!read_record(name, found.number, found.count, &found, message) ||
            !suits(name, wanted, &found, message))
            state = PART_OTHER;
        else if (found.number == wanted->number)
            state = PART_DONE;
    }
    closedir(files);
    return state;
}

/* ---- one part ---- */

bool part_file_fit(part_file *f, uint64_t bytes)
{
    struct stat status;
    if (fstat(f->descriptor, &status) != 0)
        return io_fail_errno(f->message, f->path, "cannot write");
    if (status.st_size == 0)
        return ftruncate(f->descriptor, (off_t)bytes) == 0 ||
               io_fail_errno(f->message, f->path, "cannot write");
    return (uint64_t)status.st_size == bytes ||
           io_fail(f->message,
                   "%s: has %" PRIu64 " bytes, not the %" PRIu64
                   " of this job; 'rm -r %s*' begins anew",
                   f->path, (uint64_t)status.st_size, bytes, f->path);
}

static void release(part_file *f)
{
    if (f->descriptor >= 0) close(f->descriptor);
    free(f->path);
    *f = (part_file){.descriptor = -1};
}

static bool begin(part_file *f, const char *name, io_message *message)
{
    *f = (part_file){.name = name, .message = message, .descriptor = -1};
    f->path = path_of(name, 0, 0);
    return f->path || io_fail_errno(message, name, "cannot write");
}

bool part_file_open_folder(part_file *f, const char *name, io_message *message)
{
    if (!begin(f, name, message)) return false;
    if (mkdir(f->path, 0777) == 0 || errno == EEXIST)
        f->descriptor = open(f->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (f->descriptor >= 0) return true;
    io_fail_errno(message, f->path, "cannot write");
    release(f);
    return false;
}

bool part_file_open(part_file *f, const char *name, io_message *message)
{
    if (!begin(f, name, message)) return false;
    /* For writing only: of what they may read too, NFS clients of Linux write whole pages, and with
       them bytes of another machine's part as they were. */
    f->descriptor = open(f->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (f->descriptor >= 0) return true;
    io_fail_errno(message, f->path, "cannot write");
    release(f);
    return false;
}

bool part_file_write(part_file *f, uint64_t at, const void *bytes, size_t num)
{
    const char *from = bytes;
    while (num > 0) {
        const ssize_t written = pwrite(f->descriptor, from, num, (off_t)at);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return io_fail_errno(f->message, f->path, "cannot write");
        from += written;
        at += (uint64_t)written;
        num -= (size_t)written;
    }
    return true;
}

bool part_file_close(part_file *f, const part_record *record, bool done)
{
    if (f->descriptor < 0) return false;
    if (done && fsync(f->descriptor) != 0)
        done = io_fail_errno(f->message, f->path, "cannot write");
    const int descriptor = f->descriptor;
    f->descriptor = -1;
    if (close(descriptor) != 0 && done) done = io_fail_errno(f->message, f->path, "cannot write");
    done = done && write_record(f->name, record, f->message);
    release(f);
    return done;
}

bool part_output_open(part_output *p, output *out, const char *name, const part_record *record,
                      io_message *message)
{
    *out = (output){.name = name, .lock = -1, .message = message, .part = p};
    p->record = *record;
    if (!part_file_open(&p->file, name, message)) return false;
    const int descriptor = fcntl(p->file.descriptor, F_DUPFD_CLOEXEC, 0);
    if (descriptor >= 0) out->file = fdopen(descriptor, "wb");
    if (out->file) return true;
    io_fail_errno(message, name, "cannot write");
    if (descriptor >= 0) close(descriptor);
    return part_file_close(&p->file, record, false);
}

bool part_output_fit(part_output *p, uint64_t bytes)
{
    p->record.bytes = bytes;
    return part_file_fit(&p->file, bytes);
}

/* ---- joining ---- */

/* Looks for the records of all parts; is_there: of each, the caller frees. */
static bool find_parts(const char *name, part_record *first, char **is_there, io_message *message)
{
    DIR *const files = open_folder(name);
    part_record r;
    bool done = files != NULL;
    first->count = 0;
    if (!done) return io_fail_errno(message, name, "cannot read its folder");
    while (done && next_record(files, name, &r.number, &r.count)) {
        done = read_record(name, r.number, r.count, &r, message);
        if (done && first->count == 0) {
            *first = r;
            *is_there = calloc(r.count, 1);
            done = *is_there || io_fail(message, "not enough memory");
        }
        done = done && suits(name, first, &r, message);
        if (done) (*is_there)[r.number - 1] = 1;
    }
    closedir(files);
    if (done && first->count == 0) return io_fail(message, "%s: there are no parts of it", name);
    return done;
}

/* Complains of parts that are not there, by their numbers. */
static bool check_complete(const char *name, uint32_t count, const char *is_there,
                           io_message *message)
{
    enum { MOST = 12 };
    char text[16 * MOST] = "";
    size_t length = 0;
    uint32_t missing = 0;
    for (uint32_t k = 0; k < count; k++) {
        if (is_there[k] || missing++ >= MOST) continue;
        length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%" PRIu32,
                                   missing > 1 ? ", " : "", k + 1);
    }
    if (missing == 0) return true;
    return io_fail(message, "%s: of %" PRIu32 " parts %" PRIu32 " %s missing: %s%s", name, count,
                   missing, missing > 1 ? "are" : "is", text, missing > MOST ? ", .." : "");
}

/* Checks that records agree about the file, and about devices. */
static bool check_records(const char *name, const part_record *first, bool mixed,
                          io_message *message)
{
    part_record r;
    for (uint32_t k = 1; k <= first->count; k++) {
        if (!read_record(name, k, first->count, &r, message)) return false;
        if (r.bytes != first->bytes)
            return io_fail(message, "%s: parts %" PRIu32 " and %" PRIu32 " are of other sizes",
                           name, first->number, k);
        if (!mixed && strcmp(r.made, first->made) != 0)
            return io_fail(message,
                           "%s: part %" PRIu32 " was made by %s, part %" PRIu32
                           " by %s: bits may differ; --mixed joins them",
                           name, first->number, first->made, k, r.made);
    }
    return true;
}

/* Tells whether a file, or a folder, of all parts can have its name. */
static bool can_rename(const char *name, const char *path, const part_record *first,
                       io_message *message)
{
    struct stat status;
    if (stat(path, &status) != 0) return io_fail_errno(message, path, "cannot join");
    if (S_ISDIR(status.st_mode)) return folder_is_free(name, message);
    if ((uint64_t)status.st_size != first->bytes)
        return io_fail(message, "%s: has not the bytes that its parts have", path);
    if (lstat(name, &status) == 0 && !S_ISREG(status.st_mode))
        return io_fail(message, "%s: cannot write: not a regular file", name);
    return true;
}

/* Gives the file of all parts its name. */
static bool rename_whole(const char *name, const part_record *first, io_message *message)
{
    char *const path = path_of(name, 0, 0);
    bool done = path != NULL || io_fail(message, "not enough memory");
    done = done && can_rename(name, path, first, message);
    if (done && rename(path, name) != 0) done = io_fail_errno(message, name, "cannot write");
    free(path);
    return done;
}

bool part_file_join(const char *name, bool mixed, uint32_t *count, io_message *message)
{
    part_record first;
    char *is_there = NULL;
    bool done = find_parts(name, &first, &is_there, message);
    done = done && check_complete(name, first.count, is_there, message) &&
           check_records(name, &first, mixed, message) && rename_whole(name, &first, message);
    free(is_there);
    *count = first.count;
    for (uint32_t k = 1; done && k <= first.count; k++) {
        char *const path = path_of(name, k, first.count);
        if (path) remove(path); /* what stays does no harm: the next job says so */
        free(path);
    }
    return done;
}
