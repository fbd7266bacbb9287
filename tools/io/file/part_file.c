#include "part_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "output.h"

#define HEAD "clspline part 2\n"

/* Of pages, the largest there are. A page of what NAME.part says of itself has no bytes of the
   whole: NFS clients of Linux may write a page that they have read as a whole, and with it bytes of
   another machine's part as they were. */
enum { PAGE = 1 << 16, RECORD_BYTES = 3 * PART_TEXT_BYTES };

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

/* ---- files ---- */

/* Opens a regular file that there is: no link is followed, and nothing is waited for. Below 0 with
   a message. */
static int open_regular(const char *path, int flags, io_message *message)
{
    struct stat status;
    const int descriptor = open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    const bool is_there = descriptor >= 0 && fstat(descriptor, &status) == 0;
    if (is_there && S_ISREG(status.st_mode)) return descriptor;
    if (is_there || errno == ELOOP || errno == ENXIO)
        io_fail(message, "%s: not a regular file", path);
    else
        io_fail_errno(message, path, flags == O_RDONLY ? "cannot read" : "cannot write");
    if (descriptor >= 0) close(descriptor);
    return -1;
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

static bool read_text(FILE *file, part_record *r)
{
    char head[sizeof(HEAD)] = "", id[PART_TEXT_BYTES], bytes[PART_TEXT_BYTES];
    const bool is_read = fgets(head, sizeof(head), file) && strcmp(head, HEAD) == 0 &&
                         read_line(file, "id ", id) && strlen(id) < PART_ID_BYTES &&
                         read_line(file, "bytes ", bytes) && read_line(file, "job ", r->job) &&
                         read_line(file, "made by ", r->made) &&
                         sscanf(bytes, "%" SCNu64, &r->bytes) == 1;
    if (is_read) strcpy(r->id, id);
    return is_read;
}

/* Makes the text of a record; returns its length. */
static int make_text(char text[RECORD_BYTES], const part_record *r)
{
    return snprintf(text, RECORD_BYTES, HEAD "id %s\nbytes %" PRIu64 "\njob %s\nmade by %s\n",
                    r->id, r->bytes, r->job, r->made);
}

/* Reads the record of a part. False with a message where it is none. */
static bool read_record(const char *name, uint32_t number, uint32_t count, part_record *r,
                        io_message *message)
{
    char *const path = path_of(name, number, count);
    const int descriptor = path ? open_regular(path, O_RDONLY, message) : -1;
    FILE *const file = descriptor >= 0 ? fdopen(descriptor, "rb") : NULL;
    *r = (part_record){.number = number, .count = count};
    const bool is_read = file && read_text(file, r);
    if (descriptor >= 0 && !is_read) io_fail(message, "%s: not a record of a part", path);
    if (!path) io_fail(message, "not enough memory");
    if (file) fclose(file);
    free(path);
    return is_read;
}

static bool write_record(const char *name, const part_record *r, io_message *message)
{
    char *const path = path_of(name, r->number, r->count);
    char text[RECORD_BYTES];
    output out;
    bool done = path && output_open_plain(&out, path, message);
    if (done) {
        make_text(text, r);
        fputs(text, out.file);
        done = output_close(&out, true);
    }
    free(path);
    return done;
}

/* ---- what NAME.part says of itself ---- */

/* Returns where a file says what it is: behind all bytes of the whole, in pages of its own. */
static uint64_t own_place(uint64_t bytes)
{
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

/* Writes into NAME.part what it is. */
static bool put_own(int part, const part_record *own)
{
    char text[RECORD_BYTES];
    const int count = make_text(text, own);
    return pwrite(part, text, (size_t)count, (off_t)own_place(own->bytes)) == count;
}

/* Reads what NAME.part is. PART_MISSING: it is not there; PART_OTHER with a message: it does not
   say so. */
static part_state read_own(const char *path, part_record *own, io_message *message)
{
    struct stat status;
    if (lstat(path, &status) != 0 && errno == ENOENT) return PART_MISSING;
    const int descriptor = open_regular(path, O_RDONLY, message);
    FILE *const file = descriptor >= 0 ? fdopen(descriptor, "rb") : NULL;
    *own = (part_record){.number = 0};
    bool done = file && fstat(descriptor, &status) == 0 && status.st_size > 0;
    const off_t place = done ? (status.st_size - 1) / PAGE * PAGE : 0;
    done = done && fseeko(file, place, SEEK_SET) == 0 && read_text(file, own) &&
           (uint64_t)place == own_place(own->bytes);
    if (!done && descriptor >= 0) io_fail(message, "%s: does not say which job it is of", path);
    if (file) fclose(file);
    return done ? PART_DONE : PART_OTHER;
}

/* Reads what the NAME.part of a name is, as read_own does. */
static part_state find_own(const char *name, part_record *own, io_message *message)
{
    char *const path = path_of(name, 0, 0);
    const part_state state = path ? read_own(path, own, message) : PART_OTHER;
    if (!path) io_fail(message, "not enough memory");
    free(path);
    return state;
}

/* Complains where NAME.part is not the one of an id any more. */
static bool has_id(const char *path, const char *id, io_message *message)
{
    part_record own;
    return (read_own(path, &own, NULL) == PART_DONE && strcmp(own.id, id) == 0) ||
           io_fail(message, "%s: has been joined or removed meanwhile", path);
}

/* Makes NAME.part, where no other process does at the same time: whoever is first, its id holds.
   False with a message. */
static bool create(const char *path, const part_record *record, io_message *message)
{
    part_record own = *record;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(own.id, sizeof(own.id), "%08" PRIx64 "-%08lx-%lx", (uint64_t)now.tv_sec,
             (unsigned long)now.tv_nsec, (unsigned long)getpid());
    output out;
    if (!output_open_plain(&out, path, message)) return false;
    out.is_first = true;
    const bool done = put_own(fileno(out.file), &own);
    if (!done) io_fail_errno(message, path, "cannot write");
    return output_close(&out, done);
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

/* Reads the next record of NAME.part as it is. Those of others, which were lost or are joined, are
   nobody's. PART_MISSING: there are no more; PART_OTHER with a message: one that cannot be read. */
static part_state next_own(DIR *files, const char *name, const part_record *own, part_record *r,
                           io_message *message)
{
    uint32_t number, count;
    while (next_record(files, name, &number, &count)) {
        if (!read_record(name, number, count, r, message)) return PART_OTHER;
        if (strcmp(r->id, own->id) == 0) return PART_DONE;
    }
    return PART_MISSING;
}

uint32_t part_file_count(const char *name, uint32_t count)
{
    part_record own, r;
    DIR *const files = open_folder(name);
    uint32_t found = 0;
    if (files && find_own(name, &own, NULL) == PART_DONE)
        while (next_own(files, name, &own, &r, NULL) == PART_DONE)
            found += r.count == count;
    if (files) closedir(files);
    return found;
}

/* Complains of a part that does not suit NAME.part. */
static bool suits_own(const char *name, const part_record *own, const part_record *r,
                      io_message *message)
{
    if (strcmp(r->job, own->job) == 0) return true;
    return io_fail(message,
                   "%s.part: is of another job and was made otherwise: by '%s', part %" PRIu32
                   " by '%s'",
                   name, own->job, r->number, r->job);
}

/* Complains of parts that are not of the same number of them. */
static bool suits_count(const char *name, const part_record *r, const part_record *other,
                        io_message *message)
{
    return r->count == other->count ||
           io_fail(message, "%s: there are parts of %" PRIu32 " and of %" PRIu32, name, r->count,
                   other->count);
}

part_state part_file_state(const char *name, const part_record *wanted, io_message *message)
{
    part_record own, found;
    part_state state = find_own(name, &own, message), result = PART_MISSING;
    DIR *const files = state == PART_DONE ? open_folder(name) : NULL;
    if (!files) return state == PART_OTHER ? state : PART_MISSING; /* opening it says why */
    if (!suits_own(name, &own, wanted, message)) state = PART_OTHER;
    while (state == PART_DONE) {
        state = next_own(files, name, &own, &found, message);
        if (state == PART_DONE && !suits_count(name, wanted, &found, message)) state = PART_OTHER;
        if (state == PART_DONE && found.number == wanted->number) result = PART_DONE;
    }
    closedir(files);
    return state == PART_OTHER ? state : result;
}

/* ---- one part ---- */

static void release(part_file *f)
{
    if (f->descriptor >= 0) close(f->descriptor);
    free(f->path);
    *f = (part_file){.descriptor = -1};
}

/* Has NAME.part be there, and of this job. */
static bool begin(part_file *f, const part_record *record)
{
    part_record own;
    part_state state = read_own(f->path, &own, f->message);
    if (state == PART_MISSING) {
        const bool made = create(f->path, record, f->message);
        state = read_own(f->path, &own, f->message); /* another process's, perhaps */
        if (state == PART_MISSING && made) io_fail(f->message, "%s: was removed", f->path);
    }
    if (state != PART_DONE || !suits_own(f->name, &own, record, f->message)) return false;
    strcpy(f->id, own.id);
    return own.bytes == record->bytes || io_fail(f->message,
                                                 "%s: has %" PRIu64 " bytes, not the %" PRIu64
                                                 " of this job; 'rm %s*' begins anew",
                                                 f->path, own.bytes, record->bytes, f->path);
}

bool part_file_open(part_file *f, const char *name, const part_record *record, io_message *message)
{
    *f = (part_file){.name = name, .message = message, .descriptor = -1};
    f->path = path_of(name, 0, 0);
    if (!f->path) return io_fail_errno(message, name, "cannot write");
    /* For writing only: of what they may read too, NFS clients of Linux write whole pages, and with
       them bytes of another machine's part as they were. */
    if (begin(f, record)) f->descriptor = open_regular(f->path, O_WRONLY, message);
    if (f->descriptor >= 0) return true;
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
    part_record r = *record;
    if (f->descriptor < 0) return false;
    if (done && fsync(f->descriptor) != 0)
        done = io_fail_errno(f->message, f->path, "cannot write");
    if (close(f->descriptor) != 0 && done)
        done = io_fail_errno(f->message, f->path, "cannot write");
    f->descriptor = -1;
    strcpy(r.id, f->id);
    done = done && has_id(f->path, f->id, f->message) && write_record(f->name, &r, f->message);
    release(f);
    return done;
}

void part_output_begin(part_output *p, output *out, const char *name, const part_record *record,
                       io_message *message)
{
    *out = (output){.name = name, .lock = -1, .message = message, .part = p};
    *p = (part_output){.file = {.descriptor = -1}, .record = *record};
}

bool part_output_open(output *out, uint64_t bytes)
{
    part_output *const p = out->part;
    p->record.bytes = bytes;
    if (!part_file_open(&p->file, out->name, &p->record, out->message)) return false;
    const int descriptor = fcntl(p->file.descriptor, F_DUPFD_CLOEXEC, 0);
    if (descriptor >= 0) out->file = fdopen(descriptor, "wb");
    if (out->file) return true;
    io_fail_errno(out->message, out->name, "cannot write");
    if (descriptor >= 0) close(descriptor);
    return part_file_close(&p->file, &p->record, false);
}

/* ---- joining ---- */

/* Complains of a part that cannot be joined with another one, or has not the bytes of NAME.part. */
static bool suits_part(const char *name, const part_record *own, const part_record *r,
                       const part_record *other, bool mixed, io_message *message)
{
    if (!suits_own(name, own, r, message) || !suits_count(name, other, r, message)) return false;
    if (r->bytes != own->bytes)
        return io_fail(message, "%s: part %" PRIu32 " and %s.part are of other sizes", name,
                       r->number, name);
    return mixed || strcmp(r->made, other->made) == 0 ||
           io_fail(message,
                   "%s: part %" PRIu32 " was made by %s, part %" PRIu32
                   " by %s: bits may differ; --mixed joins them",
                   name, other->number, other->made, r->number, r->made);
}

/* Looks for NAME.part and the records of all its parts; is_there: of each of *count, the caller
   frees. */
static bool find_parts(const char *name, bool mixed, part_record *own, uint32_t *count,
                       char **is_there, io_message *message)
{
    DIR *const files = open_folder(name);
    part_record r, first = {.count = 0};
    if (!files) return io_fail_errno(message, name, "cannot read its folder");
    part_state state = find_own(name, own, message);
    const bool has_own = state == PART_DONE;
    while (has_own && (state = next_own(files, name, own, &r, message)) == PART_DONE) {
        if (first.count == 0) {
            first = r;
            *is_there = calloc(r.count, 1);
        }
        if (!*is_there) io_fail(message, "not enough memory");
        if (!*is_there || !suits_part(name, own, &r, &first, mixed, message)) break;
        (*is_there)[r.number - 1] = 1;
    }
    closedir(files);
    *count = first.count;
    if (state != PART_MISSING) return false;
    return first.count > 0 || io_fail(message, "%s: there are no parts of it", name);
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

/* Tells whether a path is that of an open file. */
static bool is_path_of(int descriptor, const char *path)
{
    struct stat open_one, named;
    errno = ENOENT;
    return fstat(descriptor, &open_one) == 0 && lstat(path, &named) == 0 &&
           open_one.st_dev == named.st_dev && open_one.st_ino == named.st_ino;
}

/* Gives the file of all parts its name, without what it says of itself. */
static bool rename_whole(const char *name, const part_record *own, io_message *message)
{
    char *const path = path_of(name, 0, 0);
    struct stat status;
    if (!path) return io_fail(message, "not enough memory");
    const int descriptor = open_regular(path, O_WRONLY, message);
    bool done = descriptor >= 0;
    if (done && lstat(name, &status) == 0 && !S_ISREG(status.st_mode))
        done = io_fail(message, "%s: cannot write: not a regular file", name);
    done = done && has_id(path, own->id, message);
    if (done && ftruncate(descriptor, (off_t)own->bytes) != 0)
        done = io_fail_errno(message, path, "cannot write");
    /* another process may have joined them, and a third one begun anew */
    if (done && (!is_path_of(descriptor, path) || rename(path, name) != 0)) {
        done = io_fail_errno(message, name, "cannot write");
        if (is_path_of(descriptor, path)) put_own(descriptor, own);
    }
    if (descriptor >= 0) close(descriptor);
    free(path);
    return done;
}

/* Removes all records of a file. What stays does no harm: it is of no NAME.part that there is. */
static void remove_records(const char *name)
{
    DIR *const files = open_folder(name);
    uint32_t number, count;
    while (files && next_record(files, name, &number, &count)) {
        char *const path = path_of(name, number, count);
        if (path) unlink(path);
        free(path);
    }
    if (files) closedir(files);
}

bool part_file_join(const char *name, bool mixed, uint32_t *count, io_message *message)
{
    part_record own;
    char *is_there = NULL;
    const bool done = find_parts(name, mixed, &own, count, &is_there, message) &&
                      check_complete(name, *count, is_there, message) &&
                      rename_whole(name, &own, message);
    free(is_there);
    if (done) remove_records(name);
    return done;
}
