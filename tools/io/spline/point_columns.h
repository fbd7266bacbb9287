/* Which columns of a file are the coordinates of its points. */
#ifndef CLSPLINE_TOOLS_IO_POINT_COLUMNS_H
#define CLSPLINE_TOOLS_IO_POINT_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fields.h"
#include "message.h"

enum { POINT_COLUMNS_MAX = 4 };

/* Columns that are asked for, or else, by a heading or without one, found. */
typedef struct point_columns {
    uint32_t dim;
    const char *asked; /* names of a heading or numbers from 1 on, between commas; NULL: none */
    size_t column[POINT_COLUMNS_MAX]; /* [dim], from 0 on */
    size_t num_names; /* that a row has as many fields as; 0: rows may have others */
    bool is_chosen;   /* the columns are chosen, so that there may be more of them */
} point_columns;

/* Starts with the first columns, or those that are asked for by numbers. False with a message where
   these are not as many as the coordinates. */
bool point_columns_init(point_columns *c, uint32_t dim, const char *asked, io_message *message);

/* Takes a comment where it names all the columns in question, as a heading does. */
void point_columns_take_remark(point_columns *c, const fields *line);

/* Takes the first line behind comments, which may be a heading: it has no number in the columns in
   question. The columns are then those of the names asked for, or of x, y, z and w, also as in "X
   [mm]" or "pos_x"; a heading without any of these decides nothing. A comment counts that names as
   many columns as the line has. False with a message where a column is not there, and where it is
   not clear which ones are meant. */
bool point_columns_take_first(point_columns *c, const fields *line, bool *is_heading);

/* Finds the columns that are asked for among so many of a file without names. False with a message
   that begins with the file's name. */
bool point_columns_take_numbers(point_columns *c, const char *name, uint64_t num,
                                io_message *message);

#endif
