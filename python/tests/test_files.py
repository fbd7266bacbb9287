"""Files of other libraries: what they write is read as it is, and what is written they read."""
import importlib.util
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import numpy as np

import clspline
from common import needs_fp64

WORLD = [[0.0, 0.25, 3.0, -5.0], [0.5, 0.0, 0.0, 7.0], [0.0, 2.0, 0.0, 11.0]]  # a turn and scales
STRAIGHT = [[3.0, 0, 0, -5], [0, 0.5, 0, 7], [0, 0, 0.25, 11]]
CUBE = np.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)], float)


def needs(*names):
    missing = [name for name in names if not importlib.util.find_spec(name)]
    return unittest.skipIf(missing, f'no {", ".join(missing)}')


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.rng = np.random.default_rng(7)

    def path(self, name):
        return os.path.join(self.folder, name)

    def samples(self, *shape, dtype=np.uint8):
        return self.rng.integers(0, 250, shape).astype(dtype)

    def image(self, *shape, dtype=np.uint8, world=None, unit=None, names=(), **options):
        image = clspline.Image(self.samples(*shape, dtype=dtype), **options)
        image.world, image.unit, image.names = world, unit, names
        return image

    def assert_same(self, found, image):
        """The same samples, place, unit and names."""
        self.assertEqual((found.samples.dtype, found.directions, found.channels),
                         (image.samples.dtype, image.directions, image.channels))
        np.testing.assert_array_equal(found.samples, image.samples)
        if image.world is None:
            self.assertIsNone(found.world)
        else:
            np.testing.assert_allclose(found.world, image.world, rtol=1e-6, atol=1e-6)
        self.assertEqual((found.unit, found.names), (image.unit, image.names))

    def check(self, name, image, **options):
        clspline.write(self.path(name), image, **options)
        self.assert_same(clspline.read(self.path(name)), image)


class World(Case):
    def test_world(self):
        image = self.image(3, 4, 5, directions=3, world=WORLD, unit='millimeter', names=('a',))
        self.assertEqual(image.spacing, (0.5, np.hypot(0.25, 2), 3))
        again = pickle.loads(pickle.dumps(image))
        self.assert_same(again, image)
        image.world = None
        self.assertIsNone(image.spacing)
        for wrong in ([[1, 0]], np.eye(4), 'no'):
            with self.assertRaisesRegex(clspline.Error, 'world'):
                image.world = wrong


class Refused(Case):
    def test_paths(self):
        with self.assertRaisesRegex(clspline.ArgumentError, 'none.nii: no such file'):
            clspline.read(self.path('none.nii'))
        for wrong in (3, None, b'a.nii'):
            with self.assertRaisesRegex(clspline.ArgumentTypeError, 'path: a name'):
                clspline.read(wrong)
        with self.assertRaisesRegex(clspline.ArgumentError, 'is read, not written'):
            clspline.write(self.path('a.step'), clspline.Bezier(np.zeros((2, 2, 3))))

    def test_missing_package(self):
        """What to install is said, of each format."""
        line = clspline.Bezier(CUBE[:2], 'curve')
        for name, package in (('a.nii.gz', 'nibabel'), ('a.tif', 'tifffile'), ('a.zarr', 'zarr'),
                              ('a.dcm', 'pydicom'), ('a.mha', 'SimpleITK'), ('a.vtkhdf', 'h5py'),
                              ('a.step', 'cadquery-ocp'), ('a.vtu', 'meshio')):
            modules = dict.fromkeys(('nibabel', 'tifffile', 'zarr', 'pydicom', 'SimpleITK', 'itk',
                                     'h5py', 'OCP', 'OCP.BRep', 'meshio'))
            with open(self.path(name), 'w'), unittest.mock.patch.dict(sys.modules, modules):
                with self.assertRaisesRegex(
                        clspline.MissingPackageError,
                        f'{name}: needs the package {package}: pip install {package} '):
                    clspline.read(self.path(name))
                if package in ('meshio', 'h5py'):
                    with self.assertRaisesRegex(ImportError, package):
                        clspline.write(self.path(name), line)

    def test_bytes(self):
        """Files of other bytes than their names say."""
        for name, package in (('a.nii', 'nibabel'), ('a.tif', 'tifffile'), ('a.dcm', 'pydicom'),
                              ('a.mha', 'SimpleITK'), ('a.vtu', 'meshio'), ('a.txt', 'meshio'),
                              ('a.step', 'OCP')):
            if importlib.util.find_spec(package):
                with self.subTest(name):
                    with open(self.path(name), 'w') as file:
                        file.write('nothing of the kind\n')
                    with self.assertRaisesRegex(clspline.Error, name):
                        clspline.read(self.path(name))


