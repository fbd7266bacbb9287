/* Levels: code of the host's that is compiled once for each generation of processors, and is chosen
   by what the processor has when it is first needed. A levelled file (src/meson.build lists them)
   includes this header and names what it defines by a macro of its header's, which has the level's
   name at its end; other files call by the same name, and get the process's level. */
#ifndef CLSPI_LEVEL_H
#define CLSPI_LEVEL_H

#include <stddef.h>

/* ---- in levelled files ---- */

/* Inlined into its caller, so that constants among its arguments are constants of the code. */
#ifdef __GNUC__
#define CLSPI_INLINE static inline __attribute__((always_inline))
#else
#define CLSPI_INLINE static inline
#endif

/* Vectors of that many bytes, and one whose elements are those of two others, counted through; not
   defined where compilers have none, nor in a build with CLSPI_PLAIN, which tests that case. */
#if defined(__GNUC__) && defined(__has_builtin) && !defined(CLSPI_PLAIN)
#if __has_builtin(__builtin_shufflevector)
#define CLSPI_VECTOR(bytes) __attribute__((vector_size(bytes)))
#define CLSPI_SHUFFLE       __builtin_shufflevector
#endif
#endif

/* Bytes of the level's vectors, 0 without: compilers make wider ones through memory. */
#if !defined(CLSPI_VECTOR)
#define CLSPI_WIDTH 0
#elif defined(__AVX512F__)
#define CLSPI_WIDTH 64
#elif defined(__AVX__)
#define CLSPI_WIDTH 32
#elif defined(__SSE2__) || defined(__ARM_NEON) || defined(__VSX__)
#define CLSPI_WIDTH 16
#else
#define CLSPI_WIDTH 0
#endif

/* Before a loop of up to n rounds over an array of vectors that are to stay in registers. */
#define CLSPI_PRAGMA(words) _Pragma(#words)
#if defined(__clang__)
#define CLSPI_UNROLL(n) CLSPI_PRAGMA(clang loop unroll(full))
#elif defined(__GNUC__)
#define CLSPI_UNROLL(n) CLSPI_PRAGMA(GCC unroll n)
#else
#define CLSPI_UNROLL(n)
#endif

/* Keeps a vector that has several uses in a register: gcc may load it anew for each. */
#if defined(__GNUC__) && defined(__x86_64__)
#define CLSPI_KEEP(x) __asm__("" : "+v"(x))
#else
#define CLSPI_KEEP(x) (void)0
#endif

/* ---- names ---- */

/* Declares a function (type, name, arguments in brackets) or a table (extern type, name, nothing)
   of each level. */
#define CLSPI_LEVELS(type, name, arguments)                                                        \
    type name##_base arguments;                                                                    \
    type name##_v3 arguments;                                                                      \
    type name##_v4 arguments

#define CLSPI_JOIN_WORDS(a, b) a##_##b
#define CLSPI_JOIN(a, b)       CLSPI_JOIN_WORDS(a, b)

#if defined(CLSPI_LEVEL)
#define CLSPI_AT_LEVEL(name) CLSPI_JOIN(name, CLSPI_LEVEL)
#elif defined(CLSPI_HAS_V3) && defined(CLSPI_HAS_V4)
#define CLSPI_AT_LEVEL(name)                                                                       \
    (*(clspi_level() == CLSPI_LEVEL_V4   ? &name##_v4                                              \
       : clspi_level() == CLSPI_LEVEL_V3 ? &name##_v3                                              \
                                         : &name##_base))
#elif defined(CLSPI_HAS_V4)
#define CLSPI_AT_LEVEL(name) (*(clspi_level() == CLSPI_LEVEL_V4 ? &name##_v4 : &name##_base))
#elif defined(CLSPI_HAS_V3)
#define CLSPI_AT_LEVEL(name) (*(clspi_level() == CLSPI_LEVEL_V3 ? &name##_v3 : &name##_base))
#else
#define CLSPI_AT_LEVEL(name) name##_base
#endif

/* ---- the process's level ---- */

/* What the processor has: AVX-512, as x86-64-v4 has it; AVX2 and fused multiply-adds, as x86-64-v3
   has them; what the compiler was told of. */
typedef enum clspi_level_number {
    CLSPI_LEVEL_BASE = 1,
    CLSPI_LEVEL_V3,
    CLSPI_LEVEL_V4
} clspi_level_number;

/* The highest level that the build has and the processor, or level=NAME of CLSPLINE_LIMITS, allows.
   It is found once a process. */
clspi_level_number clspi_level(void);

/* Finds the level of a name of so many letters: "base", "v3" or "v4"; 0: there is none. */
clspi_level_number clspi_level_of(const char *name, size_t length);
const char *clspi_level_name(clspi_level_number level);

/* Gives the processor's name and maker as it tells them, cut to sizes; "CPU" and nothing where it
   tells none. */
void clspi_processor_name(char *name, size_t name_size, char *maker, size_t maker_size);

#endif
