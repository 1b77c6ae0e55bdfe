//! What the fuzz targets share.

#![forbid(unsafe_code)]

pub mod damage;
pub mod databases;
pub mod records;
