//! Whether to do what is right, or what fastp does.

/// Which behaviour is wanted where fastp has defects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// What the options say they do: overlaps are checked over their whole length,
    /// no failing read is lost, and so on (`DIFFERENCES.md` lists them all).
    #[default]
    Correct,
    /// Byte for byte what fastp writes with one worker thread.
    Fastp(FastpVersion),
}

impl Mode {
    /// Whether this is [`Mode::Correct`].
    pub fn is_correct(self) -> bool {
        self == Mode::Correct
    }

    /// Whether fastp 0.23 is to be followed.
    pub(crate) fn is_old(self) -> bool {
        self == Mode::Fastp(FastpVersion::V0_23)
    }
}

/// A version of fastp to follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FastpVersion {
    /// fastp 0.23.2, which Debian distributes.
    V0_23,
    /// fastp 1.3.
    V1_3,
}
