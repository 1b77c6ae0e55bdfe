//! Errors that can be read where a program shows them with `{:?}`, as `main` and `unwrap` do.

use std::error::Error;
use std::fmt;

/// Write `error` as a person reads it: its sentence, those of its causes that it does not say itself, and on a line of its
/// own what to do. For implementations of `Debug`.
///
/// # Errors
/// Those of `f`.
pub fn write_readable(
    f: &mut fmt::Formatter<'_>,
    error: &dyn Error,
    hint: Option<&str>,
) -> fmt::Result {
    let mut told = error.to_string();
    f.write_str(&told)?;
    let mut cause = error.source();
    while let Some(inner) = cause {
        let text = inner.to_string();
        if !told.contains(&text) {
            write!(f, ": {text}")?;
            told.push_str(&text);
        }
        cause = inner.source();
    }
    match hint {
        Some(hint) => write!(f, "\nhint: {hint}"),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Told(&'static str, Option<Box<Told>>);

    impl fmt::Display for Told {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(self.0)
        }
    }

    impl Error for Told {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            self.1.as_ref().map(|cause| &**cause as _)
        }
    }

    struct Shown(Told, Option<&'static str>);

    impl fmt::Debug for Shown {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write_readable(f, &self.0, self.1)
        }
    }

    #[test]
    fn causes_are_told_once() {
        let cause = Told("the disk is full", Some(Box::new(Told("error 28", None))));
        let error = Told("a.gz: cannot be written", Some(Box::new(cause)));
        let shown = format!("{:?}", Shown(error, Some("make room")));
        assert_eq!(
            shown,
            "a.gz: cannot be written: the disk is full: error 28\nhint: make room"
        );
        let cause = Some(Box::new(Told("it is not there", None)));
        let error = Told("a.gz: it is not there", cause);
        assert_eq!(format!("{:?}", Shown(error, None)), "a.gz: it is not there");
    }
}
