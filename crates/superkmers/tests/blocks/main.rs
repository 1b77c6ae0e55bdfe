//! What may be done with blocks of super-k-mers, from outside.

mod foreign;
mod markers;
mod partitions;
mod support;
