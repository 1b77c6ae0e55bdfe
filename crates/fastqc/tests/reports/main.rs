//! Reports beside those of FastQC, and of the same reads in other parts.

mod golden;
mod parts;
mod reads;
