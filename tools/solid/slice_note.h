/* What is told of slices besides their values: where their pixels are. */
#ifndef CLSPLINE_TOOLS_SLICE_NOTE_H
#define CLSPLINE_TOOLS_SLICE_NOTE_H

#include <stdio.h>

#include "image_array.h"
#include "slice_cover.h"
#include "solid_model.h"
#include "solid_slice.h"

/* Makes a JSON object of a frame and of what its channels are, which the caller frees. NULL with a
   complaint. */
char *slice_note_make(const solid_model *m, const slice_frame *f);

/* Sets where an image's samples are, for its file. The note must outlive the image. */
void slice_note_place(const solid_request *r, const slice_frame *f, const char *note,
                      image_array *image);

/* Writes the note beside an .npy file: under its name with .json at the end. False with a
   complaint. */
bool slice_note_write(const char *path, const char *note);

/* Prints the frame as part of a report. */
void slice_note_print(FILE *to, const slice_frame *f);

/* Tells how many slices have no point of the solid. False, with a complaint, where none has one. */
bool slice_note_outside(const solid_model *m, const slice_frame *f,
                        const solid_slice_counts *counts);

#endif
