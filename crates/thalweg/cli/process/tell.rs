//! What is said beside results.

/// As `eprintln`, but when nobody can be told, as with a closed pipe or a full disk behind the standard error, the work
/// goes on: its result says how it went.
macro_rules! tell {
    ($($argument:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr().lock(), $($argument)*);
    }};
}
