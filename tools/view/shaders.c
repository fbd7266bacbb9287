#include "shaders.h"

#include <math.h>
#include <stdio.h>

#include "light.h"
#include "view_mesh.h"

static const char light_text[] =
    "/* From sRGB to light (IEC 61966-2-1). */\n"
    "vec3 decode(vec3 x) {\n"
    "    return mix(pow((x + 0.055) / 1.055, vec3(2.4)), x / 12.92,\n"
    "               lessThanEqual(x, vec3(0.04045)));\n"
    "}\n"
    "float power(float x, int n) {\n"
    "    float product = 1.0;\n"
    "    for (; n > 0; n >>= 1) {\n"
    "        if ((n & 1) != 0) product *= x;\n"
    "        x *= x;\n"
    "    }\n"
    "    return product;\n"
    "}\n"
    "/* The formula of light.h. */\n"
    "vec3 shade(vec3 color, float shine, vec3 n) {\n"
    "    vec3 around = mix(ground, sky, 0.5 + 0.5 * n.y);\n"
    "    float s = max(0.0, dot(n, half_way));\n"
    "    float gloss = narrow_strength * power(s, narrow_power) +\n"
    "                  wide_strength * power(s, wide_power);\n"
    "    float edge = rim_strength * power(max(0.0, 1.0 - n.z), rim_power);\n"
    "    return color * (around + key_strength * max(0.0, dot(n, key)) +\n"
    "                    fill_strength * max(0.0, dot(n, fill))) + shine * (gloss + edge * sky);\n"
    "}\n"
    "/* Turns a normal to the viewer, as light_shade does. */\n"
    "vec3 face_viewer(vec3 v) {\n"
    "    float size = length(v);\n"
    "    return size > 1e-6 ? vec3(v.xy, abs(v.z)) / size : vec3(0, 0, 1);\n"
    "}\n"
    "/* The colour of a value, or of a patch's number, by a map of linear colours. */\n"
    "vec3 map_color(sampler2D map, vec2 range, vec3 missing, float shown) {\n"
    "#if COLORING == 1\n" /* as color.h numbers them */
    "    return texelFetch(map, ivec2(int(mod(shown, 256.0)), 0), 0).rgb;\n"
    "#elif COLORING == 6\n" /* bytes, whose light is in the map */
    "    int c = int(shown);\n"
    "    return vec3(texelFetch(map, ivec2(c >> 16, 0), 0).r,\n"
    "                texelFetch(map, ivec2(c >> 8 & 255, 0), 0).g,\n"
    "                texelFetch(map, ivec2(c & 255, 0), 0).b);\n"
    "#else\n"
    "    if (!(abs(shown) < 3e38)) return missing;\n"
    "    float place = range.x < range.y ? (shown - range.x) / (range.y - range.x) : 0.5;\n"
    "    return texture(map, vec2((clamp(place, 0.0, 1.0) * 255.0 + 0.5) / 256.0, 0.5)).rgb;\n"
    "#endif\n"
    "}\n";

/* Writes a constant vector; of directions one of unit length. Returns what is behind it. */
static char *put_vector(char *to, const char *name, const float v[3], bool is_direction)
{
    const float length = is_direction ? sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) : 1;
    return to + sprintf(to, "const vec3 %s = vec3(%.9f, %.9f, %.9f);\n", name,
                        (double)(v[0] / length), (double)(v[1] / length), (double)(v[2] / length));
}

static char *put_real(char *to, const char *name, float value)
{
    return to + sprintf(to, "const float %s = %.9f;\n", name, (double)value);
}

/* Writes a constant power, which is whole. */
static char *put_power(char *to, const char *name, float value)
{
    return to + sprintf(to, "const int %s = %d;\n", name, (int)value);
}

