//! The spectrum as a table of bins: text as `jellyfish histo` prints it, and JSON.

use std::io::{self, BufRead, Write};

use super::Histogram;

/// Which bins a table has.
///
/// Bins are `increment` wide. Counts below `low` fall into the first one and counts above `high` into the
/// last, so nothing is lost: with the default values the table ends at a bin 10001 that stands for
/// "10001 and more".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableOptions {
    /// The lowest count with a bin of its own.
    pub low: u64,
    /// The highest count with a bin of its own.
    pub high: u64,
    /// The width of a bin; 0 is taken as 1.
    pub increment: u64,
    /// Whether bins without k-mers are listed too.
    pub full: bool,
}

impl Default for TableOptions {
    fn default() -> Self {
        TableOptions {
            low: 1,
            high: 10_000,
            increment: 1,
            full: false,
        }
    }
}

/// One bin of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistogramRow {
    /// The lowest count of the bin.
    pub count: u64,
    /// The number of distinct k-mers in it.
    pub kmers: u64,
}

impl Histogram {
    /// The bins of the spectrum, counts ascending.
    ///
    /// The first bin begins at `low - increment`, or at 0 if that would be negative or zero; the last one is
    /// the first bin that begins above `high`. Memory and time are proportional to the number of rows.
    pub fn table(&self, options: &TableOptions) -> Vec<HistogramRow> {
        let increment = options.increment.max(1);
        let base = options.low.saturating_sub(increment);
        // As wide numbers: `high` may be 2^64 - 1.
        let ceiling = u128::from(options.high) + u128::from(increment);
        let bins = (ceiling + u128::from(increment)).saturating_sub(u128::from(base))
            / u128::from(increment);
        let last = bins.max(1) - 1;
        let bin_of = |count: u64| {
            if count < base {
                0
            } else if u128::from(count) > ceiling {
                last
            } else {
                (u128::from(count - base) / u128::from(increment)).min(last)
            }
        };
        let start_of = |bin: u128| {
            u64::try_from(u128::from(base) + bin * u128::from(increment)).unwrap_or(u64::MAX)
        };

        let mut rows: Vec<HistogramRow> = Vec::new();
        let mut next = 0u128;
        for (count, kmers) in self.iter() {
            let bin = bin_of(count);
            if bin + 1 == next {
                // Bins ascend with counts, so it is the row just made.
                if let Some(row) = rows.last_mut() {
                    row.kmers = row.kmers.saturating_add(kmers);
                    continue;
                }
            }
            if options.full {
                rows.extend((next..bin).map(|bin| HistogramRow {
                    count: start_of(bin),
                    kmers: 0,
                }));
            }
            rows.push(HistogramRow {
                count: start_of(bin),
                kmers,
            });
            next = bin + 1;
        }
        if options.full {
            rows.extend((next..=last).map(|bin| HistogramRow {
                count: start_of(bin),
                kmers: 0,
            }));
        }
        rows
    }

    /// Writes the table as lines of `count number`, separated by one space.
    ///
    /// # Errors
    /// What `output` returns.
    pub fn write_text(&self, options: &TableOptions, mut output: impl Write) -> io::Result<()> {
        for row in self.table(options) {
            writeln!(output, "{} {}", row.count, row.kmers)?;
        }
        Ok(())
    }

    /// The whole spectrum as JSON: the totals, and pairs of count and number without any binning.
    pub fn to_json(&self) -> serde_json::Value {
        let number = |total: u128| match u64::try_from(total) {
            Ok(total) => serde_json::Value::from(total),
            // JSON numbers beyond 64 bits lose digits in most readers.
            Err(_) => serde_json::Value::from(total.to_string()),
        };
        serde_json::json!({
            "unique": self.unique(),
            "distinct": self.distinct(),
            "total": number(self.total()),
            "max_count": self.max_count(),
            "histogram": self.iter().map(|(count, kmers)| [count, kmers]).collect::<Vec<_>>(),
        })
    }

