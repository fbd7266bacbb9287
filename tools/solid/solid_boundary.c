#include "solid_boundary.h"

#include "solid_shell.h"

bool solid_boundary_open(solid_boundary *b, const solid_model *m, mesh_precision precision)
{
    const solid_cells cells = {
        .num_cells = m->counts.num_cells, .num_indices = m->counts.num_indices, .index = m->index};
    if (!boundary_faces_find(&b->faces, &cells)) return solid_model_memory(m);
    return m->r->samples == 0 ||
           (solid_shell_make(&b->shell, m, &b->faces) &&
            solid_samples_open(&b->samples, &b->shell, precision, (solid_grid){m->r->samples, 1}));
}

void solid_boundary_close(solid_boundary *b)
{
    solid_samples_close(&b->samples);
    solid_model_clear(&b->shell);
    boundary_faces_clear(&b->faces);
}
