#include "vtk_hdf.h"

#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "utf8.h"
#include "vtu.h"

#if IO_HAS_HDF5
#include <hdf5.h>
#endif

bool vtk_hdf_is_built(const char *name, io_message *message)
{
    return IO_HAS_HDF5 ||
           io_fail(message, "%s: clspline was built without libhdf5, which this format needs",
                   name);
}

void vtk_hdf_clear(vtk_hdf *h)
{
    free(h->at);
    free(h->gaps);
    free(h->bytes);
    *h = (vtk_hdf){.at = NULL};
}

#if IO_HAS_HDF5

/* A head that is being made. */
typedef struct hdf_work {
    const vtu_shape *s;
    vtk_hdf *h;
    uint64_t *sizes;  /* [arrays] bytes */
    size_t num;       /* arrays that are there */
    char name[128];   /* of the data that are being added; empty: of none */
    char reason[256]; /* why the library has failed; empty: it has not */
    hid_t file, group, of_group, of_array;
} hdf_work;

/* ---- the library ---- */

static herr_t take_reason(unsigned number, const H5E_error2_t *error, void *user)
{
    hdf_work *w = user;
    if (number == 0) utf8_copy(w->reason, error->desc ? error->desc : "", sizeof(w->reason));
    return 0;
}

/* Keeps the innermost reason of the first call that fails. */
static herr_t note_error(hid_t stack, void *user)
{
    hdf_work *w = user;
    if (!w->reason[0]) H5Ewalk2(stack, H5E_WALK_UPWARD, take_reason, w);
    return 0;
}

/* Describes how groups and arrays are stored: without times, so that a head is the same bytes
   whenever it is made, and with room for all values, of which none is written. */
static bool describe_objects(hdf_work *w)
{
    w->of_group = H5Pcreate(H5P_GROUP_CREATE);
    w->of_array = H5Pcreate(H5P_DATASET_CREATE);
    return w->of_group >= 0 && w->of_array >= 0 &&
           H5Pset_obj_track_times(w->of_group, false) >= 0 &&
           H5Pset_obj_track_times(w->of_array, false) >= 0 &&
           H5Pset_layout(w->of_array, H5D_CONTIGUOUS) >= 0 &&
           H5Pset_alloc_time(w->of_array, H5D_ALLOC_TIME_EARLY) >= 0 &&
           H5Pset_fill_time(w->of_array, H5D_FILL_TIME_NEVER) >= 0;
}

/* Makes the file at a path, with the group that all is in. */
static bool open_file(hdf_work *w, const char *path)
{
    const hid_t create = H5Pcreate(H5P_FILE_CREATE), access = H5Pcreate(H5P_FILE_ACCESS);
    bool done = create >= 0 && access >= 0 && H5Pset_obj_track_times(create, false) >= 0 &&
                H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18) >= 0 &&
                /* an output has its temporary file locked */
                H5Pset_file_locking(access, false, true) >= 0;
    if (done) w->file = H5Fcreate(path, H5F_ACC_TRUNC, create, access);
    if (create >= 0) H5Pclose(create);
    if (access >= 0) H5Pclose(access);
    done = done && w->file >= 0;
    if (done) w->group = H5Gcreate2(w->file, "VTKHDF", H5P_DEFAULT, w->of_group, H5P_DEFAULT);
    return done && w->group >= 0;
}

/* Adds an attribute to the group, and closes its space. of_values: the type that they have here. */
static bool add_attribute(const hdf_work *w, const char *name, hid_t space, hid_t type,
                          hid_t of_values, const void *values)
{
    const hid_t a =
        space >= 0 ? H5Acreate2(w->group, name, type, space, H5P_DEFAULT, H5P_DEFAULT) : -1;
    const bool done = a >= 0 && H5Awrite(a, of_values, values) >= 0;
    if (a >= 0) H5Aclose(a);
    if (space >= 0) H5Sclose(space);
    return done;
}

/* Readers want a text of fixed length for the type. 1.0 is what all of them know; a grid without
   partitions is the same in 2.0. */
