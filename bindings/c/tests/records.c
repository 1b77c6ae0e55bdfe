/* All records of some files as tab-separated lines, mates one below the other; the end, or the error, on a line of its
 * own. Files in step are joined by commas. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "thalweg.h"

static void print(const thalweg_record *record) {
    printf("%.*s\t%.*s\t%.*s\t%.*s%s", (int)record->name.length, record->name.start, (int)record->comment.length,
           record->comment.start, (int)record->sequence.length, record->sequence.start, (int)record->quality.length,
           record->quality.start ? record->quality.start : "", record->quality.start ? "" : "-");
    if (record->rank == THALWEG_UNKNOWN)
        printf("\t?\n");
    else
        printf("\t%" PRIu64 "\n", record->rank);
}

static int end(int status) {
    const thalweg_error *error = thalweg_last_error();
    if (status == 0) {
        puts("end");
        return 0;
    }
    printf("error %d %d record %" PRIu64 " offset %" PRIu64 " path %s: %s\n", status, error->status, error->record,
           error->offset, error->path ? error->path : "-", error->message);
    return 1;
}

static int add(thalweg_settings *settings, char *files) {
    const char *paths[8];
    size_t number = 0;
    for (char *path = strtok(files, ","); path && number < 8; path = strtok(NULL, ",")) paths[number++] = path;
    return number == 1 ? thalweg_settings_add_file(settings, paths[0])
                       : thalweg_settings_add_mates(settings, paths, number);
}

int main(int argc, char **argv) {
    thalweg_settings *settings = thalweg_settings_new();
    thalweg_reader *reader;
    const thalweg_record *records;
    size_t number;
    int status = 0, batches = 0, rewind_after = -1, next = 1;

    for (; next < argc && !strncmp(argv[next], "--", 2) && !status; next++) {
        const char *option = argv[next] + 2;
#define NUMBER strtoull(argv[++next], NULL, 10)
        if (!strcmp(option, "threads"))
            status = thalweg_settings_set_threads(settings, NUMBER);
        else if (!strcmp(option, "memory"))
            status = thalweg_settings_set_memory(settings, NUMBER);
        else if (!strcmp(option, "index"))
            status = thalweg_settings_set_index(settings, (int)NUMBER);
        else if (!strcmp(option, "interleaved"))
            status = thalweg_settings_set_interleaved(settings, true);
        else if (!strcmp(option, "ignore-names"))
            status = thalweg_settings_set_check_names(settings, false);
        else if (!strcmp(option, "shard")) {
            uint64_t shard = NUMBER;
            status = thalweg_settings_set_shard(settings, shard, NUMBER);
        } else if (!strcmp(option, "records")) {
            uint64_t start = NUMBER;
            status = thalweg_settings_set_records(settings, start, NUMBER);
        } else if (!strcmp(option, "rewind-after"))
            rewind_after = (int)NUMBER;
        else if (!strcmp(option, "batches"))
            batches = 1;
        else
            return 2;
    }
    for (; next < argc && !status; next++) status = add(settings, argv[next]);
    if (!status) status = thalweg_open(settings, &reader);
    thalweg_settings_free(settings);
    if (status) return end(status);

    size_t mates = thalweg_mates(reader);
    while (rewind_after-- > 0)
        if ((status = thalweg_next(reader, &records)) <= 0) break;
    if (rewind_after == -1 && status >= 0) status = thalweg_rewind(reader);
    if (batches)
        while (status >= 0 && (status = thalweg_next_batch(reader, &records, &number)) > 0)
            for (size_t i = 0; i < number * mates; i++) print(records + i);
    else
        while (status >= 0 && (status = thalweg_next(reader, &records)) > 0)
            for (size_t mate = 0; mate < mates; mate++) print(records + mate);
    int code = end(status);
    /* What was told is told again. */
    if (thalweg_next(reader, &records) != status) return 3;
    thalweg_close(reader);
    return code;
}
