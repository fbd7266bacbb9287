#include "color.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

const unsigned char color_of_nan[3] = {255, 0, 255};
const unsigned char color_of_plain[3] = {197, 115, 82}; /* of the glaze of light.h */

/* viridis by Stefan van der Walt and Nathaniel Smith, who gave it to the public domain (CC0), as
   0xRRGGBB: https://bids.github.io/colormap, rounded from the reals of matplotlib. */
static const uint32_t viridis[COLOR_MAP_SIZE] = {
    0x440154, 0x440256, 0x450457, 0x450559, 0x46075a, 0x46085c, 0x460a5d, 0x460b5e, 0x470d60,
    0x470e61, 0x471063, 0x471164, 0x471365, 0x481467, 0x481668, 0x481769, 0x48186a, 0x481a6c,
    0x481b6d, 0x481c6e, 0x481d6f, 0x481f70, 0x482071, 0x482173, 0x482374, 0x482475, 0x482576,
    0x482677, 0x482878, 0x482979, 0x472a7a, 0x472c7a, 0x472d7b, 0x472e7c, 0x472f7d, 0x46307e,
    0x46327e, 0x46337f, 0x463480, 0x453581, 0x453781, 0x453882, 0x443983, 0x443a83, 0x443b84,
    0x433d84, 0x433e85, 0x423f85, 0x424086, 0x424186, 0x414287, 0x414487, 0x404588, 0x404688,
    0x3f4788, 0x3f4889, 0x3e4989, 0x3e4a89, 0x3e4c8a, 0x3d4d8a, 0x3d4e8a, 0x3c4f8a, 0x3c508b,
    0x3b518b, 0x3b528b, 0x3a538b, 0x3a548c, 0x39558c, 0x39568c, 0x38588c, 0x38598c, 0x375a8c,
    0x375b8d, 0x365c8d, 0x365d8d, 0x355e8d, 0x355f8d, 0x34608d, 0x34618d, 0x33628d, 0x33638d,
    0x32648e, 0x32658e, 0x31668e, 0x31678e, 0x31688e, 0x30698e, 0x306a8e, 0x2f6b8e, 0x2f6c8e,
    0x2e6d8e, 0x2e6e8e, 0x2e6f8e, 0x2d708e, 0x2d718e, 0x2c718e, 0x2c728e, 0x2c738e, 0x2b748e,
    0x2b758e, 0x2a768e, 0x2a778e, 0x2a788e, 0x29798e, 0x297a8e, 0x297b8e, 0x287c8e, 0x287d8e,
    0x277e8e, 0x277f8e, 0x27808e, 0x26818e, 0x26828e, 0x26828e, 0x25838e, 0x25848e, 0x25858e,
    0x24868e, 0x24878e, 0x23888e, 0x23898e, 0x238a8d, 0x228b8d, 0x228c8d, 0x228d8d, 0x218e8d,
    0x218f8d, 0x21908d, 0x21918c, 0x20928c, 0x20928c, 0x20938c, 0x1f948c, 0x1f958b, 0x1f968b,
    0x1f978b, 0x1f988b, 0x1f998a, 0x1f9a8a, 0x1e9b8a, 0x1e9c89, 0x1e9d89, 0x1f9e89, 0x1f9f88,
    0x1fa088, 0x1fa188, 0x1fa187, 0x1fa287, 0x20a386, 0x20a486, 0x21a585, 0x21a685, 0x22a785,
    0x22a884, 0x23a983, 0x24aa83, 0x25ab82, 0x25ac82, 0x26ad81, 0x27ad81, 0x28ae80, 0x29af7f,
    0x2ab07f, 0x2cb17e, 0x2db27d, 0x2eb37c, 0x2fb47c, 0x31b57b, 0x32b67a, 0x34b679, 0x35b779,
    0x37b878, 0x38b977, 0x3aba76, 0x3bbb75, 0x3dbc74, 0x3fbc73, 0x40bd72, 0x42be71, 0x44bf70,
    0x46c06f, 0x48c16e, 0x4ac16d, 0x4cc26c, 0x4ec36b, 0x50c46a, 0x52c569, 0x54c568, 0x56c667,
    0x58c765, 0x5ac864, 0x5cc863, 0x5ec962, 0x60ca60, 0x63cb5f, 0x65cb5e, 0x67cc5c, 0x69cd5b,
    0x6ccd5a, 0x6ece58, 0x70cf57, 0x73d056, 0x75d054, 0x77d153, 0x7ad151, 0x7cd250, 0x7fd34e,
    0x81d34d, 0x84d44b, 0x86d549, 0x89d548, 0x8bd646, 0x8ed645, 0x90d743, 0x93d741, 0x95d840,
    0x98d83e, 0x9bd93c, 0x9dd93b, 0xa0da39, 0xa2da37, 0xa5db36, 0xa8db34, 0xaadc32, 0xaddc30,
    0xb0dd2f, 0xb2dd2d, 0xb5de2b, 0xb8de29, 0xbade28, 0xbddf26, 0xc0df25, 0xc2df23, 0xc5e021,
    0xc8e020, 0xcae11f, 0xcde11d, 0xd0e11c, 0xd2e21b, 0xd5e21a, 0xd8e219, 0xdae319, 0xdde318,
    0xdfe318, 0xe2e418, 0xe5e419, 0xe7e419, 0xeae51a, 0xece51b, 0xefe51c, 0xf1e51d, 0xf4e61e,
    0xf6e620, 0xf8e621, 0xfbe723, 0xfde725,
};

