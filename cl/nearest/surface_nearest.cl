/* The nearest points of surfaces: a walk down a tree of boxes to leaves, Newton's method in each,
   and its constants, which mostly tell that nothing nearer is left in it. Queries for which a leaf
   stays open go to a list, and what is left of those, to another one. All is in double precision,
   save boxes, whatever queries and results are: those have CLSP_STORE bits.

   Which queries go to a list, and the bits of a result, depend on the query alone: the order of
   lists is that of chance, but their entries are searched one by one.

   All items of a group look for their next leaf before any searches its own. A leaf that its
   constants leave open, and whose control points are not beyond a plane, is noted with its lower
   bound, up to 16 of them, and the walk goes on: at the end the least distance settles most. A
   query that has more, meets 64 leaves, or needs a longer stack is left over. */
#include "surface_leaf.clh"
#include "surface_list.clh"
#include "surface_order.clh"
#include "surface_result.clh"
#include "surface_stack.clh"

#define LEAVES_BEFORE 64 /* of a query, before it is left over */

/* Keeps those of open leaves in which there may be something nearer still. Returns how many. */
IN_PLACE uint keep_open(const walk *w, global const real *reals, global const uint *words,
                        surface_layout layout, uint *open, real *open_bound, uint num_open)
{
    uint num = 0;

    for (uint k = 0; k < num_open; k++) {
        global const real *const frame =
            FRAME_OF(reals, layout, words[WIDE(layout.leaf_pieces) + open[k]]);
        if (open_bound[k] >= limit_of(w->least, frame[PIECE_EXTENT])) continue;
        if (!is_within(w, open[k], reals, words, layout)) continue;
        open_bound[num] = open_bound[k];
        open[num++] = open[k];
    }
    return num;
}

/* Puts a query into the list, with the leaves that are open. */
IN_PLACE void put_open(global uint *list, uint g, surface_query q, const walk *w, const uint *open,
                       uint num_open)
{
    global uint *const entry = new_entry(list, ENTRY_WORDS);

    put_query(entry, g, q);
    put_state(entry + QUERY_WORDS, w, num_open);
    for (uint k = 0; k < num_open && num_open != OPEN_UNKNOWN; k++)
        entry[QUERY_WORDS + STATE_LEAVES + k] = open[k];
}

/* Makes cells empty: counts [items]. */
kernel void clear_cells(global uint *restrict counts, uint items)
{
    if (get_global_id(0) < items) counts[get_global_id(0)] = 0;
}

/* Counts the queries of each cell. */
kernel void count_queries(global const real *restrict reals, global const STORED *restrict queries,
                          global uint *restrict counts, surface_range range)
{
    if (get_global_id(0) >= range.items) return;
    global const STORED *const point =
        queries + WIDE(range.points_offset) + (size_t)get_global_id(0) * CLSP_DIM;

    atomic_inc((volatile global uint *)counts + cell_of(box_query_at(reals, point)));
}

/* Makes of counts how many there are before each in its run, and gives the sums of runs, item g
   that of run g: counts [items][CELL_RUN], sums [items], behind them. */
kernel void sum_runs(global uint *restrict counts, uint first, uint items)
{
    const uint g = (uint)get_global_id(0);
    if (g >= items) return;
    global uint *const run = counts + first + (size_t)g * CELL_RUN;
    uint sum = 0;

    for (uint k = 0; k < CELL_RUN; k++) {
        const uint count = run[k];
        run[k] = sum;
        sum += count;
    }
    counts[first + (size_t)items * CELL_RUN + g] = sum;
}

/* Writes the order of queries behind the list. counts: of sum_runs, three times, each of the sums
   before. */
kernel void order_queries(global const real *restrict reals, global const STORED *restrict queries,
                          global uint *restrict counts, global uint *restrict list,
                          surface_range range)
{
    const uint g = (uint)get_global_id(0);
    if (g >= range.items) return;
    const uint cell =
        cell_of(box_query_at(reals, queries + WIDE(range.points_offset) + (size_t)g * CLSP_DIM));
    const uint runs = CELLS / CELL_RUN, of_run = cell / CELL_RUN;
    const uint before = counts[CELLS + of_run] + counts[CELLS + runs + of_run / CELL_RUN];

    list[WIDE(range.order_offset) + before + atomic_inc((volatile global uint *)counts + cell)] = g;
}

/* Searches for the nearest point of each query, item g for query g: reals, words and boxes as
   surface_tree.clh says; queries [items][CLSP_DIM], hints [items][2], normals [items][4]; results
   [items], clspi_nearest_f32 or clspi_nearest_f64 (nearest_result.clh). max_dist 0: there is no
   limit. What is not finished goes to the list, whose number is 0 before; behind it may be the
   order in which items take queries, and is the list of queries that are left to the host, as is
   what needs probes. */
