/* Bytes of the data arrays of VTK's XML files: base64 or raw, compressed by zlib or not. */
#ifndef CLSPLINE_TOOLS_IO_VTU_DATA_H
#define CLSPLINE_TOOLS_IO_VTU_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the head of a file says of its data. */
typedef struct vtu_form {
    bool big_endian, wide; /* sizes before data have 8 bytes, else 4 */
    bool compressed;       /* by zlib */
} vtu_form;

/* Bytes that grow. */
typedef struct vtu_bytes {
    unsigned char *bytes;
    size_t count, capacity;
} vtu_bytes;

/* Returns room for so many bytes more; NULL: no memory. Who fills it adds to count. */
unsigned char *vtu_bytes_room(vtu_bytes *b, size_t more);

/* Appends what base64 text stands for, in which several encodings may follow each other. False: no
   memory, or *bad: a character that is none of base64. */
bool vtu_decode(vtu_bytes *to, const unsigned char *text, size_t count, bool *bad);

/* Appends an array's bytes, made of those that are stored for it with their size or sizes first.
   Returns NULL, or why not. */
const char *vtu_unpack(const vtu_form *form, const unsigned char *from, size_t count,
                       vtu_bytes *to);

#endif