/* ---- light ---- */

unsigned char color_encode(float linear)
{
    float x = fminf(1, fmaxf(0, linear));
    float coded = x <= 0.0031308f ? 12.92f * x : 1.055f * powf(x, 1 / 2.4f) - 0.055f;
    return (unsigned char)(255 * coded + 0.5f);
}

float color_decode(unsigned char coded)
{
    float x = (float)coded / 255;
    return x <= 0.04045f ? x / 12.92f : powf((x + 0.055f) / 1.055f, 2.4f);
}

/* The colour of Oklab coordinates (B. Ottosson, A perceptual color space for image processing,
   2020); what sRGB does not have is cut off. */
static void encode_oklab(double lightness, double a, double b, unsigned char rgb[3])
{
    static const double to_cones[3][2] = {{0.3963377774, 0.2158037573},
                                          {-0.1055613458, -0.0638541728},
                                          {-0.0894841775, -1.2914855480}};
    static const double to_light[3][3] = {{4.0767416621, -3.3077115913, 0.2309699292},
                                          {-1.2684380046, 2.6097574011, -0.3413193965},
                                          {-0.0041960863, -0.7034186147, 1.7076147010}};
    double cones[3];
    for (int k = 0; k < 3; k++) {
        const double root = lightness + to_cones[k][0] * a + to_cones[k][1] * b;
        cones[k] = root * root * root;
    }
    for (int k = 0; k < 3; k++)
        rgb[k] = color_encode((float)(to_light[k][0] * cones[0] + to_light[k][1] * cones[1] +
                                      to_light[k][2] * cones[2]));
}

/* ---- maps ---- */

/* Blue at 0, nearly white in the middle, red at 1: lightness and colour are linear in Oklab on
   either side, so that equal steps look equal. */
static void diverge(double place, unsigned char rgb[3])
{
    static const double white = 0.96, dark = 0.46;
    static const double ends[2][2] = {{-0.031, -0.157}, {0.143, 0.075}}; /* a and b of each end */
    const double *end = ends[place > 0.5], away = fabs(2 * place - 1);
    encode_oklab(white + away * (dark - white), away * end[0], away * end[1], rgb);
}

/* The i-th colour of a map. */
static void map_color(color_map map, int i, unsigned char rgb[3])
{
    if (map == COLOR_MAP_DIVERGING)
        diverge((double)i / (COLOR_MAP_SIZE - 1), rgb);
    else if (map == COLOR_MAP_GRAY)
        memset(rgb, i, 3);
    else
        for (int k = 0; k < 3; k++)
            rgb[k] = (unsigned char)(viridis[i] >> (16 - 8 * k) & 0xff);
}

/* The colour of a patch: hues a golden angle apart, so that no two of a few that follow each other
   are alike, in three lightnesses. */
static void color_patch(double number, unsigned char rgb[3])
{
    static const double golden = 2.39996322972865332, chroma = 0.11;
    const double turn = fmod(number, COLOR_MAP_SIZE);
    const double hue = turn * golden, lightness = 0.66 + 0.09 * fmod(turn, 3);
    encode_oklab(lightness, chroma * cos(hue), chroma * sin(hue), rgb);
}

/* ---- values ---- */

static bool is_about_zero(coloring_kind kind)
{
    return kind == COLORING_MEAN || kind == COLORING_GAUSS || kind == COLORING_SIGNED;
}

bool coloring_has_values(coloring_kind kind)
{
    return kind != COLORING_PLAIN && kind != COLORING_PATCH && kind != COLORING_OWN;
}

