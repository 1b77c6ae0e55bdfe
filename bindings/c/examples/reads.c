/* Reads of a file, or pairs of two, and the mean count of their k-mers or their label, if a database is given.
 *
 *     cc -std=c11 reads.c $(pkg-config --cflags --libs thalweg) -o reads
 *     ./reads [--kmers counts.thk | --taxa genomes.tht] [--shard K/N] reads.fastq.gz [mates.fastq.gz]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <thalweg.h>

static int fail(void) {
    const thalweg_error *error = thalweg_last_error();
    fprintf(stderr, "reads: %s\n", error->message);
    if (error->hint) fprintf(stderr, "hint: %s\n", error->hint);
    return error->status == THALWEG_ERROR_RECORDS || error->status == THALWEG_ERROR_DAMAGED ||
                   error->status == THALWEG_ERROR_MATES
               ? 1
               : 2;
}

/* Mean count of the k-mers of a read, from a database. */
static int print_count(thalweg_kmers *kmers, const thalweg_record *read) {
    size_t k = thalweg_kmers_k(kmers);
    size_t places = read->sequence.length < k ? 0 : read->sequence.length - k + 1;
    uint64_t *counts = malloc((places ? places : 1) * sizeof *counts), sum = 0;
    if (!counts || thalweg_kmers_find_in(kmers, read->sequence, counts)) {
        free(counts);
        return -1;
    }
    for (size_t place = 0; place < places; place++) sum += counts[place];
    free(counts);
    printf("\t%.2f", places ? (double)sum / (double)places : 0.0);
    return 0;
}

static int print_label(thalweg_taxa *taxa, const thalweg_record *read, size_t mates) {
    thalweg_label label;
    thalweg_taxon taxon;
    if (thalweg_taxa_label(taxa, read, 1, mates, &label)) return -1;
    printf("\t%" PRIu32, label.taxid);
    if (label.taxid && thalweg_taxa_find(taxa, label.taxid, &taxon) == THALWEG_OK)
        printf("\t%.*s\t%.3f", (int)taxon.name.length, taxon.name.start, label.score);
    return 0;
}

int main(int argc, char **argv) {
    thalweg_settings *settings = thalweg_settings_new();
    thalweg_reader *reader = NULL;
    thalweg_kmers *kmers = NULL;
    thalweg_taxa *taxa = NULL;
    const thalweg_record *read;
    uint64_t reads = 0, bases = 0, shard, shards;
    int status = THALWEG_OK, next = 1, code = 0;

    for (; next + 1 < argc && !strncmp(argv[next], "--", 2) && !status; next += 2) {
        const char *value = argv[next + 1];
        if (!strcmp(argv[next], "--kmers"))
            status = thalweg_kmers_open(value, &kmers);
        else if (!strcmp(argv[next], "--taxa"))
            status = thalweg_taxa_open(value, THALWEG_RULE_POSTERIOR, 0, &taxa);
        else if (!strcmp(argv[next], "--shard") && sscanf(value, "%" SCNu64 "/%" SCNu64, &shard, &shards) == 2)
            status = thalweg_settings_set_shard(settings, shard, shards);
        else
            break;
    }
    if (!status)
        status = thalweg_settings_add_mates(settings, (const char *const *)(argv + next), (size_t)(argc - next));
    if (!status) status = thalweg_open(settings, &reader);
    thalweg_settings_free(settings);

    while (!status && (status = thalweg_next(reader, &read)) > 0) {
        status = 0;
        reads++;
        for (size_t mate = 0; mate < thalweg_mates(reader); mate++) bases += read[mate].sequence.length;
        if (kmers || taxa) printf("%.*s", (int)read->name.length, read->name.start);
        if (kmers) status = print_count(kmers, read);
        if (taxa && !status) status = print_label(taxa, read, thalweg_mates(reader));
        if (kmers || taxa) putchar('\n');
    }
    if (status < 0)
        code = fail();
    else if (!kmers && !taxa)
        printf("%" PRIu64 " reads, %" PRIu64 " bases\n", reads, bases);
    thalweg_close(reader);
    thalweg_kmers_close(kmers);
    thalweg_taxa_close(taxa);
    return code;
}
