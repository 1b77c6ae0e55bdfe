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

    /// Move all but the first `taken` bytes of data, and at least the last
    /// `history` bytes (at most 32 KiB), into `fresh`, which then carries the
    /// stream on; `self` keeps its first `taken` bytes of data.
    pub fn carry_over(&mut self, taken: usize, history: usize, fresh: &mut Slab) {
        debug_assert!(taken <= self.len() && history <= WINDOW);
        let rest = self.len() - taken;
        let keep = rest.max(history);
        let end = keep.max(WINDOW);
        // As many data as a fresh slab holds, the rest among them. Where nothing
        // could be taken, a record does not fit: twice as many, so that it is not
        // copied many times. A rest of whole records, of a stream that is ahead
        // of another, only waits: with room for more it would grow from batch to
        // batch. Not what `fresh` grew to for somebody else: where a stream is
        // cut must not depend on which slab it is given.
        let wanted = if taken == 0 { 2 * rest } else { rest };
        fresh.bytes.resize(end + fresh.usual.max(wanted) - rest, 0);
        fresh.bytes[end - keep..end].copy_from_slice(&self.bytes[self.end - keep..self.end]);
        fresh.end = end;
        fresh.begin = end - rest;
        self.end = self.begin + taken;
    }

    /// Bytes of memory held.
    pub fn memory(&self) -> usize {
        self.bytes.len()
    }
}
