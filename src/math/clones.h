/* The attributes by which compilers make more of a function than C asks for. The one place where
   the library uses an extension of C; without it everything works, slower. */
#ifndef CLSPI_CLONES_H
#define CLSPI_CLONES_H

#include <stdint.h> /* which tells whether the C library is glibc */

/* Inlined into each clone of its caller, whose instructions it may then use. */
#ifdef __GNUC__
#define CLSPI_INLINE static inline __attribute__((always_inline))
#else
#define CLSPI_INLINE static inline
#endif

/* Compiled for several generations of x86 processors, chosen from when the program is loaded: that
   needs indirect functions, of glibc alone, which run before a sanitizer is ready. Elsewhere it is
   compiled for the processor that the compiler was told of. CLSPI_CLONES_256 is for large functions
   to which vectors of 512 bits are no gain. Both are for static functions: clang 14 gives others a
   name by which no other file finds them. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define CLSPI_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CLSPI_SANITIZED
#endif

#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GLIBC__) &&                         \
    !defined(CLSPI_SANITIZED) && !defined(__AVX512F__)
#define CLSPI_CLONES_OF(...) __attribute__((target_clones(__VA_ARGS__, "default")))
#if defined(__clang__) && __clang_major__ >= 14
#define CLSPI_CLONES     CLSPI_CLONES_OF("avx512f", "fma")
#define CLSPI_CLONES_256 CLSPI_CLONES_OF("fma")
#elif !defined(__clang__) && __GNUC__ >= 12
/* by level: to gcc avx512f alone is fused multiply-adds of the longest vectors only, and a sum
   would round differently at the end of a row */
#define CLSPI_CLONES     CLSPI_CLONES_OF("arch=x86-64-v4", "arch=x86-64-v3")
#define CLSPI_CLONES_256 CLSPI_CLONES_OF("arch=x86-64-v3")
#endif
#endif
#ifndef CLSPI_CLONES
#define CLSPI_CLONES
#define CLSPI_CLONES_256
#endif

/* Vectors of that many bytes, and one whose elements are those of two others, counted through; not
   defined where compilers have none. */
#if defined(__GNUC__) && defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define CLSPI_VECTOR(bytes) __attribute__((vector_size(bytes)))
#define CLSPI_SHUFFLE       __builtin_shufflevector
#endif
#endif

#endif
