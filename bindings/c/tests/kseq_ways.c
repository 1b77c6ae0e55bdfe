/* The other ways to use thalweg_kseq.h: beside zlib, from a descriptor, twice. */
#define THALWEG_KSEQ_KEEP_ZLIB
#define THALWEG_KSEQ_THREADS 1
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "thalweg_kseq.h"

#ifdef BY_DESCRIPTOR
KSEQ_INIT(int, read)
#else
KSEQ_INIT2(static, thalweg_kseq_file *, thalweg)
#endif

static long bases(kseq_t *read) {
    long sum = 0;
    while (kseq_read(read) >= 0) {
        if (strlen(read->seq.s) != read->seq.l || strlen(read->name.s) != read->name.l) return -1;
        sum += (long)read->seq.l;
    }
    return sum;
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    /* zlib's own, to write. */
    gzFile out = gzopen(argv[2], "w");
    if (!out || gzputs(out, ">a b c\nAC\nGT\n") < 0 || gzclose(out)) return 3;
#ifdef BY_DESCRIPTOR
    int file = open(argv[1], O_RDONLY);
    kseq_t *read = kseq_init(file);
#else
    thalweg_kseq_file *file = thalweg_kseq_open(argv[1], "r");
    if (thalweg_kseq_open(argv[1], "w") || thalweg_kseq_open("not there", "r")) return 4;
    kseq_t *read = kseq_init(file);
#endif
    long first = bases(read);
    kseq_rewind(read);
    long second = bases(read);
    kseq_destroy(read);
#ifdef BY_DESCRIPTOR
    /* It was not closed, nor moved. */
    if (lseek(file, 0, SEEK_CUR) != 0 || close(file)) return 5;
    file = open(argv[2], O_RDONLY);
#else
    thalweg_kseq_close(file);
    file = thalweg_kseq_open(argv[2], "r");
#endif
    read = kseq_init(file);
    if (kseq_read(read) != 4 || strcmp(read->seq.s, "ACGT") || strcmp(read->name.s, "a") ||
        strcmp(read->comment.s, "b c") || read->qual.l || kseq_read(read) != -1)
        return 6;
    kseq_destroy(read);
#ifdef BY_DESCRIPTOR
    close(file);
#else
    thalweg_kseq_close(file);
#endif
    printf("%ld\n", first);
    return first == second && first > 0 ? 0 : 7;
}
