//! Streams of sorted k-mers combined: merge, intersect, subtract, diff.
