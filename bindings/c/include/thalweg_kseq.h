/* SPDX-License-Identifier: MIT OR Apache-2.0 */

/**
 * @file
 * What programs that were written for kseq.h call, by thalweg: they include this file in the place of kseq.h.
 *
 *     #include <zlib.h>
 *     #include "thalweg_kseq.h"           // was: #include "kseq.h"
 *     KSEQ_INIT(gzFile, gzread)
 *     gzFile file = gzopen(path, "r");
 *     kseq_t *read = kseq_init(file);
 *     while (kseq_read(read) >= 0) puts(read->name.s);
 *
 * Behind this include, gzFile, gzopen, gzdopen, gzclose, gzrewind, gzbuffer and gzerror are not zlib's but functions of
 * this file: a gzFile of zlib's tells neither its name nor its descriptor, so thalweg could not open the same file. They
 * are for reading alone. A source file that uses zlib's for something else defines THALWEG_KSEQ_KEEP_ZLIB before the
 * include, and says KSEQ_INIT(thalweg_kseq_file *, thalweg) and thalweg_kseq_open(path, "r").
 *
 * KSEQ_INIT(int, read) reads from a descriptor, which must not have been read from before.
 *
 * What is the same: kseq_t with name, comment, seq and qual, whose memory is of malloc() and belongs to it; KSEQ_INIT,
 * KSEQ_INIT2, KSEQ_DECLARE, kseq_init, kseq_read, kseq_rewind, kseq_destroy; what kseq_read returns.
 *
 * What is not: kstream_t and ks_getuntil are not there, nor khash's and other files of klib. What a file is, is told from
 * its content: text before the first record, or FASTA and FASTQ in one file, are errors, where kseq.h goes on. BAM, BGZF,
 * zstd, bzip2 and xz are read, and an index beside a gzip file is used. kseq_rewind begins with the first record anew,
 * with or without gzrewind before it. thalweg_last_error() tells what was wrong.
 *
 * THALWEG_KSEQ_THREADS, if it is defined before the include, says how many threads decode: 0 for all cores, the default.
 */
#ifndef THALWEG_KSEQ_H
#define THALWEG_KSEQ_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/* Before its names are taken: who includes it later gets nothing more. */
#if !defined(THALWEG_KSEQ_KEEP_ZLIB) && defined(__has_include)
#if __has_include(<zlib.h>)
#include <zlib.h>
#endif
#endif

#include "thalweg.h"

#ifndef THALWEG_KSEQ_THREADS
#define THALWEG_KSEQ_THREADS 0
#endif

/* As klib's files have it, so that they can be included beside this one. */
#ifndef KSTRING_T
#define KSTRING_T kstring_t
typedef struct __kstring_t {
    size_t l, m;
    char *s;
} kstring_t;
#endif

/** A file that is open for kseq_init(). */
typedef struct thalweg_kseq_file {
    thalweg_reader *reader;
    /** Why there is no reader. */
    int status;
    /** What gzdopen() was given, to be closed with it; or -1. */
    int descriptor;
} thalweg_kseq_file;

typedef struct {
    kstring_t name, comment, seq, qual;
    thalweg_kseq_file *file;
    /** The file is of kseq_init() of a descriptor, and goes with this. */
    int owns_file;
} kseq_t;

/* Opens the path of a regular file or a pipe, or the standard input as "-". NULL, with errno, if the system refuses. */
static inline thalweg_kseq_file *thalweg_kseq_open_path(const char *path) {
    thalweg_kseq_file *file = (thalweg_kseq_file *)calloc(1, sizeof *file);
    thalweg_settings *settings = file ? thalweg_settings_new() : NULL;
    if (!settings) {
        free(file);
        errno = ENOMEM;
        return NULL;
    }
    file->descriptor = -1;
    file->status = thalweg_settings_set_threads(settings, THALWEG_KSEQ_THREADS);
    if (!file->status) file->status = thalweg_settings_add_file(settings, path);
    if (!file->status) file->status = thalweg_open(settings, &file->reader);
    thalweg_settings_free(settings);
    if (file->status == THALWEG_ERROR_SYSTEM) {
        int code = thalweg_last_error()->system_code;
        free(file);
        errno = code ? code : EIO;
        return NULL;
    }
    /* All else is told when records are asked for, as zlib does. */
    return file;
}

