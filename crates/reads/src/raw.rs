use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use thalweg_gzip::{Event, Slab};

/// Uncompressed bytes from a source that needs no kernel, in slabs: the same
/// protocol as [`thalweg_gzip::Decoder`].
pub(crate) struct RawStream {
    source: Box<dyn Read + Send>,
    slab: Slab,
    passed: u64,
    /// Where the chunk ends, in bytes from its start.
    goal: Option<u64>,
    limit: u64,
    event: Option<Event>,
}

impl RawStream {
    pub(crate) fn new(source: Box<dyn Read + Send>, goal: Option<u64>, mut slab: Slab) -> Self {
        slab.clear();
        Self {
            source,
            slab,
            passed: 0,
            goal,
            limit: u64::MAX,
            event: None,
        }
    }

    pub(crate) fn event(&self) -> Option<Event> {
        self.event
    }

    pub(crate) fn data(&self) -> &[u8] {
        self.slab.data()
    }

    pub(crate) fn output(&self) -> u64 {
        self.passed + self.slab.len() as u64
    }

    pub(crate) fn take(&mut self, taken: usize, mut fresh: Slab) -> Slab {
        self.slab.carry_over(taken, 0, &mut fresh);
        self.passed += taken as u64;
        self.clear_full();
        std::mem::replace(&mut self.slab, fresh)
    }

    pub(crate) fn overwrite(&mut self, bytes: &[u8]) {
        self.slab.overwrite(bytes);
    }

    pub(crate) fn make_room(&mut self) {
        self.slab.make_room();
        self.clear_full();
    }

    pub(crate) fn skip(&mut self, bytes: usize) {
        self.slab.skip(bytes);
        self.passed += bytes as u64;
    }

    pub(crate) fn set_limit(&mut self, limit: u64) {
        self.limit = limit;
        if self.slab.room() > 0 {
            self.clear_full();
        }
    }

    pub(crate) fn go_on(&mut self) {
        if self.event == Some(Event::ChunkEnd) {
            self.goal = None;
        }
        if self.event != Some(Event::End) {
            self.event = None;
        }
    }

    fn clear_full(&mut self) {
        if self.event == Some(Event::Full) {
            self.event = None;
        }
    }

    /// Read once, unless there is an event.
    pub(crate) fn fill(&mut self) -> io::Result<()> {
        if self.event.is_some() {
            return Ok(());
        }
        let output = self.output();
        let to_goal = self.goal.map_or(u64::MAX, |goal| goal - output);
        if to_goal == 0 {
            self.event = Some(Event::ChunkEnd);
            return Ok(());
        }
        let wanted = to_goal.min(self.limit.saturating_sub(output));
        let room = self.slab.room_mut();
        let wanted = usize::try_from(wanted).map_or(room.len(), |wanted| wanted.min(room.len()));
        if wanted == 0 {
            self.event = Some(Event::Full);
            return Ok(());
        }
        match self.source.read(&mut room[..wanted]) {
            // A chunk at the end of a file that has become shorter ends here too;
            // that the file changed is noticed when the reader closes it.
            Ok(0) if self.goal.is_some() => self.event = Some(Event::ChunkEnd),
            Ok(0) => self.event = Some(Event::End),
            Ok(length) => self.slab.extend(length),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

/// A reader that counts the bytes that pass.
pub(crate) struct CountedRead {
    source: Box<dyn Read + Send>,
    count: Arc<AtomicU64>,
}

impl CountedRead {
    pub(crate) fn new(source: Box<dyn Read + Send>, count: Arc<AtomicU64>) -> Self {
        Self { source, count }
    }
}

impl Read for CountedRead {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.source.read(buffer)?;
        self.count.fetch_add(length as u64, Ordering::Relaxed);
        Ok(length)
    }
}
