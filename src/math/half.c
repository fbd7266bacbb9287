#include "half.h"

#include <math.h>
#include <string.h>

enum { HALF_INFINITY = 0x7c00, HALF_NAN = 0x7e00 };

uint16_t clspi_half(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    const uint16_t sign = (uint16_t)(bits >> 48 & 0x8000);
    const uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    const int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    if (exponent == 1024 && fraction > 0) return sign | HALF_NAN;
    if (exponent > 15) return sign | HALF_INFINITY;
    if (exponent < -25) return sign; /* below half of the smallest half, 2^-24 */
    /* halves have 10 bits behind the leading 1; below 2^-14 they are subnormal and lose some */
    const int dropped = exponent >= -14 ? 42 : 28 - exponent;
    const uint64_t number = UINT64_C(1) << 52 | fraction, middle = UINT64_C(1) << (dropped - 1);
    const uint64_t rest = number & (2 * middle - 1);
    uint32_t whole = (uint32_t)(number >> dropped);
    if (rest > middle || (rest == middle && whole % 2 != 0)) whole++;
    const uint32_t field = exponent >= -14 ? (uint32_t)(exponent + 14) : 0;
    /* a normal number's leading 1 raises the exponent by one, and so may rounding */
    return (uint16_t)(sign | (field * 1024 + whole));
}

double clspi_half_value(uint16_t half)
{
    const int exponent = half >> 10 & 31, mantissa = half & 1023;
    const double sign = half & 0x8000 ? -1.0 : 1.0;

    if (exponent == 31) return mantissa ? (double)NAN : sign * HUGE_VAL;
    if (exponent == 0) return sign * mantissa * 0x1p-24;
    return sign * ldexp(1024 + mantissa, exponent - 25);
}
