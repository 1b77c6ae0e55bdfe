//! How many values there are of what.

use std::collections::BTreeMap;

use crate::Value;

/// Numbers of values, by kind and by what they say.
///
/// Of each kind there is `all`. Of reads, `verdict`, `outcome`, and `cut` (by steps that cut them) are told apart, of labels
/// `reason`, and of k-mers the sum of their counts is told as `counts`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceTally {
    numbers: BTreeMap<(String, &'static str, String), u64>,
}

impl TraceTally {
    /// One of nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Count one more value.
    pub fn add(&mut self, value: &Value<'_>) {
        let kind = value.kind();
        self.increase(kind, "all", "", 1);
        match value {
            Value::Read(read) => {
                self.increase(kind, "verdict", &read.verdict, 1);
                self.increase(kind, "outcome", &read.outcome, 1);
                for cut in &*read.cuts {
                    self.increase(kind, "cut", &cut.step, 1);
                }
            }
            Value::Label(label) => self.increase(kind, "reason", &label.reason, 1),
            Value::Kmer(kmer) => self.increase(kind, "counts", "", kmer.count),
            _ => {}
        }
    }

    fn increase(&mut self, kind: &str, what: &'static str, which: &str, by: u64) {
        let key = (kind.to_owned(), what, which.to_owned());
        let number = self.numbers.entry(key).or_default();
        *number = number.saturating_add(by);
    }

    /// Kind, what is told apart, which of these (or nothing), and how many: in the order of their names, so that `all` comes first.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str, &str, u64)> {
        (self.numbers.iter())
            .map(|((kind, what, which), &number)| (&**kind, *what, &**which, number))
    }
}
