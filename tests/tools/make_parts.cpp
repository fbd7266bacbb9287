// Makes CAD files for tests, by Open CASCADE.
// usage: make_parts FOLDER
//        make_parts FILE.step COLUMNS ROWS
//
// The second one makes a plate with COLUMNS x ROWS holes whose upper rims are rounded. The first:
//
//   bracket.step   a box of 60 x 40 x 20 with a hole of radius 8 along z and an edge rounded by 5
//   plate.step     a plate of 80 x 50 x 8 with four holes of radius 4 and a boss of radius 10 that
//                  is 12 high, rounded by 3 at its foot
//   bracket.igs    the bracket's faces, each by itself
//   round.step     a ball of radius 9, a ring of radii 20 and 5, a cone with its tip
//   cross.step     a rod of radius 10 and length 40 with a hole of radius 5 across it
//   assembly.step  in inches: a red pin of radius 2 and length 4 twice, one turned and moved
//   seat.step      a green box of 3 x 4 x 5, whose upper side is blue and called "seat"
//   swept.brep     a profile of degree 3 turned about z, one moved along y, a quarter of a ring
//   wire.brep      an edge alone
#include <BRepAdaptor_Curve.hxx>
#include <BRepAlgoAPI_Cut.hxx>
#include <BRepAlgoAPI_Fuse.hxx>
#include <BRepBuilderAPI_MakeEdge.hxx>
#include <BRepBuilderAPI_MakeFace.hxx>
#include <BRepBuilderAPI_MakeWire.hxx>
#include <BRepFilletAPI_MakeFillet.hxx>
#include <BRepPrimAPI_MakeBox.hxx>
#include <BRepPrimAPI_MakeCone.hxx>
#include <BRepPrimAPI_MakeCylinder.hxx>
#include <BRepPrimAPI_MakePrism.hxx>
#include <BRepPrimAPI_MakeRevol.hxx>
#include <BRepPrimAPI_MakeSphere.hxx>
#include <BRepPrimAPI_MakeTorus.hxx>
#include <BRepTools.hxx>
#include <BRep_Builder.hxx>
#include <Geom_BezierCurve.hxx>
#include <IGESControl_Controller.hxx>
#include <IGESControl_Writer.hxx>
#include <Interface_Static.hxx>
#include <Message.hxx>
#include <Message_PrinterOStream.hxx>
#include <Quantity_Color.hxx>
#include <STEPCAFControl_Writer.hxx>
#include <STEPControl_Writer.hxx>
#include <TDataStd_Name.hxx>
#include <TDocStd_Document.hxx>
#include <TopExp_Explorer.hxx>
#include <TopTools_ListOfShape.hxx>
#include <TopoDS.hxx>
#include <XCAFDoc_ColorTool.hxx>
#include <XCAFDoc_DocumentTool.hxx>
#include <XCAFDoc_ShapeTool.hxx>
#include <gp_Ax2.hxx>

#include <cmath>
#include <string>

static TopoDS_Shape make_bracket()
{
    const TopoDS_Shape box = BRepPrimAPI_MakeBox(60, 40, 20).Shape();
    BRepFilletAPI_MakeFillet fillet(box);
    for (TopExp_Explorer e(box, TopAbs_EDGE); e.More(); e.Next()) {
        const TopoDS_Edge edge = TopoDS::Edge(e.Current());
        double begin, end;
        const Handle(Geom_Curve) c = BRep_Tool::Curve(edge, begin, end);
        const gp_Pnt p = c->Value((begin + end) / 2);
        if (p.Distance(gp_Pnt(30, 0, 20)) > 1e-6) continue;
        fillet.Add(5, edge);
        break;
    }
    const gp_Ax2 axis(gp_Pnt(20, 20, -1), gp::DZ());
    return BRepAlgoAPI_Cut(fillet.Shape(), BRepPrimAPI_MakeCylinder(axis, 8, 30).Shape());
}

static TopoDS_Shape make_plate()
{
    TopoDS_Shape plate = BRepPrimAPI_MakeBox(80, 50, 8).Shape();
    for (int i = 0; i < 4; i++) {
        const gp_Ax2 hole(gp_Pnt(i % 2 ? 72 : 8, i / 2 ? 42 : 8, -1), gp::DZ());
        plate = BRepAlgoAPI_Cut(plate, BRepPrimAPI_MakeCylinder(hole, 4, 10).Shape()).Shape();
    }
    const gp_Ax2 boss(gp_Pnt(40, 25, 4), gp::DZ());
    plate = BRepAlgoAPI_Fuse(plate, BRepPrimAPI_MakeCylinder(boss, 10, 16).Shape()).Shape();
    BRepFilletAPI_MakeFillet fillet(plate);
    for (TopExp_Explorer e(plate, TopAbs_EDGE); e.More(); e.Next()) {
        const BRepAdaptor_Curve c(TopoDS::Edge(e.Current()));
        const gp_Pnt p = c.Value(c.FirstParameter());
        if (c.GetType() != GeomAbs_Circle || std::abs(c.Circle().Radius() - 10) > 1e-6 ||
            std::abs(p.Z() - 8) > 1e-6)
            continue;
        fillet.Add(3, TopoDS::Edge(e.Current()));
        break;
    }
    return fillet.Shape();
}

