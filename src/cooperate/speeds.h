/* The speeds of processors at jobs of a key: learned from every call, kept in a file by tuning.

   The file is text: a line for each platform, device, driver and key. A line is
     CHECKSUM <tab> PLATFORM <tab> DEVICE <tab> DRIVER <tab> KEY <tab> SLOPE <tab> FIXED
   with the times of 1000 vertices, samples, ... and of a job without any, in whole picoseconds, and
   the checksum of all that follows it. The host's cores are platform "host". Lines of other
   machines stay as they are; what cannot be understood is left out with a warning. A file that
   somebody else can have written (trusted_file.h) is neither read nor replaced. */
#ifndef CLSPI_SPEEDS_H
#define CLSPI_SPEEDS_H

#include <stdbool.h>
#include <stddef.h>

#include <clspline/share.h>

#include "log.h"

/* What is known of the time of a job: n tiles take fixed_ms + n * tile_ms. */
typedef struct clspi_speed {
    double tile_ms; /* 0: not known */
    double fixed_ms;
    uint32_t samples; /* whole jobs that it was learned from; 0: a guess from something else */
    uint32_t age;     /* calls since the last of them */
} clspi_speed;

/* Predicts the time of a job in ms; 0 where nothing is known. */
double clspi_speed_predict(const clspi_speed *speed, size_t tiles);

/* Learns a speed from a job that took so long. The first sample is forgotten with the second:
   programs may have been compiled in it; then the faster of two counts, and later ones by and by.
   fixed_ms: what a job costs at least, where nothing better is known. */
void clspi_speed_learn(clspi_speed *speed, size_t tiles, double ms, double fixed_ms);

/* What is known of the jobs of one key and size of tiles. */
typedef struct clspi_record {
    struct clspi_record *next;
    char *key;
    size_t tile_size;
    uint32_t workers;                          /* of the calls that it was learned from */
    bool shared;                               /* into memory of clsp_shared_alloc */
    bool seeded;                               /* with the file's lines */
    clsp_schedule last;                        /* that AUTO took; AUTO at first */
    clspi_speed devices[CLSP_MAX_PROCESSORS];  /* each alone */
    clspi_speed schedules[CLSP_NUM_SCHEDULES]; /* shared ones; the host alone */
} clspi_record;

/* A line of the file. */
typedef struct clspi_speed_line {
    char *name; /* platform <tab> device <tab> driver <tab> key */
    uint64_t slope_ps, fixed_ps;
} clspi_speed_line;

typedef struct clspi_speeds {
    bool read;       /* the file has been */
    bool is_refused; /* the file is not trusted, or its folder */
    clspi_speed_line *lines;
    size_t num_lines, max_lines;
    clspi_record *records;
} clspi_speeds;

/* Frees all that speeds hold, and empties them. */
void clspi_speeds_release(clspi_speeds *speeds);

/* Forgets what was learned, since the processors are others now; the file's lines stay. */
void clspi_speeds_forget(clspi_speeds *speeds);

/* Finds the record of a key, or makes one; NULL without memory. */
clspi_record *clspi_speeds_record(clspi_speeds *speeds, const char *key, size_t tile_size,
                                  uint32_t workers, bool shared);

/* Gives the path of the file of speeds: as named, else by the environment, else in the folder of
   programs. malloc'ed; NULL when there is none. *named: by the user. */
char *clspi_speeds_path(const char *named_file, const char *cache_dir, bool *named);

/* Reads the file of speeds, once. owners: platform <tab> device <tab> driver of processors that are
 * here. */
void clspi_speeds_read(clspi_speeds *speeds, const char *path, bool named,
                       const char *const *owners, size_t num_owners, clspi_log *log);

/* Writes all lines into a file aside and renames it; failure is a warning. A file that was refused
   stays as it is. */
void clspi_speeds_write(const clspi_speeds *speeds, const char *path, clspi_log *log);

/* Finds the line of an owner, platform <tab> device <tab> driver, and a key; NULL when there is
 * none.
 */
const clspi_speed_line *clspi_speeds_find(const clspi_speeds *speeds, const char *owner,
                                          const char *key);

/* Adds a line, or replaces the one of its owner and key; false without memory. */
bool clspi_speeds_set(clspi_speeds *speeds, const char *owner, const char *key, uint64_t slope_ps,
                      uint64_t fixed_ps);

enum { CLSPI_OWNER_MAX = 400 };

/* Writes a device's platform <tab> device <tab> driver. */
void clspi_speeds_owner(char owner[CLSPI_OWNER_MAX], const clsp_device_info *device);

/* Writes what stands for a device's names where so many cores of the host are the processor, with
   the level of its code. */
void clspi_speeds_host(char owner[CLSPI_OWNER_MAX], uint32_t cores);

/* Computes the checksum of a line's text from its platform on. */
uint64_t clspi_speeds_checksum(const char *text);

#endif
