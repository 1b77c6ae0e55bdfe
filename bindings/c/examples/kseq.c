/* A program as it was written for kseq.h: bases and mean quality of each read, as tab-separated text. Only the include
 * is another one.
 *
 *     cc -std=c11 kseq.c $(pkg-config --cflags --libs thalweg) -o kseq
 */
#include <stdio.h>
#include <string.h>
#ifdef WITH_KSEQ_H
#include <zlib.h>

#include "kseq.h"
#else
#include <thalweg_kseq.h>
#endif

KSEQ_INIT(gzFile, gzread)

int main(int argc, char **argv) {
    gzFile file = argc < 2 || !strcmp(argv[1], "-") ? gzdopen(fileno(stdin), "r") : gzopen(argv[1], "r");
    if (!file) {
        perror(argc < 2 ? "-" : argv[1]);
        return 2;
    }
    kseq_t *read = kseq_init(file);
    int length;
    while ((length = kseq_read(read)) >= 0) {
        long sum = 0;
        for (size_t i = 0; i < read->qual.l; i++) sum += read->qual.s[i] - 33;
        printf("%s\t%s\t%d\t%.2f\n", read->name.s, read->comment.l ? read->comment.s : "", length,
               read->qual.l ? (double)sum / length : 0.0);
    }
    kseq_destroy(read);
    gzclose(file);
    if (length == -1) return 0;
    fprintf(stderr, "kseq_read: %d\n", length);
    return 1;
}
