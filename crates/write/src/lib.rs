//! Batches of reads to files, pipes and standard output.
