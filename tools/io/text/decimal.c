#include "decimal.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
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

/* ---- writing ---- */

/* Rounds a sum half to even; low is less than half of high's last digit, or that. */
static uint64_t round_sum(double high, double low)
{
    const bool has_rest = high < 0x1p52; /* high may be no integer */
    const double whole = floor(high), below = has_rest ? 0 : floor(low);
    const uint64_t down = (uint64_t)((int64_t)whole + (int64_t)below);
    const double middle = has_rest ? whole + 0.5 : below + 0.5, at = has_rest ? high : low;
    const double rest = has_rest ? low : 0;
    const bool is_middle = !(at < middle) && !(at > middle);
    const bool is_above = at > middle || (is_middle && rest > 0);
    return down + (is_above || (is_middle && !(rest < 0) && down % 2 == 1));
}

/* Finds the first digits of a number as an integer, and the place of the first one. A number times
   a power of ten up to 10^22 is the sum of two doubles. False where it is too large or too small
   for that. */
static bool make_digits(double value, int digits, uint64_t *whole, int *place)
{
#if FLT_EVAL_METHOD == 0
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    int exponent;
    if (!(value >= 1e-4 && value < powers[digits])) return false;
    frexp(value, &exponent);
    int e = (int)floor((exponent - 1) * 0.30102999566398); /* the place, or one less */
    if (e < -4) e = -4;
    for (*place = e; *place <= e + 1 && *place < digits; ++*place) {
        const double power = powers[digits - 1 - *place], most = powers[digits];
        const double high = value * power, low = fma(value, power, -high);
        if (high > most || (!(high < most) && !(low < 0))) continue;
        *whole = round_sum(high, low);
        return true;
    }
    return false;
#else
    (void)value, (void)digits, (void)whole, (void)place;
    return false;
#endif
}

/* Writes digits with a point behind the first `place` + 1 of them, without zeros at their end. */
static size_t put_digits(char *to, uint64_t whole, int num, int place)
{
    char text[DECIMAL_ROOM];
    char *const begin = to;
    for (int i = num; i-- > 0; whole /= 10)
        text[i] = (char)('0' + whole % 10);
    while (num > place + 1 && num > 1 && text[num - 1] == '0')
        num--;
    for (int i = place < 0 ? place : 0; i < num; i++) {
        if (i == place + 1 && place >= 0) *to++ = '.';
        *to++ = i < 0 ? '0' : text[i];
        if (i == place && place < 0) *to++ = '.';
    }
    *to = 0;
    return (size_t)(to - begin);
}

size_t decimal_write(char to[DECIMAL_ROOM], int digits, double value)
{
    uint64_t whole, limit = 10;
    int place;
    if (!make_digits(fabs(value), digits, &whole, &place)) {
        const int length = snprintf(to, DECIMAL_ROOM, "%.*g", digits, isnan(value) ? NAN : value);
        return length > 0 ? (size_t)length : 0;
    }
    for (int i = 1; i < digits; i++)
        limit *= 10;
    if (whole == limit) {
        whole /= 10;
        place++;
    }
    const size_t sign = value < 0;
    if (sign) to[0] = '-';
    if (place == digits) { /* as 1e+09 */
        const int length = snprintf(to, DECIMAL_ROOM, "%.*g", digits, value);
        return length > 0 ? (size_t)length : 0;
    }
    return sign + put_digits(to + sign, whole, digits, place);
}
