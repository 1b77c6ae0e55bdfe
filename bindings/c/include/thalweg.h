/* SPDX-License-Identifier: MIT OR Apache-2.0 */

/**
 * @file
 * thalweg: sequencing reads with all cores, counts of k-mers, labels of reads.
 *
 * Functions that can fail return a negative status, one of THALWEG_ERROR_...; thalweg_last_error() has the words, and
 * where it happened. Functions that end a handle take NULL as well.
 *
 * A handle is used by one thread at a time, and may go from one to another. Different handles have nothing in common.
 * Threads of a reader begin with its first record, and end with thalweg_close(). A process that was forked in the
 * middle may not go on with a reader: it gets an error. If there is no memory, the process is aborted.
 */


#ifndef THALWEG_H
#define THALWEG_H

/* Made of bindings/c/src by cbindgen: change it there, and run `cargo test -p thalweg-c -- --ignored`. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * All went well; of thalweg_next(), that there are no more records.
 */
#define THALWEG_OK 0

/**
 * The records are at fault: what FASTQ, FASTA or BAM ask for is not there.
 */
#define THALWEG_ERROR_RECORDS -1

/**
 * Other data are at fault: compressed data are damaged or cut off, a database is damaged.
 */
#define THALWEG_ERROR_DAMAGED -2

/**
 * Mates do not match: their names, or how many there are.
 */
#define THALWEG_ERROR_MATES -3

/**
 * An index is damaged, belongs to another file, or is required and not there.
 */
#define THALWEG_ERROR_INDEX -4

/**
 * The system refused something: system_code says what.
 */
#define THALWEG_ERROR_SYSTEM -5

/**
 * What was asked for makes no sense, or cannot be had of this input.
 */
#define THALWEG_ERROR_USAGE -6

/**
 * The data may be well, but there is a limit of this library.
 */
#define THALWEG_ERROR_LIMIT -7

/**
 * A fault of this library. Please report it.
 */
#define THALWEG_ERROR_INTERNAL -8

/**
 * A number of a thalweg_error or thalweg_record that is not known.
 */
#define THALWEG_UNKNOWN UINT64_MAX

/**
 * Indexes are used where there are some.
 */
#define THALWEG_INDEX_AUTO 0

/**
 * Indexes are not looked for.
 */
#define THALWEG_INDEX_NEVER 1

/**
 * A gzip file without an index is an error.
 */
#define THALWEG_INDEX_REQUIRE 2

/**
 * Reads are called by the posterior of species.
 */
#define THALWEG_RULE_POSTERIOR 0

/**
 * Reads are called by lowest common ancestors, as kraken2 does.
 */
#define THALWEG_RULE_LCA 1

/**
 * A database of counts, of any format that thalweg, Jellyfish or KMC write.
 */
typedef struct thalweg_kmers thalweg_kmers;

/**
 * Reads of some files, in order.
 */
typedef struct thalweg_reader thalweg_reader;

/**
 * What is to be read, and how: files that follow one another, each alone or with its mates.
 */
typedef struct thalweg_settings thalweg_settings;

/**
 * A database of the k-mers of genomes, and what labels reads by it.
 */
typedef struct thalweg_taxa thalweg_taxa;

/**
 * What went wrong, and where. The texts end with NUL.
 */
typedef struct {
    /**
     * One of THALWEG_ERROR_...
     */
    int status;
    /**
     * What the system said, as errno has it; 0 if it said nothing.
     */
    int system_code;
    /**
     * A sentence that names file, record and byte.
     */
    const char *message;
    /**
     * What can be done about it; NULL if there is nothing to say.
     */
    const char *hint;
    /**
     * The file; NULL if it is of none.
     */
    const char *path;
    /**
     * The record in its file, counted from 0; or THALWEG_UNKNOWN.
     */
    uint64_t record;
    /**
     * The byte in the file as it lies on disk; or THALWEG_UNKNOWN.
     */
    uint64_t offset;
    /**
     * The byte in the uncompressed data; or THALWEG_UNKNOWN.
     */
    uint64_t text_offset;
} thalweg_error;

/**
 * Some bytes, which need not end with NUL. Who gave them says how long they are valid.
 */
