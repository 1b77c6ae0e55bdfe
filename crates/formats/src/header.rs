//! The way through a file's header, which may be longer than what is in memory of it.

use crate::{FormatError, FormatErrorKind, HeaderReader, HeaderStep};

/// How far a header has been passed over.
#[derive(Debug, Default)]
pub struct HeaderWalk {
    /// `None` where there is no header, or behind its end.
    reader: Option<Box<dyn HeaderReader>>,
    /// Bytes to pass over before it is asked again.
    skip: u64,
}

impl HeaderWalk {
    /// From the start of a file.
    pub fn new(reader: Box<dyn HeaderReader>) -> Self {
        Self {
            reader: Some(reader),
            skip: 0,
        }
    }

    /// Whether the first record comes next.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.reader.is_none()
    }

    /// How many of the first bytes of `data` belong to the header, as far as that is known. The next call is for the data
    /// behind them; `at_end`: no more follow.
    ///
    /// # Errors
    /// What the format finds at fault; data that end inside the header. The offset counts from the start of `data`.
    pub fn pass(&mut self, data: &[u8], at_end: bool) -> Result<usize, FormatError> {
        let mut passed = 0;
        while let Some(reader) = &mut self.reader {
            let rest = &data[passed..];
            let skipped =
                usize::try_from(self.skip).map_or(rest.len(), |skip| skip.min(rest.len()));
            passed += skipped;
            self.skip -= skipped as u64;
            let is_cut_off = FormatErrorKind::Truncated;
            if self.skip > 0 {
                return match at_end {
                    true => Err(FormatError::new(is_cut_off, 0, passed, data)),
                    false => Ok(passed),
                };
            }
            let step = reader.step(&data[passed..], at_end);
            match step.map_err(|error| error.behind(passed))? {
                HeaderStep::Skip(bytes) => self.skip = bytes,
                HeaderStep::NeedMore if at_end => {
                    return Err(FormatError::new(is_cut_off, 0, passed, data));
                }
                HeaderStep::NeedMore => return Ok(passed),
                HeaderStep::End => self.reader = None,
            }
        }
        Ok(passed)
    }
}
