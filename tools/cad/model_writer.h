// Writes parts as JSON: B-spline faces with their trims, edges, bodies and a mesh.
#ifndef CLSPLINE_TOOLS_CAD_MODEL_WRITER_H
#define CLSPLINE_TOOLS_CAD_MODEL_WRITER_H

#include "cad_file.h"
#include "face_mesh.h"
#include "json_text.h"

#include <TopoDS_Wire.hxx>

namespace cad {

// An edge that faces share.
struct shared_edge {
    TopoDS_Edge edge;
    std::vector<size_t> faces; // of its uses
};

// A curve of a loop, in the parameters of a face.
struct trim {
    Handle(Geom2d_BSplineCurve) curve; // runs along the loop
    TopoDS_Edge edge;
    bool is_forward; // as its edge does
};

struct loop {
    bool is_outer;
    std::vector<trim> trims;
};

struct shell {
    std::vector<size_t> faces;
    bool is_closed; // every edge has two uses
};

struct body {
    const char *kind; // "solid", "shell", "face"
    const placed_part *use;
    std::vector<shell> shells;
};

class model_writer {
  public:
    // has_mesh: the parts were triangulated.
    model_writer(json_text &json, const file &from, bool has_mesh)
        : json(json), from(from), has_mesh(has_mesh)
    {
    }

    // Writes a file's model: all of it, since nothing is written before.
    void write();

    // What the file's model has, counted by parts, of which any may have several places.
    size_t num_read() const
    {
        return read;
    }
    const std::vector<std::string> &notes() const
    {
        return what_failed;
    }

  private:
    json_text &json;
    const file &from;
    bool has_mesh;
    mesh_nodes nodes;
    std::vector<shared_edge> edges;
    std::vector<body> bodies;
    std::vector<std::string> what_failed;
    size_t num_faces = 0, read = 0;
    bool is_first_use = true;                     // of the part at hand
    TopTools_IndexedMapOfShape faces, part_edges; // of the placed part at hand
    std::vector<size_t> edge_numbers;             // of its edges among all

    void write_part(const placed_part &use);
    void write_body(const TopoDS_Shape &shape, const char *kind, const placed_part &use);
    shell write_shell(const TopoDS_Shape &shape, const placed_part &use);
    bool write_face(const TopoDS_Face &face, const placed_part &use);
    void put_face(const TopoDS_Face &face, const parameter_map &map, const std::vector<loop> &loops,
                  const placed_part &use);
    void put_loop(const loop &l);
    void put_mesh(const face_mesh &mesh);
    void note(const TopoDS_Face &face, const placed_part &use, const std::string &what);
    size_t edge_number(const TopoDS_Edge &edge);
    void write_edges();
    void write_bodies();
};

} // namespace cad

#endif
