// clspline-cad: reads a STEP, IGES or BREP file by Open CASCADE and writes its model as JSON to
// standard output. `clspline` starts it for such files: bad ones can make Open CASCADE crash or run
// without end, so it limits itself, and what it says is one line on standard error.
#include <Message.hxx>
#include <Message_Messenger.hxx>
#include <Message_PrinterOStream.hxx>
#include <OSD.hxx>
#include <Standard_Failure.hxx>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <new>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model_writer.h"
#include "prepare.h"

namespace {

enum status { WHOLE = 0, REFUSED = 1, USAGE = 2, NO_FACE = 3, PARTLY = 4 };

struct options {
    const char *path = nullptr;
    cad::mesh_limits mesh = {1e-3, 20};
    double seconds = 600, mebibytes = 0; // 0: by the file's size
    bool has_mesh = true;
};

const char usage[] =
    "usage: clspline-cad FILE.step|.stp|.igs|.iges|.brep [option ..] > FILE.json\n"
    "  --deflection X  distance of the mesh from the surfaces, as a share of a part's diagonal "
    "(0.001)\n"
    "  --angle X       angle between normals of the mesh, in degrees (20)\n"
    "  --no-mesh       no mesh\n"
    "  --seconds X     limit of processor time (600)\n"
    "  --memory X      limit of memory in MiB (512 and 8 times the file, at least 2048)\n"
    "status: 0 whole, 1 refused, 2 bad usage, 3 without faces, 4 in part\n";

// Takes a number above 0 that follows an option.
bool take_number(const char *text, double &to)
{
    char *end;
    if (!text) return false;
    to = strtod(text, &end);
    return end != text && *end == 0 && to > 0 && to < 1e9;
}

bool parse(int argc, char **argv, options &o)
{
    for (int i = 1; i < argc; i++) {
        const std::string word = argv[i];
        const char *value = i + 1 < argc ? argv[i + 1] : nullptr;
        if (word == "--no-mesh") {
            o.has_mesh = false;
            continue;
        }
        double *const to = word == "--deflection" ? &o.mesh.deflection
                           : word == "--angle"    ? &o.mesh.angle
                           : word == "--seconds"  ? &o.seconds
                           : word == "--memory"   ? &o.mebibytes
                                                  : nullptr;
        if (to && !take_number(value, *to)) return false;
        if (to)
            i++;
        else if (word[0] == '-' || o.path)
            return false;
        else
            o.path = argv[i];
    }
    o.mesh.angle *= M_PI / 180;
    return o.path != nullptr;
}

void limit(int resource, double most)
{
    rlimit l;
    if (getrlimit(resource, &l) != 0) return;
    const rlim_t wanted = (rlim_t)most;
    l.rlim_cur = l.rlim_max == RLIM_INFINITY || wanted < l.rlim_max ? wanted : l.rlim_max;
    setrlimit(resource, &l);
}

void set_limits(const options &o)
{
    struct stat file;
    const double bytes = stat(o.path, &file) == 0 ? (double)file.st_size : 0;
    const double own = std::max(8 * bytes + 512 * 1048576., 2048 * 1048576.);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, o.seconds);
    limit(RLIMIT_AS, o.mebibytes > 0 ? o.mebibytes * 1048576 : own);
}

// Has Open CASCADE print nothing, and turn the faults of its own code into exceptions.
void tame_libraries()
{
    Message::DefaultMessenger()->RemovePrinters(STANDARD_TYPE(Message_PrinterOStream));
    std::cout.rdbuf(nullptr);
    std::cerr.rdbuf(nullptr);
    OSD::SetSignal(Standard_False);
    for (const int number : {SIGINT, SIGHUP, SIGQUIT, SIGTERM})
        signal(number, SIG_DFL);
}

void write_model(cad::json_text &json, const cad::file &file, cad::model_writer &writer)
{
    json.object();
    json.put("format", "clspline-cad");
    json.put("version", 1);
    json.put("file_format", file.format);
    json.put("file_unit", file.unit);
    json.put("unit", "mm");
    json.line();
    writer.write();
    json.line();
    json.put("faces_in_file", std::max(file.num_faces, writer.num_read()));
    json.put("faces_read", writer.num_read());
    json.put_all("notes", writer.notes());
    json.end();
    json.flush();
}

status convert(const options &o, FILE *to)
{
    cad::file file = cad::read_file(o.path);
    size_t num = 0;
    for (cad::part &p : file.parts) {
        if (p.shape.IsNull()) continue;
        cad::repair(p, strcmp(file.format, "iges") == 0);
        num += (size_t)cad::faces_of(p.shape).Extent();
        if (o.has_mesh) cad::triangulate(p, o.mesh);
    }
    if (num == 0) {
        fprintf(stderr, "%s: %s\n", o.path,
                file.num_faces > 0 ? "none of its faces can be read" : "it has no faces");
        return NO_FACE;
    }
    cad::json_text json(to);
    cad::model_writer writer(json, file, o.has_mesh);
    write_model(json, file, writer);
    if (writer.num_read() == 0) return NO_FACE;
    if (writer.num_read() >= file.num_faces && writer.notes().empty()) return WHOLE;
    fprintf(stderr, "%s: %zu of %zu faces\n", o.path, writer.num_read(),
            std::max(file.num_faces, writer.num_read()));
    for (const std::string &note : writer.notes())
        fprintf(stderr, "%s: %s\n", o.path, note.c_str());
    return PARTLY;
}

} // namespace

int main(int argc, char **argv)
{
    options o;
    std::string reason;
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        fputs(usage, stdout);
        return WHOLE;
    }
    if (!parse(argc, argv, o)) {
        fputs(usage, stderr);
        return USAGE;
    }
    set_limits(o);
    tame_libraries();
    try {
        return convert(o, stdout);
    } catch (const Standard_Failure &failure) {
        reason = std::string("Open CASCADE fails: ") + failure.DynamicType()->Name() + " " +
                 failure.GetMessageString();
    } catch (const std::bad_alloc &) {
        reason = "not enough memory";
    } catch (const std::exception &error) {
        reason = error.what();
    }
    fprintf(stderr, "%s: %s\n", o.path, reason.c_str());
    return REFUSED;
}