@needs('nibabel')
class Nifti(Case):
    def test_written(self):
        for name in 'a.nii', 'a.nii.gz':
            self.check(name, self.image(4, 5, 6, directions=3, world=WORLD, unit='millimeter'))
        self.check('b.nii', self.image(2, 4, 5, 6, dtype=np.float32, directions=3, world=STRAIGHT,
                                       unit='micrometer'))
        self.check('c.nii', self.image(4, 5, 6, 3, directions=3, channels='last', world=WORLD))
        self.check('d.nii', self.image(5, 6, dtype=np.int16, world=[[2, 0, 1], [0, 3, 4]]))
        self.check('d.nii', self.image(4, 5, 6, dtype=np.float64, directions=3, world=WORLD))

    def test_affine(self):
        """nibabel's affine takes i, j, k to x, y, z."""
        import nibabel
        clspline.write(self.path('a.nii'), self.image(4, 5, 6, directions=3, world=WORLD))
        file = nibabel.load(self.path('a.nii'))
        self.assertEqual(file.shape, (6, 5, 4))
        at = np.array([1.0, 2, 3])
        np.testing.assert_allclose((file.affine @ [*at, 1])[:3][::-1],
                                   np.array(WORLD) @ [*at[::-1], 1])

    def test_scaled(self):
        import nibabel
        file = nibabel.Nifti1Image(self.samples(6, 5, 4, dtype=np.int16), np.diag([2, 3, 4, 1]))
        file.header.set_slope_inter(0.5, 10)
        nibabel.save(file, self.path('a.nii'))
        found = clspline.read(self.path('a.nii'), order=1, mode='nearest')
        self.assertEqual((found.order, found.mode[0], found.spacing), (1, 'nearest', (4, 3, 2)))
        np.testing.assert_array_equal(found.samples, nibabel.load(self.path('a.nii')).get_fdata().T)

    def test_refused(self):
        with self.assertRaisesRegex(clspline.ArgumentError, 'NIfTI has one channel, or 3 or 4'):
            clspline.write(self.path('a.nii'), self.image(5, 6, 2, channels='last'))
        with self.assertRaisesRegex(clspline.ArgumentError, r'world: shape \(2, 3\)'):
            clspline.write(self.path('a.nii'), self.samples(5, 6), world=np.eye(2))
        for wrong in np.zeros((2, 2, 2, 2, 2)), np.array(['a']), 1.0:
            with self.assertRaisesRegex(clspline.ArgumentTypeError, 'an image, a volume'):
                clspline.write(self.path('a.nii'), wrong)


