/* Headers of NIfTI files, of version 1 (348 bytes) and 2 (540 bytes), as nifti1.h and nifti2.h of
   the NIfTI initiative lay them out. */
#ifndef CLSPLINE_TOOLS_IO_NIFTI_HEADER_H
#define CLSPLINE_TOOLS_IO_NIFTI_HEADER_H

#include <stdbool.h>
#include <stddef.h>

enum { NIFTI1_BYTES = 348, NIFTI2_BYTES = 540, NIFTI_MAX_BYTES = NIFTI2_BYTES };

/* Types of numbers, as NIfTI numbers them. */
enum {
    NIFTI_U8 = 2,
    NIFTI_S16 = 4,
    NIFTI_S32 = 8,
    NIFTI_F32 = 16,
    NIFTI_F64 = 64,
    NIFTI_RGB = 128,
    NIFTI_S8 = 256,
    NIFTI_U16 = 512,
    NIFTI_U32 = 768,
    NIFTI_S64 = 1024,
    NIFTI_U64 = 1280,
    NIFTI_RGBA = 2304
};

/* All that a header says. Its numbers are doubles here, whatever they are in the file. */
typedef struct nifti_header {
    int version;      /* 1 or 2 */
    bool is_swapped;  /* numbers are in the other byte order in the file */
    bool is_pair;     /* the image is in a file of its own */
    double dim[8];    /* how many there are, and the lengths; those beyond are 1 */
    double pixdim[8]; /* [0]: the hand of the qform, -1 or 1; the distances */
    double datatype, bitpix, vox_offset, scl_slope, scl_inter;
    double qform_code, sform_code, quatern[3], qoffset[3], srow[12];
    double intent_code, intent_p[3], slice_start, slice_end, slice_code, slice_duration, toffset;
    double cal_min, cal_max, xyzt_units, dim_info;
    char descrip[80], aux_file[24], intent_name[16];
} nifti_header;

/* Reads the length of a header from its first four bytes, in either byte order; 0: it is none. */
size_t nifti_header_bytes(const unsigned char first[4]);

/* Reads a header of that length. False with a reason. */
bool nifti_header_read(nifti_header *header, const unsigned char *bytes, const char **why);

/* Writes a header of a single file in the machine's byte order and returns its length. */
size_t nifti_header_write(const nifti_header *header, unsigned char bytes[NIFTI_MAX_BYTES]);

/* Makes the matrix of a header's qform: of numbers of samples along x, y, z, and 1. */
void nifti_header_qform(const nifti_header *header, double to_world[3][4]);

#endif
