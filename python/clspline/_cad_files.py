"""Files of models, STEP and IGES, by Open CASCADE (cadquery-ocp)."""
import numpy as np

from ._bspline import BSpline
from ._errors import ArgumentError
from ._files import need


def read_cad(path, options):
    """The surfaces of a model's faces, or its curves where it has none, as lists of B-splines."""
    for name in 'BRep', 'BRepBuilderAPI', 'GeomConvert', 'IFSelect', 'TopAbs', 'TopExp', 'TopoDS':
        need('OCP.' + name, path, 'cadquery-ocp')
    from OCP import BRep, BRepBuilderAPI, GeomConvert, IFSelect, TopAbs, TopExp, TopoDS
    if path.lower().endswith(('.step', '.stp')):
        from OCP.STEPControl import STEPControl_Reader as Reader
    else:
        from OCP.IGESControl import IGESControl_Reader as Reader
    reader = Reader()
    if reader.ReadFile(path) != IFSelect.IFSelect_ReturnStatus.IFSelect_RetDone:
        raise ArgumentError(f'{path}: Open CASCADE cannot read it')
    reader.TransferRoots()
    shape = BRepBuilderAPI.BRepBuilderAPI_NurbsConvert(reader.OneShape(), True).Shape()

    def each(kind):
        found = TopExp.TopExp_Explorer(shape, getattr(TopAbs.TopAbs_ShapeEnum,
                                                      'TopAbs_' + kind.upper()))
        cast = getattr(TopoDS.TopoDS, kind, None) or getattr(TopoDS.TopoDS, kind + '_s')
        while found.More():
            yield cast(found.Current())
            found.Next()

    faces = [GeomConvert.GeomConvert.SurfaceToBSplineSurface_s(BRep.BRep_Tool.Surface_s(face))
             for face in each('Face')]
    curves = [] if faces else [GeomConvert.GeomConvert.CurveToBSplineCurve_s(
        BRep.BRep_Tool.Curve_s(edge, 0.0, 1.0)) for edge in each('Edge')]
    if not faces and not curves:
        raise ArgumentError(f'{path}: a model without surfaces and curves')
    return _batches([_surface(face) for face in faces] + [_curve(curve) for curve in curves],
                    options)


def _surface(found):
    found.SetUNotPeriodic()
    found.SetVNotPeriodic()
    size = found.NbUPoles(), found.NbVPoles()
    poles = [found.Pole(1 + i, 1 + j) for i in range(size[0]) for j in range(size[1])]
    weights = [found.Weight(1 + i, 1 + j) for i in range(size[0]) for j in range(size[1])]
    return (tuple(map(tuple, (found.UKnotSequence(), found.VKnotSequence()))),
            (found.UDegree(), found.VDegree()), *_points(poles, weights, size))


def _curve(found):
    found.SetNotPeriodic()
    size = found.NbPoles()
    return ((tuple(found.KnotSequence()),), (found.Degree(),),
            *_points([found.Pole(1 + i) for i in range(size)],
                     [found.Weight(1 + i) for i in range(size)], (size,)))


def _points(poles, weights, size):
    """(control points, whether they are rational)."""
    points = np.array([(pole.X(), pole.Y(), pole.Z()) for pole in poles])
    if min(weights) == max(weights):
        return points.reshape(*size, 3), False
    weights = np.array(weights)[:, None]
    return np.hstack([points * weights, weights]).reshape(*size, 4), True


def _batches(splines, options):
    """B-splines, each of those that are alike."""
    alike = {}
    for knots, degree, points, rational in splines:
        alike.setdefault((knots, degree, rational, points.shape), []).append(points)
    return [BSpline(knots if len(knots) > 1 else knots[0], np.array(points),
                    degree if len(degree) > 1 else degree[0], rational, **options)
            for (knots, degree, rational, _), points in alike.items()]