typedef struct {
    /**
     * The first of them; NULL where there is no such text, as FASTA has no qualities.
     */
    const char *start;
    /**
     * How many they are.
     */
    size_t length;
} thalweg_text;

/**
 * A read. Its texts belong to its reader, and are valid until the next call with that. They do not end with NUL.
 */
typedef struct {
    /**
     * The header up to its first space or tab, without @ or >.
     */
    thalweg_text name;
    /**
     * What follows that space or tab; empty if nothing does.
     */
    thalweg_text comment;
    /**
     * The bases, without line ends.
     */
    thalweg_text sequence;
    /**
     * As many letters of ! to ~, as FASTQ has them; those of FASTA start at NULL.
     */
    thalweg_text quality;
    /**
     * The rank in its file, from 0; THALWEG_UNKNOWN in parts of files without an index.
     */
    uint64_t rank;
} thalweg_record;

/**
 * What a read, or a pair, is.
 */
typedef struct {
    /**
     * The number of its taxon; 0 if there is not enough to tell.
     */
    uint32_t taxid;
    /**
     * k-mers that could be looked up.
     */
    uint32_t kmers;
    /**
     * k-mers that speak for the taxon.
     */
    uint32_t support;
    /**
     * How sure it is, 0 to 1: the posterior, or the share of k-mers that speak for it.
     */
    double score;
} thalweg_label;

/**
 * What a taxon is. The texts belong to the database.
 */
typedef struct {
    /**
     * Its scientific name.
     */
    thalweg_text name;
    /**
     * Such as species, genus, no rank.
     */
    thalweg_text rank;
    /**
     * The number of the taxon above; 0 of the root.
     */
    uint32_t parent;
} thalweg_taxon;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * What the last function of this thread that failed has to say; NULL if none has.
 *
 * It belongs to the library, and is valid until another function fails on this thread, or the thread ends.
 */
const thalweg_error *thalweg_last_error(void);

/**
 * The version of the library, such as "0.1.0".
 */
const char *thalweg_version(void);

/**
 * New settings: no file yet, all cores, indexes where there are some.
 *
 * @return A handle for thalweg_settings_free().
 */
thalweg_settings *thalweg_settings_new(void);

/**
 * Let go of settings. What was opened with them does not need them any more.
 *
 * @pre `settings` is NULL, or comes from thalweg_settings_new(), and is not used again.
 */
void thalweg_settings_free(thalweg_settings *settings);

/**
 * Add a file, which follows those that were added before. "-" is the standard input.
 *
 * @pre `settings` comes from thalweg_settings_new(); `path` ends with NUL.
 */
int thalweg_settings_add_file(thalweg_settings *settings, const char *path);

/**
 * Add files that are read in step: record i of each belongs together. They follow those that were added before,
 * which must be as many in step.
 *
 * @pre `settings` comes from thalweg_settings_new(); `paths` are `number` paths, each of which ends with NUL.
 */
int thalweg_settings_add_mates(thalweg_settings *settings, const char *const *paths, size_t number);

/**
 * Records 2i and 2i + 1 of each file are mates (they are not, by default).
 *
 * @pre `settings` comes from thalweg_settings_new().
 */
int thalweg_settings_set_interleaved(thalweg_settings *settings, bool interleaved);

/**
 * Whether mates must have the same name, but for what tells them apart (they must, by default).
 *
 * @pre `settings` comes from thalweg_settings_new().
 */
int thalweg_settings_set_check_names(thalweg_settings *settings, bool check_names);

/**
 * Whether BAM must end with the end-of-file block of BGZF (it must, by default): a writer that was killed leaves BAM
 * without it.
 *
 * @pre `settings` comes from thalweg_settings_new().
 */
int thalweg_settings_set_check_end(thalweg_settings *settings, bool check_end);

/**
 * How many threads decode: with 1, that which asks for records; 0 (by default) for as many as there are cores; no more
 * than 1024.
 *
 * @pre `settings` comes from thalweg_settings_new().
 */
int thalweg_settings_set_threads(thalweg_settings *settings, size_t threads);

/**
 * Bytes that what is read ahead may take; at least what one thread needs is taken. 1 GiB by default.
 *
 * @pre `settings` comes from thalweg_settings_new().
 */