void shaders_head(const shader_style *style, char text[SHADERS_HEAD])
{
    const light_model *l = &light_of_pictures;
    char *to = text;
    to += sprintf(to,
                  "#version 330 core\n#define COLORING %d\n#define WIRES %d\n#define EDGES %d\n"
                  "#define ZEBRA %d\n#define QUICK %d\n#define PLACED %d\n",
                  (int)style->colors, style->wires, style->edges, style->zebra, style->quick,
                  style->placed);
    to += sprintf(to, "#define VERTEX_REALS %d\n", VIEW_STRIDE);
    to = put_vector(to, "key", l->key, true);
    to = put_vector(to, "fill", l->fill, true);
    to = put_vector(to, "half_way", l->half, true);
    to = put_vector(to, "sky", l->sky, false);
    to = put_vector(to, "ground", l->ground, false);
    to = put_real(to, "key_strength", l->key_strength);
    to = put_real(to, "fill_strength", l->fill_strength);
    to = put_real(to, "narrow_strength", l->narrow.strength);
    to = put_real(to, "wide_strength", l->wide.strength);
    to = put_real(to, "rim_strength", l->rim_strength);
    to = put_power(to, "narrow_power", l->narrow.power);
    to = put_power(to, "wide_power", l->wide.power);
    to = put_power(to, "rim_power", l->rim_power);
    sprintf(to, "%s", light_text);
}

/* ---- surfaces ---- */

/* What the style has no use for is neither fetched nor interpolated. A point that is another
   vertex's is fetched from the vertices as a texture, two reals at a time: VERTEX_REALS are even.
 */
const char shader_surface_vertex[] =
    "#if PLACED\n"
    "layout(location = 7) in uint place;\n"
    "uniform samplerBuffer vertices;\n" /* two reals at a time */
    "#else\n"
    "layout(location = 0) in vec3 own_point;\n"
    "#endif\n"
    "layout(location = 1) in vec3 normal;\n"
    "layout(location = 2) in vec2 params;\n"
    "layout(location = 3) in vec2 curvature;\n"
    "layout(location = 4) in float value;\n"
    "layout(location = 5) in vec2 cells;\n"
    "layout(location = 6) in float patch_number;\n"
    "uniform mat4 to_clip;\n"
    "uniform mat3 to_camera;\n"
    "uniform vec4 eye;\n" /* its place; w is 0 of a direction */
    "uniform vec2 range;\n"
    "uniform vec3 plain, missing;\n"
    "uniform float shine;\n"
    "uniform sampler2D map;\n"
    "#if QUICK\n"
    "out vec3 light;\n"
    "#else\n"
    "out vec3 turned;\n"
    "#endif\n"
    "#if (COLORING == 1 || COLORING == 6) && !QUICK\n"
    "flat out float shown;\n"
    "#elif COLORING > 1 && !QUICK\n"
    "out float shown;\n"
    "#endif\n"
    "#if WIRES || EDGES\n"
    "out vec2 at;\n"
    "flat out vec2 grid;\n"
    "#endif\n"
    "float shown_value() {\n"
    "#if COLORING == 1\n"
    "    return patch_number;\n"
    "#elif COLORING == 2\n"
    "    return (curvature.x + curvature.y) / 2.0;\n"
    "#elif COLORING == 3\n"
    "    return curvature.x * curvature.y;\n"
    "#elif COLORING >= 4\n"
    "    return value;\n"
    "#else\n"
    "    return 0.0;\n"
    "#endif\n"
    "}\n"
    "void main() {\n"
    "#if PLACED\n"
    "    int first = int(place) * (VERTEX_REALS / 2);\n"
    "    vec3 point = vec3(texelFetch(vertices, first).xy, texelFetch(vertices, first + 1).x);\n"
    "#else\n"
    "    vec3 point = own_point;\n"
    "#endif\n"
    "    gl_Position = to_clip * vec4(point, 1);\n"
    "#if QUICK\n"
    "    bool is_away = dot(normal, eye.xyz - eye.w * point) < 0.0;\n"
    "    vec3 n = to_camera * normal;\n"
    "    vec3 base = COLORING == 0 ? plain : map_color(map, range, missing, shown_value());\n"
    "    light = shade(base, shine, face_viewer(is_away ? -n : n));\n"
    "#else\n"
    "    turned = to_camera * normal;\n"
    "#if COLORING > 0\n"
    "    shown = shown_value();\n"
    "#endif\n"
    "#endif\n"
    "#if WIRES || EDGES\n"
    "    at = params;\n"
    "    grid = cells;\n"
    "#endif\n"
    "}\n";