// A plate with holes of radius 3, rounded by 1 above.
static TopoDS_Shape make_holes(int columns, int rows)
{
    const TopoDS_Shape plate = BRepPrimAPI_MakeBox(10 * columns, 10 * rows, 6).Shape();
    TopTools_ListOfShape plates, drills;
    plates.Append(plate);
    for (int i = 0; i < columns * rows; i++) {
        const gp_Pnt place(10 * (i % columns) + 5, 10 * (i / columns) + 5, -1);
        drills.Append(BRepPrimAPI_MakeCylinder(gp_Ax2(place, gp::DZ()), 3, 8).Shape());
    }
    BRepAlgoAPI_Cut cut;
    cut.SetArguments(plates);
    cut.SetTools(drills);
    cut.Build();
    BRepFilletAPI_MakeFillet fillet(cut.Shape());
    for (TopExp_Explorer e(cut.Shape(), TopAbs_EDGE); e.More(); e.Next()) {
        const BRepAdaptor_Curve c(TopoDS::Edge(e.Current()));
        if (c.GetType() == GeomAbs_Circle && c.Value(c.FirstParameter()).Z() > 5)
            fillet.Add(1, TopoDS::Edge(e.Current()));
    }
    return fillet.Shape();
}

static TopoDS_Shape together(std::initializer_list<TopoDS_Shape> shapes)
{
    BRep_Builder builder;
    TopoDS_Compound all;
    builder.MakeCompound(all);
    for (const TopoDS_Shape &shape : shapes)
        builder.Add(all, shape);
    return all;
}

static TopoDS_Shape make_round()
{
    const gp_Ax2 aside(gp_Pnt(50, 0, 0), gp::DZ());
    return together({BRepPrimAPI_MakeSphere(9).Shape(), BRepPrimAPI_MakeTorus(20, 5).Shape(),
                     BRepPrimAPI_MakeCone(aside, 6, 0, 10).Shape()});
}

static TopoDS_Edge make_profile()
{
    TColgp_Array1OfPnt poles(1, 4);
    poles(1) = gp_Pnt(10, 0, 0);
    poles(2) = gp_Pnt(14, 0, 5);
    poles(3) = gp_Pnt(6, 0, 10);
    poles(4) = gp_Pnt(10, 0, 15);
    return BRepBuilderAPI_MakeEdge(new Geom_BezierCurve(poles));
}

// The profile turned about z between planes, the same moved along y, and a quarter of a ring whose
// tube begins at its inner side.
static TopoDS_Shape make_swept()
{
    const gp_Pnt low(0, 0, 0), high(0, 0, 15);
    BRepBuilderAPI_MakeWire wire(make_profile());
    wire.Add(BRepBuilderAPI_MakeEdge(gp_Pnt(10, 0, 15), high));
    wire.Add(BRepBuilderAPI_MakeEdge(high, low));
    wire.Add(BRepBuilderAPI_MakeEdge(low, gp_Pnt(10, 0, 0)));
    const TopoDS_Face face = BRepBuilderAPI_MakeFace(wire.Wire());
    const gp_Ax2 beyond(gp_Pnt(0, 60, 0), gp::DZ());
    const TopoDS_Shape bend = BRepPrimAPI_MakeTorus(beyond, 20, 3, -M_PI, M_PI, M_PI / 2).Shape();
    gp_Trsf aside;
    aside.SetTranslation(gp_Vec(40, 0, 0));
    return together({BRepPrimAPI_MakeRevol(face, gp::OZ()).Shape(),
                     BRepPrimAPI_MakePrism(face, gp_Vec(0, 7, 0)).Shape().Moved(aside), bend});
}

// A rod of radius 10 with a hole of radius 5 across it.
static TopoDS_Shape make_cross()
{
    const gp_Ax2 across(gp_Pnt(-20, 0, 20), gp::DX());
    return BRepAlgoAPI_Cut(BRepPrimAPI_MakeCylinder(10, 40).Shape(),
                           BRepPrimAPI_MakeCylinder(across, 5, 40).Shape());
}

