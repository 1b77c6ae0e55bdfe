//! What all formats need of files: no records, no threads.
//!
//! In the order in which data meet them:
//!
//! - [`ReadAt`]: bytes that can be read at any place by any number of threads: a file, or memory.
//! - [`Identity`]: what tells that they are still the same ones.
//! - [`ReadFrom`]: such bytes from an offset on, as a stream.
//! - [`resolve`], [`is_stream`]: what a name that a user gives stands for.
//! - [`read_list`], [`list_lines`], [`without_mark`]: lists that people write, as spreadsheets and editors save them.
//! - [`Unfinished`], [`Whole`], [`name_all`]: files that appear under their names when they are whole, alone or as a set;
//!   [`named_so_far`], [`named`]: how many have theirs.
//! - [`TemporaryName`]: what has a name before that is [removed](remove_unfinished) when the process is told to end.
//! - [`UnnamedFile`]: what does not fit into memory, gone when the process ends.
//! - [`read_varint`], [`write_varint`]: small numbers in few bytes, in all formats of ours.
//! - [`Location`]: where an error happened, whichever crate tells it; [`write_readable`]: errors as a person reads them.
//! - [`one_line`], [`escape_controls`]: names of files and other foreign text on a terminal, and in a table.
//!
//! ```
//! use std::io::Read;
//! use thalweg_files::{ReadAt, ReadFrom};
//!
//! let bytes = b"ACGTACGT".to_vec();
//! let mut four = [0; 4];
//! bytes.read_exact_at(&mut four, 2)?;
//! assert_eq!(&four, b"GTAC");
//!
//! let mut rest = String::new();
//! ReadFrom::new(&bytes, 5).read_to_string(&mut rest)?;
//! assert_eq!(rest, "CGT");
//! # Ok::<(), std::io::Error>(())
//! ```
#![forbid(unsafe_code)]

mod identity;
mod list;
mod location;
mod names;
mod quantity;
mod read_at;
mod read_from;
mod readable;
mod shown;
mod temporary_name;
mod unfinished;
mod unnamed;
mod varint;

pub use identity::Identity;
pub use list::{
    ListTextError, check_returns, list_lines, list_text, read_list, read_text_list, without_mark,
};
pub use location::Location;
pub use names::{directory_of, is_standard_output, is_stream, resolve};
pub use quantity::{counted, percent, thousands};
pub use read_at::ReadAt;
pub use read_from::ReadFrom;
pub use readable::write_readable;
pub use shown::{escape_controls, one_line};
pub use temporary_name::{
    Ending, TemporaryName, before_temporary_names, remove_unfinished, remove_unfinished_now,
};
pub use unfinished::{NamingError, Unfinished, Whole, close, name_all, named, named_so_far};
pub use unnamed::{TemporaryError, UnnamedFile};
pub use varint::{VarintError, read_varint, write_varint};
