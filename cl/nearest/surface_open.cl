/* The search of leaves that surface_nearest.cl has left open, by their coefficients. Beside what
   surface_tree.clh asks for, the host may set CLSP_LOCAL_SQUARES 1 and CLSP_GROUP
   (surface_square.clh).

   A query needs 3 to 5 parts of leaves, some a hundred. So items take queries from the list one
   after the other, 192 items a compute unit, and go on part by part. write_open, an item an entry,
   writes results. Left over is what is halved 32 times, 12 times in one direction, or has more than
   14 parts that wait. */
#include "surface_list.clh"
#include "surface_parts.clh"

/* Searches leaves that the walk has left open, of entries of the list, each of which the next item
   takes that has nothing to do; items: the number of entries. So items of a group are all at work,
   whether an entry needs one part of a leaf or a hundred. What was found stays in the list; what is
   not finished goes to `rest`, as queries alone. Others as of search_surfaces. */
kernel void search_open(global const real *restrict reals, global const uint *restrict words,
                        global uint *restrict list, global uint *restrict rest,
                        surface_layout layout, uint items)
{
    global uint *entry = list;
    uint num_leaves = 0, leaf = 0, num_parts = 0, num_halved = 0;
    bool has_entry = false, is_left = false;
    part parts[PARTS_MAX];
    walk w;
    SQUARES_ROOM

    for (;;) {
        if (has_entry && num_parts == 0 && leaf == num_leaves) {
            if (is_left) {
                global uint *const to = new_entry(rest, QUERY_WORDS);
                for (uint k = 0; k < QUERY_WORDS; k++)
                    to[k] = entry[k];
            }
            put_state(entry + QUERY_WORDS, &w, is_left ? OPEN_UNKNOWN : 0);
            has_entry = false;
        }
        if (!has_entry) {
            const uint g = atomic_inc((volatile global uint *)list + LIST_TAKEN);
            if (g >= items) break;
            entry = list + LIST_HEAD + (size_t)g * ENTRY_WORDS;
            w.q = query_of(entry, reals);
            num_leaves = get_state(entry + QUERY_WORDS, &w);
            is_left = !HAS_SQUARES || num_leaves == OPEN_UNKNOWN;
            if (is_left) num_leaves = 0;
            leaf = num_parts = num_halved = 0;
            has_entry = true;
        }
#if HAS_SQUARES
        while (num_parts == 0 && leaf < num_leaves)
            num_parts = begin_leaf(&w, entry[QUERY_WORDS + STATE_LEAVES + leaf++], reals, words,
                                   layout, parts);
        if (num_parts > 0)
            num_parts = search_part(&w, entry[QUERY_WORDS + STATE_LEAVES + leaf - 1], reals, words,
                                    layout, parts, num_parts, &num_halved, x, a, weights);
        if (num_parts == TOO_MUCH) {
            is_left = true;
            num_parts = 0;
            leaf = num_leaves;
        }
#endif
    }
}