@needs('tifffile')
class Tiff(Case):
    def test_written(self):
        self.check('a.tif', self.image(4, 5, 6, directions=3, world=[[3, 0, 0, 0], [0, 2, 0, 0],
                                                                     [0, 0, 0.5, 0]],
                                       unit='micrometer'))
        self.check('b.ome.tif', self.image(
            2, 5, 6, dtype=np.uint16, channels='first', names=('DAPI', 'GFP'),
            world=[[2, 0, 0], [0, 0.5, 0]], unit='millimeter'))
        self.check('c.tiff', self.image(5, 6, dtype=np.float32), compression='zlib')
        self.check('d.tif', self.image(3, 4, 5, 6, directions=3))

    def test_words(self):
        import tifffile
        values = self.samples(5, 6, 3)
        tifffile.imwrite(self.path('a.tif'), values, photometric='rgb', resolution=(50, 100),
                         resolutionunit='INCH')
        found = clspline.read(self.path('a.tif'))
        self.assertEqual((found.channels, found.spacing, found.unit), (3, (0.01, 0.02), 'inch'))
        np.testing.assert_array_equal(found.samples, values)
        tifffile.imwrite(self.path('b.tif'), self.samples(4, 5, 6), imagej=True,
                         resolution=(2, 4), metadata={'spacing': 3, 'unit': 'um', 'axes': 'ZYX'})
        found = clspline.read(self.path('b.tif'))
        self.assertEqual((found.directions, found.spacing), (3, (3, 0.25, 0.5)))
        self.assertEqual(found.unit, 'micrometer')
        tifffile.imwrite(self.path('m.ome.tif'), self.samples(4, 5, 6), metadata={
            'axes': 'ZYX', 'PhysicalSizeX': 500, 'PhysicalSizeY': 250, 'PhysicalSizeZ': 3,
            'PhysicalSizeZUnit': 'mm'})
        found = clspline.read(self.path('m.ome.tif'))
        self.assertEqual(found.unit, 'micrometer')
        np.testing.assert_allclose(found.spacing, (3000, 250, 500))
        tifffile.imwrite(self.path('c.tif'), self.samples(4, 5, 6), photometric='minisblack')
        found = clspline.read(self.path('c.tif'))
        self.assertEqual((found.directions, found.world), (3, None))

    def test_levels(self):
        import tifffile
        values = self.samples(64, 64)
        with tifffile.TiffWriter(self.path('a.ome.tif')) as file:
            file.write(values, subifds=1, tile=(16, 16), metadata={
                'axes': 'YX', 'PhysicalSizeX': 0.5, 'PhysicalSizeY': 0.25})
            file.write(values[::2, ::2], subfiletype=1, tile=(16, 16))
        self.assert_same(clspline.read(self.path('a.ome.tif')), self.named(values, 0.25, 0.5))
        found = clspline.read(self.path('a.ome.tif'), level=1)
        self.assertEqual(found.size, (32, 32))
        np.testing.assert_allclose(found.world, [[0.5, 0, 0.125], [0, 1, 0.25]])
        with self.assertRaisesRegex(clspline.ArgumentError, 'level: 2, of 2'):
            clspline.read(self.path('a.ome.tif'), level=2)

    def named(self, values, y, x):
        image = clspline.Image(values)
        image.world, image.unit = [[y, 0, 0], [0, x, 0]], 'micrometer'
        return image

    def test_left_out(self):
        with self.assertLogs('clspline', 'WARNING') as logs:
            clspline.write(self.path('a.tif'), self.image(4, 5, 6, directions=3, world=STRAIGHT))
        self.assertIn('where it is in the world is left out', logs.output[0])
        with self.assertRaisesRegex(clspline.ArgumentError, 'images and volumes'):
            clspline.write(self.path('a.tif'), self.image(5))
        with self.assertRaisesRegex(clspline.ArgumentError, 'a.tif'):
            clspline.write(self.path('a.tif'), self.samples(5, 6, dtype=np.int64))


