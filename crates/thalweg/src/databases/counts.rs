//! Counts that are kept, as all jobs on databases are asked for them.

use crate::Fault;

/// Refuses limits that no count is within: the least and the largest.
///
/// # Errors
/// [`Fault::Usage`].
pub fn check_counts((least, most): (u64, u64)) -> Result<(), Fault> {
    if most == 0 {
        return Err(Fault::usage(
            "-U 0 keeps no k-mers",
            "omit it to keep counts of any size",
        ));
    }
    match least > most {
        true => Err(Fault::usage(
            format!("-L {least} is greater than -U {most}"),
            "the minimum count must not exceed the maximum",
        )),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_have_counts_between_them() {
        for kept in [(0, u64::MAX), (1, 1), (0, 1)] {
            check_counts(kept).unwrap();
        }
        for kept in [(0, 0), (2, 1)] {
            let fault = check_counts(kept).unwrap_err();
            assert!(matches!(fault, Fault::Usage { .. }), "{fault}");
        }
    }
}
