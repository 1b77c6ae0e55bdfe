//! The names of the standard output.

use std::path::Path;

/// What it is called in messages.
pub(crate) const STANDARD_OUTPUT: &str = "standard output";

/// Whether `path` is one of its names.
pub(crate) fn is_standard_output(path: &Path) -> bool {
    ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]
        .iter()
        .any(|name| path == Path::new(name))
}
