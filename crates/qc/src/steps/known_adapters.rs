//! Sequences of adapters that the makers of instruments and kits have published.

/// What reads show behind the fragment, by kit. Where one begins like another, the
/// more frequent one comes first.
pub(crate) const KNOWN: [(&[u8], &str); 12] = [
    (
        b"AGATCGGAAGAGCACACGTCTGAACTCCAGTCA",
        "Illumina TruSeq Adapter Read 1",
    ),
    (
        b"AGATCGGAAGAGCGTCGTGTAGGGAAAGAGTGT",
        "Illumina TruSeq Adapter Read 2",
    ),
    (b"CTGTCTCTTATACACATCT", "Illumina Nextera transposase"),
    (b"TGGAATTCTCGGGTGCCAAGG", "Illumina small RNA 3' adapter"),
    (
        b"GATCGTCGGACTGTAGAACTCTGAAC",
        "Illumina small RNA 5' adapter, read 2",
    ),
    (
        b"ATCTCGTATGCCGTCTTCTGCTTG",
        "Illumina small RNA 1.0 3' adapter",
    ),
    (
        b"AAGTCGGAGGCCAAGCGGTCTTAGGAAGACAA",
        "MGI/BGI adapter, read 1",
    ),
    (
        b"AAGTCGGATCGTAGCCATGTCGTTCTGTGAGCCAAGGAGTTG",
        "MGI/BGI adapter, read 2",
    ),
    (b"AACTGTAGGCACCATCAAT", "QIAseq miRNA 3' adapter"),
    (
        b"ATGTGTATAAGAGACAGTCGTCGGCAGCGTC",
        "Illumina Nextera read 1, reverse",
    ),
    (
        b"CTGTAGGCACCATCAATTCGTATGCCGTCTTCTGCTTG",
        "NEB miRNA cloning linker",
    ),
    (
        b"TCGTATGCCGTCTTCTGCTTG",
        "Illumina small RNA 1.5 3' adapter",
    ),
];

/// What both mates show behind the fragment, by kit, where that begins alike.
pub(crate) const PAIRS: [[&[u8]; 2]; 3] = [
    [KNOWN[0].0, KNOWN[1].0],
    [KNOWN[2].0, KNOWN[2].0],
    [KNOWN[6].0, KNOWN[7].0],
];