int thalweg_settings_set_memory(thalweg_settings *settings, uint64_t bytes);

/**
 * What to do about indexes: one of THALWEG_INDEX_...
 *
 * @pre `settings` comes from thalweg_settings_new().
 */
int thalweg_settings_set_index(thalweg_settings *settings, int index);

/**
 * Read one of `of` parts of about equal size, which together have every record once: that of this number, from 0. A
 * gzip file needs an index for that. The command counts from 1: its `--shard 1/8` is number 0 of 8.
 *
 * @pre `settings` comes from thalweg_settings_new().
 */
int thalweg_settings_set_shard(thalweg_settings *settings, uint64_t number, uint64_t of);

/**
 * Read the records from rank `start` up to `end`, which is not read; ranks count from 0, and UINT64_MAX is the end of
 * the file. Mates count as one. With an index only what holds them is decoded. For one file, or files in step.
 *
 * @pre `settings` comes from thalweg_settings_new().
 */
int thalweg_settings_set_records(thalweg_settings *settings, uint64_t start, uint64_t end);

/**
 * Open what settings say: files of FASTQ, FASTA or BAM, plain or compressed with gzip, BGZF, zstd, bzip2 or xz.
 *
 * @param reader Is given a handle for thalweg_close(); NULL if that fails.
 *
 * @pre `settings` comes from thalweg_settings_new(); `reader` is a place for a pointer.
 */
int thalweg_open(const thalweg_settings *settings, thalweg_reader **reader);

/**
 * Open one file with all cores: thalweg_open() with the settings that nobody changed. "-" is the standard input.
 *
 * @pre `file` ends with NUL; `reader` is a place for a pointer.
 */
int thalweg_open_file(const char *file, thalweg_reader **reader);

/**
 * Open two files of mates, likewise.
 *
 * @pre `first` and `second` end with NUL; `reader` is a place for a pointer.
 */
int thalweg_open_mates(const char *first, const char *second, thalweg_reader **reader);

/**
 * How many records come together: 2 of pairs, 1 of files alone; 0 of NULL.
 *
 * @pre `reader` comes from thalweg_open().
 */
size_t thalweg_mates(const thalweg_reader *reader);

/**
 * The next record, or the next ones that belong together: records[0], and its mates behind it.
 *
 * @return 1 if there is one, 0 at the end, or a status. After an error there are no more: it is told again.
 *
 * @pre `reader` comes from thalweg_open(), and used by one thread; `records` is a place for a pointer.
 */
int thalweg_next(thalweg_reader *reader, const thalweg_record **records);

/**
 * All records that are at hand, some hundreds: those of mates one behind the other, so that number * thalweg_mates()
 * lie there. They are valid until the next call with this reader.
 *
 * @return As for thalweg_next().
 *
 * @pre As for thalweg_next(); `number` is a place for a number.
 */
int thalweg_next_batch(thalweg_reader *reader, const thalweg_record **records, size_t *number);

/**
 * Begin anew with the first record, also after an error. Pipes cannot: what was read of them is gone.
 *
 * @pre `reader` comes from thalweg_open(), and used by one thread.
 */
int thalweg_rewind(thalweg_reader *reader);

/**
 * Stop, and let go of threads and files, also in the middle.
 *
 * @pre `reader` is NULL, or comes from thalweg_open(), and is not used again.
 */
void thalweg_close(thalweg_reader *reader);

/**
 * Open a database of counted k-mers: what thalweg count, jellyfish or kmc made.
 *
 * @param kmers Is given a handle for thalweg_kmers_close(); NULL if that fails.
 *
 * @pre `file` ends with NUL; `kmers` is a place for a pointer.
 */
int thalweg_kmers_open(const char *file, thalweg_kmers **kmers);

/**
 * Have all k-mers in memory, 17 bytes for each of up to 32 bases: many times faster for many look-ups.
 *
 * @param threads How many do that; 0 for as many as there are cores; no more than 1024.
 *
 * @pre `kmers` comes from thalweg_kmers_open().
 */
int thalweg_kmers_load(thalweg_kmers *kmers, size_t threads);

/**
 * How many bases a k-mer has; 0 of NULL.
 *
 * @pre `kmers` comes from thalweg_kmers_open().
 */
