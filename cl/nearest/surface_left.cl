/* The search for what is left over by search_surfaces and search_open: queries with many leaves
   that stay open, and those of which many parts have to be looked into. A group has one query; its
   items search leaves, and then parts of leaves and of pieces, side by side, and tell each other
   what they have found between one round and the next. So the result depends on the query alone.
   The host sets CLSP_GROUP, and CLSP_LOCAL_SQUARES as for search_open.

   Groups have 32 items. The first one walks down the tree until there is a leaf for each; parts of
   open leaves wait on a stack in local memory, 32 are taken at a time and halves put back. From 64
   open leaves of a query on, whole pieces take their place. What has more than 256 leaves or parts
   waiting is left to the host. One item alone walks: PoCL 7.1 gives items that write the same one
   stack in common. */
#define CLSP_WHOLE_PIECES 1
#include "surface_leaf.clh"
#include "surface_list.clh"
#include "surface_parts.clh"
#include "surface_result.clh"
#include "surface_stack.clh"

#define WAITING_MAX 256 /* open leaves of a query, and then parts that wait */
#define ROUNDS_MAX  256 /* for leaves, and for parts, before it is left to the host */
#define OPEN_BEFORE 64  /* of its leaves, before a query searches whole pieces */

/* What items of a group have found in a round. */
typedef struct findings {
    real least[CLSP_GROUP], extent[CLSP_GROUP];
    uint count[CLSP_GROUP]; /* of open leaves, or parts */
    walk best;
    uint leaves[CLSP_GROUP], num_leaves; /* to search in a round, or pieces */
} findings;

/* Parts of leaves that wait, the next one last. */
typedef struct waiting_parts {
    part parts[WAITING_MAX];
    uint leaves[WAITING_MAX];
} waiting_parts;

/* Takes over the nearest point of all items, of the first that has it. count: of leaves or parts
   that this item has; returns how many those before it have, and *all of them. */
IN_PLACE uint tell_group(local findings *f, walk *w, uint count, uint *all)
{
    const uint own = (uint)get_local_id(0);
    real least = INFINITY, extent = R(0.0);
    uint best = 0, before = 0, sum = 0;

    f->least[own] = w->least;
    f->extent[own] = w->extent;
    f->count[own] = count;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < CLSP_GROUP; k++) {
        if (f->least[k] < least) best = k;
        least = fmin(least, f->least[k]);
        extent = fmax(extent, f->extent[k]);
        if (k == own) before = sum;
        sum += f->count[k];
    }
    if (own == best) f->best = *w;
    barrier(CLK_LOCAL_MEM_FENCE);
    *w = f->best;
    w->extent = extent;
    *all = sum;
    return before;
}

/* Goes on to the next leaves, as many as the group has items. Returns how many there are; 0 at the
   end, TOO_MUCH where too many boxes wait. */
IN_PLACE uint next_leaves(box_stack *stack, uint *waiting, uint *code, const walk *w,
                          global const real *reals, global const uint *words,
                          global const real32 *boxes, surface_layout layout, local uint *leaves)
{
    const box_query where = box_query_of(reals, w->q);
    const real32 limit = box_limit_of(w->limit, reals[HEAD_UNIT]);
    uint num = 0;

    while (num < CLSP_GROUP) {
        const uint number =
            next_leaf(stack, waiting, code, w, reals, words, boxes, layout, where, limit);
        if (number == TOO_MUCH) return TOO_MUCH;
        if (number == NO_LEAF) break;
        leaves[num++] = number;
    }
    return num;
}

#if HAS_SQUARES
/* Tells whether a piece is among `num` that are to be searched. */
IN_PLACE bool is_among(uint piece, local const uint *all, uint num)
{
    bool is = false;

    for (uint k = num; k > 0 && !is; k--)
        is = all[k - 1] == piece;
    return is;
}

/* Goes on to the next pieces, each of which is searched as a whole once: those of `num_before`
   parts wait already. Others as of next_leaves. */
IN_PLACE uint next_pieces(box_stack *stack, uint *waiting, uint *code, const walk *w,
                          global const real *reals, global const uint *words,
                          global const real32 *boxes, surface_layout layout, local uint *pieces,
                          local const waiting_parts *before, uint num_before)
{
    const box_query where = box_query_of(reals, w->q);
    const real32 limit = box_limit_of(w->limit, reals[HEAD_UNIT]);
    uint num = 0;

    while (num < CLSP_GROUP) {
        if ((*code & KIND_MASK) == KIND_MASK) *code = next_box(stack, waiting, words, limit);
        if (*code == NO_BOX) break;
        if ((*code & KIND_MASK) == KIND_NODE) {
            if (!has_room(stack)) return TOO_MUCH;
            *code = open_node(stack, waiting, boxes, words, *code, where, limit);
            continue;
        }
        const uint number = *code & NUMBER_MASK;
        const bool is_leaf = (*code & KIND_MASK) == KIND_LEAF;
        const uint piece =
            KIND_PIECE | (is_leaf ? words[WIDE(layout.leaf_pieces) + number] : number);
        *code = KIND_MASK;
        if (is_among(piece, pieces, num) || is_among(piece, before->leaves, num_before)) continue;
        if (is_leaf && !is_within(w, number, reals, words, layout)) continue;
        if (!is_small(piece & NUMBER_MASK, reals, layout)) return TOO_MUCH;
        pieces[num++] = piece;
    }
    return num;
}
#else
#define next_pieces(stack, waiting, code, w, reals, words, boxes, layout, pieces, before, num)     \
    next_leaves(stack, waiting, code, w, reals, words, boxes, layout, pieces)