    /// Reads lines of `count number`, separated by blanks or tabs, as written by this crate, `jellyfish histo`
    /// and `kmc_tools transform histogram`. Empty lines are skipped.
    ///
    /// # Errors
    /// [`ParseTableError`] names the first line that is not two numbers.
    pub fn read_text(input: impl BufRead) -> Result<Histogram, ParseTableError> {
        let mut histogram = Histogram::new();
        for (number, line) in (1..).zip(input.lines()) {
            let line = line.map_err(ParseTableError::Io)?;
            let line = line
                .strip_prefix('\u{feff}')
                .filter(|_| number == 1)
                .unwrap_or(&line);
            let mut fields = line.split_ascii_whitespace();
            let mut field = || fields.next().map(str::parse::<u64>);
            match (field(), field(), field()) {
                (None, ..) => {}
                (Some(Ok(count)), Some(Ok(kmers)), None) => histogram.add_many(count, kmers),
                _ => return Err(ParseTableError::Line(number)),
            }
        }
        Ok(histogram)
    }
}

/// Why a table could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ParseTableError {
    /// The input could not be read.
    #[error("cannot read the spectrum")]
    Io(#[source] io::Error),
    /// This line, counted from 1, is not a count and a number of k-mers.
    #[error("line {0} of the spectrum is not a count and a number of k-mers")]
    Line(u64),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(histogram: &Histogram, low: u64, high: u64, increment: u64) -> Vec<(u64, u64)> {
        let options = TableOptions {
            low,
            high,
            increment,
            full: false,
        };
        let table = histogram.table(&options);
        table.iter().map(|row| (row.count, row.kmers)).collect()
    }

    #[test]
    fn the_ends_collect_what_lies_beyond() {
        let histogram = Histogram::from_iter([(1, 5), (4, 1), (9, 2), (10_001, 1), (30_000, 4)]);
        assert_eq!(
            rows(&histogram, 1, 10_000, 1),
            [(1, 5), (4, 1), (9, 2), (10_001, 5)]
        );
        assert_eq!(rows(&histogram, 4, 8, 1), [(3, 5), (4, 1), (9, 7)]);
        assert_eq!(rows(&histogram, 4, 8, 2), [(2, 5), (4, 1), (8, 2), (10, 5)]);
    }

    #[test]
    fn a_full_table_has_every_bin() {
        let histogram = Histogram::from_iter([(2, 1)]);
        let options = TableOptions {
            high: 5,
            full: true,
            ..TableOptions::default()
        };
        let counts: Vec<u64> = histogram.table(&options).iter().map(|r| r.count).collect();
        assert_eq!(counts, [0, 1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn extreme_options_do_not_overflow() {
        let histogram = Histogram::from_iter([(0, 1), (7, 1), (u64::MAX, 1)]);
        for (low, high, increment) in [
            (0, 0, 0),
            (u64::MAX, 0, 1),
            (0, u64::MAX, u64::MAX),
            (u64::MAX, u64::MAX, 1),
            (0, u64::MAX, 1),
        ] {
            let sum: u64 = rows(&histogram, low, high, increment)
                .iter()
                .map(|r| r.1)
                .sum();
            assert_eq!(sum, 3);
        }
    }

    #[test]
    fn text_reads_back() {
        let histogram = Histogram::from_iter([(1, 5), (4, 1), (10_000, 2)]);
        let mut text = Vec::new();
        histogram
            .write_text(&TableOptions::default(), &mut text)
            .unwrap();
        assert_eq!(text, b"1 5\n4 1\n10000 2\n");
        assert_eq!(Histogram::read_text(&text[..]).unwrap(), histogram);
        assert!(matches!(
            Histogram::read_text(&b"1 2\n3 x\n"[..]),
            Err(ParseTableError::Line(2))
        ));
    }
}
