#include "render_scene.h"

#include <math.h>
#include <stdlib.h>

#include "gl_program.h"

static const char head[] = "#version 330 core\n";

static const char flat_vertex[] = "layout(location = 0) in vec3 point;\n"
                                  "uniform mat4 view;\n"
                                  "void main() { gl_Position = view * vec4(point, 1.0); }\n";

static const char flat_fragment[] = "out vec4 color;\n"
                                    "void main() { color = vec4(1.0); }\n";

static const char lit_vertex[] = "layout(location = 0) in vec3 point;\n"
                                 "layout(location = 1) in vec3 normal;\n"
                                 "uniform mat4 view;\n"
                                 "out vec3 across;\n"
                                 "void main() {\n"
                                 "    across = normal;\n"
                                 "    gl_Position = view * vec4(point, 1.0);\n"
                                 "}\n";

static const char lit_fragment[] =
    "in vec3 across;\n"
    "out vec4 color;\n"
    "void main() {\n"
    "    float light = abs(dot(normalize(across), vec3(0.48, 0.6, 0.64)));\n"
    "    color = vec4((0.1 + 0.9 * light) * vec3(0.9, 0.7, 0.4), 1.0);\n"
    "}\n";

bool render_scene_open(render_scene *s, const render_link *link, io_message *message)
{
    static const GLfloat same[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

    *s = (render_scene){.link = link};
    if (!gl_frame_open(&s->frame, RENDER_WIDTH, RENDER_HEIGHT, 1, message)) return false;
    s->programs[false] = gl_program_make(head, flat_vertex, flat_fragment, message);
    s->programs[true] = gl_program_make(head, lit_vertex, lit_fragment, message);
    if (!s->programs[false] || !s->programs[true]) return false;
    for (int i = 0; i < 2; i++) {
        gl.UseProgram(s->programs[i]);
        gl.UniformMatrix4fv(gl_place(s->programs[i], "view"), 1, GL_FALSE, same);
    }
    gl.GenBuffers(1, &s->indices);
    gl.Enable(GL_DEPTH_TEST);
    gl.Enable(GL_PRIMITIVE_RESTART);
    link->gl.PrimitiveRestartIndex(0xFFFFFFFF);
    gl.ClearColor(0, 0, 0, 1);
    return gl.GetError() == GL_NO_ERROR || io_fail(message, "OpenGL cannot set up the scene");
}

void render_scene_close(render_scene *s)
{
    for (int i = 0; i < 2; i++)
        if (s->programs[i]) gl.DeleteProgram(s->programs[i]);
    if (s->indices) gl.DeleteBuffers(1, &s->indices);
    gl_frame_close(&s->frame);
}

/* A strip between each two rows, with the restart behind it. */
static void write_strips(GLuint *out, size_t samples)
{
    for (size_t row = 0; row + 1 < samples; row++) {
        for (size_t i = 0; i < samples; i++) {
            *out++ = (GLuint)(row * samples + i);
            *out++ = (GLuint)((row + 1) * samples + i);
        }
        *out++ = 0xFFFFFFFF;
    }
}

bool render_scene_grid(render_scene *s, size_t samples, io_message *message)
{
    const size_t num = (samples - 1) * (2 * samples + 1);

    if (s->samples == samples) return true;
    GLuint *const indices = malloc(num * sizeof *indices);
    if (!indices) return io_fail(message, "no memory for indices");
    write_strips(indices, samples);
    gl.BindVertexArray(0);
    gl.BindBuffer(GL_ELEMENT_ARRAY_BUFFER, s->indices);
    gl.BufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(num * sizeof *indices), indices,
                  GL_STATIC_DRAW);
    free(indices);
    s->samples = samples;
    s->num_indices = (GLsizei)num;
    return gl.GetError() == GL_NO_ERROR || io_fail(message, "OpenGL has no memory for indices");
}

void render_scene_draw(const render_scene *s, GLuint array, bool lit)
{
    gl_frame_begin(&s->frame);
    gl.Clear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    gl.UseProgram(s->programs[lit]);
    gl.BindVertexArray(array);
    gl.BindBuffer(GL_ELEMENT_ARRAY_BUFFER, s->indices);
    gl.DrawElements(GL_TRIANGLE_STRIP, s->num_indices, GL_UNSIGNED_INT, NULL);
    gl.Finish();
}

double render_scene_coverage(const render_scene *s)
{
    const size_t num = (size_t)RENDER_WIDTH * RENDER_HEIGHT;
    unsigned char *const rgba = malloc(4 * num);
    size_t covered = 0;

    if (!rgba) return NAN;
    gl_frame_read(&s->frame, rgba);
    for (size_t i = 0; i < num; i++)
        covered += rgba[4 * i] != 0 || rgba[4 * i + 1] != 0 || rgba[4 * i + 2] != 0;
    free(rgba);
    return (double)covered / (double)num;
}
