//! Exact counts of all k-mers of a set of reads, and databases of them.
