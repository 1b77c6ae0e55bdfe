/* What is asked for wrongly is an error that says so; readers that are left early, and forks. Its arguments are the path
 * of a large file of reads, and of a database of counted k-mers. */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "thalweg.h"

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            const thalweg_error *error = thalweg_last_error();                                                         \
            fprintf(stderr, "line %d: not so: %s (%s)\n", __LINE__, #condition, error ? error->message : "no error");  \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

#define SAYS(words) (thalweg_last_error() && strstr(thalweg_last_error()->message, words))

static void null_is_told(void) {
    thalweg_settings *settings = thalweg_settings_new();
    thalweg_reader *reader = (thalweg_reader *)1;
    thalweg_kmers *kmers;
    thalweg_taxa *taxa;
    const thalweg_record *record;
    const char *paths[] = {"a", NULL};
    size_t number;
    uint64_t count;

    CHECK(thalweg_last_error() == NULL);
    CHECK(thalweg_open(NULL, &reader) == THALWEG_ERROR_USAGE && SAYS("settings is NULL"));
    CHECK(reader == NULL);
    CHECK(thalweg_open(settings, NULL) == THALWEG_ERROR_USAGE);
    CHECK(thalweg_open(settings, &reader) == THALWEG_ERROR_USAGE && SAYS("no file"));
    CHECK(thalweg_open_file(NULL, &reader) == THALWEG_ERROR_USAGE && SAYS("path is NULL"));
    CHECK(thalweg_open_mates("a", NULL, &reader) == THALWEG_ERROR_USAGE);
    CHECK(thalweg_settings_add_file(settings, NULL) == THALWEG_ERROR_USAGE);
    CHECK(thalweg_settings_add_mates(settings, paths, 2) == THALWEG_ERROR_USAGE);
    CHECK(thalweg_settings_add_mates(settings, NULL, 2) == THALWEG_ERROR_USAGE);
    CHECK(thalweg_settings_add_mates(settings, NULL, 0) == THALWEG_ERROR_USAGE);
    CHECK(thalweg_settings_add_file(NULL, "a") == THALWEG_ERROR_USAGE);
    CHECK(thalweg_settings_set_index(settings, 7) == THALWEG_ERROR_USAGE && SAYS("7"));
    CHECK(thalweg_settings_set_shard(settings, 3, 3) == THALWEG_ERROR_USAGE && SAYS("3 of 3"));
    CHECK(thalweg_settings_set_shard(settings, 0, 0) == THALWEG_ERROR_USAGE);
    CHECK(thalweg_settings_set_records(settings, 2, 1) == THALWEG_ERROR_USAGE);
    CHECK(thalweg_settings_set_threads(NULL, 1) == THALWEG_ERROR_USAGE);
    CHECK(thalweg_settings_set_threads(settings, SIZE_MAX) == THALWEG_ERROR_USAGE);
    CHECK(thalweg_settings_set_threads(settings, 1025) == THALWEG_ERROR_USAGE);
    CHECK(thalweg_settings_set_threads(settings, 1024) == THALWEG_OK && thalweg_settings_set_threads(settings, 0) == THALWEG_OK);
    CHECK(thalweg_settings_add_file(settings, "a") == THALWEG_OK);
    CHECK(thalweg_settings_add_mates(settings, (const char *[]){"b", "c"}, 2) == THALWEG_ERROR_USAGE);
    CHECK(thalweg_next(NULL, &record) == THALWEG_ERROR_USAGE && SAYS("reader is NULL"));
    CHECK(thalweg_next_batch(NULL, &record, &number) == THALWEG_ERROR_USAGE);
    CHECK(thalweg_rewind(NULL) == THALWEG_ERROR_USAGE && thalweg_mates(NULL) == 0);
    CHECK(thalweg_kmers_open(NULL, &kmers) == THALWEG_ERROR_USAGE && kmers == NULL);
    CHECK(thalweg_kmers_find(NULL, (thalweg_text){"A", 1}, &count) == THALWEG_ERROR_USAGE && thalweg_kmers_k(NULL) == 0);
    CHECK(thalweg_taxa_open("a", 9, 0, &taxa) == THALWEG_ERROR_USAGE && SAYS("9"));
    CHECK(thalweg_taxa_preload("a", 9, 0, &taxa) == THALWEG_ERROR_USAGE && taxa == NULL);
    CHECK(thalweg_taxa_open("a", THALWEG_RULE_LCA, 2, &taxa) == THALWEG_ERROR_USAGE && SAYS("confidence"));
    CHECK(thalweg_taxa_label(NULL, NULL, 0, 1, NULL) == THALWEG_ERROR_USAGE);
    CHECK(thalweg_taxa_find(NULL, 1, NULL) == THALWEG_ERROR_USAGE);
    thalweg_settings_free(settings);
    thalweg_settings_free(NULL);
    thalweg_close(NULL);
    thalweg_kmers_close(NULL);
    thalweg_taxa_close(NULL);
}

static void the_system_is_quoted(void) {
    thalweg_reader *reader;
    thalweg_kmers *kmers;
    thalweg_taxa *taxa;
    CHECK(thalweg_open_file("not there.fq", &reader) == THALWEG_ERROR_SYSTEM && reader == NULL);
    CHECK(thalweg_last_error()->system_code == ENOENT);
    CHECK(!strcmp(thalweg_last_error()->path, "not there.fq") && SAYS("not there.fq"));
    CHECK(thalweg_last_error()->record == THALWEG_UNKNOWN && thalweg_last_error()->offset == THALWEG_UNKNOWN);
    CHECK(thalweg_kmers_open("not there.thk", &kmers) == THALWEG_ERROR_SYSTEM && SAYS("not there.thk"));
    CHECK(thalweg_last_error()->system_code == ENOENT);
    CHECK(thalweg_taxa_open("not there.tht", THALWEG_RULE_POSTERIOR, 0, &taxa) < 0 && SAYS("not there.tht"));
    CHECK(thalweg_taxa_preload("not there.tht", THALWEG_RULE_POSTERIOR, 0, &taxa) < 0 && SAYS("not there.tht"));
}

static void *fail_elsewhere(void *unused) {
    thalweg_reader *reader;
    (void)unused;
    CHECK(thalweg_last_error() == NULL);
    CHECK(thalweg_open_file("elsewhere.fq", &reader) == THALWEG_ERROR_SYSTEM && SAYS("elsewhere.fq"));
    return NULL;
}

static void threads_have_errors_of_their_own(void) {
    pthread_t thread;
    thalweg_reader *reader;
    CHECK(thalweg_open_file("here.fq", &reader) == THALWEG_ERROR_SYSTEM);
    CHECK(!pthread_create(&thread, NULL, fail_elsewhere, NULL) && !pthread_join(thread, NULL));
    CHECK(SAYS("here.fq") && !SAYS("elsewhere"));
}

static void readers_are_left_early(const char *path) {
    for (size_t threads = 0; threads < 4; threads++)
        for (int records = 0; records < 3; records++) {
            thalweg_settings *settings = thalweg_settings_new();
            thalweg_reader *reader;
            const thalweg_record *record;
            CHECK(!thalweg_settings_add_file(settings, path) && !thalweg_settings_set_threads(settings, threads));
            CHECK(!thalweg_settings_set_memory(settings, 1));
            CHECK(!thalweg_open(settings, &reader));
            thalweg_settings_free(settings);
            for (int i = 0; i < records; i++) CHECK(thalweg_next(reader, &record) == 1 && record->rank == (uint64_t)i);
            thalweg_close(reader);
        }
}

static void next_needs_a_place(const char *path) {
    thalweg_reader *reader;
    const thalweg_record *record;
    CHECK(!thalweg_open_file(path, &reader));
    CHECK(thalweg_next(reader, NULL) == THALWEG_ERROR_USAGE);
    CHECK(thalweg_next_batch(reader, &record, NULL) == THALWEG_ERROR_USAGE);
    CHECK(thalweg_rewind(reader) == THALWEG_OK && thalweg_next(reader, &record) == 1 && record->rank == 0);
    thalweg_close(reader);
}

/* Of a pipe whose writer brings nothing more: nobody waits for the thread that waits for it. */
static void a_pipe_is_left(void) {
    int ends[2];
    char path[32];
    thalweg_reader *reader;
    thalweg_settings *settings = thalweg_settings_new();
    const thalweg_record *record;
    CHECK(!pipe(ends));
    pid_t writer = fork();
    CHECK(writer >= 0);
    if (writer == 0) {
        close(ends[0]);
        for (int i = 0; i < 100000; i++)
            if (write(ends[1], "@a\nACGT\n+\nIIII\n", 15) != 15) _exit(1);
        for (;;) pause();
    }
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    CHECK(!thalweg_settings_add_file(settings, path) && !thalweg_settings_set_threads(settings, 2));
    CHECK(!thalweg_open(settings, &reader));
    thalweg_settings_free(settings);
    CHECK(thalweg_next(reader, &record) == 1 && record->sequence.length == 4);
    thalweg_close(reader);
    close(ends[0]);
    CHECK(!kill(writer, SIGKILL) && waitpid(writer, NULL, 0) == writer);
}

static void a_fork_is_told(const char *path) {
    thalweg_reader *reader;
    const thalweg_record *records;
    size_t number;
    int status;
    CHECK(!thalweg_open_file(path, &reader));
    CHECK(thalweg_next_batch(reader, &records, &number) == 1);
    /* The threads of the reader come to rest when enough batches are ready. The sanitizer's allocator, unlike the C library's,
       stays locked in the child if another thread is in it at the fork. */
    struct timespec rest = {.tv_nsec = 500000000};
    nanosleep(&rest, NULL);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        CHECK(thalweg_next_batch(reader, &records, &number) == THALWEG_ERROR_USAGE && SAYS("forked"));
        CHECK(thalweg_rewind(reader) == THALWEG_OK && thalweg_next(reader, &records) == 1);
        thalweg_close(reader);
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(thalweg_next_batch(reader, &records, &number) == 1);
    thalweg_close(reader);
}

/* Of one database, by all ways to ask. */
static void counts_agree(const char *path, const char *reads) {
    thalweg_kmers *kmers;
    thalweg_reader *reader;
    const thalweg_record *record;
    const char *bases = "ACGT";
    uint64_t count, seen = 0;
    CHECK(!thalweg_kmers_open(path, &kmers) && !thalweg_open_file(reads, &reader));
    size_t k = thalweg_kmers_k(kmers);
    CHECK(k > 0 && k <= 32);
    for (int i = 0; i < 200 && thalweg_next(reader, &record) == 1; i++) {
        thalweg_text sequence = record->sequence;
        size_t places = sequence.length < k ? 0 : sequence.length - k + 1;
        uint64_t *by_place = malloc((places + 1) * sizeof *by_place);
        by_place[places] = 77;
        if (i == 100) CHECK(!thalweg_kmers_load(kmers, 1));
        CHECK(!thalweg_kmers_find_in(kmers, sequence, by_place) && by_place[places] == 77);
        for (size_t place = 0; place < places; place++) {
            uint64_t number = 0, by_number;
            int has_other = 0;
            for (size_t base = 0; base < k; base++) {
                const char *code = strchr(bases, sequence.start[place + base]);
                has_other |= !code || !*code;
                if (!has_other) number = number << 2 | (uint64_t)(code - bases);
            }
            thalweg_text kmer = {sequence.start + place, k};
            if (has_other) {
                CHECK(by_place[place] == 0 && thalweg_kmers_find(kmers, kmer, &count) == THALWEG_ERROR_USAGE);
                continue;
            }
            CHECK(!thalweg_kmers_find(kmers, kmer, &count) && count == by_place[place]);
            CHECK(!thalweg_kmers_find_many(kmers, &number, 1, &by_number) && by_number == count);
            /* The database is of these reads. */
            CHECK(count > 0);
            seen++;
        }
        free(by_place);
    }
    CHECK(seen > 1000);
    CHECK(thalweg_kmers_find(kmers, (thalweg_text){"A", 1}, &count) == THALWEG_ERROR_USAGE);
    uint64_t too_large = UINT64_MAX;
    if (k < 32) CHECK(thalweg_kmers_find_many(kmers, &too_large, 1, &count) == THALWEG_ERROR_USAGE);
    CHECK(!thalweg_kmers_find_many(kmers, NULL, 0, NULL));
    CHECK(thalweg_kmers_find_many(kmers, NULL, 1, &count) == THALWEG_ERROR_USAGE);
    thalweg_close(reader);
    thalweg_kmers_close(kmers);
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    null_is_told();
    the_system_is_quoted();
    threads_have_errors_of_their_own();
    readers_are_left_early(argv[1]);
    next_needs_a_place(argv[1]);
    a_pipe_is_left();
    a_fork_is_told(argv[1]);
    counts_agree(argv[2], argv[1]);
    printf("thalweg %s: ok\n", thalweg_version());
    return 0;
}
