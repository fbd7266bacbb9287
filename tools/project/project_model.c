#include "project_model.h"

#include <clspline/clspline.h>

#include "cad_model.h"
#include "command.h"
#include "model_file.h"

/* Tells why points are not projected onto splines of a type, beside the first ones'; NULL: they
   are. */
static const char *find_defect(const spline_type *type, const spline_type *first)
{
    const bool is_curve = type->directions == 1;
    const uint32_t most = is_curve ? CLSP_NEAREST_MAX_DEGREE : CLSP_NEAREST_MAX_SURFACE_DEGREE;
    if (type->directions > 2) return "a volume, neither curve nor surface";
    for (uint32_t k = 0; k < type->directions; k++) {
        if (type->degree[k] < 1) return "of degree 0";
        if (type->degree[k] > most)
            return is_curve ? "of a degree above 64" : "of a degree above 16";
    }
    if (!is_curve && type->dim < 2) return "a surface of one coordinate";
    return type->dim != first->dim ? "of other coordinates than those before" : NULL;
}

/* Counts the faces whose loops are known. */
static size_t count_trimmed(const cad_model *m)
{
    size_t num = 0;
    for (size_t i = 0; m && i < m->num_faces; i++)
        num += m->faces[i].is_trimmed;
    return num;
}

/* Complains of the first spline that points are not projected onto, where there is one, and of a
   file of none. */
static bool check(const splines *content, const char *path)
{
    for (size_t i = 0; i < content->num_batches; i++) {
        const spline_batch *batch = &content->batches[i];
        const char *why = find_defect(&batch->type, &content->batches[0].type);
        if (!why) continue;
        complain("%s: spline %lu is %s", path, (unsigned long)batch->numbers[0], why);
        return false;
    }
    if (content->num_batches == 0) {
        complain("%s: the file holds no spline", path);
        return false;
    }
    const unsigned long lost = (unsigned long)(content->num_trimmed - count_trimmed(content->cad));
    if (lost == 0) return true;
    complain(
        "%s: %lu spline%s trimmed, and what is cut off would be taken for a part of the model: "
        "loops are read of CAD files, not of such JSON",
        path, lost, lost == 1 ? " is" : "s are");
    return false;
}

bool project_model_read(splines *content, const char *const *paths, size_t num,
                        mesh_precision precision)
{
    io_message message;
    for (size_t i = 0; i < num; i++) {
        if (!model_file_add(content, paths[i], precision, &message)) {
            complain("%s", message.text);
            return false;
        }
        if (!check(content, paths[i])) return false;
    }
    return true;
}
