//! Statistics, trimming, filtering and merging of reads, and reports on them.