static bool write_step(const TopoDS_Shape &shape, const std::string &path)
{
    STEPControl_Writer writer;
    return writer.Transfer(shape, STEPControl_AsIs) == IFSelect_RetDone &&
           writer.Write(path.c_str()) == IFSelect_RetDone;
}

static bool write_iges(const TopoDS_Shape &shape, const std::string &path)
{
    IGESControl_Controller::Init();
    IGESControl_Writer writer("MM", 0); // 0: faces alone
    return writer.AddShape(shape) && (writer.ComputeModel(), writer.Write(path.c_str()));
}

static bool write_document(const Handle(TDocStd_Document) & document, const char *unit,
                           const std::string &path)
{
    STEPCAFControl_Writer writer;
    Interface_Static::SetCVal("write.step.unit", unit);
    Interface_Static::SetIVal("write.stepcaf.subshapes.name", 1);
    const bool done = writer.Transfer(document, STEPControl_AsIs) &&
                      writer.Write(path.c_str()) == IFSelect_RetDone;
    Interface_Static::SetCVal("write.step.unit", "MM");
    return done;
}

static bool write_seat(const std::string &path)
{
    Handle(TDocStd_Document) document = new TDocStd_Document("BinXCAF");
    const Handle(XCAFDoc_ShapeTool) tool = XCAFDoc_DocumentTool::ShapeTool(document->Main());
    const Handle(XCAFDoc_ColorTool) colors = XCAFDoc_DocumentTool::ColorTool(document->Main());
    BRepPrimAPI_MakeBox box(3, 4, 5);
    const TDF_Label label = tool->AddShape(box.Shape(), false);
    const TDF_Label seat = tool->AddSubShape(label, box.TopFace());
    TDataStd_Name::Set(label, "box");
    TDataStd_Name::Set(seat, "seat");
    colors->SetColor(label, Quantity_Color(0, 1, 0, Quantity_TOC_sRGB), XCAFDoc_ColorSurf);
    colors->SetColor(seat, Quantity_Color(0.2, 0.4, 1, Quantity_TOC_sRGB), XCAFDoc_ColorSurf);
    return write_document(document, "MM", path);
}

// Writes a pin twice, in inches.
static bool write_assembly(const std::string &path)
{
    Handle(TDocStd_Document) document = new TDocStd_Document("BinXCAF");
    const Handle(XCAFDoc_ShapeTool) tool = XCAFDoc_DocumentTool::ShapeTool(document->Main());
    const Handle(XCAFDoc_ColorTool) colors = XCAFDoc_DocumentTool::ColorTool(document->Main());
    const TDF_Label pin = tool->AddShape(BRepPrimAPI_MakeCylinder(2, 4).Shape(), false);
    const TDF_Label all = tool->NewShape();
    gp_Trsf turn, move;
    turn.SetRotation(gp::OX(), M_PI / 2);
    move.SetTranslation(gp_Vec(10, 0, 0));
    TDataStd_Name::Set(pin, "pin");
    TDataStd_Name::Set(all, "pair");
    colors->SetColor(pin, Quantity_Color(1, 0, 0, Quantity_TOC_sRGB), XCAFDoc_ColorSurf);
    TDataStd_Name::Set(tool->AddComponent(all, pin, TopLoc_Location()), "first");
    TDataStd_Name::Set(tool->AddComponent(all, pin, TopLoc_Location(move * turn)), "second");
    tool->UpdateAssemblies();
    return write_document(document, "INCH", path);
}

int main(int argc, char **argv)
{
    if (argc != 2 && argc != 4) return 2;
    Message::DefaultMessenger()->RemovePrinters(STANDARD_TYPE(Message_PrinterOStream));
    if (argc == 4)
        return write_step(make_holes(std::stoi(argv[2]), std::stoi(argv[3])), argv[1]) ? 0 : 1;
    const std::string folder = std::string(argv[1]) + "/";
    const TopoDS_Shape bracket = make_bracket();
    const bool done = write_step(bracket, folder + "bracket.step") &&
                      write_step(make_plate(), folder + "plate.step") &&
                      write_iges(bracket, folder + "bracket.igs") &&
                      write_step(make_round(), folder + "round.step") &&
                      write_step(make_cross(), folder + "cross.step") &&
                      write_assembly(folder + "assembly.step") &&
                      write_seat(folder + "seat.step") &&
                      BRepTools::Write(make_swept(), (folder + "swept.brep").c_str()) &&
                      BRepTools::Write(make_profile(), (folder + "wire.brep").c_str());
    return done ? 0 : 1;
}