static bool add_attributes(const hdf_work *w)
{
    static const char grid[] = "UnstructuredGrid";
    static const int version[2] = {1, 0};
    const hsize_t two = 2;
    const hid_t text = H5Tcopy(H5T_C_S1);
    const bool done = text >= 0 && H5Tset_size(text, sizeof(grid) - 1) >= 0 &&
                      H5Tset_strpad(text, H5T_STR_NULLPAD) >= 0 &&
                      add_attribute(w, "Version", H5Screate_simple(1, &two, NULL), H5T_STD_I64LE,
                                    H5T_NATIVE_INT, version) &&
                      add_attribute(w, "Type", H5Screate(H5S_SCALAR), text, text, grid);
    if (text >= 0) H5Tclose(text);
    return done;
}

/* Adds an array to a group. columns: 0 of numbers in a row. */
static hid_t open_array(const hdf_work *w, hid_t group, const char *name, hid_t type, uint64_t rows,
                        uint32_t columns)
{
    const hsize_t sizes[2] = {rows, columns};
    const hid_t space = H5Screate_simple(columns > 0 ? 2 : 1, sizes, NULL);
    if (space < 0) return -1;
    const hid_t array = H5Dcreate2(group, name, type, space, H5P_DEFAULT, w->of_array, H5P_DEFAULT);
    H5Sclose(space);
    return array;
}

/* Adds the array that comes next, and notes where its values are to be. */
static bool add_array(hdf_work *w, hid_t group, const char *name, hid_t type, uint64_t rows,
                      uint32_t columns)
{
    const hid_t array = open_array(w, group, name, type, rows, columns);
    if (array < 0) return false;
    const haddr_t at = H5Dget_offset(array);
    w->sizes[w->num] = at == HADDR_UNDEF ? 0 : H5Dget_storage_size(array);
    w->h->at[w->num++] = at == HADDR_UNDEF ? 0 : at;
    return H5Dclose(array) >= 0;
}

/* Adds one of the numbers that a grid begins with. */
static bool add_count(const hdf_work *w, const char *name, uint64_t count)
{
    const hid_t array = open_array(w, w->group, name, H5T_STD_I64LE, 1, 0);
    const bool done = array >= 0 && H5Dwrite(array, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL,
                                             H5P_DEFAULT, &count) >= 0;
    if (array >= 0) H5Dclose(array);
    return done;
}

static hid_t type_of(const vtu_shape *s, vtu_number number)
{
    if (number == VTU_INT32) return H5T_STD_I32LE;
    if (number == VTU_INT64) return H5T_STD_I64LE;
    return s->precision == MESH_F32 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
}

/* Adds a group with data of points or cells. */
static bool add_fields(hdf_work *w, const char *name, const vtu_field *fields, size_t num,
                       uint64_t rows)
{
    const hid_t group = H5Gcreate2(w->group, name, H5P_DEFAULT, w->of_group, H5P_DEFAULT);
    bool done = group >= 0;
    for (size_t i = 0; done && i < num; i++) {
        const uint32_t columns = fields[i].components;
        utf8_copy(w->name, fields[i].name, sizeof(w->name));
        done = add_array(w, group, w->name, type_of(w->s, fields[i].number), rows,
                         columns > 1 ? columns : 0);
    }
    if (done) w->name[0] = 0;
    if (group >= 0) H5Gclose(group);
    return done;
}

static bool add_all(hdf_work *w)
{
    const vtu_shape *s = w->s;
    const uint64_t points = s->num_cells * s->cell_points;
    const hid_t place = vtu_place_bytes(s) == 4 ? H5T_STD_I32LE : H5T_STD_I64LE;
    return add_attributes(w) && add_count(w, "NumberOfPoints", s->num_points) &&
           add_count(w, "NumberOfCells", s->num_cells) &&
           add_count(w, "NumberOfConnectivityIds", points) &&
           add_array(w, w->group, "Points", type_of(s, VTU_REAL), s->num_points, 3) &&
           add_fields(w, "PointData", s->fields, s->num_fields, s->num_points) &&
           add_fields(w, "CellData", s->cell_fields, s->num_cell_fields, s->num_cells) &&
           add_array(w, w->group, "Connectivity", place, points, 0) &&
           add_array(w, w->group, "Offsets", place, s->num_cells + 1, 0) &&
           add_array(w, w->group, "Types", H5T_STD_U8LE, s->num_cells, 0);
}

/* Closes what is open. False where the file could not be written. */
static bool close_all(hdf_work *w)
{
    if (w->group >= 0) H5Gclose(w->group);
    if (w->of_group >= 0) H5Pclose(w->of_group);
    if (w->of_array >= 0) H5Pclose(w->of_array);
    return w->file < 0 || H5Fclose(w->file) >= 0;
}

