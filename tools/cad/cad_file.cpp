#include "cad_file.h"

#include <BRepTools.hxx>
#include <BRep_Builder.hxx>
#include <IGESCAFControl_Reader.hxx>
#include <IGESData_IGESEntity.hxx>
#include <IGESData_IGESModel.hxx>
#include <Interface_InterfaceModel.hxx>
#include <Interface_Static.hxx>
#include <Quantity_Color.hxx>
#include <STEPCAFControl_Reader.hxx>
#include <StepShape_FaceSurface.hxx>
#include <TColStd_SequenceOfAsciiString.hxx>
#include <TDF_LabelSequence.hxx>
#include <TDF_Tool.hxx>
#include <TDataStd_Name.hxx>
#include <TDocStd_Document.hxx>
#include <TopExp.hxx>
#include <TopExp_Explorer.hxx>
#include <XCAFDoc_ColorTool.hxx>
#include <XCAFDoc_DocumentTool.hxx>
#include <XCAFDoc_ShapeTool.hxx>
#include <XSControl_WorkSession.hxx>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <stdexcept>

namespace cad {

TopTools_IndexedMapOfShape faces_of(const TopoDS_Shape &shape)
{
    TopTools_IndexedMapOfShape faces;
    TopExp::MapShapes(shape, TopAbs_FACE, faces);
    return faces;
}

namespace {

const int max_depth = 100;
const size_t max_uses = 100000;

std::string name_of(const TDF_Label &label)
{
    Handle(TDataStd_Name) name;
    if (!label.FindAttribute(TDataStd_Name::GetID(), name)) return "";
    const TCollection_ExtendedString &text = name->Get();
    std::string utf8((size_t)text.LengthOfCString() + 1, 0);
    Standard_PCharacter to = &utf8[0];
    utf8.resize((size_t)text.ToUTF8CString(to));
    return utf8;
}

// Gives a colour as CSS and glTF's viewers have it, in sRGB.
std::string text_of(const Quantity_Color &color)
{
    double rgb[3];
    char text[8];
    color.Values(rgb[0], rgb[1], rgb[2], Quantity_TOC_sRGB);
    snprintf(text, sizeof(text), "#%02x%02x%02x", (unsigned)std::lround(255 * rgb[0]) & 255,
             (unsigned)std::lround(255 * rgb[1]) & 255, (unsigned)std::lround(255 * rgb[2]) & 255);
    return text;
}

// Walks over the assemblies of a document and lists their parts.
class document_walk {
  public:
    document_walk(file &into, const Handle(TDocStd_Document) & document)
        : to(into), colors(XCAFDoc_DocumentTool::ColorTool(document->Main()))
    {
        TDF_LabelSequence roots;
        XCAFDoc_DocumentTool::ShapeTool(document->Main())->GetFreeShapes(roots);
        for (const TDF_Label &root : roots)
            visit(root, TopLoc_Location(), "", 0);
    }

  private:
    file &to;
    Handle(XCAFDoc_ColorTool) colors;
    std::map<std::string, size_t> known; // parts by the entries of their labels

    std::string color_of(const TDF_Label &label) const
    {
        Quantity_Color color;
        for (XCAFDoc_ColorType type : {XCAFDoc_ColorSurf, XCAFDoc_ColorGen})
            if (colors->GetColor(label, type, color)) return text_of(color);
        return "";
    }

    // Gives the faces of a shape within a part what a label says of it.
    void describe_faces(part &p, const TDF_Label &label, const TopTools_IndexedMapOfShape &faces)
    {
        const TopoDS_Shape shape = XCAFDoc_ShapeTool::GetShape(label);
        const std::string color = color_of(label), name = name_of(label);
        for (TopExp_Explorer e(shape, TopAbs_FACE); e.More(); e.Next()) {
            const int number = faces.FindIndex(e.Current());
            if (number == 0) continue;
            if (!color.empty()) p.face_colors[(size_t)number - 1] = color;
            if (shape.ShapeType() == TopAbs_FACE) p.face_names[(size_t)number - 1] = name;
        }
    }

    part make_part(const TDF_Label &label)
    {
        part p{XCAFDoc_ShapeTool::GetShape(label), name_of(label), color_of(label), {}, {}};
        const TopTools_IndexedMapOfShape faces = faces_of(p.shape);
        p.face_names.resize((size_t)faces.Extent());
        p.face_colors.resize((size_t)faces.Extent());
        TDF_LabelSequence within;
        XCAFDoc_ShapeTool::GetSubShapes(label, within);
        for (const bool is_face : {false, true}) // what is said of a face itself holds
            for (const TDF_Label &sub : within)
                if ((XCAFDoc_ShapeTool::GetShape(sub).ShapeType() == TopAbs_FACE) == is_face)
                    describe_faces(p, sub, faces);
        return p;
    }

    size_t find_part(const TDF_Label &label)
    {
        TCollection_AsciiString entry;
        TDF_Tool::Entry(label, entry);
        const auto place = known.emplace(entry.ToCString(), to.parts.size());
        if (place.second) to.parts.push_back(make_part(label));
        return place.first->second;
    }

