//! From which values on a module warns or fails, and which modules there are at all: FastQC's `limits.txt`.

use crate::ListError;

/// What a module's verdict depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// Beyond it the module warns.
    pub warn: f64,
    /// Beyond it the module fails.
    pub error: f64,
    /// Whether the module is left out.
    pub ignored: bool,
}

/// The limits of all modules, by the names that they have in FastQC's file.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Of copies: what is left without them, in percent.
    pub duplication: Limit,
    /// Of k-mers: the negative decimal logarithm of how likely the most uneven one is. Left out unless asked for.
    pub kmer: Limit,
    /// Of N: percent at any position.
    pub n_content: Limit,
    /// Of frequent sequences: percent of all.
    pub overrepresented: Limit,
    /// The lower quartile of qualities at any position; `ignored` leaves the module out.
    pub quality_base_lower: Limit,
    /// The median of qualities at any position.
    pub quality_base_median: Limit,
    /// Whether qualities by position are left out.
    pub quality_base: Limit,
    /// The difference between A and T, or G and C, in percent.
    pub sequence: Limit,
    /// How far the distribution of GC is from a normal one, in percent.
    pub gc_sequence: Limit,
    /// The most frequent mean quality.
    pub quality_sequence: Limit,
    /// How far a tile is from the mean of all.
    pub tile: Limit,
    /// Lengths: 1 tells that what is unusual is told, 0 that it is not.
    pub sequence_length: Limit,
    /// Adapters: percent at any position.
    pub adapter: Limit,
}

impl Default for Limits {
    fn default() -> Self {
        let limit = |warn, error| Limit {
            warn,
            error,
            ignored: false,
        };
        Limits {
            duplication: limit(70.0, 50.0),
            kmer: Limit {
                ignored: true,
                ..limit(2.0, 5.0)
            },
            n_content: limit(5.0, 20.0),
            overrepresented: limit(0.1, 1.0),
            quality_base_lower: limit(10.0, 5.0),
            quality_base_median: limit(25.0, 20.0),
            quality_base: limit(0.0, 0.0),
            sequence: limit(10.0, 20.0),
            gc_sequence: limit(15.0, 30.0),
            quality_sequence: limit(27.0, 20.0),
            tile: limit(5.0, 10.0),
            sequence_length: limit(1.0, 1.0),
            adapter: limit(5.0, 10.0),
        }
    }
}

impl Limits {
    /// Read a file of lines `module level value`, with blanks between; `level` is warn, error or ignore. Lines that begin with
    /// `#` are comments. What no line names stays as it is by default.
    ///
    /// # Errors
    /// For the first line of another form, of an unknown module, or whose value is not a number.
    pub fn parse(text: &str) -> Result<Self, ListError> {
        let mut limits = Self::default();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let words: Vec<&str> = line.split_whitespace().collect();
            let [module, level, value] = words[..] else {
                let reason = format!(
                    "{} words, where there should be module, level and value",
                    words.len()
                );
                return Err(ListError::new(number, reason));
            };
            let value = value.parse().ok().filter(|value: &f64| value.is_finite());
            let Some(value) = value else {
                let reason = format!("{:?} is not a number", words[2]);
                return Err(ListError::new(number, reason));
            };
            let Some(limit) = limits.named(module) else {
                let reason = format!("there is no module {module:?}");
                return Err(ListError::new(number, reason));
            };
            match level {
                "warn" => limit.warn = value,
                "error" => limit.error = value,
                "ignore" => limit.ignored = value > 0.0,
                _ => {
                    let reason = format!("{level:?} is none of warn, error and ignore");
                    return Err(ListError::new(number, reason));
                }
            }
        }
        Ok(limits)
    }

    fn named(&mut self, module: &str) -> Option<&mut Limit> {
        Some(match module {
            "duplication" => &mut self.duplication,
            "kmer" => &mut self.kmer,
            "n_content" => &mut self.n_content,
            "overrepresented" => &mut self.overrepresented,
            "quality_base_lower" => &mut self.quality_base_lower,
            "quality_base_median" => &mut self.quality_base_median,
            "quality_base" => &mut self.quality_base,
            "sequence" => &mut self.sequence,
            "gc_sequence" => &mut self.gc_sequence,
            "quality_sequence" => &mut self.quality_sequence,
            "tile" => &mut self.tile,
            "sequence_length" => &mut self.sequence_length,
            "adapter" => &mut self.adapter,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_change_what_they_name() {
        let limits = Limits::parse("# ours\n\nkmer\tignore \t0\r\nadapter warn 1.5\n");
        let limits = limits.expect("well-formed");
        assert!(!limits.kmer.ignored);
        assert_eq!((limits.adapter.warn, limits.adapter.error), (1.5, 10.0));
        assert_eq!(Limits::parse(""), Ok(Limits::default()));
    }

    #[test]
    fn other_lines_are_told() {
        for (text, reason) in [
            (
                "adapter warn",
                "line 1: 2 words, where there should be module, level and value",
            ),
            ("#\nadapter warn much", "line 2: \"much\" is not a number"),
            ("adapter warn NaN", "line 1: \"NaN\" is not a number"),
            ("adapters warn 1", "line 1: there is no module \"adapters\""),
            (
                "adapter warning 1",
                "line 1: \"warning\" is none of warn, error and ignore",
            ),
        ] {
            let error = Limits::parse(text).expect_err(text);
            assert_eq!(error.to_string(), reason);
        }
    }
}