/** As zlib's gzopen(), for reading: NULL, with errno, if the file cannot be opened, or the mode does not begin with r. */
static inline thalweg_kseq_file *thalweg_kseq_open(const char *path, const char *mode) {
    if (!path || !mode || mode[0] != 'r') {
        errno = EINVAL;
        return NULL;
    }
    /* Of thalweg, that is the standard input; of zlib, a file of this name. */
    return thalweg_kseq_open_path(strcmp(path, "-") ? path : "./-");
}

/** As zlib's gzdopen(), for reading from the beginning: a regular file that was read from before is refused. */
static inline thalweg_kseq_file *thalweg_kseq_open_descriptor(int descriptor, const char *mode) {
    char path[32];
    thalweg_kseq_file *file;
    if (descriptor < 0 || !mode || mode[0] != 'r' || lseek(descriptor, 0, SEEK_CUR) > 0) {
        errno = descriptor < 0 ? EBADF : EINVAL;
        return NULL;
    }
    snprintf(path, sizeof path, "/dev/fd/%d", descriptor);
    file = thalweg_kseq_open_path(descriptor == STDIN_FILENO ? "-" : path);
    if (file) file->descriptor = descriptor;
    return file;
}

/** As zlib's gzclose(): 0, or -2 for NULL. */
static inline int thalweg_kseq_close(thalweg_kseq_file *file) {
    if (!file) return -2;
    thalweg_close(file->reader);
    if (file->descriptor >= 0) close(file->descriptor);
    free(file);
    return 0;
}

/** As zlib's gzrewind(): 0, or -1. */
static inline int thalweg_kseq_rewind(thalweg_kseq_file *file) {
    if (!file || !file->reader) return -1;
    file->status = thalweg_rewind(file->reader);
    return file->status ? -1 : 0;
}

/** As zlib's gzbuffer(): nothing is to be done. */
static inline int thalweg_kseq_buffer(thalweg_kseq_file *file, unsigned bytes) {
    (void)bytes;
    return file ? 0 : -1;
}

/** As zlib's gzerror(): what thalweg_last_error() says, if this file is at fault; and its status. */
static inline const char *thalweg_kseq_error(thalweg_kseq_file *file, int *status) {
    const thalweg_error *last = thalweg_last_error();
    if (status) *status = file ? file->status : THALWEG_ERROR_USAGE;
    return file && file->status < 0 && last ? last->message : "";
}

/* Copies a text, with NUL behind it; -1 if there is no memory. */
static inline int thalweg_kseq_copy(kstring_t *to, thalweg_text from) {
    if (from.length >= to->m) {
        size_t room = from.length + from.length / 2 + 64;
        char *memory = (char *)realloc(to->s, room);
        if (!memory) return -1;
        to->s = memory;
        to->m = room;
    }
    if (from.length) memcpy(to->s, from.start, from.length);
    to->s[from.length] = 0;
    to->l = from.length;
    return 0;
}

static inline kseq_t *thalweg_kseq_new(thalweg_kseq_file *file, int owns_file) {
    kseq_t *seq = (kseq_t *)calloc(1, sizeof *seq);
    if (seq) {
        seq->file = file;
        seq->owns_file = owns_file;
    } else if (owns_file) {
        thalweg_kseq_close(file);
    }
    return seq;
}

