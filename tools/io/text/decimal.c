#include "decimal.h"

#include <float.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_LENGTH = 255,
    MAX_DIGITS = 19,     /* what 64 bits hold any of */
    MAX_EXPONENT = 10000 /* beyond that of any double with so many digits */
};

/* A number in the making: its first digits, and the power of ten that they are to be taken times.
 */
typedef struct decimal {
    uint64_t digits;
    int num; /* of digits, without zeros before them */
    int exponent;
} decimal;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Takes digits, each of which lowers the exponent by `lower`. Returns where they end. */
static const char *take_digits(decimal *d, const char *p, int lower)
{
    for (; is_digit(*p); p++) {
        d->num += d->num > 0 || *p != '0';
        d->exponent -= lower;
        if (d->num <= MAX_DIGITS) d->digits = 10 * d->digits + (uint64_t)(*p - '0');
    }
    return p;
}

/* Takes an exponent, if there is one, and returns where it ends; NULL: an e without digits. */
static const char *take_exponent(decimal *d, const char *p)
{
    int exponent = 0;
    if (*p != 'e' && *p != 'E') return p;
    p++;
    const bool is_negative = *p == '-';
    if (*p == '-' || *p == '+') p++;
    if (!is_digit(*p)) return NULL;
    for (; is_digit(*p); p++)
        if (exponent < MAX_EXPONENT) exponent = 10 * exponent + (*p - '0');
    d->exponent += is_negative ? -exponent : exponent;
    return p;
}

/* Makes the number by one product or quotient of two doubles that are exact, and so by one
   rounding (Clinger 1990). False where there are none. */
static bool make_short(const decimal *d, double *value)
{
#if FLT_EVAL_METHOD == 0
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const int e = d->exponent, last = (int)(sizeof(powers) / sizeof(powers[0])) - 1;
    if (d->digits > (UINT64_C(1) << DBL_MANT_DIG) || e < -last || e > last) return false;
    *value = e < 0 ? (double)d->digits / powers[-e] : (double)d->digits * powers[e];
    return true;
#else
    (void)d, (void)value;
    return false;
#endif
}

/* Makes it in the same way with the 64 bits of x87's format, and rounds again. That differs from
   one rounding only where the first one has come to the middle between two doubles, of which the
   lowest 11 bits tell. */
static bool make_long(const decimal *d, double *value)
{
#if LDBL_MANT_DIG == 64 && defined(__x86_64__)
    static const long double powers[] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,
                                         1e7L,  1e8L,  1e9L,  1e10L, 1e11L, 1e12L, 1e13L,
                                         1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L, 1e20L,
                                         1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};
    const int e = d->exponent, last = (int)(sizeof(powers) / sizeof(powers[0])) - 1;
    uint64_t bits;
    if (e < -last || e > last) return false;
    const long double whole = (long double)d->digits;
    const long double made = e < 0 ? whole / powers[-e] : whole * powers[e];
    memcpy(&bits, &made, sizeof(bits));
    *value = (double)made;
    return (bits & 0x7ff) != 0x400;
#else
    (void)d, (void)value;
    return false;
#endif
}

size_t decimal_read(const char *text, double *value)
{
    decimal d = {0, 0, 0};
    const char *p = text + (*text == '-' || *text == '+'), *const first = p;
    p = take_digits(&d, p, 0);
    const bool has_point = *p == '.';
    if (has_point) p = take_digits(&d, p + 1, 1);
    if (p == first + has_point) return 0;
    p = take_exponent(&d, p);
    if (!p || *p == 'x' || *p == 'X' || p - text > MAX_LENGTH) return 0;
    if (d.num > MAX_DIGITS || (!make_short(&d, value) && !make_long(&d, value))) {
        *value = strtod(text, NULL);
        return (size_t)(p - text);
    }
    if (*text == '-') *value = -*value;
    return (size_t)(p - text);
}
