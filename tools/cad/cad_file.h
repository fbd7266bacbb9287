// CAD files as Open CASCADE reads them: parts, where they are placed, names, colours and the unit.
#ifndef CLSPLINE_TOOLS_CAD_FILE_H
#define CLSPLINE_TOOLS_CAD_FILE_H

#include <TopLoc_Location.hxx>
#include <TopTools_IndexedMapOfShape.hxx>
#include <TopoDS_Shape.hxx>

#include <string>
#include <vector>

namespace cad {

// A shape, in a place of its own. Colours are "#rrggbb", "" where the file tells none.
struct part {
    TopoDS_Shape shape;
    std::string name, color;
    std::vector<std::string> face_names, face_colors; // in the order of faces_of
};

// A part in its place of an assembly, which may name and colour it anew.
struct placed_part {
    size_t part;
    TopLoc_Location place;
    std::string name, color;
};

// What a file holds, in millimetres.
struct file {
    const char *format;   // "step", "iges", "brep"
    std::string unit;     // as the file tells it; "" where it does not
    size_t num_faces = 0; // that the file's own records describe
    std::vector<part> parts;
    std::vector<placed_part> uses;
};

// The faces of a shape, each once, numbered from 1.
TopTools_IndexedMapOfShape faces_of(const TopoDS_Shape &shape);

// Reads a file, whose format is told by how it begins. Throws std::runtime_error, or what Open
// CASCADE throws.
file read_file(const char *path);

} // namespace cad

#endif