@needs('zarr')
class Zarr(Case):
    def versions(self):
        import zarr
        return ('0.4',) if zarr.__version__.startswith('2') else ('0.4', '0.5')

    def test_written(self):
        for version in self.versions():
            for number, image in enumerate((
                    self.image(5, 6), self.image(4, 5, 6, directions=3, world=STRAIGHT,
                                                 unit='micrometer'),
                    self.image(3, 2, 4, 5, 6, directions=3, channels='first', dtype=np.uint16,
                               world=STRAIGHT, names=('DAPI', 'GFP'), unit='micrometer'))):
                with self.subTest(version=version, number=number):
                    name = f'{number}.{version}.ome.zarr'
                    image.world = np.eye(2, 3) if image.world is None else image.world
                    self.check(name, image, version=version)
                    self.assertTrue(os.path.exists(self.path(
                        name + ('/zarr.json' if version == '0.5' else '/.zattrs'))))

    def test_attributes(self):
        """The words of OME-NGFF 0.4 and 0.5."""
        import zarr
        image = self.image(4, 5, 6, directions=3, world=STRAIGHT, unit='micrometer')
        for version in self.versions():
            clspline.write(self.path(version + '.zarr'), image, version=version)
            words = dict(zarr.open_group(self.path(version + '.zarr'), mode='r').attrs)
            found = words['ome'] if version == '0.5' else words
            one = found['multiscales'][0]
            self.assertEqual((found if version == '0.5' else one)['version'], version)
            self.assertEqual(one['axes'], [
                {'name': axis, 'type': 'space', 'unit': 'micrometer'} for axis in 'zyx'])
            self.assertEqual(one['datasets'], [{'path': '0', 'coordinateTransformations': [
                {'type': 'scale', 'scale': [3, 0.5, 0.25]},
                {'type': 'translation', 'translation': [-5, 7, 11]}]}])

    def test_levels(self):
        """A pyramid, with a transformation of all levels, and channels beyond what images have."""
        import zarr
        group = zarr.open_group(self.path('a.zarr'), mode='w')
        fine, coarse = self.samples(20, 5, 6), self.samples(20, 3, 3)
        for name, values in ('fine', fine), ('half', coarse):
            if self.versions() == ('0.4',):
                group.create_dataset(name, data=values)
            else:
                group.create_array(name, data=values)

        def steps(scale, move):
            return [{'type': 'scale', 'scale': [1, scale, scale]},
                    {'type': 'translation', 'translation': [0, move, move]}]
        one = {'version': '0.4', 'axes': [{'name': 'c', 'type': 'channel'},
                                          {'name': 'y', 'type': 'space', 'unit': 'meter'},
                                          {'name': 'x', 'type': 'space', 'unit': 'meter'}],
               'datasets': [{'path': 'fine', 'coordinateTransformations': steps(1, 0)},
                            {'path': 'half', 'coordinateTransformations': steps(2, 0.5)}],
               'coordinateTransformations': steps(10, 7)}
        group.attrs['multiscales'] = [one]
        for level in (0, -2):
            found = clspline.read(self.path('a.zarr'), level=level)
            self.assertEqual((found.batch, found.size, found.unit), ((20,), (5, 6), 'meter'))
            np.testing.assert_array_equal(found.samples, fine)
            np.testing.assert_array_equal(found.world, [[10, 0, 7], [0, 10, 7]])
        found = clspline.read(self.path('a.zarr'), level=1)
        np.testing.assert_array_equal(found.samples, coarse)
        np.testing.assert_array_equal(found.world, [[20, 0, 12], [0, 20, 12]])
        with self.assertRaisesRegex(clspline.ArgumentError, 'level: 2, of 2'):
            clspline.read(self.path('a.zarr'), level=2)
        one['axes'][1]['unit'] = 'millimeter'
        group.attrs['multiscales'] = [one]
        found = clspline.read(self.path('a.zarr'))
        np.testing.assert_allclose(found.world, [[0.01, 0, 0.007], [0, 10, 7]])
        self.assertEqual(found.unit, 'meter')
        one['axes'][1]['unit'] = 'parsec'
        group.attrs['multiscales'] = [one]
        self.assertIsNone(clspline.read(self.path('a.zarr')).unit)
        one['datasets'][0]['coordinateTransformations'][0] = {'type': 'rotation'}
        group.attrs['multiscales'] = [one]
        with self.assertRaisesRegex(clspline.ArgumentError, 'a transformation .*rotation'):
            clspline.read(self.path('a.zarr'))

    def test_stores(self):
        """Codecs, shards and separators, as a plain array and in an old layout."""
        import zarr
        if self.versions() == ('0.4',):
            self.skipTest('zarr 2')
        from zarr.codecs import BloscCodec, ZstdCodec
        values = self.samples(40, 30, dtype=np.float32)
        for number, options in enumerate((
                {'compressors': BloscCodec(cname='lz4')}, {'compressors': ZstdCodec()},
                {'chunks': (5, 6), 'shards': (20, 12)}, {'zarr_format': 2, 'chunks': (7, 8)},
                {'compressors': None})):
            array = zarr.create_array(self.path(f'{number}.zarr'), shape=(40, 30), dtype='f4',
                                      **options)
            array[:] = values
            np.testing.assert_array_equal(clspline.read(self.path(f'{number}.zarr')).samples,
                                          values)
        os.rename(self.path('0.zarr'), self.path('folder'))  # without an ending
        np.testing.assert_array_equal(clspline.read(self.path('folder')).samples, values)
        image = self.image(40, 30, world=np.eye(2, 3))
        self.check('shards.zarr', image, chunks=(5, 6), shards=(20, 12))
        group = zarr.open_group(self.path('raw.zarr'), mode='w', zarr_format=2)
        group.attrs['bioformats2raw.layout'] = 3
        inner = group.create_group('0')
        inner.create_array('0', data=values[None, None, None])
        inner.attrs['multiscales'] = [{'version': '0.2', 'datasets': [{'path': '0'}]}]
        found = clspline.read(self.path('raw.zarr'))
        self.assertEqual((found.directions, found.channels, found.batch), (3, 1, (1,)))
        np.testing.assert_array_equal(found.samples.reshape(40, 30), values)

    def test_refused(self):
        import zarr
        image = self.image(4, 5, 6, directions=3, world=WORLD)
        with self.assertRaisesRegex(clspline.ArgumentError, 'no turns'):
            clspline.write(self.path('a.zarr'), image)
        self.assertFalse(os.path.exists(self.path('a.zarr')))
        with self.assertRaisesRegex(clspline.ArgumentError, "version: '0.3', of 0.4"):
            clspline.write(self.path('a.zarr'), self.image(5, 6), version='0.3')
        os.mkdir(self.path('b.zarr'))
        with self.assertRaisesRegex(clspline.ArgumentError, 'is there already'):
            clspline.write(self.path('b.zarr'), self.image(5, 6))
        with self.assertRaisesRegex(clspline.ArgumentError, 'b.zarr: no Zarr'):
            clspline.read(self.path('b.zarr'))
        zarr.open_group(self.path('c.zarr'), mode='w').create_group('plate')
        with self.assertRaisesRegex(clspline.ArgumentError, 'but a group of plate'):
            clspline.read(self.path('c.zarr'))