kernel void search_surfaces(global const real *restrict reals, global const uint *restrict words,
                            global const real32 *restrict boxes,
                            global const STORED *restrict queries,
                            global const uint *restrict patches,
                            global const STORED *restrict hints, global STORED *restrict results,
                            global STORED *restrict normals, global uint *restrict list,
                            surface_layout layout, surface_range range, real max_dist)
{
    if (get_global_id(0) >= range.items) return;

    const uint item = (uint)get_global_id(0);
    const uint g = range.has_order ? list[WIDE(range.order_offset) + item] : item;
    const surface_query q = read_query(queries, patches, hints, range, layout.num_patches, g);
    const real unit = reals[HEAD_UNIT];
    box_stack stack;
    uint waiting[STACK_MAX], open[OPEN_MAX];
    real open_bound[OPEN_MAX];
    uint num_open = 0, num_leaves = 0;
    walk w = begin_walk(q, reals, words, layout, max_dist);
    const box_query where = box_query_of(reals, w.q);
    bool is_left = q.is_valid && !is_near(where);
    real32 limit = box_limit_of(w.limit, unit);
    uint code = !q.is_valid || is_left ? KIND_MASK
                : range.has_patches    ? words[WIDE(layout.patch_roots) + q.patch]
                                       : layout.root;

    stack.num = stack.node = stack.left = 0;
    while (!is_left) {
        const uint number =
            next_leaf(&stack, waiting, &code, &w, reals, words, boxes, layout, where, limit);
        is_left = number == TOO_MUCH;
        if (number == NO_LEAF || is_left) break;

        if (num_open == OPEN_MAX)
            num_open = keep_open(&w, reals, words, layout, open, open_bound, num_open);
        is_left = num_leaves++ >= LEAVES_BEFORE || num_open == OPEN_MAX;
        if (is_left) break;
        const real bound = search_leaf(&w, number, reals, words, layout);
        limit = box_limit_of(w.limit, unit);
        if (bound < INFINITY) {
            open_bound[num_open] = bound;
            open[num_open++] = number;
        }
    }

    if (is_left)
        num_open = OPEN_UNKNOWN;
    else
        num_open = keep_open(&w, reals, words, layout, open, open_bound, num_open);
    if (num_open > 0)
        put_open(list, g, q, &w, open, num_open);
    else if (!write_result(results, normals, range, g, q.is_valid, &w, reals, layout, max_dist) &&
             range.has_probes)
        put_query(new_entry(list + WIDE(range.left_offset), QUERY_WORDS), g, q);
}

/* Writes what search_open has found, item g of entry g of the list. */
kernel void write_open(global const real *restrict reals, global uint *restrict list,
                       global STORED *restrict results, global STORED *restrict normals,
                       surface_layout layout, surface_range range, real max_dist)
{
    if (get_global_id(0) >= range.items) return;
    global const uint *const entry = list + LIST_HEAD + (size_t)get_global_id(0) * ENTRY_WORDS;
    const size_t g = entry[0];
    walk w;

    w.q = query_of(entry, reals);
    if (get_state(entry + QUERY_WORDS, &w) == OPEN_UNKNOWN) return;
    if (!write_result(results, normals, range, g, true, &w, reals, layout, max_dist) &&
        range.has_probes)
        put_query(new_entry(list + WIDE(range.left_offset), QUERY_WORDS), g, get_query(entry));
}

/* Puts the results of queries that were left to the host where they belong, entry g of their list
   those of number g: results [items], normals [items][4]. */
kernel void place_results(global const uint *restrict list, global const STORED *restrict from,
                          global const STORED *restrict from_normals,
                          global STORED *restrict results, global STORED *restrict normals,
                          surface_range range)
{
    const uint g = (uint)get_global_id(0);
    if (g >= range.items) return;
    const uint at = list[WIDE(range.left_offset) + LIST_HEAD + (size_t)g * QUERY_WORDS];
    global STORED *const out = results + WIDE(range.offset) + (size_t)at * NEAREST_SIZE;
    global STORED *const side = normals + WIDE(range.normals_offset) + (size_t)at * 4;

    for (int k = 0; k < NEAREST_REALS; k++)
        out[k] = from[(size_t)g * NEAREST_SIZE + k];
    for (int k = 0; k < 2; k++)
        ((global uint *)(out + NEAREST_REALS))[k] =
            ((global const uint *)(from + (size_t)g * NEAREST_SIZE + NEAREST_REALS))[k];
    for (int k = 0; k < 4 && range.has_normals; k++)
        side[k] = from_normals[(size_t)g * 4 + k];
}
