#include "project_picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "command.h"
#include "mesh_file.h"
#include "part_mesh.h"
#include "picture.h"
#include "ply.h"
#include "spline_task.h"

bool project_picture_add(project_picture *p, const double *point, uint32_t dim,
                         const nearest_row *row)
{
    if (row->status == NEAREST_INVALID) return true;
    double *points = array_reserve(p->points, &p->point_capacity, 3 * (p->num + 1), sizeof(double));
    if (points) p->points = points;
    double *distances =
        array_reserve(p->distances, &p->distance_capacity, p->num + 1, sizeof(double));
    if (distances) p->distances = distances;
    if (!points || !distances) return false;
    for (uint32_t k = 0; k < 3; k++)
        points[3 * p->num + k] = k < dim ? point[k] : 0;
    distances[p->num++] = row->status == NEAREST_NONE ? NAN : row->distance;
    return true;
}

/* Makes the mesh of the model. */
static bool make_model(mesh *m, const project_request *r, clsp_context *ctx, const splines *content,
                       const io_progress *progress)
{
    mesh_times times = {0};
    spline_task task = {
        .source = {.name = r->base.inputs[0], .precision = r->base.precision, .has_normals = true},
        .ctx = ctx,
        .content = content,
        .progress = progress,
        .times = &times};
    if (part_mesh_suits(content)) return part_mesh_make(&task, m, NULL);
    const bool done = spline_task_begin(&task) && mesh_source_check_size(&task.source) &&
                      mesh_source_fill(&task.source, m, NULL);
    spline_task_end(&task);
    return done;
}

static bool draw(const project_picture *p, const project_request *r, mesh *m,
                 const io_progress *progress)
{
    io_message message;
    raster_paint paint = {.values = p->distances,
                          .title = r->is_signed ? "signed distance" : "distance",
                          .first_point = m->num_vertices,
                          .has_points = true};
    double *to = mesh_add_vertices(m, p->num);
    if (!to || !picture_request_colors(&r->picture, &paint.colors, p->distances, p->num, 0)) {
        complain("%s: not enough memory to draw the picture", r->base.outputs[0]);
        return false;
    }
    if (p->num > 0) memcpy(to, p->points, 3 * p->num * sizeof(double));
    if (picture_write(m, &paint, &r->picture.view, r->base.outputs[0], progress, &message))
        return true;
    complain("%s", message.text);
    return false;
}

bool project_picture_write(const project_picture *p, const project_request *r, clsp_context *ctx,
                           const splines *content, const io_progress *progress)
{
    mesh m = {.precision = r->base.precision, .has_normals = true};
    const bool done = make_model(&m, r, ctx, content, progress) && draw(p, r, &m, progress);
    mesh_clear(&m);
    return done;
}

/* Makes the colours of all points, which the caller frees. NULL when memory runs out. */
static unsigned char *make_colors(const project_picture *p, const project_request *r)
{
    coloring colors;
    unsigned char *made = malloc(3 * p->num + 1);
    if (!made || !picture_request_colors(&r->picture, &colors, p->distances, p->num, 0)) {
        free(made);
        return NULL;
    }
    for (size_t i = 0; i < p->num; i++)
        coloring_at(&colors, p->distances[i], made + 3 * i);
    return made;
}

bool project_picture_write_points(const project_picture *p, const project_request *r,
                                  const io_progress *progress)
{
    static const char *const names[] = {"distance"};
    const char *path = r->base.outputs[0];
    io_message message;
    unsigned char *colors = make_colors(p, r);
    const mesh m = {.precision = r->base.precision,
                    .num_vertices = p->num,
                    .positions = p->points,
                    .data = p->distances,
                    .names = names,
                    .num_names = 1,
                    .colors = colors};
    bool done = colors != NULL;
    if (!done) complain("%s: not enough memory to colour the points", path);
    if (done && p->num > MESH_MAX_VERTICES) {
        complain("%s: more points than a PLY file has", path);
        done = false;
    }
    if (done && !mesh_file_write(&ply_format, &m, path, progress, &message)) {
        complain("%s", message.text);
        done = false;
    }
    free(colors);
    return done;
}

void project_picture_clear(project_picture *p)
{
    free(p->points);
    free(p->distances);
    *p = (project_picture){.num = 0};
}
