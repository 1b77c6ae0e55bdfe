//! Where reads go, and their text.

use crate::Read;

/// A stream that reads can be written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Destination {
    /// Single reads and first mates that pass.
    Read1,
    /// Second mates that pass.
    Read2,
    /// First mates that pass where the second do not.
    Unpaired1,
    /// Second mates that pass where the first do not.
    Unpaired2,
    /// Merged reads.
    Merged,
    /// Reads that do not pass, with the reason behind their names.
    Failed,
    /// The bases on which mates agree.
    Overlapped,
}

/// Number of [`Destination`]s.
pub const DESTINATIONS: usize = 7;

/// Which destinations are wanted, and which share a stream.
///
/// Each destination has a stream number of its own or of another destination, or
/// none: what goes there is then not written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Routes {
    streams: [Option<u8>; DESTINATIONS],
}

impl Routes {
    /// Nothing is written anywhere.
    pub fn none() -> Self {
        Self::default()
    }

    /// Write what goes to `destination` to stream `stream`, counted from 0.
    ///
    /// # Panics
    /// If the number is not below [`DESTINATIONS`].
    pub fn set(mut self, destination: Destination, stream: usize) -> Self {
        assert!(stream < DESTINATIONS, "stream {stream}");
        self.streams[destination as usize] = Some(stream as u8);
        self
    }

    /// The stream of a destination.
    #[inline]
    pub fn stream(&self, destination: Destination) -> Option<usize> {
        self.streams[destination as usize].map(usize::from)
    }
}

/// Text of reads for one stream.
#[derive(Clone, Debug, Default)]
pub struct Piece {
    /// FASTQ.
    pub text: Vec<u8>,
    /// Number of records in it.
    pub records: u64,
}

impl Piece {
    /// Forget the records; keep the memory.
    pub fn clear(&mut self) {
        self.text.clear();
        self.records = 0;
    }

    /// Append a read, with a space and `tag` behind its name if there is one.
    #[inline]
    pub(crate) fn push(&mut self, read: &Read<'_>, tag: &[u8]) {
        match read.untouched() {
            Some(record) if tag.is_empty() => {
                self.text.extend_from_slice(record);
                self.records += 1;
            }
            _ => self.push_parts(
                read.head(),
                tag,
                read.comment(),
                read.spelling(),
                read.qualities(),
            ),
        }
    }

    /// Append a record made of these parts.
    pub(crate) fn push_parts(
        &mut self,
        head: &[u8],
        tag: &[u8],
        comment: &[u8],
        bases: &[u8],
        qualities: &[u8],
    ) {
        let text = &mut self.text;
        text.reserve(head.len() + tag.len() + comment.len() + bases.len() + qualities.len() + 7);
        text.push(b'@');
        text.extend_from_slice(head);
        if !tag.is_empty() {
            text.push(b' ');
            text.extend_from_slice(tag);
        }
        text.push(b'\n');
        text.extend_from_slice(bases);
        text.extend_from_slice(b"\n+");
        text.extend_from_slice(comment);
        text.push(b'\n');
        text.extend_from_slice(qualities);
        text.push(b'\n');
        self.records += 1;
    }
}

/// Text for each stream, made by one worker from one batch.
#[derive(Clone, Debug, Default)]
pub struct Pieces {
    streams: [Piece; DESTINATIONS],
    routes: Routes,
}

impl Pieces {
    /// Empty pieces for these routes.
    pub fn new(routes: Routes) -> Self {
        Pieces {
            routes,
            ..Self::default()
        }
    }

    /// The piece of a stream.
    pub fn stream(&self, stream: usize) -> &Piece {
        &self.streams[stream]
    }

    /// The piece of a stream, for instance to take its text.
    pub fn stream_mut(&mut self, stream: usize) -> &mut Piece {
        &mut self.streams[stream]
    }

    /// Records in the piece that holds what goes to `destination`; 0 if nobody wants that.
    pub fn records(&self, destination: Destination) -> u64 {
        let stream = self.routes.stream(destination);
        stream.map_or(0, |stream| self.streams[stream].records)
    }

    /// Forget all records; keep the memory.
    pub fn clear(&mut self) {
        self.streams.iter_mut().for_each(Piece::clear);
    }

    /// Whether somebody wants what goes to `destination`.
    #[inline]
    pub(crate) fn wants(&self, destination: Destination) -> bool {
        self.routes.stream(destination).is_some()
    }

    /// The piece for a destination, if it is wanted.
    #[inline]
    pub(crate) fn at(&mut self, destination: Destination) -> Option<&mut Piece> {
        let stream = self.routes.stream(destination)?;
        Some(&mut self.streams[stream])
    }
}