size_t thalweg_kmers_k(const thalweg_kmers *kmers);

/**
 * The count of a k-mer: 0 if it was not seen. Of canonical databases either strand can be looked up.
 *
 * @pre `kmers` comes from thalweg_kmers_open(); `kmer` starts at so many bytes; `count` is a place for a number.
 */
int thalweg_kmers_find(thalweg_kmers *kmers, thalweg_text kmer, uint64_t *count);

/**
 * The counts of many k-mers, which are numbers of two bits for each base: A is 0, C 1, G 2 and T 3, the last base in the
 * lowest bits. For k up to 32.
 *
 * @pre `kmers` comes from thalweg_kmers_open(); `numbers` and `counts` have room for `number` numbers, and nothing in common.
 */
int thalweg_kmers_find_many(thalweg_kmers *kmers,
                            const uint64_t *numbers,
                            size_t number,
                            uint64_t *counts);

/**
 * The counts of all k-mers of a sequence, by their place in it; 0 where one has a letter that is no base.
 *
 * @param counts Of which as many are written as there are places: length - k + 1, or none.
 *
 * @pre `kmers` comes from thalweg_kmers_open(); `sequence` starts at so many bytes; `counts` has room for so many numbers.
 */
int thalweg_kmers_find_in(thalweg_kmers *kmers, thalweg_text sequence, uint64_t *counts);

/**
 * Let go of a database.
 *
 * @pre `kmers` is NULL, or comes from thalweg_kmers_open(), and is not used again.
 */
void thalweg_kmers_close(thalweg_kmers *kmers);

/**
 * Open a database that thalweg taxa build made. It is mapped: what of it is not in memory comes as it is looked at, and is
 * checked then. Nobody may write to the file before it is closed: labels of a changed file are refused, but the system ends a
 * process whose file was truncated (SIGBUS). Where that may happen, use thalweg_taxa_preload().
 *
 * @param rule One of THALWEG_RULE_...
 * @param confidence For THALWEG_RULE_LCA: the share of k-mers that must speak for a taxon, 0 to 1.
 * @param taxa Is given a handle for thalweg_taxa_close(); NULL if that fails.
 *
 * @pre `file` ends with NUL; `taxa` is a place for a pointer.
 */
int thalweg_taxa_open(const char *file,
                      int rule,
                      double confidence,
                      thalweg_taxa **taxa);

/**
 * As thalweg_taxa_open(), and read the whole database into memory and check it. Whatever happens to the file later, it stays.
 *
 * @param rule One of THALWEG_RULE_...
 * @param confidence For THALWEG_RULE_LCA: the share of k-mers that must speak for a taxon, 0 to 1.
 * @param taxa Is given a handle for thalweg_taxa_close(); NULL if that fails.
 *
 * @pre `file` ends with NUL; `taxa` is a place for a pointer.
 */
int thalweg_taxa_preload(const char *file,
                         int rule,
                         double confidence,
                         thalweg_taxa **taxa);

/**
 * Label reads, many at a time: faster than one by one.
 *
 * @param records number * mates records, those of a read behind each other, as thalweg_next_batch() gives them.
 * @param mates How many records a read has: 1, or 2 of pairs, which have one label.
 * @param labels Is given one for each read. Without THALWEG_OK none may be used.
 *
 * @pre `taxa` comes from thalweg_taxa_open(); there are so many records, with sequences that are valid; `labels` has room.
 */
int thalweg_taxa_label(thalweg_taxa *taxa,
                       const thalweg_record *records,
                       size_t number,
                       size_t mates,
                       thalweg_label *labels);

/**
 * What the taxon of a label is. The texts are valid until thalweg_taxa_close().
 *
 * @pre `taxa` comes from thalweg_taxa_open(); `taxon` is a place for one.
 */
int thalweg_taxa_find(const thalweg_taxa *taxa, uint32_t taxid, thalweg_taxon *taxon);

/**
 * Let go of a database.
 *
 * @pre `taxa` is NULL, or comes from thalweg_taxa_open(), and is not used again.
 */
void thalweg_taxa_close(thalweg_taxa *taxa);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* THALWEG_H */
