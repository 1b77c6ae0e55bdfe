//! What a module says in a word.

use crate::limits::Limit;

/// What a module says of its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Nothing unusual.
    Pass,
    /// Slightly unusual.
    Warn,
    /// Very unusual.
    Fail,
}

impl Verdict {
    /// Of whether what makes it fail, and what makes it warn, is there.
    pub(crate) fn of(fails: bool, warns: bool) -> Self {
        match (fails, warns) {
            (true, _) => Verdict::Fail,
            (false, true) => Verdict::Warn,
            (false, false) => Verdict::Pass,
        }
    }

    /// Of values that must not be above the limit.
    pub(crate) fn of_highest(value: f64, limit: Limit) -> Self {
        Self::of(value > limit.error, value > limit.warn)
    }

    /// As `fastqc_data.txt` has it.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Warn => "warn",
            Verdict::Fail => "fail",
        }
    }
}