#endif

/* Searches a leaf by its constants. Returns a lower bound of the squared distance to it, INFINITY
   where nothing nearer is left in it, and of pieces 0. */
IN_PLACE real search_first(walk *w, uint number, global const real *reals,
                           global const uint *words, surface_layout layout)
{
    if (!IS_WHOLE(number)) return search_leaf(w, number, reals, words, layout);
    w->extent =
        fmax(w->extent, FRAME_OF(reals, layout, number & NUMBER_MASK)[PIECE_EXTENT]);
    return R(0.0);
}

/* Finds the leaves that stay open, and pieces: the parts that wait then are these. Returns how many
   there are; TOO_MUCH where they are too many. The first item walks for all. */
IN_PLACE uint find_leaves(local findings *f, local waiting_parts *p, walk *w, uint code,
                          global const real *reals, global const uint *words,
                          global const real32 *boxes, surface_layout layout)
{
    const uint own = (uint)get_local_id(0);
    box_stack stack;
    uint waiting[STACK_MAX];
    uint num = 0, all;
    bool is_left = !is_near(box_query_of(reals, w->q));

    stack.num = stack.node = stack.left = 0;
    for (uint round = 0; round < ROUNDS_MAX && !is_left; round++) {
        real bound = INFINITY;
        if (own == 0)
            f->num_leaves = num < OPEN_BEFORE
                                ? next_leaves(&stack, waiting, &code, w, reals, words, boxes,
                                              layout, f->leaves)
                                : next_pieces(&stack, waiting, &code, w, reals, words, boxes,
                                              layout, f->leaves, p, num);
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint found = f->num_leaves;
        if (found == 0) break;
        if (own < found && found != TOO_MUCH)
            bound = search_first(w, f->leaves[own], reals, words, layout);
        const uint at = num + tell_group(f, w, bound < INFINITY ? 1 : 0, &all);
        num += all;
        is_left = found == TOO_MUCH || num > WAITING_MAX || round + 1 == ROUNDS_MAX;
        if (bound < INFINITY && !is_left) {
            p->leaves[at] = f->leaves[own];
            p->parts[at].number = p->parts[at].shape = 0;
            p->parts[at].least = bound;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return is_left ? TOO_MUCH : num;
}

#if HAS_SQUARES
/* Searches the parts that wait. Tells whether nothing nearer is left in them. */
IN_PLACE bool search_parts(local findings *f, local waiting_parts *p, uint num, walk *w,
                           global const real *reals, global const uint *words,
                           surface_layout layout, points_of_part x, numbers a, numbers weights)
{
    const uint own = (uint)get_local_id(0);

    for (uint round = 0; round < ROUNDS_MAX && num > 0 && num <= WAITING_MAX; round++) {
        const uint taken = min(num, (uint)CLSP_GROUP);
        uint leaf = 0, children = 0, num_halved = 0, all;
        part parts[3];
        if (own < taken) {
            leaf = p->leaves[num - 1 - own];
            parts[0] = p->parts[num - 1 - own];
            children = search_part(w, leaf, reals, words, layout, parts, 1, &num_halved, x, a,
                                   weights);
        }
        num -= taken;
        const uint at = num + tell_group(f, w, children == TOO_MUCH ? WAITING_MAX + 1 : children,
                                         &all);
        num += all;
        for (uint k = 0; k < children && num <= WAITING_MAX; k++) {
            p->leaves[at + k] = leaf;
            p->parts[at + k] = parts[k];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return num == 0;
}
#endif

/* Searches for queries that are left over, a group for each entry of `rest` from the first on. What
   is too much here as well is left to the host, and so is what needs probes: in the list of
   search_surfaces, as which others are. */
kernel void search_left(global const real *restrict reals, global const uint *restrict words,
                        global const real32 *restrict boxes, global STORED *restrict results,
                        global STORED *restrict normals, global const uint *restrict rest,
                        global uint *restrict list, surface_layout layout, surface_range range,
                        real max_dist, uint first)
{
    local findings f;
    local waiting_parts p;
    global const uint *const entry =
        rest + LIST_HEAD + (size_t)(first + (uint)get_group_id(0)) * QUERY_WORDS;
    const uint g = entry[0];
    const surface_query q = get_query(entry);
    SQUARES_ROOM
    walk w = begin_walk(q, reals, words, layout, max_dist);
    const uint num = find_leaves(&f, &p, &w,
                                 range.has_patches ? words[WIDE(layout.patch_roots) + q.patch]
                                                   : layout.root,
                                 reals, words, boxes, layout);
    bool is_done = num == 0;

#if HAS_SQUARES
    if (num > 0) is_done = search_parts(&f, &p, num, &w, reals, words, layout, x, a, weights);
#endif
    if (get_local_id(0) > 0) return;
    if (is_done)
        is_done = write_result(results, normals, range, g, true, &w, reals, layout, max_dist) ||
                  !range.has_probes;
    if (!is_done)
        put_query(new_entry(list + WIDE(range.left_offset), QUERY_WORDS), g, q);
}
