#include "level.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(CLSPI_HAS_V3) || defined(CLSPI_HAS_V4)
#define HAS_LEVELS
#endif

#if defined(HAS_LEVELS) && defined(_MSC_VER) && !defined(__clang__)
#include <immintrin.h>
#include <intrin.h>
#elif defined(HAS_LEVELS)
#include <cpuid.h>
#endif

static const char *const names[] = {"base", "v3", "v4"};

clspi_level_number clspi_level_of(const char *name, size_t length)
{
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && strncmp(names[i], name, length) == 0)
            return (clspi_level_number)(i + 1);
    return (clspi_level_number)0;
}

const char *clspi_level_name(clspi_level_number level)
{
    return names[level - 1];
}

#ifdef HAS_LEVELS

enum { EAX, EBX, ECX, EDX };

static void cpuid(unsigned leaf, unsigned registers[4])
{
#if defined(_MSC_VER) && !defined(__clang__)
    __cpuidex((int *)registers, (int)leaf, 0);
#else
    __cpuid_count(leaf, 0, registers[EAX], registers[EBX], registers[ECX], registers[EDX]);
#endif
}

/* Returns which registers the system keeps for each thread: bits of XCR0. */
static unsigned kept_registers(void)
{
#if defined(_MSC_VER) && !defined(__clang__)
    return (unsigned)_xgetbv(0);
#else
    unsigned low, high;

    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
#endif
}

static int has_all(unsigned bits, unsigned of)
{
    return (bits & of) == of;
}

/* Bits as the makers' manuals number them, and as the psABI of x86-64 groups them. */
static clspi_level_number level_of_processor(void)
{
    const unsigned fma = 1u << 12, movbe = 1u << 22, osxsave = 1u << 27, avx = 1u << 28,
                   f16c = 1u << 29;                                /* ECX of 1 */
    const unsigned bmi1 = 1u << 3, avx2 = 1u << 5, bmi2 = 1u << 8; /* EBX of 7 */
    const unsigned f = 1u << 16, dq = 1u << 17, cd = 1u << 28, bw = 1u << 30, vl = 1u << 31;
    const unsigned lzcnt = 1u << 5;              /* ECX of 80000001h */
    const unsigned of_avx = 6, of_avx512 = 0xe6; /* XCR0 */
    unsigned highest[4], one[4], seven[4], extended[4];

    cpuid(0, highest);
    cpuid(1, one);
    cpuid(0x80000000u, extended);
    if (highest[EAX] < 7 || extended[EAX] < 0x80000001u ||
        !has_all(one[ECX], fma | movbe | osxsave | avx | f16c))
        return CLSPI_LEVEL_BASE;
    cpuid(7, seven);
    cpuid(0x80000001u, extended);
    if (!has_all(kept_registers(), of_avx) || !has_all(seven[EBX], bmi1 | avx2 | bmi2) ||
        !has_all(extended[ECX], lzcnt))
        return CLSPI_LEVEL_BASE;
    return has_all(kept_registers(), of_avx512) && has_all(seven[EBX], f | dq | cd | bw | vl)
               ? CLSPI_LEVEL_V4
               : CLSPI_LEVEL_V3;
}

/* Reads the 48 letters of the name, which may have blanks before and behind, and the maker's 12. */
static void read_names(char name[49], char maker[13])
{
    unsigned letters[4][4];
    char text[49] = "";

    cpuid(0x80000000u, letters[0]);
    for (unsigned i = 0; i < 3 && letters[0][EAX] >= 0x80000004u; i++)
        cpuid(0x80000002u + i, letters[1 + i]);
    if (letters[0][EAX] >= 0x80000004u) memcpy(text, letters[1], 48);
    strcpy(name, text + strspn(text, " "));
    for (size_t end = strlen(name); end > 0 && name[end - 1] == ' '; end--)
        name[end - 1] = '\0';
    cpuid(0, letters[0]);
    memcpy(maker, &letters[0][EBX], 4);
    memcpy(maker + 4, &letters[0][EDX], 4);
    memcpy(maker + 8, &letters[0][ECX], 4);
    maker[12] = '\0';
}

#else

static clspi_level_number level_of_processor(void)
{
    return CLSPI_LEVEL_BASE;
}

static void read_names(char name[49], char maker[13])
{
    *name = *maker = '\0';
}

#endif

/* Returns the level that CLSPLINE_LIMITS names, whose words contexts check; the highest without. */
static clspi_level_number allowed_level(void)
{
    static const char key[] = "level=";
    const char *const limits = getenv("CLSPLINE_LIMITS");
    const char *word = limits ? strstr(limits, key) : NULL;

    while (word && word > limits && word[-1] != ',' && word[-1] != ' ')
        word = strstr(word + 1, key);
    if (!word) return CLSPI_LEVEL_V4;
    const char *const name = word + sizeof key - 1;
    const clspi_level_number level = clspi_level_of(name, strcspn(name, ","));
    return level ? level : CLSPI_LEVEL_V4;
}

/* Returns the highest level that the build has, up to one. */
static clspi_level_number level_built(clspi_level_number level)
{
#ifndef CLSPI_HAS_V4
    if (level == CLSPI_LEVEL_V4) level = CLSPI_LEVEL_V3;
#endif
#ifndef CLSPI_HAS_V3
    if (level == CLSPI_LEVEL_V3) level = CLSPI_LEVEL_BASE;
#endif
    return level;
}

clspi_level_number clspi_level(void)
{
    static atomic_int found;
    int level = atomic_load_explicit(&found, memory_order_relaxed);

    if (level == 0) { /* threads that find it at once find the same */
        const clspi_level_number has = level_of_processor(), allowed = allowed_level();
        level = (int)level_built(has < allowed ? has : allowed);
        atomic_store_explicit(&found, level, memory_order_relaxed);
    }
    return (clspi_level_number)level;
}

void clspi_processor_name(char *name, size_t name_size, char *maker, size_t maker_size)
{
    char whole[49], made_by[13];

    read_names(whole, made_by);
    snprintf(name, name_size, "%s", *whole ? whole : "CPU");
    snprintf(maker, maker_size, "%s", made_by);
}