@needs('zarr', 'dask')
class Parts(Case):
    EXAMPLE = pathlib.Path(__file__).parent.parent.parent / 'examples' / 'python' / 'zarr_volume.py'

    def run_part(self, *args):
        return subprocess.Popen([sys.executable, self.EXAMPLE, self.path('in.zarr'),
                                 self.path('out.zarr'), *args], stdout=subprocess.DEVNULL)

    def test_processes(self):
        """A volume by three processes at once is that of one call, where it was."""
        image = self.image(40, 36, 50, directions=3, world=STRAIGHT, unit='micrometer')
        clspline.write(self.path('in.zarr'), image, chunks=(20, 18, 20))
        if self.run_part('1.5', '0/3').wait() == 77:
            self.skipTest('no zarr 3')
        self.assertFalse(clspline.read(self.path('out.zarr')).samples.any())
        running = [self.run_part('1.5', f'{part}/3') for part in (3, 1, 2)]
        self.assertEqual([each.wait() for each in running], [0, 0, 0])
        found, step = clspline.read(self.path('out.zarr')), 1 / 1.5
        np.testing.assert_array_equal(found.samples, clspline.ndimage.affine_transform(
            image.samples, [step] * 3, (step - 1) / 2, (60, 54, 75), mode='mirror'))
        for one, other, size in zip(image.world, found.world, (40, 36, 50)):
            ends = np.array([[-0.5], [size - 0.5]]), np.array([[-0.5], [1.5 * size - 0.5]])
            np.testing.assert_allclose(other[:-1].sum() * ends[1] + other[-1],
                                       one[:-1].sum() * ends[0] + one[-1])
        self.assertEqual(found.unit, 'micrometer')


@needs('pydicom')
class Dicom(Case):
    def put(self, name, values, position, series='1.2.3', **words):
        import pydicom
        found = pydicom.Dataset()
        found.file_meta = pydicom.dataset.FileMetaDataset()
        found.file_meta.TransferSyntaxUID = pydicom.uid.ExplicitVRLittleEndian
        found.SOPClassUID, found.SOPInstanceUID = pydicom.uid.CTImageStorage, '1.2.3.' + name
        found.SeriesInstanceUID = series
        found.Rows, found.Columns = values.shape
        found.SamplesPerPixel, found.PhotometricInterpretation = 1, 'MONOCHROME2'
        found.BitsAllocated = found.BitsStored = 16
        found.HighBit, found.PixelRepresentation = 15, 1
        found.PixelData = values.astype('<i2').tobytes()
        found.ImageOrientationPatient, found.ImagePositionPatient = [1, 0, 0, 0, 1, 0], position
        found.PixelSpacing, found.SliceThickness = [2, 0.5], 9
        for word, value in words.items():
            setattr(found, word, value)
        os.makedirs(self.path('series'), exist_ok=True)
        if pydicom.__version__ < '3':
            found.is_little_endian, found.is_implicit_VR = True, False
            pydicom.dcmwrite(self.path(f'series/{name}'), found, write_like_original=False)
        else:
            found.save_as(self.path(f'series/{name}'), enforce_file_format=True)

    def test_series(self):
        values = self.samples(3, 5, 6, dtype=np.int16)
        for name, at in ('2', 1), ('3', 0), ('1', 2):
            self.put(name, values[at], [10, 20, 30 + 4 * at])
        with open(self.path('series/notes.txt'), 'w') as file:
            file.write('no DICOM')
        found = clspline.read(self.path('series'))
        np.testing.assert_array_equal(found.samples, values)
        self.assertEqual((found.spacing, found.unit), ((4, 2, 0.5), 'millimeter'))
        np.testing.assert_allclose(found.world, [[4, 0, 0, 30], [0, -2, 0, -20], [0, 0, -0.5, -10]])
        self.put('4', values[0], [0, 0, 0], '9.9', RescaleSlope='0.5', RescaleIntercept='-100')
        with self.assertRaisesRegex(clspline.ArgumentError, 'series: one of 1.2.3, 9.9'):
            clspline.read(self.path('series'))
        found = clspline.read(self.path('series'), series='9.9')
        np.testing.assert_array_equal(found.samples[0], values[0] * 0.5 - 100)
        self.assertEqual(found.spacing, (9, 2, 0.5))
        with self.assertRaisesRegex(clspline.ArgumentError, 'no images of DICOM'):
            clspline.read(self.path('series'), series='7')
        self.put('5', values[0], [10, 20, 36], '9.9')
        self.put('6', values[0], [10, 20, 40], '9.9')
        with self.assertLogs('clspline', 'WARNING') as logs:
            clspline.read(self.path('series'), series='9.9')
        self.assertIn('slices are 4 to 36 apart', logs.output[0])
        self.put('7', values[0], [10, 20, 40], '9.9')
        with self.assertRaisesRegex(clspline.ArgumentError, 'series: several slices at one place'):
            clspline.read(self.path('series'), series='9.9')

    @needs('SimpleITK')
    def test_as_itk(self):
        """The place is that of ITK, of slices that are turned."""
        import SimpleITK
        turn = [0.6, 0.8, 0, 0, 0, -1]
        normal = np.cross(turn[:3], turn[3:])
        values = self.samples(3, 5, 6, dtype=np.int16)
        for at in range(3):
            self.put(str(at), values[at], list(np.round([1, 2, 3] + 4 * at * normal, 9)),
                     ImageOrientationPatient=turn)
        names = [self.path(f'series/{at}') for at in range(3)]
        SimpleITK.WriteImage(SimpleITK.ReadImage(names), self.path('a.mha'))
        found, image = clspline.read(self.path('a.mha')), clspline.read(self.path('series'))
        self.assert_same(found, image)


