/* What kernels need of cells: points, tables, sets. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "solid_options.h"

enum { LAYERS = 4, USES = 64 /* that there is room for at once */ };

/* Sets being made. */
typedef struct maker {
    clsp_solid_plan *plan;
    size_t *next; /* [num_uses]: where the next cell of each use goes */
} maker;

static clsp_status no_memory(const clsp_solid_plan *plan)
{
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                      "solid: no memory for the layout of %zu cells, or tables above 2^36 numbers",
                      plan->num_cells);
}

/* ---- uses ---- */

size_t clspi_slice_stride(const clsp_solid_desc *desc, uint32_t direction)
{
    const size_t samples = clspi_grid_size(desc) / desc->axis[direction].num;

    return clspi_round_up(samples, 16);
}

/* Describes the cells of a class in a frame. */
static clspi_cell_use describe(const clsp_solid_plan *plan, clspi_class_use of)
{
    clspi_cell_use use = {.of = of};

    if (of.number == CLSPI_REGULAR) return use;
    const clspi_cell_class *const entry = &plan->classes.entry[of.number];
    use.has_slices = entry->axis != CLSPI_NO_AXIS && entry->num_slice <= CLSPI_MAX_SLICE;
    use.terms = use.has_slices ? entry->num_slice : entry->num_points;
    if (use.has_slices) use.direction = clspi_frame_axis(of.frame, entry->axis);
    return use;
}

/* Gives a use that is not regular its place among the tables. */
static void place_table(clsp_solid_plan *plan, clspi_cell_use *use)
{
    clspi_cell_layout *const layout = &plan->layout;
    size_t *const rows = use->has_slices ? &layout->slice_rows : &layout->full_rows;
    const size_t stride = use->has_slices ? clspi_slice_stride(&plan->desc, use->direction)
                                          : clspi_round_up(clspi_grid_size(&plan->desc), 16);

    use->table = *rows;
    *rows += stride / 16 * use->terms;
}

/* ---- points ---- */

/* Writes the points of a layered cell by layers in its own direction, continued beyond the
   boundary. */
static bool copy_layers(clsp_solid_plan *plan, uint32_t *to, size_t cell)
{
    const clspi_cell_use *const use = &plan->layout.uses[clspi_use_of(plan, cell)];
    const uint32_t *const points = plan->points.index + plan->points.place[cell];
    const clspi_cell_class *const entry = &plan->classes.entry[use->of.number];
    const bool flips = clspi_frame_flips(use->of.frame, entry->axis);
    const uint32_t n = entry->num_slice;

    for (uint32_t l = 0; l < LAYERS; l++) {
        const uint16_t *const one = entry->slice + (size_t)(l < 2 ? 1 : 2) * n;
        const uint16_t *const two = entry->slice + (size_t)(l < 2 ? 2 : 1) * n;
        uint32_t *const layer = to + (size_t)(flips ? LAYERS - 1 - l : l) * n;
        for (uint32_t k = 0; k < n; k++) {
            const uint16_t point = entry->slice[(size_t)l * n + k];
            layer[k] = point != CLSPI_NO_POINT
                           ? points[point]
                           : clspi_continued_point(&plan->points, points[one[k]], points[two[k]]);
            if (layer[k] == CLSPI_NO_KEY) return false;
        }
    }
    return true;
}

/* ---- sets ---- */

static clspi_cell_sets *sets_of(clspi_cell_layout *layout, const clspi_cell_use *use)
{
    return use->has_slices ? &layout->layers : &layout->full;
}

/* Counts the reals of the copies of a set's points, in fours: of slices vectors of four layers; one
   more for the centre. */
static size_t count_copies(const clsp_solid_plan *plan, const clspi_cell_use *use, uint32_t size)
{
    const size_t width = (size_t)size * plan->desc.dim;

    if (use->has_slices) return (use->terms + (size_t)1) * width;
    return clspi_div_up((use->terms + (size_t)1) * width, 4);
}

