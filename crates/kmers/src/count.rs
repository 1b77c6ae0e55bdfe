//! The engine: slices of sequence in, sorted lists of (k-mer, count) out.
