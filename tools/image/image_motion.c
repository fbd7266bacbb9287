#include "image_motion.h"

#include <math.h>

#include "command.h"

/* All here is by x, y, z; the library and arrays have the last direction first. */
enum { N = IMAGE_MAX_DIRECTIONS };

/* Gives cosine and sine of degrees, exact where they are 0, 1 or -1. */
static void turn(double degrees, double *cosine, double *sine)
{
    static const double pi = 3.14159265358979323846;
    const double rest = remainder(degrees, 360), quarters = rest / 90;
    *cosine = cos(rest * pi / 180);
    *sine = sin(rest * pi / 180);
    if (quarters != floor(quarters)) return;
    *cosine = quarters == 0 ? 1 : fabs(quarters) == 2 ? -1 : 0;
    *sine = fabs(quarters) == 1 ? quarters : 0;
}

/* Finds by which factor each direction is enlarged. */
static void find_zoom(const image_request *r, const image_array *in, double zoom[N])
{
    static const double rounding = 1e-7; /* files have lengths in f32 */
    const option_list *wanted = &r->spacing;
    for (uint32_t k = 0; k < N; k++) {
        zoom[k] = r->scale > 0 ? r->scale : 1;
        if (wanted->num > 0 && k < in->directions)
            zoom[k] = in->place.spacing[k] / wanted->values[wanted->num > 1 ? k : 0];
        const double whole = fmax(floor(zoom[k] + 0.5), 1);
        if (fabs(zoom[k] - whole) < rounding) zoom[k] = whole;
    }
}

/* Fills the matrix that leads from the output to the input, without an offset. Rows go down in a
   picture: there, what is turned counterclockwise goes from x to -y. */
static void fill_matrix(const image_request *r, const double zoom[N], double m[N][N])
{
    const uint32_t a = (r->axis + 1) % N, b = (r->axis + 2) % N;
    double cosine, sine;
    turn(r->rotate, &cosine, &sine);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++)
            m[i][k] = i == k ? 1 / zoom[i] : 0;
    m[a][a] = cosine / zoom[a];
    m[a][b] = -sine / zoom[a];
    m[b][a] = sine / zoom[b];
    m[b][b] = cosine / zoom[b];
}

/* Makes room for the whole of what is turned: the box around the corners of its area. */
static void fit(const image_request *r, double side[N])
{
    static const double rounding = 1e-9;
    const uint32_t a = (r->axis + 1) % N, b = (r->axis + 2) % N;
    const double before[] = {side[a], side[b]};
    double cosine, sine;
    turn(r->rotate, &cosine, &sine);
    side[a] = ceil(fabs(cosine) * before[0] + fabs(sine) * before[1] - rounding * before[0]);
    side[b] = ceil(fabs(sine) * before[0] + fabs(cosine) * before[1] - rounding * before[1]);
}

/* Finds the output's size. */
static bool find_size(const image_request *r, const image_array *in, image_array *out)
{
    const uint32_t num = in->directions;
    double zoom[N], side[N] = {1, 1, 1};
    find_zoom(r, in, zoom);
    for (uint32_t k = 0; k < num; k++)
        side[k] = zoom[k] * (double)in->size[num - 1 - k];
    if (r->fit) fit(r, side);
    for (uint32_t k = 0; k < num; k++) {
        side[k] = fmax(floor(side[k] + 0.5), 1);
        if (!(side[k] <= IMAGE_MAX_SIDE)) {
            complain("%s: a side of %.0f samples is too large", r->base.inputs[0], side[k]);
            return false;
        }
        out->size[num - 1 - k] = (size_t)(r->size.num > 0 ? r->size.values[k] : side[k]);
    }
    return true;
}

/* Makes the output's place: what it shows of the world does not change by --scale and --spacing,
   and moves by all else. */
static void find_place(const image_request *r, const image_array *in, image_array *out)
{
    double zoom[N];
    find_zoom(r, in, zoom);
    image_form *forms[] = {&out->place.sform, &out->place.qform};
    for (uint32_t k = 0; k < in->directions; k++) {
        const uint32_t d = in->directions - 1 - k;
        const double before = (double)(in->size[d] - 1) / 2, after = (double)(out->size[d] - 1) / 2;
        out->place.spacing[k] = in->place.spacing[k] / zoom[k];
        for (int i = 0; i < 2 * N; i++) {
            double *row = forms[i / N]->to_world[i % N];
            const double step = row[k];
            row[k] = step / zoom[k];
            row[N] += step * (before - after / zoom[k]);
        }
    }
}

/* Takes the numbers of --affine. */
static void take_affine(const image_request *r, uint32_t num, clsp_image_map *map)
{
    for (uint32_t i = 0; i < num; i++) {
        const double *row = r->affine.values + i * (num + 1);
        for (uint32_t k = 0; k < num; k++)
            map->matrix[num - 1 - i][num - 1 - k] = row[k];
        map->matrix[num - 1 - i][3] = row[num];
    }
}

/* Puts a matrix about the middles of input and output, counted from their edges: so a zoom to a
   multiple of the input's size has no offset. */
static void take_matrix(const image_request *r, const image_array *in, const image_array *out,
                        clsp_image_map *map)
{
    const uint32_t num = in->directions;
    double m[N][N], zoom[N];
    find_zoom(r, in, zoom);
    fill_matrix(r, zoom, m);
    for (uint32_t i = 0; i < num; i++) {
        const uint32_t row = num - 1 - i;
        double offset = (double)in->size[row] / 2;
        for (uint32_t k = 0; k < num; k++) {
            const uint32_t column = num - 1 - k;
            map->matrix[row][column] = m[i][k];
            offset -= m[i][k] * ((double)out->size[column] / 2 + r->shift.values[k]);
        }
        map->matrix[row][3] = offset;
    }
    map->areas = 1;
}

bool image_motion_map(const image_request *r, const image_array *in, image_array *out,
                      clsp_image_map *map)
{
    const image_type type = out->type;
    *out = *in;
    out->type = type;
    out->values = NULL;
    out->is_stored = false;
    if (!find_size(r, in, out)) return false;
    find_place(r, in, out);
    *map = clsp_image_identity();
    if (r->affine.num > 0)
        take_affine(r, in->directions, map);
    else
        take_matrix(r, in, out, map);
    for (uint32_t i = 0; i < out->directions; i++)
        map->size[i] = (uint32_t)out->size[i];
    return true;
}

bool image_motion_is_none(const image_array *in, const image_array *out, const clsp_image_map *map)
{
    const clsp_image_map none = clsp_image_identity();
    for (uint32_t i = 0; i < in->directions; i++) {
        if (in->size[i] != out->size[i] || map->matrix[i][N] != 0) return false;
        for (uint32_t k = 0; k < in->directions; k++)
            if (map->matrix[i][k] != none.matrix[i][k]) return false;
    }
    return true;
}

bool image_motion_leaves(const image_array *in, const clsp_image_map *map, uint32_t direction)
{
    const double *row = map->matrix[direction], size = (double)in->size[direction];
    const double middle = map->areas ? 0.5 : 0, before = 0.5 - middle;
    double low = row[N] + before, high = row[N] + before;
    for (uint32_t k = 0; k < in->directions; k++) {
        const double from = row[k] * middle, to = row[k] * ((double)map->size[k] - 1 + middle);
        low += fmin(from, to);
        high += fmax(from, to);
    }
    const double rounding = 1e-12 * (fabs(low) + fabs(high) + size);
    return !(low >= -rounding && high <= size + rounding);
}