@needs('SimpleITK')
class Itk(Case):
    def test_written(self):
        turn = np.array([[0, 0, 3.0, -5], [0.5, 0, 0, 7], [0, 2.0, 0, 11]])
        for name in 'a.mha', 'a.nrrd':
            self.check(name, self.image(4, 5, 6, directions=3, dtype=np.float32, world=turn,
                                        unit='millimeter'))
        self.check('b.mha', self.image(4, 5, 6, 3, directions=3, channels='last', world=turn,
                                       unit='millimeter'))
        self.check('c.png', self.image(5, 6, 3, channels='last'))
        self.check('d.png', self.image(5, 6, dtype=np.uint16))
        with self.assertRaisesRegex(clspline.ArgumentError, 'one image or volume'):
            clspline.write(self.path('e.mha'), self.image(3, 5, 6))
        with self.assertRaisesRegex(clspline.ArgumentError, 'e.png'):
            clspline.write(self.path('e.png'), self.image(5, 6, dtype=np.float64))

    @needs('nibabel')
    def test_as_nifti(self):
        """ITK and nibabel agree where a volume is."""
        import SimpleITK
        clspline.write(self.path('a.nii'), self.image(4, 5, 6, directions=3, unit='millimeter',
                                                      world=[[0, 0, 3.0, -5], [0.5, 0, 0, 7],
                                                             [0, 2.0, 0, 11]]))
        SimpleITK.WriteImage(SimpleITK.ReadImage(self.path('a.nii')), self.path('a.mha'))
        self.assert_same(clspline.read(self.path('a.mha')), clspline.read(self.path('a.nii')))