    void visit(const TDF_Label &use, const TopLoc_Location &above, const std::string &inherited,
               int depth)
    {
        if (depth > max_depth) throw std::runtime_error("assemblies nested more than 100 deep");
        if (to.uses.size() >= max_uses) throw std::runtime_error("more than 100000 placed parts");
        TDF_Label label = use;
        std::string color = color_of(use);
        if (color.empty()) color = inherited;
        if (XCAFDoc_ShapeTool::IsReference(use)) XCAFDoc_ShapeTool::GetReferredShape(use, label);
        const TopLoc_Location place =
            label == use ? above : above * XCAFDoc_ShapeTool::GetLocation(use);
        if (color.empty()) color = color_of(label);
        if (XCAFDoc_ShapeTool::IsAssembly(label)) {
            TDF_LabelSequence within;
            XCAFDoc_ShapeTool::GetComponents(label, within, Standard_False);
            for (const TDF_Label &component : within)
                visit(component, place, color, depth + 1);
            return;
        }
        const size_t number = find_part(label);
        const std::string name = name_of(use);
        to.uses.push_back({number, place, name.empty() ? to.parts[number].name : name, color});
    }
};

void read_step(file &to, const char *path)
{
    STEPCAFControl_Reader reader;
    Handle(TDocStd_Document) document = new TDocStd_Document("BinXCAF");
    Interface_Static::SetIVal("read.stepcaf.subshapes.name", 1); // those of faces
    reader.SetNameMode(true);
    reader.SetColorMode(true);
    reader.SetLayerMode(false);
    reader.SetPropsMode(false);
    reader.SetGDTMode(false);
    reader.SetMatMode(false);
    if (reader.ReadFile(path) != IFSelect_RetDone)
        throw std::runtime_error("not a whole STEP file: it cannot be parsed");
    const Handle(Interface_InterfaceModel) model = reader.ChangeReader().WS()->Model();
    for (int i = 1; i <= model->NbEntities(); i++)
        to.num_faces += model->Value(i)->IsKind(STANDARD_TYPE(StepShape_FaceSurface));
    TColStd_SequenceOfAsciiString lengths, angles, solid_angles;
    reader.ChangeReader().FileUnits(lengths, angles, solid_angles);
    for (const TCollection_AsciiString &unit : lengths)
        to.unit += (to.unit.empty() ? "" : ", ") + std::string(unit.ToCString());
    if (!reader.Transfer(document)) throw std::runtime_error("no shape could be made of the file");
    document_walk(to, document);
}

// Whether an entity of IGES is a face: a trimmed or bounded surface, or a face of a solid.
bool is_iges_face(const Handle(Standard_Transient) & entity)
{
    const Handle(IGESData_IGESEntity) e = Handle(IGESData_IGESEntity)::DownCast(entity);
    return !e.IsNull() &&
           (e->TypeNumber() == 144 || e->TypeNumber() == 143 || e->TypeNumber() == 510);
}

void read_iges(file &to, const char *path)
{
    IGESCAFControl_Reader reader;
    Handle(TDocStd_Document) document = new TDocStd_Document("BinXCAF");
    reader.SetNameMode(true);
    reader.SetColorMode(true);
    reader.SetReadVisible(true);
    if (reader.ReadFile(path) != IFSelect_RetDone)
        throw std::runtime_error("not a whole IGES file: it cannot be parsed");
    const Handle(IGESData_IGESModel) model =
        Handle(IGESData_IGESModel)::DownCast(reader.WS()->Model());
    if (model.IsNull()) throw std::runtime_error("an IGES file without entities");
    for (int i = 1; i <= model->NbEntities(); i++)
        to.num_faces += is_iges_face(model->Value(i));
    if (!model->GlobalSection().UnitName().IsNull())
        to.unit = model->GlobalSection().UnitName()->ToCString();
    if (!reader.Transfer(document)) throw std::runtime_error("no shape could be made of the file");
    document_walk(to, document);
}

void read_brep(file &to, const char *path)
{
    part p;
    BRep_Builder builder;
    std::ifstream in(path, std::ios::binary);
    in.exceptions(std::ios::failbit | std::ios::badbit); // else a file's end is read without end
    try {
        BRepTools::Read(p.shape, in, builder);
    } catch (const std::ios::failure &) {
        throw std::runtime_error("not a whole BREP file: it cannot be parsed");
    }
    if (p.shape.IsNull()) throw std::runtime_error("a BREP file without a shape");
    to.num_faces = (size_t)faces_of(p.shape).Extent();
    p.face_names.resize(to.num_faces);
    p.face_colors.resize(to.num_faces);
    to.parts.push_back(p);
    to.uses.push_back({0, TopLoc_Location(), "", ""});
}

} // namespace

file read_file(const char *path)
{
    std::ifstream in(path, std::ios::binary);
    std::string head(4096, 0);
    if (!in) throw std::runtime_error(std::string("cannot open: ") + strerror(errno));
    in.read(&head[0], (std::streamsize)head.size());
    head.resize((size_t)in.gcount());
    const auto has = [&](const char *words) { return head.find(words) != std::string::npos; };
    file made{};
    if (has("ISO-10303-21")) {
        made.format = "step";
        read_step(made, path);
    } else if (has("DBRep_DrawableShape") || has("CASCADE Topology V")) {
        made.format = "brep";
        read_brep(made, path);
    } else if (head.size() > 72 && head[72] == 'S') {
        made.format = "iges";
        read_iges(made, path);
    } else {
        throw std::runtime_error("neither STEP, IGES nor BREP");
    }
    return made;
}

} // namespace cad