color_map coloring_map(const coloring *c)
{
    if (c->map != COLOR_MAP_AUTO) return c->map;
    return is_about_zero(c->kind) ? COLOR_MAP_DIVERGING : COLOR_MAP_VIRIDIS;
}

double coloring_place(const coloring *c, double value)
{
    static const double far = 64; /* with it floats between two places have errors of 1e-5 */
    if (!coloring_has_values(c->kind) || isnan(value)) return value;
    if (c->low == c->high) return 0.5;
    /* halves first: the difference may overflow */
    const double place = (value / 2 - c->low / 2) / (c->high / 2 - c->low / 2);
    return fmin(fmax(place, -far), far);
}

void coloring_at_place(const coloring *c, double place, unsigned char rgb[3])
{
    if (isnan(place)) {
        memcpy(rgb, color_of_nan, 3);
    } else if (c->kind == COLORING_PLAIN) {
        memcpy(rgb, color_of_plain, 3);
    } else if (c->kind == COLORING_PATCH) {
        color_patch(place, rgb);
    } else if (c->kind == COLORING_OWN) {
        for (int k = 0; k < 3; k++)
            rgb[k] = (unsigned char)((uint32_t)place >> (16 - 8 * k) & 0xff);
    } else {
        map_color(coloring_map(c), (int)(fmin(fmax(place, 0), 1) * (COLOR_MAP_SIZE - 1) + 0.5),
                  rgb);
    }
}

void coloring_fill(const coloring *c, unsigned char rgb[COLOR_MAP_SIZE][3])
{
    const double step = c->kind == COLORING_PATCH ? 1
                        : c->kind == COLORING_OWN ? 0x010101
                                                  : 1.0 / (COLOR_MAP_SIZE - 1);
    for (int i = 0; i < COLOR_MAP_SIZE; i++)
        coloring_at_place(c, i * step, rgb[i]);
}

void coloring_at(const coloring *c, double value, unsigned char rgb[3])
{
    coloring_at_place(c, coloring_place(c, value), rgb);
}

double coloring_curvature(coloring_kind kind, const double principal[2])
{
    return kind == COLORING_GAUSS ? principal[0] * principal[1]
                                  : principal[0] / 2 + principal[1] / 2;
}

/* ---- ranges ---- */

/* Moves values so that those before *end are at most a value among them, and those from there on at
   least that; both parts have some (C. A. R. Hoare). */
static size_t divide(double *values, size_t num)
{
    const double middle = values[(num - 1) / 2];
    size_t low = 0, high = num - 1;
    for (;; low++, high--) {
        while (values[low] < middle)
            low++;
        while (values[high] > middle)
            high--;
        if (low >= high) return high + 1;
        const double moved = values[low];
        values[low] = values[high];
        values[high] = moved;
    }
}

double color_percentile(double *values, size_t num, double share)
{
    const double at = ceil(share * (double)num) - 1;
    size_t place = at > 0 ? (size_t)at : 0;
    if (place >= num) place = num - 1;
    while (num > 1) {
        const size_t end = divide(values, num);
        if (place < end) {
            num = end;
        } else {
            values += end;
            num -= end;
            place -= end;
        }
    }
    return values[0];
}

/* The range of what is about 0: half of it. 0: there are no values. False when memory runs out. */
static bool find_symmetric(const double *values, size_t num, double *half)
{
    static const double share = 0.98;
    double *sizes = malloc((num + 1) * sizeof(*sizes));
    size_t finite = 0;
    if (!sizes) return false;
    for (size_t i = 0; i < num; i++)
        if (isfinite(values[i])) sizes[finite++] = fabs(values[i]);
    *half = finite > 0 ? color_percentile(sizes, finite, share) : 0;
    free(sizes);
    return true;
}

bool coloring_fit(coloring *c, const double *values, size_t num, double least)
{
    if (is_about_zero(c->kind)) {
        double half;
        if (!find_symmetric(values, num, &half)) return false;
        if (half < least) half = least;
        c->high = half > 0 ? half : 1;
        c->low = -c->high;
        return true;
    }
    c->low = HUGE_VAL;
    c->high = -HUGE_VAL;
    for (size_t i = 0; i < num; i++)
        if (isfinite(values[i])) {
            c->low = fmin(c->low, values[i]);
            c->high = fmax(c->high, values[i]);
        }
    if (c->low > c->high) {
        c->low = 0;
        c->high = 1;
    }
    return true;
}
