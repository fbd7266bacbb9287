/* turn.c: an image turned by 30 degrees about its middle. */
#include <clspline/clspline.h>
#include <math.h>
#include <stdio.h>

enum { WIDTH = 320, HEIGHT = 200 };

int main(void)
{
    static uint8_t image[HEIGHT][WIDTH], turned[HEIGHT][WIDTH];
    const clsp_image_desc desc = {.size = {HEIGHT, WIDTH},
                                  .samples = CLSP_U8,
                                  .mode = {CLSP_IMAGE_NEAREST, CLSP_IMAGE_NEAREST}};
    const clsp_input in = {.type = CLSP_U8, .host = image, .size = sizeof image};
    const clsp_output out = {.type = CLSP_U8, .host = turned, .size = sizeof turned};
    const double c = cos(3.14159265358979 / 6), s = sin(3.14159265358979 / 6);
    const double y = (HEIGHT - 1) / 2.0, x = (WIDTH - 1) / 2.0;
    clsp_image_map map = clsp_image_identity();
    clsp_context *ctx = NULL;
    clsp_image_plan *plan = NULL;

    for (int i = 0; i < HEIGHT; i++)
        for (int j = 0; j < WIDTH; j++)
            image[i][j] = (uint8_t)(j > 160 ? 200 : 50);
    map.matrix[0][0] = map.matrix[1][1] = c;
    map.matrix[0][1] = s;
    map.matrix[1][0] = -s;
    map.matrix[0][3] = y - c * y - s * x;
    map.matrix[1][3] = x - c * x + s * y;
    clsp_status status = clsp_context_create(&ctx, NULL, NULL);
    if (status == CLSP_OK) status = clsp_image_plan_create(&plan, ctx, &desc);
    if (status == CLSP_OK) status = clsp_image_set_samples(plan, 1, in, NULL);
    if (status == CLSP_OK) status = clsp_image_eval(plan, (clsp_range){0, 1}, &map, out, NULL);
    printf("%s: %d left, %d right\n", clsp_status_str(status), turned[100][20], turned[100][300]);
    clsp_image_plan_destroy(&plan);
    clsp_context_destroy(&ctx);
    return status == CLSP_OK && turned[100][20] == 50 && turned[100][300] == 200 ? 0 : 1;
}
