/* The light in which surfaces are seen, in linear light, both sides alike. The axes are the
   camera's: x right, y up, z toward the viewer. The formula of light_shade and these numbers are
   all that a shader needs; sRGB is made of the sum at the end. */
#ifndef CLSPLINE_TOOLS_DRAW_LIGHT_H
#define CLSPLINE_TOOLS_DRAW_LIGHT_H

/* Of a surface with the unit normal n, turned to the viewer (n.z >= 0), and the colour c:

     around = ground + (sky - ground) (n.y + 1) / 2
     gloss  = narrow.strength s^narrow.power + wide.strength s^wide.power,  s = max(0, n . half)
     light  = c (around + key_strength max(0, n . key) + fill_strength max(0, n . fill))
              + shine (gloss + rim_strength (1 - n.z)^rim_power sky)

   where key, fill and half have unit length. */
typedef struct light_lobe {
    float strength, power;
} light_lobe;

typedef struct light_model {
    float key[3], fill[3], half[3]; /* directions, of any length; half is between key and viewer */
    float key_strength, fill_strength;
    float sky[3], ground[3];
    light_lobe narrow, wide;
    float rim_strength, rim_power;
} light_model;

extern const light_model light_of_pictures;

/* What a surface is made of: its linear colour, and how much it shines. */
typedef struct light_surface {
    float color[3], shine;
} light_surface;

extern const light_surface light_glaze; /* surfaces that are coloured by nothing else */

#define LIGHT_COLORED_SHINE 0.3f /* of surfaces that colours are to be read from */

/* The linear colour of a surface whose normal, of any length, is interpolated. What is seen faces
   the viewer: a normal that has turned away, as normals do along the silhouette of a coarse mesh,
   is turned back depth for depth, so that colours pass over the silhouette without a step. */
void light_shade(const light_surface *surface, const float normal[3], float color[3]);

#endif
