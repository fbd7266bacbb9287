/* Fuzz target of the readers of solids: any bytes give cells or an error with a message.
   Built and run by hand, from the root of the tree, with clang:

       sh tests/fuzz/build.sh solids /tmp/solids_fuzz
       mkdir -p /tmp/corpus_solids
       /tmp/solids_fuzz -max_len=4096 -max_total_time=300 /tmp/corpus_solids FOLDER_OF_MESHES */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solid_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition) abort();
}

static void check_cells(const solid_cells *cells)
{
    require(cells->num_cells > 0);
    for (size_t i = 0; i < cells->num_cells; i++)
        require(cells->kinds[i] == SOLID_POLYHEDRON || solid_kind_vertices(cells->kinds[i]) > 0);
    for (size_t i = 0; i < 3 * cells->num_points; i++)
        require(isfinite(cells->points[i]) != 0);
    for (size_t i = 0; i < cells->num_arrays; i++)
        require(cells->arrays[i].count == cells->num_points * cells->arrays[i].components);
    for (size_t i = 0; i < cells->num_cell_arrays; i++)
        require(cells->cell_arrays[i].count == cells->num_cells * cells->cell_arrays[i].components);
    for (size_t i = 0; i < 2 * cells->num_creases; i++)
        require(cells->crease[i] < cells->num_points);
    for (size_t i = 0; i < cells->num_corners; i++)
        require(cells->corner[i] < cells->num_points);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    solid_cells cells;
    io_message message = {""};
    if (size == 0) return 0;
    FILE *file = fmemopen((void *)(uintptr_t)data, size, "rb");
    require(file != NULL);
    if (solid_file_read(&cells, file, "f", NULL, &message)) {
        check_cells(&cells);
        solid_cells_clear(&cells);
    } else {
        require(strncmp(message.text, "f:", 2) == 0 && !strchr(message.text, '\n'));
        require(cells.num_cells == 0 && cells.points == NULL);
    }
    fclose(file);
    return 0;
}
