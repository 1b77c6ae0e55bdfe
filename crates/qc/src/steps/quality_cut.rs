//! Trimming by a window that slides over the qualities, together with the fixed
//! numbers of bases, which decide where the windows start.

use std::ops::Range;

use super::GlobalTrim;
use crate::{Mode, Options, Read};

/// A window of some bases, and the mean quality that it must have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub(crate) size: usize,
    pub(crate) quality: u8,
}

impl Window {
    /// The sum of quality bytes with which a window passes.
    fn threshold(self) -> usize {
        self.size * usize::from(self.least_byte())
    }

    /// The byte of a base that has the quality itself.
    fn least_byte(self) -> u8 {
        self.quality + 33
    }

    /// The first start in `from..to - size` whose window satisfies `stop`; else the end of
    /// that range.
    fn slide(
        self,
        qualities: &[u8],
        from: usize,
        to: usize,
        stop: impl Fn(usize) -> bool,
    ) -> usize {
        let mut sum: usize = qualities[from..from + self.size]
            .iter()
            .map(|&q| usize::from(q))
            .sum();
        let end = to - self.size;
        let mut start = from;
        while start < end {
            if stop(sum) {
                break;
            }
            sum += usize::from(qualities[start + self.size]);
            sum -= usize::from(qualities[start]);
            start += 1;
        }
        start
    }
}

/// Which windows slide, if any.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QualityCut {
    pub(crate) front: Option<Window>,
    pub(crate) tail: Option<Window>,
    /// Takes the place of `tail`.
    pub(crate) right: Option<Window>,
    pub(crate) mode: Mode,
}

impl QualityCut {
    /// What is asked for of each end: what is said of one alone counts there.
    pub(crate) fn new(o: &Options) -> Self {
        let window = |on: bool, size: Option<usize>, quality: Option<u8>| {
            on.then(|| Window {
                size: size.unwrap_or(o.cut_window_size),
                quality: quality.unwrap_or(o.cut_mean_quality),
            })
        };
        Self {
            front: window(
                o.cut_front,
                o.cut_front_window_size,
                o.cut_front_mean_quality,
            ),
            tail: window(o.cut_tail, o.cut_tail_window_size, o.cut_tail_mean_quality),
            right: window(
                o.cut_right,
                o.cut_right_window_size,
                o.cut_right_mean_quality,
            ),
            mode: o.mode,
        }
    }

    /// Trim a read. Returns how many bases were taken off its front; if nothing is
    /// left, the read is lost, and stays as it was.
    pub(crate) fn apply(&self, read: &mut Read<'_>, trim: GlobalTrim) -> usize {
        if self.front.is_none() && self.tail.is_none() && self.right.is_none() {
            if trim.front.saturating_add(trim.tail) > read.len() {
                read.lose();
                return 0;
            }
            read.skip(trim.front);
            read.truncate(read.len() - trim.tail);
            return trim.front;
        }
        match self.window(read, trim) {
            Some((front, end)) => {
                read.truncate(end);
                read.skip(front);
                front
            }
            None => {
                read.lose();
                0
            }
        }
    }

    /// What is left of a read: first base, and the one behind the last.
    fn window(&self, read: &Read<'_>, trim: GlobalTrim) -> Option<(usize, usize)> {
        let (bases, qualities) = (read.bases(), read.qualities());
        let length = bases.len();
        let mut front = trim.front;
        let end = length.checked_sub(trim.tail).filter(|&end| end >= front)?;
        let mut kept_end = end;
        let fits = |window: Window, front: usize| end > front + window.size;

        if let Some(window) = self.front {
            if !fits(window, front) {
                return None;
            }
            let threshold = window.threshold();
            let mut start = window.slide(qualities, front, end, |sum| sum >= threshold);
            // All windows before failed, the last of them reaches one base short of
            // the end of this one. fastp asks whether the start is 0, so with bases
            // trimmed before a good read loses some more.
            let has_moved = match self.mode {
                Mode::Correct => start > front,
                Mode::Fastp(_) => start > 0,
            };
            if has_moved {
                start += window.size - 1;
            }
            while start < length && bases[start] == b'N' {
                start += 1;
            }
            front = start;
        }
        if let Some(window) = self.right {
            if !fits(window, front) {
                return None;
            }
            let threshold = window.threshold();
            let start = window.slide(qualities, front, end, |sum| sum < threshold);
            if start < end - window.size {
                // Good bases at the start of the failing window stay.
                let good = qualities[start..length - 1]
                    .iter()
                    .take_while(|&&quality| quality >= window.least_byte())
                    .count();
                kept_end = start + good;
                if self.mode.is_correct() {
                    kept_end = kept_end.min(end);
                }
            }
        } else if let Some(window) = self.tail {
            if !fits(window, front) {
                return None;
            }
            // Here, too, fastp takes bases trimmed before for bases that failed.
            let whole = match self.mode {
                Mode::Correct => end,
                Mode::Fastp(_) => length,
            };
            kept_end = tail(window, bases, qualities, front..end, whole);
        }
        (kept_end > front && front + 1 < length).then_some((front, kept_end))
    }
}

/// Slide from the tail to the front; returns the end of what is kept. If that is short
/// of `whole`, windows have failed, and the last of them goes altogether.
fn tail(
    window: Window,
    bases: &[u8],
    qualities: &[u8],
    Range { start: front, end }: Range<usize>,
    whole: usize,
) -> usize {
    let threshold = window.threshold();
    // The window's last base.
    let mut last = end - 1;
    let mut sum: usize = qualities[end - window.size..end]
        .iter()
        .map(|&q| usize::from(q))
        .sum();
    while last >= front + window.size && sum < threshold {
        sum += usize::from(qualities[last - window.size]);
        sum -= usize::from(qualities[last]);
        last -= 1;
    }
    let mut kept = last + 1;
    if kept < whole {
        kept = kept + 1 - window.size;
    }
    while kept > 0 && bases[kept - 1] == b'N' {
        kept -= 1;
    }
    kept
}