const char shader_surface_fragment[] =
    "uniform vec2 range;\n"
    "uniform vec3 plain, missing;\n"
    "uniform float shine;\n"
    "uniform sampler2D map;\n"
    "out vec4 color;\n"
    "#if WIRES || EDGES\n"
    "in vec2 at;\n"
    "flat in vec2 grid;\n"
    "/* How much of a line of this width, in pixels, there is where a coordinate is whole. */\n"
    "float line(float x, float width) {\n"
    "    float step = max(fwidth(x), 1e-9);\n"
    "    float away = abs(fract(x - 0.5) - 0.5) / step;\n"
    "    float covered = clamp(0.5 * width + 0.5 - away, 0.0, 1.0);\n"
    "    return covered * (1.0 - smoothstep(0.25, 0.5, step));\n" /* too close to tell apart */
    "}\n"
    "float lines(vec2 cells, float width) {\n"
    "    float along = line(at.x * cells.x, width);\n"
    "    float other = line(at.y * abs(cells.y) * (cells.y < 0.0 ? cells.x : 1.0), width);\n"
    "    float third = cells.y < 0.0 ? line((at.x + at.y) * cells.x, width) : 0.0;\n"
    "    return cells.x == 0.0 ? 0.0 : max(max(along, other), third);\n"
    "}\n"
    "#endif\n"
    "#if QUICK\n"
    "in vec3 light;\n"
    "vec3 lit_surface() {\n"
    "    return light;\n"
    "}\n"
    "#else\n"
    "in vec3 turned;\n"
    "#if COLORING == 1 || COLORING == 6\n"
    "flat in float shown;\n"
    "#elif COLORING > 1\n"
    "in float shown;\n"
    "#endif\n"
    "vec3 base_color(vec3 n) {\n"
    "#if ZEBRA\n"
    "    float angle = 24.0 * acos(clamp(2.0 * n.z * n.y, -1.0, 1.0));\n" /* of the reflection */
    "    float soft = max(fwidth(angle), 1e-4);\n"
    "    return mix(vec3(0.02), vec3(0.85), smoothstep(-soft, soft, sin(angle)));\n"
    "#elif COLORING > 0\n"
    "    return map_color(map, range, missing, shown);\n"
    "#else\n"
    "    return plain;\n"
    "#endif\n"
    "}\n"
    "vec3 lit_surface() {\n"
    /* A tiny triangle at a pole may face anywhere; there the normal knows better. */
    "    bool is_clear = abs(turned.z) > 0.3 * length(turned);\n"
    "    bool is_away = is_clear ? turned.z < 0.0 : !gl_FrontFacing;\n"
    "    vec3 n = face_viewer(is_away ? -turned : turned);\n"
    "    return shade(base_color(n), shine, n);\n"
    "}\n"
    "#endif\n"
    "void main() {\n"
    "    vec3 lit = lit_surface();\n"
    "#if WIRES\n"
    "    lit = mix(lit, vec3(0.01), 0.55 * lines(grid, 1.0));\n"
    "#endif\n"
    "#if EDGES\n"
    "    lit = mix(lit, vec3(0.005), 0.9 * lines(vec2(sign(grid.x), sign(grid.y)), 2.0));\n"
    "#endif\n"
    "    color = vec4(lit, 1);\n"
    "}\n";

/* ---- behind and before ---- */

const char shader_backdrop_vertex[] =
    "out vec2 place;\n" /* from 0 to 1, the upper left corner first */
    "void main() {\n"
    "    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0;\n"
    "    gl_Position = vec4(corner, 1, 1);\n" /* at the far end */
    "    place = vec2(corner.x + 1.0, 1.0 - corner.y) / 2.0;\n"
    "}\n";

