/* The state of a thread in which sums of floats take numbers below the least normal one, 2^-126,
   for 0: most x86 processors make each of them by an assist of 100 steps and more. It is set where
   numbers so small count for nothing beside the others, and set back before anything else runs, a
   caller's function among it. It changes how doubles are made too, which nobody sums in it. */
#ifndef CLSPI_FLOAT_STATE_H
#define CLSPI_FLOAT_STATE_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__) || defined(_M_X64)

#include <xmmintrin.h>

typedef uint32_t clspi_float_state;

enum { CLSPI_FLUSH_BITS = 0x8040 }; /* of results (FTZ), and of what is read (DAZ) */

static inline clspi_float_state clspi_float_state_get(void)
{
    return _mm_getcsr();
}

static inline void clspi_float_state_set(clspi_float_state state)
{
    _mm_setcsr(state);
}

#elif defined(__aarch64__) && defined(__GNUC__)

typedef uint64_t clspi_float_state;

enum { CLSPI_FLUSH_BITS = 1 << 24 }; /* FZ of FPCR */

static inline clspi_float_state clspi_float_state_get(void)
{
    clspi_float_state state;

    __asm__ volatile("mrs %0, fpcr" : "=r"(state));
    return state;
}

static inline void clspi_float_state_set(clspi_float_state state)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(state) : "memory");
}

#else

typedef uint32_t clspi_float_state;

enum { CLSPI_FLUSH_BITS = 0 };

static inline clspi_float_state clspi_float_state_get(void)
{
    return 0;
}

static inline void clspi_float_state_set(clspi_float_state state)
{
    (void)state;
}

#endif

/* Sets the state, where sums are of floats; returns the one before, which has to be set again. */
static inline clspi_float_state clspi_float_flush(bool is_float)
{
    const clspi_float_state before = clspi_float_state_get();

    if (is_float) clspi_float_state_set(before | CLSPI_FLUSH_BITS);
    return before;
}

#endif
