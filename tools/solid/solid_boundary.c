#include "solid_boundary.h"

#include "solid_shell.h"

bool solid_boundary_open(solid_boundary *b, const solid_model *m, mesh_precision precision)
{
    if (!solid_shell_faces(&b->faces, m)) return false;
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