/* Puts a cell into the set of its use that has room, or into a new one, all of whose cells are it
   for now. */
static bool put_in_set(maker *m, size_t c)
{
    clspi_cell_layout *const layout = &m->plan->layout;
    const clspi_cell_points *const points = &m->plan->points;
    const clspi_cell_use *const use = &layout->uses[clspi_use_of(m->plan, c)];
    clspi_cell_sets *const sets = sets_of(layout, use);
    const uint32_t size = sets->size, words = clspi_set_words(sets);
    size_t first = points->place[c];
    size_t *const next = &m->next[clspi_use_of(m->plan, c)];
    const uint32_t place = (uint32_t)(*next % size);

    if (use->has_slices) {
        first = points->num_index + layout->num_index;
        if (!copy_layers(m->plan, layout->index + layout->num_index, c)) return false;
        layout->num_index += LAYERS * (size_t)use->terms;
    }
    if (place == 0) *next = sets->num++ * size; /* what is behind a full set is not ours */
    const size_t set = *next / size;
    uint32_t *const to = sets->words + set * words;
    if (place == 0) {
        sets->spans.first[set] = (uint32_t)c;
        to[2 * size + 2] = (uint32_t)sets->copies;
        sets->copies += count_copies(m->plan, use, size);
        if (sets->copies > UINT32_MAX) return false;
    }
    sets->spans.last[set] = (uint32_t)c;
    for (uint32_t i = place; i < size; i++) {
        to[i] = i == place ? (uint32_t)c : CLSPI_NO_CELL;
        to[size + i] = (uint32_t)first;
    }
    to[2 * size] = (uint32_t)use->table;
    to[2 * size + 1] = use->has_slices ? use->terms << 2 | use->direction : use->terms;
    ++*next;
    return true;
}

/* Returns the places of all cells of one sort in sets of a size. */
static size_t count_places(const clspi_cell_layout *layout, bool slices, uint32_t size)
{
    size_t num = 0;

    for (uint32_t u = 0; u < layout->num_uses; u++)
        if (layout->uses[u].of.number != CLSPI_REGULAR && layout->uses[u].has_slices == slices)
            num += clspi_round_up(layout->uses[u].num_cells, size);
    return num;
}

/* Chooses how many cells are in a set, `most` or a half of it and so on: so many that at most a
   quarter of the places stays empty, and that so many units have a set. */
static bool make_sets(clspi_cell_layout *layout, bool slices, uint32_t most, uint32_t units)
{
    clspi_cell_sets *const sets = slices ? &layout->layers : &layout->full;
    const size_t cells = count_places(layout, slices, 1);
    uint32_t size = most;

    while (size > 1 && (count_places(layout, slices, size) > cells + cells / 4 ||
                        count_places(layout, slices, size) < (size_t)size * units))
        size /= 2;
    sets->size = size;
    const size_t most_sets = count_places(layout, slices, size) / size + 1;
    sets->words = malloc(most_sets * clspi_set_words(sets) * sizeof *sets->words);
    return clspi_cell_spans_make(&sets->spans, most_sets) && sets->words;
}

static void release_sets(clspi_cell_sets *sets)
{
    free(sets->words);
    clspi_cell_spans_release(&sets->spans);
    *sets = (clspi_cell_sets){0};
}

/* Counts cells and points, and makes room for them. */
static bool allocate(maker *m)
{
    const clspi_set_sizes most = clspi_most_in_sets(&m->plan->desc);
    const bool is_long = clspi_grid_size(&m->plan->desc) > 64; /* a cell, for one unit */
    const uint32_t units = is_long ? m->plan->base.ctx->device.compute_units : 1;
    clspi_cell_layout *const layout = &m->plan->layout;
    size_t index = 0;

    for (uint32_t u = 0; u < layout->num_uses && m->plan->has_grid; u++)
        if (layout->uses[u].has_slices)
            index += LAYERS * layout->uses[u].num_cells * layout->uses[u].terms;
    if (index > UINT32_MAX - m->plan->points.num_index) return false;
    layout->index = malloc((index + 1) * sizeof *layout->index);
    m->next = calloc(layout->num_uses, sizeof *m->next);
    return layout->index && m->next && make_sets(layout, true, most.layers, units) &&
           make_sets(layout, false, most.full, units);
}

