/* Reads of files, and the bytes of their names and sequences: see `run`. Arguments: next|batch, threads, files. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <thalweg.h>

int main(int argc, char **argv) {
    thalweg_settings *settings = thalweg_settings_new();
    thalweg_reader *reader = NULL;
    const thalweg_record *records;
    uint64_t reads = 0, names = 0, bases = 0;
    size_t number;
    int status = THALWEG_OK;

    if (argc < 4) return 2;
    thalweg_settings_set_threads(settings, strtoul(argv[2], NULL, 10));
    for (int file = 3; file < argc && !status; file++) status = thalweg_settings_add_file(settings, argv[file]);
    if (!status) status = thalweg_open(settings, &reader);
    thalweg_settings_free(settings);
    if (!status && !strcmp(argv[1], "batch")) {
        while ((status = thalweg_next_batch(reader, &records, &number)) > 0) {
            for (size_t record = 0; record < number; record++) {
                names += records[record].name.length;
                bases += records[record].sequence.length;
            }
            reads += number;
        }
    } else if (!status) {
        while ((status = thalweg_next(reader, &records)) > 0) {
            names += records->name.length;
            bases += records->sequence.length;
            reads++;
        }
    }
    if (status < 0) fprintf(stderr, "loop: %s\n", thalweg_last_error()->message);
    thalweg_close(reader);
    printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", reads, names, bases);
    return status < 0;
}
