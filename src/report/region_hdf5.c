/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "region_report.h"

#ifndef NOSLIP_HDF5

noslip_status region_hdf5(const noslip_region *r, char **bytes, size_t *n, noslip_error *err)
{
    (void)r;
    (void)err;
    *bytes = NULL;
    *n = 0;
    return NOSLIP_OK;
}

#else

#include <hdf5.h>
#include <math.h>
#include <string.h>

#include "alloc.h"
#include "hash.h"
#include "region.h"

/* The file is made in memory and written by ours: a full disk is then no matter of HDF5's. `failed` stays set once anything went
 * wrong, and it is enough to look at it at the end; with negative handles the library's functions do nothing but fail. */
typedef struct {
    hid_t file;
    bool failed;
} store;

static void must(store *h, bool good)
{
    if (!good) h->failed = true;
}

/* Attributes */

static hid_t string_type(void)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

/* n strings, or one by itself if n is 0. */
static void put_strings(store *h, hid_t object, const char *name, const char *const *strings,
                        size_t n)
{
    const hsize_t size = n;
    hid_t type = string_type(),
          space = n ? H5Screate_simple(1, &size, NULL) : H5Screate(H5S_SCALAR);
    hid_t a = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    must(h, a >= 0 && H5Awrite(a, type, strings) >= 0);
    H5Aclose(a);
    H5Sclose(space);
    H5Tclose(type);
}

static void put_words(store *h, hid_t object, const char *name, const char *words)
{
    if (words) put_strings(h, object, name, &words, 0);
}

static void put_count(store *h, hid_t object, const char *name, size_t count)
{
    const unsigned long long number = count;
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t a = H5Acreate2(object, name, H5T_STD_U32LE, space, H5P_DEFAULT, H5P_DEFAULT);
    must(h, a >= 0 && H5Awrite(a, H5T_NATIVE_ULLONG, &number) >= 0);
    H5Aclose(a);
    H5Sclose(space);
}

/* Groups and datasets. They carry no times: two runs make the same file. */

static hid_t open_group(store *h, hid_t in, const char *name)
{
    hid_t plist = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_obj_track_times(plist, 0);
    hid_t group = H5Gcreate2(in, name, H5P_DEFAULT, plist, H5P_DEFAULT);
    must(h, group >= 0);
    H5Pclose(plist);
    return group;
}

enum { CHUNK = 128 };

/* Of `rank` 0 to 2. A large one is compressed, by chunks; `fill` (may be NULL) is what stands where nothing was written. */
static hid_t open_set(store *h, hid_t in, const char *name, hid_t type, int rank,
                      const hsize_t *size, const double *fill)
{
    static const hsize_t most[3][2] = {{0}, {CHUNK * CHUNK}, {CHUNK, CHUNK}};
    hsize_t chunk[2] = {1, 1};
    bool large = fill != NULL;
    hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    for (int k = 0; k < rank; k++) {
        chunk[k] = size[k] < most[rank][k] ? size[k] : most[rank][k];
        large = large || size[k] > CHUNK;
    }
    H5Pset_obj_track_times(plist, 0);
    if (rank && large && chunk[0] && chunk[1]) {
        H5Pset_chunk(plist, rank, chunk);
        H5Pset_deflate(plist, 4);
    }
    if (fill) H5Pset_fill_value(plist, H5T_NATIVE_DOUBLE, fill);
    hid_t space = rank ? H5Screate_simple(rank, size, NULL) : H5Screate(H5S_SCALAR);
    hid_t set = H5Dcreate2(in, name, type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    must(h, set >= 0);
    H5Sclose(space);
    H5Pclose(plist);
    return set;
}

static hid_t put_doubles(store *h, hid_t in, const char *name, int rank, const hsize_t *size,
                         const double *numbers)
{
    hid_t set = open_set(h, in, name, H5T_IEEE_F64LE, rank, size, NULL);
    bool empty = rank && (!size[0] || (rank > 1 && !size[1]));
    if (!empty)
        must(h, H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0);
    return set;
}

/* What the file is about */

static void put_parameters(store *h, const noslip_case *c)
{
    hid_t group = open_group(h, h->file, "parameters");
    for (size_t k = 0; k < noslip_case_parameter_count(c); k++) {
        double x = noslip_case_parameter_value(c, k);
        hid_t set = put_doubles(h, group, noslip_case_parameter_name(c, k), 0, NULL, &x);
        put_words(h, set, "unit", noslip_case_parameter_unit(c, k));
        put_words(h, set, "about", noslip_case_parameter_about(c, k));
        H5Dclose(set);
    }
    H5Gclose(group);
}

/* The text of a case may be larger than an attribute. */
static void put_case(store *h, const noslip_case *c)
{
    char hash[HASH_ROOM];
    const char *words = c->bytes;
    hid_t type = string_type();
    hid_t set = open_set(h, h->file, "case_text", type, 0, NULL, NULL);
    must(h, H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &words) >= 0);
    H5Dclose(set);
    H5Tclose(type);
    hash_of(c->bytes, c->src.size, hash);
    put_words(h, h->file, "case_sha256", hash);
    put_words(h, h->file, "version", NOSLIP_VERSION);
    put_words(h, h->file, "title", noslip_case_title(c));
    put_words(h, h->file, "file", noslip_case_file(c));
}

