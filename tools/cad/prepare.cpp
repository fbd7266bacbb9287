#include "prepare.h"

#include <BRepBndLib.hxx>
#include <BRepBuilderAPI_Sewing.hxx>
#include <BRepMesh_IncrementalMesh.hxx>
#include <BRepTools.hxx>
#include <BRepTools_ReShape.hxx>
#include <BRep_Builder.hxx>
#include <BRep_Tool.hxx>
#include <Bnd_Box.hxx>
#include <ShapeFix_Solid.hxx>
#include <TopExp_Explorer.hxx>
#include <TopoDS.hxx>

#include <algorithm>
#include <cmath>

namespace cad {

namespace {

// Gives a part another shape, and the faces there the names and colours of those they were made of:
// find(face) is what has become of one.
template <class finder> void replace_shape(part &p, const TopoDS_Shape &shape, const finder &find)
{
    const TopTools_IndexedMapOfShape before = faces_of(p.shape), now = faces_of(shape);
    std::vector<std::string> names((size_t)now.Extent()), colors((size_t)now.Extent());
    for (int i = 1; i <= before.Extent(); i++) {
        const size_t number = (size_t)now.FindIndex(find(before(i)));
        if (number == 0) continue;
        names[number - 1] = p.face_names[(size_t)i - 1];
        colors[number - 1] = p.face_colors[(size_t)i - 1];
    }
    p.shape = shape;
    p.face_names = names;
    p.face_colors = colors;
}

// Removes faces without a surface, which some releases of Open CASCADE make of bad entities, and of
// which their algorithms die.
void remove_empty_faces(part &p)
{
    const TopTools_IndexedMapOfShape faces = faces_of(p.shape);
    const Handle(BRepTools_ReShape) change = new BRepTools_ReShape;
    bool found = false;
    for (int i = 1; i <= faces.Extent(); i++)
        if (BRep_Tool::Surface(TopoDS::Face(faces(i))).IsNull()) {
            change->Remove(faces(i));
            found = true;
        }
    if (found) replace_shape(p, change->Apply(p.shape), [](const TopoDS_Shape &f) { return f; });
}

// Gathers the shells of a sewn shape, closed ones as solids, and the faces that stayed alone.
TopoDS_Shape gather_shells(const TopoDS_Shape &sewn)
{
    BRep_Builder builder;
    TopoDS_Compound all;
    builder.MakeCompound(all);
    for (TopExp_Explorer e(sewn, TopAbs_SHELL); e.More(); e.Next()) {
        TopoDS_Solid solid;
        if (BRep_Tool::IsClosed(e.Current()))
            solid = ShapeFix_Solid().SolidFromShell(TopoDS::Shell(e.Current()));
        builder.Add(all, solid.IsNull() ? e.Current() : (const TopoDS_Shape &)solid);
    }
    for (TopExp_Explorer e(sewn, TopAbs_FACE, TopAbs_SHELL); e.More(); e.Next())
        builder.Add(all, e.Current());
    return all;
}

void sew(part &p)
{
    const double size = diagonal_of(p.shape);
    BRepBuilderAPI_Sewing sewing(std::max(1e-6 * size, 1e-3 * std::min(1., size / 100)));
    sewing.Add(p.shape);
    sewing.Perform();
    if (sewing.SewedShape().IsNull()) return;
    replace_shape(p, gather_shells(sewing.SewedShape()), [&](const TopoDS_Shape &face) {
        return sewing.IsModified(face) ? sewing.Modified(face) : face;
    });
}

} // namespace

double diagonal_of(const TopoDS_Shape &shape)
{
    Bnd_Box box;
    BRepBndLib::Add(shape, box);
    return box.IsVoid() ? 0 : std::sqrt(box.SquareExtent());
}

void repair(part &p, bool is_iges)
{
    remove_empty_faces(p);
    if (!is_iges || TopExp_Explorer(p.shape, TopAbs_SOLID).More()) return;
    if (faces_of(p.shape).Extent() > 1) sew(p);
}

void triangulate(const part &p, const mesh_limits &limits)
{
    const double size = diagonal_of(p.shape);
    if (size == 0) return;
    BRepTools::Clean(p.shape); // of what the file has
    BRepMesh_IncrementalMesh(p.shape, limits.deflection * size, Standard_False, limits.angle,
                             Standard_False);
}

} // namespace cad
