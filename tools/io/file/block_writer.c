#include "block_writer.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/types.h>

enum { MAX_TEXT = 512 };

struct block_writer {
    FILE *file;
    pthread_t thread;
    pthread_mutex_t lock; /* of all below but the bytes of blocks */
    pthread_cond_t changed;
    size_t filled, written; /* blocks since the start */
    bool ended;
    int error; /* errno of what failed; -1 where there is none */
    size_t used[BLOCK_COUNT];
    bool is_moved[BLOCK_COUNT]; /* the block stands at a place of its own: */
    uint64_t at[BLOCK_COUNT];
    uint64_t count;       /* bytes made */
    unsigned char *bytes; /* [BLOCK_COUNT][BLOCK_BYTES] */
};

static void write_block(block_writer *w, size_t block)
{
    const size_t number = block % BLOCK_COUNT, count = w->used[number];
    errno = w->file ? 0 : EFBIG;
    if (w->file && (!w->is_moved[number] || fseeko(w->file, (off_t)w->at[number], SEEK_SET) == 0))
        if (fwrite(w->bytes + number * BLOCK_BYTES, 1, count, w->file) == count) return;
    const int reason = errno ? errno : -1;
    pthread_mutex_lock(&w->lock);
    w->error = reason;
    pthread_mutex_unlock(&w->lock);
}

/* Writes blocks as they are filled. After an error they are taken and dropped. */
static void *run_thread(void *user)
{
    block_writer *w = user;
    for (;;) {
        pthread_mutex_lock(&w->lock);
        while (w->written == w->filled && !w->ended)
            pthread_cond_wait(&w->changed, &w->lock);
        const bool done = w->written == w->filled, failed = w->error != 0;
        pthread_mutex_unlock(&w->lock);
        if (done) return NULL;
        if (!failed) write_block(w, w->written);
        pthread_mutex_lock(&w->lock);
        w->written++;
        pthread_cond_broadcast(&w->changed);
        pthread_mutex_unlock(&w->lock);
    }
}

static void release(block_writer *w)
{
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    free(w->bytes);
    free(w);
}

block_writer *block_writer_open(FILE *file)
{
    block_writer *w = calloc(1, sizeof(*w));
    if (!w) return NULL;
    w->file = file;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->changed, NULL);
    w->bytes = malloc((size_t)BLOCK_COUNT * BLOCK_BYTES);
    if (w->bytes && pthread_create(&w->thread, NULL, run_thread, w) == 0) return w;
    release(w);
    return NULL;
}

void block_writer_begin(block_writer *w, FILE *file)
{
    pthread_mutex_lock(&w->lock);
    w->file = file;
    pthread_mutex_unlock(&w->lock);
}

/* Hands the block that is being filled to the thread, and waits until there is another one. */
static void next_block(block_writer *w)
{
    pthread_mutex_lock(&w->lock);
    w->filled++;
    pthread_cond_broadcast(&w->changed);
    while (w->filled - w->written >= BLOCK_COUNT)
        pthread_cond_wait(&w->changed, &w->lock);
    pthread_mutex_unlock(&w->lock);
    w->used[w->filled % BLOCK_COUNT] = 0;
    w->is_moved[w->filled % BLOCK_COUNT] = false;
}

unsigned char *block_writer_reserve(block_writer *w, size_t bytes)
{
    if (w->used[w->filled % BLOCK_COUNT] + bytes > BLOCK_BYTES) next_block(w);
    const size_t block = w->filled % BLOCK_COUNT;
    return w->bytes + block * BLOCK_BYTES + w->used[block];
}

void block_writer_advance(block_writer *w, size_t bytes)
{
    w->used[w->filled % BLOCK_COUNT] += bytes;
    w->count += bytes;
}

void block_writer_move(block_writer *w, uint64_t at)
{
    if (w->used[w->filled % BLOCK_COUNT] > 0) next_block(w);
    w->is_moved[w->filled % BLOCK_COUNT] = true;
    w->at[w->filled % BLOCK_COUNT] = at;
}

uint64_t block_writer_count(const block_writer *w)
{
    return w->count;
}

void block_writer_text(block_writer *w, const char *format, ...)
{
    va_list args;
    unsigned char *to = block_writer_reserve(w, MAX_TEXT);
    va_start(args, format);
    const int count = vsnprintf((char *)to, MAX_TEXT, format, args);
    va_end(args);
    if (count > 0) block_writer_advance(w, (size_t)count < MAX_TEXT ? (size_t)count : MAX_TEXT - 1);
}

void block_writer_drop(block_writer *w)
{
    pthread_mutex_lock(&w->lock);
    if (w->error == 0) w->error = -1;
    pthread_mutex_unlock(&w->lock);
}

bool block_writer_failed(block_writer *w)
{
    pthread_mutex_lock(&w->lock);
    const bool failed = w->error != 0;
    pthread_mutex_unlock(&w->lock);
    return failed;
}

bool block_writer_close(block_writer *w)
{
    if (!w) return false;
    pthread_mutex_lock(&w->lock);
    if (w->used[w->filled % BLOCK_COUNT] > 0) w->filled++;
    w->ended = true;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    const int error = w->error;
    release(w);
    if (error != 0) errno = error > 0 ? error : 0;
    return error == 0;
}