clsp_status clspi_cell_sets_make(clsp_solid_plan *plan)
{
    clspi_cell_layout *const layout = &plan->layout;
    maker m = {.plan = plan};
    bool done = allocate(&m);

    for (size_t c = 0; c < plan->num_cells && done && plan->has_grid; c++)
        if (clspi_use_of(plan, c) > 0) done = put_in_set(&m, c);
    clspi_cell_spans_ready(&layout->layers.spans, layout->layers.num);
    clspi_cell_spans_ready(&layout->full.spans, layout->full.num);
    free(m.next);
    return done ? CLSP_OK : no_memory(plan);
}

void clspi_cell_sets_release(clspi_cell_layout *layout)
{
    release_sets(&layout->layers);
    release_sets(&layout->full);
    free(layout->index);
    layout->index = NULL;
    layout->num_index = 0;
}

/* ---- the layout ---- */

/* Adds the use of a cell, whose class and frame no cell before has. */
static bool add_use(clsp_solid_plan *plan, clspi_class_use of)
{
    clspi_cell_layout *const layout = &plan->layout;
    const uint32_t at = layout->num_uses;

    if (at % USES == 0) {
        clspi_cell_use *const more = realloc(layout->uses, ((size_t)at + USES) * sizeof *more);
        if (!more) return false;
        layout->uses = more;
    }
    layout->uses[layout->num_uses++] = describe(plan, of);
    if (of.number == CLSPI_REGULAR) return true;
    layout->use_of[(size_t)of.number * CLSPI_FRAMES + of.frame] = at;
    if (plan->has_grid) place_table(plan, &layout->uses[at]);
    return true;
}

/* Finds the uses of all cells, in the order in which they appear; the regular one is the first. */
static bool find_uses(clsp_solid_plan *plan)
{
    bool done = add_use(plan, (clspi_class_use){CLSPI_REGULAR, 0});

    for (size_t c = 0; c < plan->num_cells && done; c++) {
        const clspi_class_use of = plan->points.use[c];
        if (of.number != CLSPI_REGULAR && clspi_use_of(plan, c) == 0) done = add_use(plan, of);
        if (done) plan->layout.uses[clspi_use_of(plan, c)].num_cells++;
    }
    return done && plan->layout.slice_rows <= UINT32_MAX && plan->layout.full_rows <= UINT32_MAX;
}

/* Makes the points beyond the boundary that layers of cells have, as sets of them do: before there
   are control points, whichever device needs the sets one day. */
static bool continue_layers(clsp_solid_plan *plan)
{
    uint32_t layers[LAYERS * CLSPI_MAX_SLICE];

    for (size_t c = 0; c < plan->num_cells && plan->has_grid; c++)
        if (plan->layout.uses[clspi_use_of(plan, c)].has_slices && !copy_layers(plan, layers, c))
            return false;
    return true;
}

clsp_status clspi_cell_layout_make(clsp_solid_plan *plan)
{
    clspi_cell_layout *const layout = &plan->layout;

    layout->use_of = calloc((size_t)plan->classes.num * CLSPI_FRAMES + 1, sizeof *layout->use_of);
    const bool done =
        layout->use_of && find_uses(plan) && (!plan->by_host || continue_layers(plan));
    return done ? CLSP_OK : no_memory(plan);
}

void clspi_cell_layout_release(clspi_cell_layout *layout)
{
    free(layout->uses);
    free(layout->use_of);
    clspi_cell_sets_release(layout);
    *layout = (clspi_cell_layout){0};
}