static void put_axis(store *h, const noslip_region *r, const char *name, int axis)
{
    noslip_region_info i = noslip_region_about(r);
    const hsize_t n = i.nodes[axis];
    double *x = noslip_malloc(n * sizeof *x);
    must(h, x);
    if (!x) return;
    for (size_t k = 0; k < n; k++)
        x[k] = axis ? noslip_region_at(r, 0, 0, k).y : noslip_region_at(r, 0, k, 0).x;
    hid_t set = put_doubles(h, h->file, name, 1, &n, x);
    put_words(h, set, "parameter", i.parameter[axis]);
    put_words(h, set, "unit", noslip_case_parameter_unit(r->m->c, r->p->parameter[axis]));
    H5Dclose(set);
    noslip_free(x);
}

/* Fields: a number for each node of the lattice, [j][i]. Where nothing is known there is no chunk, and the file stays small. */

typedef double field(const noslip_region_point *t);

static double verdict_at(const noslip_region_point *t)
{
    return t->kind;
}

static double abscissa_at(const noslip_region_point *t)
{
    return t->evaluated && t->kind != NOSLIP_POINT_NONE ? t->abscissa : (double)NAN;
}

static double frequency_at(const noslip_region_point *t)
{
    return t->evaluated && t->kind != NOSLIP_POINT_NONE ? t->frequency : (double)NAN;
}

/* One chunk from node (i, j) on; `size` is [rows, columns]. */
static void put_chunk(store *h, hid_t set, hid_t space, const hsize_t from[2],
                      const hsize_t size[2], const double *numbers)
{
    hid_t here = H5Screate_simple(2, size, NULL);
    must(h, H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, size, NULL) >= 0 &&
                H5Dwrite(set, H5T_NATIVE_DOUBLE, here, space, H5P_DEFAULT, numbers) >= 0);
    H5Sclose(here);
}

static bool take_chunk(const noslip_region *r, size_t sheet_number, field *f, const hsize_t from[2],
                       const hsize_t size[2], double *numbers)
{
    bool any = false;
    for (size_t j = 0; j < size[0]; j++)
        for (size_t i = 0; i < size[1]; i++) {
            noslip_region_point t = noslip_region_at(r, sheet_number, from[1] + i, from[0] + j);
            double x = f(&t);
            *numbers++ = x;
            any = any || !isnan(x);
        }
    return any;
}

static hsize_t smaller(hsize_t a, hsize_t b)
{
    return a < b ? a : b;
}