/* By the second argument of KSEQ_INIT. An error that names one that is not here: only these are read from. */
static inline kseq_t *thalweg_kseq_by_gzread(thalweg_kseq_file *file) { return thalweg_kseq_new(file, 0); }
static inline kseq_t *thalweg_kseq_by_thalweg(thalweg_kseq_file *file) { return thalweg_kseq_new(file, 0); }
static inline kseq_t *thalweg_kseq_by_read(int descriptor) {
    /* The descriptor stays the caller's. */
    thalweg_kseq_file *file = thalweg_kseq_open_descriptor(descriptor, "r");
    if (file) file->descriptor = -1;
    return thalweg_kseq_new(file, 1);
}

static inline void thalweg_kseq_free(kseq_t *seq) {
    if (!seq) return;
    free(seq->name.s);
    free(seq->comment.s);
    free(seq->seq.s);
    free(seq->qual.s);
    if (seq->owns_file) thalweg_kseq_close(seq->file);
    free(seq);
}

/**
 * The next record.
 *
 * Returns the length of its sequence (INT_MAX if it is more: seq.l has it), -1 at the end, -2 if records are at fault,
 * as one whose qualities are cut off, and -3 for all else.
 */
static inline int thalweg_kseq_next(kseq_t *seq) {
    const thalweg_record *record;
    int status;
    if (!seq || !seq->file) return -3;
    status = seq->file->reader ? thalweg_next(seq->file->reader, &record) : seq->file->status;
    if (status == 0) return -1;
    if (status < 0) {
        seq->file->status = status;
        return status == THALWEG_ERROR_RECORDS ? -2 : -3;
    }
    if (thalweg_kseq_copy(&seq->name, record->name) || thalweg_kseq_copy(&seq->comment, record->comment) ||
        thalweg_kseq_copy(&seq->seq, record->sequence) || thalweg_kseq_copy(&seq->qual, record->quality))
        return -3;
    return seq->seq.l > INT_MAX ? INT_MAX : (int)seq->seq.l;
}

static inline void thalweg_kseq_begin_anew(kseq_t *seq) {
    if (seq && seq->file) thalweg_kseq_rewind(seq->file);
}

#define KSEQ_INIT2(SCOPE, type_t, read_function)                                                                       \
    SCOPE kseq_t *kseq_init(type_t file) { return thalweg_kseq_by_##read_function(file); }                             \
    SCOPE void kseq_destroy(kseq_t *seq) { thalweg_kseq_free(seq); }                                                   \
    SCOPE void kseq_rewind(kseq_t *seq) { thalweg_kseq_begin_anew(seq); }                                              \
    SCOPE int kseq_read(kseq_t *seq) { return thalweg_kseq_next(seq); }

#define KSEQ_INIT(type_t, read_function) KSEQ_INIT2(static inline, type_t, read_function)

#define KSEQ_DECLARE(type_t)                                                                                           \
    extern kseq_t *kseq_init(type_t file);                                                                             \
    extern void kseq_destroy(kseq_t *seq);                                                                             \
    extern void kseq_rewind(kseq_t *seq);                                                                              \
    extern int kseq_read(kseq_t *seq);

#ifndef THALWEG_KSEQ_KEEP_ZLIB
#undef gzFile
#undef gzopen
#undef gzdopen
#undef gzclose
#undef gzclose_r
#undef gzrewind
#undef gzbuffer
#undef gzerror
#define gzFile thalweg_kseq_gz
typedef thalweg_kseq_file *thalweg_kseq_gz;
#define gzopen(path, mode) thalweg_kseq_open(path, mode)
#define gzdopen(descriptor, mode) thalweg_kseq_open_descriptor(descriptor, mode)
#define gzclose(file) thalweg_kseq_close(file)
#define gzclose_r(file) thalweg_kseq_close(file)
#define gzrewind(file) thalweg_kseq_rewind(file)
#define gzbuffer(file, bytes) thalweg_kseq_buffer(file, bytes)
#define gzerror(file, status) thalweg_kseq_error(file, status)
#endif

#endif /* THALWEG_KSEQ_H */
