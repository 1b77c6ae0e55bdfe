//! The state of one stream between two calls.

use crate::WINDOW;
use crate::bytes::ByteSet;
use crate::references::{WORDS, Watch};
use crate::tables::Tables;

/// The state of one DEFLATE stream between two calls of [`decode`](crate::decode): the tables of the
/// block and the place in it.
///
/// It owns neither input nor output. At about 41 KiB it belongs in a `Box` or `Vec` and should be used
/// again: [`Lane::start`] costs nothing.
#[derive(Debug, Clone)]
pub struct Lane {
    pub(crate) tables: Tables,
    pub(crate) place: Place,
    /// The block is the last one.
    pub(crate) last: bool,
    /// `tables` hold the fixed code.
    pub(crate) fixed: bool,
    pub(crate) stop_at_blocks: bool,
    /// Valid bytes before the next byte of output, up to [`WINDOW`].
    pub(crate) history: usize,
    /// What is left of a match that met the end of the output.
    pub(crate) pending: Pending,
    pub(crate) watch: Option<Watch>,
    /// No literal may be one of these.
    pub(crate) reserved: ByteSet,
    /// The fast loops stand before a token that is not theirs.
    pub(crate) event: bool,
}

/// Where in the stream a lane stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// At a block header.
    Header,
    /// In a stored block with so many bytes left, at a whole byte of the input.
    Stored(usize),
    /// Before a token of a block for which the tables are made.
    Tokens,
    /// Behind the last block.
    End,
}

/// A match of which `length` bytes are still to be written.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Pending {
    pub(crate) length: usize,
    pub(crate) distance: usize,
}

impl Lane {
    /// A lane at the start of a stream without history, as after `start(0)`.
    pub fn new() -> Self {
        Self {
            tables: Tables::new(),
            place: Place::Header,
            last: false,
            fixed: false,
            stop_at_blocks: false,
            history: 0,
            pending: Pending::default(),
            watch: None,
            reserved: ByteSet::EMPTY,
            event: false,
        }
    }

    /// Begin at a block header. `history` is the number of valid bytes right before the first byte of
    /// output that matches may refer to; more than [`WINDOW`] means [`WINDOW`].
    ///
    /// Forgets a window watched; keeps [`Lane::stop_at_blocks`] and [`Lane::reserve`].
    pub fn start(&mut self, history: usize) {
        self.place = Place::Header;
        self.last = false;
        self.history = history.min(WINDOW);
        self.pending = Pending::default();
        self.watch = None;
        self.event = false;
    }

    /// Whether to return [`Status::BlockEnd`](crate::Status::BlockEnd) after every block that is not
    /// the last one. At first `false`.
    pub fn stop_at_blocks(&mut self, yes: bool) {
        self.stop_at_blocks = yes;
    }

    /// From here on record which of the last [`WINDOW`] bytes before the present place of output later
    /// matches refer to, until [`WINDOW`] bytes more have passed.
    ///
    /// To be called at a block boundary: after [`Lane::start`] or a
    /// [`Status::BlockEnd`](crate::Status::BlockEnd). While the record is being made the lane decodes
    /// token by token, several times slower. An earlier record is dropped.
    pub fn watch_window(&mut self) {
        debug_assert_eq!(self.place, Place::Header);
        self.watch = Some(Watch::new());
    }

    /// The record begun by [`Lane::watch_window`], once [`WINDOW`] bytes of output have passed since,
    /// or at once if `force` (at the end of a stream). `None` also if no record was begun.
    ///
    /// Bit `i % 64` of word `i / 64` stands for byte `i` of the window, 0 being the oldest and
    /// `WINDOW - 1` the one just before the mark.
    pub fn take_references(&mut self, force: bool) -> Option<Box<[u64; WORDS]>> {
        self.watch
            .take_if(|watch| force || watch.is_complete())
            .map(Watch::into_record)
    }

    /// Stop with [`Status::Reserved`](crate::Status::Reserved) before every block that could make one of these
    /// bytes other than by a match: where its code has a word for one as a literal (the fixed code has for all),
    /// and where a stored block is not empty. At first none is reserved.
    ///
    /// What is reserved can stand for something else in the output: it only ever spreads by being copied.
    pub fn reserve(&mut self, bytes: ByteSet) {
        self.reserved = bytes;
    }

    /// The bytes that have a code word as literals in the block that was begun last, as far as it is a dynamic one.
    /// All bytes in one of the fixed code; after a stored block still those of the one before.
    pub fn literals(&self) -> ByteSet {
        self.tables.literals()
    }

    /// Whether the fast loops have left a token, told once.
    pub(crate) fn take_event(&mut self) -> bool {
        core::mem::take(&mut self.event)
    }

    /// Whether matches must be noted one by one.
    pub(crate) fn is_watching(&self) -> bool {
        self.watch
            .as_ref()
            .is_some_and(|watch| !watch.is_complete())
    }
}

impl Default for Lane {
    fn default() -> Self {
        Self::new()
    }
}
