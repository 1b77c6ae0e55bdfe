// Both headers as C++ has them.
#include "thalweg_kseq.h"
#include "thalweg.h"

#include <string>

KSEQ_INIT(gzFile, gzread)

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    gzFile file = gzopen(argv[1], "r");
    if (!file) return 2;
    kseq_t *read = kseq_init(file);
    std::string all;
    while (kseq_read(read) >= 0) all.append(read->seq.s, read->seq.l);
    kseq_destroy(read);
    gzclose(file);
    thalweg_reader *reader = nullptr;
    if (thalweg_open_file(argv[1], &reader) != THALWEG_OK) return 1;
    std::string again;
    for (const thalweg_record *record; thalweg_next(reader, &record) > 0;)
        again.append(record->sequence.start, record->sequence.length);
    thalweg_close(reader);
    return all == again && !all.empty() ? 0 : 1;
}