class Meshes(Case):
    def solid(self):
        points = np.hstack([CUBE, self.rng.random((8, 1))])
        solid = clspline.Solid(points, [[0, 1, 3, 2, 4, 5, 7, 6]])
        solid.fields = {'density': slice(3, 4)}
        return solid

    def check_solid(self, name, **options):
        solid = self.solid()
        clspline.write(self.path(name), solid, **options)
        found = clspline.read(self.path(name), creases=None)
        np.testing.assert_allclose(found.points, solid.points, rtol=1e-10)
        np.testing.assert_array_equal(found.cells, solid.cells)
        self.assertEqual(found.fields, solid.fields)
        self.assertEqual(clspline.read(self.path(name), data=()).dim, 3)
        os.remove(self.path(name))
        clspline.write(self.path(name), solid, samples=3, **options)
        self.assertEqual(clspline.read(self.path(name)).num_cells, 8)

    @needs_fp64
    @needs('meshio')
    def test_solids(self):
        for name in 'a.vtu', 'a.vtk':
            self.check_solid(name)
        self.check_solid('b.vtu', binary=False)

    @needs_fp64
    @needs('h5py')
    def test_vtkhdf(self):
        import h5py
        self.check_solid('a.vtkhdf')
        with h5py.File(self.path('a.vtkhdf')) as file:
            grid = file['VTKHDF']
            self.assertEqual((grid.attrs['Type'], list(grid.attrs['Version'])),
                             (b'UnstructuredGrid', [1, 0]))
            self.assertEqual(grid['Offsets'][:].tolist(), list(range(0, 65, 8)))
            self.assertEqual(set(grid['Types'][:]), {12})
            self.assertEqual(grid['CellData/cell'][:].tolist(), [0] * 8)
            self.assertEqual(grid['NumberOfConnectivityIds'][:].tolist(), [64])

    @needs('h5py')
    def test_partitions(self):
        """Cells of several types, in partitions, of which one is empty."""
        import h5py
        with h5py.File(self.path('a.vtkhdf'), 'w') as file:
            grid = file.create_group('VTKHDF')
            grid.attrs['Type'] = np.bytes_('UnstructuredGrid')
            tetra, wedge = CUBE[[0, 1, 2, 4]], CUBE[[0, 1, 2, 4, 5, 6]] + [5, 0, 0]
            for name, values in {
                    'NumberOfPoints': [4, 0, 6], 'NumberOfCells': [1, 0, 1],
                    'NumberOfConnectivityIds': [4, 0, 6], 'Points': np.vstack([tetra, wedge]),
                    'Connectivity': [*range(4), *range(6)], 'Offsets': [0, 4, 0, 0, 6],
                    'Types': np.uint8([10, 13])}.items():
                grid[name] = values
        found = clspline.read(self.path('a.vtkhdf'))
        self.assertEqual((found.num_cells, len(found.points)), (2, 10))
        with h5py.File(self.path('b.vtkhdf'), 'w') as file:
            file.create_group('VTKHDF').attrs['Type'] = np.bytes_('PolyData')
        with self.assertRaisesRegex(clspline.ArgumentError, 'VTKHDF of PolyData'):
            clspline.read(self.path('b.vtkhdf'))
        with h5py.File(self.path('c.hdf'), 'w'), \
                self.assertRaisesRegex(clspline.ArgumentError, 'of no grid'):
            clspline.read(self.path('c.hdf'))

    @needs('h5py', 'meshio')
    def test_of_meshio(self):
        """Meshes of meshio are written as they are."""
        import h5py
        import meshio
        mesh = meshio.Mesh(CUBE, [('triangle', [[0, 1, 2]]), ('hexahedron', [[0, 1, 3, 2, 4, 5, 7,
                                                                             6]])],
                           point_data={'a': np.arange(8)}, cell_data={'b': [[1], [2]]})
        clspline.write(self.path('a.vtkhdf'), mesh)
        with h5py.File(self.path('a.vtkhdf')) as file:
            self.assertEqual(file['VTKHDF/CellData/b'][:].tolist(), [1, 2])
            self.assertEqual(file['VTKHDF/Types'][:].tolist(), [5, 12])
            self.assertEqual(file['VTKHDF/Offsets'][:].tolist(), [0, 3, 11])
        mesh.point_data['a/b'] = np.arange(8)
        with self.assertRaisesRegex(clspline.ArgumentError, "cannot be named 'a/b'"):
            clspline.write(self.path('a.vtkhdf'), mesh)
        with self.assertRaisesRegex(clspline.ArgumentError, 'does not take hexahedron20'):
            clspline.write(self.path('a.vtkhdf'), meshio.Mesh(
                np.zeros((20, 3)), [('hexahedron20', [list(range(20))])]))

    @needs('meshio')
    def test_splines(self):
        """Splines become lines, triangles and hexahedra, which are splines of degree 1."""
        surface = clspline.Bezier(self.rng.random((4, 4, 3)))
        clspline.write(self.path('a.ply'), surface, samples=5)
        found = clspline.read(self.path('a.ply'))
        self.assertEqual((found.form, found.degree, found.num_patches), ('triangle', (1,), 32))
        corners = np.unique(found.control.reshape(-1, 3), axis=0)
        np.testing.assert_allclose(corners, np.unique(surface.evaluate(5).reshape(-1, 3), axis=0))
        curves = clspline.BSpline(None, self.rng.random((2, 6, 2)), 3)
        clspline.write(self.path('b.vtu'), curves)
        found = clspline.read(self.path('b.vtu'))
        self.assertEqual((found.form, found.num_patches), ('curve', 30))
        np.testing.assert_allclose(found.control[15, 0], [*curves.evaluate(2)[1, 0], 0])
        volume = clspline.Bezier(CUBE.reshape(2, 2, 2, 3), 'volume')
        clspline.write(self.path('c.vtu'), volume, samples=(2, 3, 4))
        self.assertEqual(clspline.read(self.path('c.vtu')).num_cells, 6)
        with self.assertRaisesRegex(clspline.ArgumentError, 'points of 4 coordinates'):
            clspline.write(self.path('d.vtu'), clspline.Bezier(np.zeros((2, 2, 4))))
        for wrong in np.zeros((2, 2)), 'no':
            with self.assertRaisesRegex(clspline.ArgumentTypeError, 'meshio.Mesh is written'):
                clspline.write(self.path('d.vtu'), wrong)
        with self.assertRaisesRegex(clspline.ArgumentError, 'no format that is written'):
            clspline.write(self.path('d.what'), surface)

    @needs('meshio')
    def test_quads(self):
        import meshio
        quad = [('quad', [[0, 1, 3, 2]]), ('line', [[0, 1]])]
        meshio.Mesh(CUBE, quad).write(self.path('a.vtk'))
        found = clspline.read(self.path('a.vtk'))
        self.assertEqual((found.form, found.degree), ('surface', (1, 1)))
        np.testing.assert_array_equal(found.at([[0, 0], [1, 0], [0, 1]], 0), CUBE[[0, 1, 2]])
        for cells, words in ((quad + [('triangle', [[0, 1, 2]])], 'two forms'),
                             ([('vertex', [[0]])], 'but vertex')):
            meshio.Mesh(CUBE, cells).write(self.path('a.vtk'))
            with self.assertRaisesRegex(clspline.ArgumentError, words):
                clspline.read(self.path('a.vtk'))


