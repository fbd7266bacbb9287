/* A number that tells results apart by their bits, whatever they mean: the sum of all words, each
   mixed with its place. Sums of parts, with their places counted on, are that of the whole. */

/* Mixes (SplitMix64). */
static ulong mixed(ulong z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9UL;
    z = (z ^ z >> 27) * 0x94d049bb133111ebUL;
    return z ^ z >> 31;
}

/* sums[i]: of all words that are i modulo the number of sums; place: of the first one. */
kernel void fingerprint(uint first, uint end, global const uint *restrict words, ulong num,
                        ulong place, global ulong *restrict sums, uint num_sums)
{
    const uint g = first + (uint)get_global_id(0);
    ulong sum = 0;

    if (g >= end) return;
    for (ulong i = g; i < num; i += num_sums)
        sum += mixed(mixed(place + i) ^ words[i]);
    sums[g] = sum;
}