const char shader_backdrop_fragment[] =
    "in vec2 place;\n"
    "uniform vec3 light, dark;\n"
    "out vec4 color;\n"
    "void main() {\n"
    "    vec2 away = place - vec2(0.5, 0.42);\n"
    "    float blend = min(1.0, 1.6 * (1.1 * away.x * away.x + 1.5 * away.y * away.y));\n"
    "    color = vec4(mix(light, dark, blend), 1);\n"
    "}\n";

const char shader_overlay_fragment[] = "in vec2 place;\n"
                                       "uniform sampler2D map;\n"
                                       "uniform bool to_light;\n"
                                       "out vec4 color;\n"
                                       "void main() {\n"
                                       "    color = texture(map, place);\n"
                                       "    if (to_light) color.rgb = decode(color.rgb);\n"
                                       "}\n";

/* From light to sRGB. Roots stand for the power 1 / 2.4: they are within 0.1 / 255 of it. */
const char shader_encode_fragment[] =
    "uniform sampler2D map;\n"
    "out vec4 color;\n"
    "void main() {\n"
    "    vec4 light = texelFetch(map, ivec2(gl_FragCoord.xy), 0);\n"
    "    vec3 x = light.rgb, root = sqrt(x);\n"
    "    vec3 coded = 0.833759 * root + 0.298101 * sqrt(root) - 0.055317 * x - 0.076902;\n"
    "    color = vec4(mix(coded, 12.92 * x, lessThanEqual(x, vec3(0.0031308))), light.a);\n"
    "}\n";

/* ---- lines and points, as squares on the picture ---- */

const char shader_line_vertex[] =
    "layout(location = 0) in vec3 from;\n"
    "layout(location = 1) in vec3 to;\n"
    "uniform mat4 to_clip;\n"
    "uniform vec2 size;\n" /* of the picture, in pixels */
    "uniform float width;\n"
    "uniform float nearer;\n" /* by how much of the depth it is drawn before what it lies on */
    "out vec3 turned;\n"
    "void main() {\n"
    "    vec4 a = to_clip * vec4(from, 1), b = to_clip * vec4(to, 1);\n"
    "    vec2 way = (b.xy / b.w - a.xy / a.w) * size;\n"
    "    way = dot(way, way) > 0.0 ? normalize(way) : vec2(1, 0);\n"
    "    bool last = gl_VertexID >= 2;\n"
    "    float side = (gl_VertexID & 1) == 0 ? 1.0 : -1.0;\n"
    "    vec4 end = last ? b : a;\n"
    "    vec2 offset = (side * vec2(-way.y, way.x) + (last ? way : -way)) * width / size;\n"
    "    gl_Position = vec4(end.xy + offset * end.w, end.z - nearer * end.w, end.w);\n"
    "    turned = vec3(side * vec2(-way.y, way.x), 0.2);\n"
    "}\n";

const char shader_line_fragment[] = "in vec3 turned;\n"
                                    "uniform vec4 paint;\n" /* linear; w: how much it is lit */
                                    "out vec4 color;\n"
                                    "void main() {\n"
                                    "    vec3 lit = shade(paint.rgb, 1.0, face_viewer(turned));\n"
                                    "    color = vec4(mix(paint.rgb, lit, paint.w), 1);\n"
                                    "}\n";

const char shader_point_vertex[] =
    "layout(location = 0) in vec3 point;\n"
    "uniform mat4 to_clip;\n"
    "uniform vec2 size;\n"
    "uniform float width;\n"
    "uniform int chosen;\n"
    "flat out int is_chosen;\n"
    "void main() {\n"
    "    vec4 at = to_clip * vec4(point, 1);\n"
    "    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;\n"
    "    is_chosen = gl_InstanceID == chosen ? 1 : 0;\n"
    "    gl_Position = vec4(at.xy + corner * width / size * at.w, at.z, at.w);\n"
    "}\n";

const char shader_point_fragment[] = "flat in int is_chosen;\n"
                                     "uniform vec3 paint, other;\n" /* linear */
                                     "out vec4 color;\n"
                                     "void main() {\n"
                                     "    color = vec4(is_chosen != 0 ? other : paint, 1);\n"
                                     "}\n";