static hid_t put_field(store *h, hid_t in, const char *name, hid_t type, const double *fill,
                       const noslip_region *r, size_t sheet_number, field *f)
{
    noslip_region_info about = noslip_region_about(r);
    const hsize_t all[2] = {about.nodes[1], about.nodes[0]};
    hid_t set = open_set(h, in, name, type, 2, all, fill), space = H5Dget_space(set);
    double *numbers = noslip_malloc(CHUNK * CHUNK * sizeof *numbers);
    must(h, numbers);
    hsize_t from[2];
    for (from[0] = 0; numbers && from[0] < all[0]; from[0] += CHUNK)
        for (from[1] = 0; from[1] < all[1]; from[1] += CHUNK) {
            const hsize_t size[2] = {smaller(all[0] - from[0], CHUNK),
                                     smaller(all[1] - from[1], CHUNK)};
            if (take_chunk(r, sheet_number, f, from, size, numbers))
                put_chunk(h, set, space, from, size, numbers);
        }
    noslip_free(numbers);
    H5Sclose(space);
    return set;
}

static void put_fields(store *h, hid_t group, const noslip_region *r, size_t sheet_number)
{
    static const double unknown = NOSLIP_POINT_UNKNOWN, nothing = (double)NAN;
    const char *meanings[NOSLIP_POINT_KINDS];
    for (int k = 0; k < NOSLIP_POINT_KINDS; k++) meanings[k] = region_kind((noslip_point_kind)k);
    hid_t set = put_field(h, group, "verdict", H5T_STD_U8LE, &unknown, r, sheet_number, verdict_at);
    put_strings(h, set, "meanings", meanings, NOSLIP_POINT_KINDS);
    H5Dclose(set);
    set = put_field(h, group, "abscissa", H5T_IEEE_F64LE, &nothing, r, sheet_number, abscissa_at);
    put_words(h, set, "unit", "1/s");
    H5Dclose(set);
    set = put_field(h, group, "frequency", H5T_IEEE_F64LE, &nothing, r, sheet_number, frequency_at);
    put_words(h, set, "unit", "Hz");
    H5Dclose(set);
}

/* Nodes whose states and roots are known */

typedef struct {
    ARRAY(double) index, states, re, im;
    size_t n;
} node_list;

static bool take_node(node_list *l, const noslip_region *r, size_t sheet_number, size_t i, size_t j)
{
    noslip_sheet_info s = noslip_region_sheet(r, sheet_number);
    bool good = array_push(&l->index, (double)i) && array_push(&l->index, (double)j);
    for (size_t k = 0; k < s.states; k++)
        good = good && array_push(&l->states, noslip_region_state(r, sheet_number, i, j, k));
    for (size_t k = 0; k < s.roots; k++) {
        noslip_root e = noslip_region_root(r, sheet_number, i, j, k);
        good = good && array_push(&l->re, e.re) && array_push(&l->im, e.im);
    }
    l->n++;
    return good;
}

static void put_states(store *h, hid_t group, const noslip_region *r, const node_list *l, size_t n)
{
    const hsize_t size[2] = {l->n, n};
    const char **names = noslip_calloc(n + 1, sizeof *names);
    hid_t set = put_doubles(h, group, "states", 2, size, l->states.at);
    must(h, names);
    for (size_t k = 0; names && k < n; k++) names[k] = noslip_model_state(r->m, k);
    if (names) put_strings(h, set, "names", names, n);
    H5Dclose(set);
    noslip_free(names);
}

static void put_nodes(store *h, hid_t in, const noslip_region *r, size_t sheet_number)
{
    noslip_region_info about = noslip_region_about(r);
    noslip_sheet_info s = noslip_region_sheet(r, sheet_number);
    node_list l = {0};
    for (size_t j = 0; j < about.nodes[1]; j++)
        for (size_t i = 0; i < about.nodes[0]; i++)
            if (region_has_numbers(r, sheet_number, i, j))
                must(h, take_node(&l, r, sheet_number, i, j));
    hid_t group = open_group(h, in, "nodes");
    const hsize_t pairs[2] = {l.n, 2}, roots[2] = {l.n, s.roots};
    hid_t set = open_set(h, group, "index", H5T_STD_U32LE, 2, pairs, NULL);
    if (l.n && !h->failed)
        must(h, H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, l.index.at) >= 0);
    H5Dclose(set);
    if (!h->failed) {
        put_states(h, group, r, &l, s.states);
        H5Dclose(put_doubles(h, group, "roots_re", 2, roots, l.re.at));
        H5Dclose(put_doubles(h, group, "roots_im", 2, roots, l.im.at));
    }
    H5Gclose(group);
    array_free(&l.index);
    array_free(&l.states);
    array_free(&l.re);
    array_free(&l.im);
}