/* Makes the file, with the library's messages kept from standard error. */
static bool make_file(hdf_work *w, const char *path)
{
    H5E_auto2_t report = NULL;
    void *user = NULL;
    H5Eget_auto2(H5E_DEFAULT, &report, &user);
    H5Eset_auto2(H5E_DEFAULT, note_error, w);
    bool done = describe_objects(w) && open_file(w, path) && add_all(w);
    done = close_all(w) && done;
    H5Eset_auto2(H5E_DEFAULT, report, user);
    return done;
}

/* ---- what is no array's ---- */

/* Appends the bytes of a gap. */
static bool read_gap(vtk_hdf *h, FILE *file, vtk_hdf_gap gap, size_t *filled)
{
    unsigned char *bytes = realloc(h->bytes, *filled + (size_t)gap.count);
    if (!bytes) return false;
    h->bytes = bytes;
    h->gaps[h->num_gaps++] = gap;
    if (fseeko(file, (off_t)gap.at, SEEK_SET) != 0 ||
        fread(bytes + *filled, 1, (size_t)gap.count, file) != gap.count)
        return false;
    *filled += (size_t)gap.count;
    return true;
}

/* Reads all bytes between arrays, which may be in any order. */
static bool read_gaps(hdf_work *w, FILE *file)
{
    vtk_hdf *h = w->h;
    size_t filled = 0;
    if (fseeko(file, 0, SEEK_END) != 0) return false;
    const uint64_t bytes = (uint64_t)ftello(file);
    h->at[w->num] = bytes;
    for (uint64_t at = 0, next = 0, end = 0; at < bytes; at = end) {
        next = end = bytes;
        for (size_t i = 0; i < w->num; i++) {
            if (w->sizes[i] == 0 || h->at[i] < at || h->at[i] >= next) continue;
            next = h->at[i];
            end = next + w->sizes[i];
        }
        if (next > at && !read_gap(h, file, (vtk_hdf_gap){at, next - at}, &filled)) return false;
    }
    return true;
}

/* Makes the head in the temporary file of an output. */
static bool make_head(hdf_work *w, const output *out)
{
    if (!make_file(w, out->temporary))
        return io_fail(out->message, "%s: cannot write%s%s: libhdf5: %s", out->name,
                       w->name[0] ? " data named " : "", w->name, w->reason);
    FILE *const file = fopen(out->temporary, "rb");
    const bool done = (file && read_gaps(w, file)) ||
                      io_fail_errno(out->message, out->name, "cannot read its head");
    if (file) fclose(file);
    return done;
}

/* Refuses names that a group of HDF5 cannot have. */
static bool check_names(const vtu_field *fields, size_t num, const char *path, io_message *message)
{
    for (size_t i = 0; i < num; i++) {
        const char *name = fields[i].name;
        if (!name[0] || strcmp(name, ".") == 0 || strchr(name, '/'))
            return io_fail(message, "%s: data cannot be named '%s' in VTKHDF", path, name);
    }
    return true;
}

bool vtk_hdf_make(vtk_hdf *h, const vtu_shape *s, const char *path, io_message *message)
{
    const size_t arrays = s->num_fields + s->num_cell_fields + 4;
    hdf_work w = {.s = s, .h = h, .file = -1, .group = -1, .of_group = -1, .of_array = -1};
    output out;
    *h = (vtk_hdf){.at = malloc((arrays + 1) * sizeof(*h->at)),
                   .gaps = malloc((arrays + 1) * sizeof(*h->gaps))};
    w.sizes = malloc(arrays * sizeof(*w.sizes));
    bool done = (h->at && h->gaps && w.sizes) || io_fail(message, "not enough memory");
    done = done && check_names(s->fields, s->num_fields, path, message) &&
           check_names(s->cell_fields, s->num_cell_fields, path, message) &&
           output_open(&out, path, message);
    if (done) {
        done = make_head(&w, &out);
        output_close(&out, false);
    }
    free(w.sizes);
    if (!done) vtk_hdf_clear(h);
    return done;
}

#else

bool vtk_hdf_make(vtk_hdf *h, const vtu_shape *s, const char *path, io_message *message)
{
    (void)h;
    (void)s;
    return vtk_hdf_is_built(path, message);
}

#endif