@needs('OCP')
class Cad(Case):
    @needs_fp64
    def test_step(self):
        """A sphere and a box have their surfaces, by whichever format."""
        from OCP.BRepPrimAPI import BRepPrimAPI_MakeBox, BRepPrimAPI_MakeSphere
        from OCP.IGESControl import IGESControl_Writer
        from OCP.STEPControl import STEPControl_StepModelType, STEPControl_Writer
        shapes = BRepPrimAPI_MakeBox(1.0, 2.0, 3.0).Shape(), BRepPrimAPI_MakeSphere(5.0).Shape()
        step, iges = STEPControl_Writer(), IGESControl_Writer()
        for shape in shapes:
            step.Transfer(shape, STEPControl_StepModelType.STEPControl_AsIs)
            iges.AddShape(shape)
        step.Write(self.path('a.step'))
        iges.Write(self.path('a.igs'))
        for name in 'a.step', 'a.igs':
            found = clspline.read(self.path(name))
            self.assertEqual(sum(each.num_patches for each in found), 7)
            sphere = next(each for each in found if each.rational)
            radius = np.linalg.norm(sphere.evaluate(9), axis=-1)
            np.testing.assert_allclose(radius, 5, rtol=1e-9)

    @needs_fp64
    def test_curves(self):
        from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeEdge, BRepBuilderAPI_MakeVertex
        from OCP.STEPControl import STEPControl_StepModelType, STEPControl_Writer
        from OCP.gp import gp_Circ, gp_Pnt
        circle = gp_Circ()
        circle.SetRadius(3.0)
        edges = (BRepBuilderAPI_MakeEdge(gp_Pnt(0, 0, 1), gp_Pnt(2, 0, 1)).Shape(),
                 BRepBuilderAPI_MakeEdge(circle).Shape())
        for name, shapes in (('a.stp', edges), ('b.stp', [BRepBuilderAPI_MakeVertex(
                gp_Pnt(0, 0, 0)).Shape()])):
            step = STEPControl_Writer()
            for shape in shapes:
                step.Transfer(shape, STEPControl_StepModelType.STEPControl_AsIs)
            step.Write(self.path(name))
        line, circle = sorted(clspline.read(self.path('a.stp')), key=lambda each: each.rational)
        np.testing.assert_allclose(line.evaluate(2)[0], [[0, 0, 1], [2, 0, 1]], atol=1e-12)
        np.testing.assert_allclose(np.linalg.norm(circle.evaluate(9)[0], axis=-1), 3, rtol=1e-12)
        with self.assertRaisesRegex(clspline.Error, 'b.stp'):
            clspline.read(self.path('b.stp'))


if __name__ == '__main__':
    unittest.main()
