use thalweg_inflate::WINDOW;

/// Uncompressed bytes of one stream: history, then data, then room.
///
/// ```text
/// bytes: [ history … | data (begin..end) | room … ]
/// ```
/// The 32 KiB before `end` are always what the stream last gave (as far as it
/// has given that much), because later matches refer to them.
#[derive(Debug, Default)]
pub struct Slab {
    bytes: Vec<u8>,
    begin: usize,
    end: usize,
    /// Room for data after the history, unless a long record needed more.
    usual: usize,
}

impl Slab {
    /// Room for `data` bytes after the history.
    pub fn new(data: usize) -> Self {
        Self {
            bytes: vec![0; WINDOW + data],
            begin: WINDOW,
            end: WINDOW,
            usual: data,
        }
    }

    /// The data that nobody has taken yet.
    pub fn data(&self) -> &[u8] {
        &self.bytes[self.begin..self.end]
    }

    /// Length of [`data`](Self::data).
    pub fn len(&self) -> usize {
        self.end - self.begin
    }

    /// Whether there are no data.
    pub fn is_empty(&self) -> bool {
        self.begin == self.end
    }

    /// How many bytes still fit.
    pub fn room(&self) -> usize {
        self.bytes.len() - self.end
    }

    /// Forget all data and take `window` (at most 32 KiB) as history.
    pub(crate) fn restart(&mut self, window: &[u8]) {
        debug_assert!(window.len() <= WINDOW);
        self.clear();
        self.bytes[..WINDOW - window.len()].fill(0);
        self.bytes[WINDOW - window.len()..WINDOW].copy_from_slice(window);
    }

    /// Forget all data and history: the buffer is for another stream.
    pub fn clear(&mut self) {
        self.bytes.resize(WINDOW + self.usual, 0);
        self.begin = WINDOW;
        self.end = WINDOW;
    }

    /// The whole buffer and the place of the next byte, at most `limit` bytes
    /// of room: what the decoder writes to.
    pub(crate) fn output(&mut self, limit: u64) -> (&mut [u8], usize) {
        let room = usize::try_from(limit).map_or(self.room(), |limit| limit.min(self.room()));
        (&mut self.bytes[..self.end + room], self.end)
    }

    /// The room after the data, for sources that are not compressed.
    pub fn room_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.end..]
    }

    /// Say that `bytes` more bytes of the room are data.
    ///
    /// # Panics
    /// If there is not that much room.
    pub fn extend(&mut self, bytes: usize) {
        assert!(bytes <= self.room(), "more data than room");
        self.end += bytes;
    }

    /// Data from position `from` (in the coordinates of [`end`](Self::end)).
    pub(crate) fn since(&self, from: usize) -> &[u8] {
        &self.bytes[from..self.end]
    }

    /// Where the data end, counted from the start of the buffer.
    pub(crate) fn end(&self) -> usize {
        self.end
    }

    /// The last 32 KiB, oldest first; zeros where the stream is younger.
    pub(crate) fn window(&self) -> &[u8] {
        &self.bytes[self.end - WINDOW..self.end]
    }

    /// Leave the first `bytes` of the data out: somebody has no use for them.
    pub fn skip(&mut self, bytes: usize) {
        debug_assert!(bytes <= self.len());
        self.begin += bytes;
    }

    /// Write `bytes` over the first of the data.
    ///
    /// # Panics
    /// If there are not that many data.
    pub fn overwrite(&mut self, bytes: &[u8]) {
        debug_assert!(bytes.len() + WINDOW <= self.len(), "history is overwritten");
        self.bytes[self.begin..self.end][..bytes.len()].copy_from_slice(bytes);
    }

    /// Move all but the first `taken` bytes of data, and at least the last
    /// `history` bytes (at most 32 KiB), into `fresh`, which then carries the
    /// stream on; `self` keeps its first `taken` bytes of data.
    pub fn carry_over(&mut self, taken: usize, history: usize, fresh: &mut Slab) {
        debug_assert!(taken <= self.len() && history <= WINDOW);
        let rest = self.len() - taken;
        let keep = rest.max(history);
        let end = keep.max(WINDOW);
        // As many data as a fresh slab holds, the rest among them: with room for more, a
        // rest of whole records, of a stream that is ahead of another and waits, would
        // grow from batch to batch. Not what `fresh` grew to for somebody else: where a
        // stream is cut must not depend on which slab it is given.
        fresh.bytes.resize(end + fresh.usual.max(rest) - rest, 0);
        fresh.bytes[end - keep..end].copy_from_slice(&self.bytes[self.end - keep..self.end]);
        fresh.end = end;
        fresh.begin = end - rest;
        self.end = self.begin + taken;
    }

    /// Make room behind data of which nothing can be taken yet: a record does not fit.
    ///
    /// The data, and at least the last 32 KiB, move to the front. If they take more than
    /// half of the usual room, the slab grows where it is, by as much as is usual or an
    /// eighth of the data, whichever is more: so a long record is held once, and not
    /// beside a copy of it. Of large allocations the system moves the pages, which costs
    /// the same for any step; twice as much each time would be up to twice the record.
    pub fn make_room(&mut self) {
        let rest = self.len();
        let keep = rest.max(WINDOW);
        if self.end > keep {
            self.bytes.copy_within(self.end - keep..self.end, 0);
            self.begin = keep - rest;
            self.end = keep;
        }
        if rest > self.usual / 2 {
            let wanted = self.end + self.usual.max(rest / 8);
            // Not twice as much, as `resize` alone would take.
            let more = wanted.saturating_sub(self.bytes.len());
            self.bytes.reserve_exact(more);
            self.bytes.resize(self.bytes.len() + more, 0);
        }
    }

    /// Bytes of memory held.
    pub fn memory(&self) -> usize {
        self.bytes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes that tell their place.
    fn fill(slab: &mut Slab, stream: &mut impl Iterator<Item = u8>) {
        for place in slab.room_mut() {
            *place = stream.next().unwrap_or_default();
        }
        slab.extend(slab.room());
    }

    #[test]
    fn a_long_record_is_held_once_and_grows_by_an_eighth() {
        const USUAL: usize = 4096;
        let mut stream = (0..).map(|place: u32| (place / 251 + place) as u8);
        let mut expected = (0..).map(|place: u32| (place / 251 + place) as u8);
        let mut slab = Slab::new(USUAL);
        fill(&mut slab, &mut stream);
        // What was taken before makes room, too.
        slab.skip(USUAL / 2 + 1);
        expected.nth(USUAL / 2);
        slab.make_room();
        // They lie where there was history only: the slab need not grow.
        assert_eq!((slab.len(), slab.room()), (USUAL / 2 - 1, USUAL));
        assert_eq!(slab.memory(), WINDOW + USUAL);
        while slab.len() < 100 * USUAL {
            fill(&mut slab, &mut stream);
            let length = slab.len();
            let window = slab.window().to_vec();
            slab.make_room();
            assert_eq!(slab.len(), length);
            assert_eq!(slab.window(), window);
            assert!(slab.room() >= USUAL.max(length / 8));
            assert!(slab.memory() <= WINDOW + length + USUAL.max(length / 8));
            assert_eq!(slab.bytes.capacity(), slab.memory());
        }
        assert!(
            slab.data()
                .iter()
                .copied()
                .eq(expected.by_ref().take(slab.len()))
        );
    }
}