/* Curves: a group each, `1` and so on. */

static void put_curve(store *h, hid_t in, const noslip_region *r, size_t sheet_number, size_t k)
{
    static const char *const names[3] = {"x", "y", "frequency"};
    char number[24];
    noslip_curve c = noslip_region_curve(r, sheet_number, k);
    const hsize_t n = c.points;
    double *rows = noslip_malloc(3 * n * sizeof *rows);
    must(h, rows);
    if (!rows) return;
    for (size_t p = 0; p < n; p++) {
        noslip_curve_point at = noslip_region_curve_point(r, sheet_number, k, p);
        rows[p] = at.x;
        rows[n + p] = at.y;
        rows[2 * n + p] = at.frequency;
    }
    snprintf(number, sizeof number, "%zu", k + 1);
    hid_t group = open_group(h, in, number);
    put_words(h, group, "kind", region_boundary(c.kind));
    put_count(h, group, "closed", c.closed);
    for (int row = 0; row < 3; row++)
        H5Dclose(put_doubles(h, group, names[row], 1, &n, rows + row * n));
    H5Gclose(group);
    noslip_free(rows);
}

static void put_sheet(store *h, const noslip_region *r, size_t number)
{
    char name[32];
    noslip_sheet_info i = noslip_region_sheet(r, number);
    snprintf(name, sizeof name, "sheet%zu", number + 1);
    hid_t group = open_group(h, h->file, name), in = open_group(h, group, "curves");
    put_count(h, group, "manifold_dimension", i.manifold);
    put_count(h, group, "holonomic_levels", i.levels);
    put_fields(h, group, r, number);
    put_nodes(h, group, r, number);
    for (size_t k = 0; k < i.curves; k++) put_curve(h, in, r, number, k);
    H5Gclose(in);
    H5Gclose(group);
}

static void put_all(store *h, const noslip_region *r)
{
    noslip_region_info i = noslip_region_about(r);
    put_case(h, r->m->c);
    put_parameters(h, r->m->c);
    put_count(h, h->file, "adaptive", i.adaptive);
    put_count(h, h->file, "sheets", i.sheets);
    put_axis(h, r, "x", 0);
    put_axis(h, r, "y", 1);
    for (size_t k = 0; k < i.sheets; k++) put_sheet(h, r, k);
}

static void take_image(store *h, char **bytes, size_t *n)
{
    must(h, H5Fflush(h->file, H5F_SCOPE_GLOBAL) >= 0);
    ssize_t size = h->failed ? -1 : H5Fget_file_image(h->file, NULL, 0);
    *bytes = size > 0 ? noslip_malloc((size_t)size) : NULL;
    *n = *bytes ? (size_t)size : 0;
    must(h, *bytes && H5Fget_file_image(h->file, *bytes, *n) == size);
}

static hid_t open_in_memory(void)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), create = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_fapl_core(access, 1 << 20, 0);
    H5Pset_obj_track_times(create, 0);
    hid_t file = H5Fcreate("region.h5", H5F_ACC_TRUNC, create, access);
    H5Pclose(create);
    H5Pclose(access);
    return file;
}

noslip_status region_hdf5(const noslip_region *r, char **bytes, size_t *n, noslip_error *err)
{
    H5E_auto2_t print;
    void *user;
    *bytes = NULL;
    H5Eget_auto2(H5E_DEFAULT, &print, &user);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* the library never prints */
    store h = {.file = open_in_memory()};
    h.failed = h.file < 0;
    if (!h.failed) put_all(&h, r);
    if (!h.failed) take_image(&h, bytes, n);
    if (h.file >= 0) H5Fclose(h.file);
    H5Eset_auto2(H5E_DEFAULT, print, user);
    if (!h.failed) return NOSLIP_OK;
    noslip_free(*bytes);
    *bytes = NULL;
    return noslip_fail(err, NOSLIP_ERR_FILE,
                       "HDF5 cannot make the file, for want of memory perhaps");
}

#endif
