//! Legs as several threads decode them and one takes them.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

use thalweg_files::ReadAt;
use thalweg_inflate::{Lane, Workbench};

use super::leg::{Buffers, Leg};
use super::making::{Making, run};
use super::strip::Strip;

/// Legs that one thread decodes side by side. Four are no faster than two, and hold twice the memory.
const AT_ONCE: usize = 2;
/// Text that a leg has at most, as a multiple of a strip. Reads are compressed to a third or a tenth.
const MOST_TEXT: usize = 16;
/// False starts after which no more legs are decoded.
const FALSE_STARTS: u32 = 2;

/// The legs of one file. They are decoded by any number of threads that [`help`](Self::help), and by the decoder that
/// takes them ([`Decoder::with_legs`](crate::Decoder::with_legs)).
#[derive(Debug)]
pub struct Legs {
    file: Arc<dyn ReadAt>,
    /// Bytes of a strip, and the number of strips.
    strip: usize,
    strips: u64,
    /// Legs that may be decoded, or under way, and not be taken yet.
    most: usize,
    buffers: Arc<Buffers>,
    state: Mutex<State>,
    /// A leg is done, or legs are no longer wanted.
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// The first strip whose leg nobody has begun.
    next: u64,
    /// By their strips.
    slots: BTreeMap<u64, Slot>,
    /// Those that legs are being decoded of.
    strips: BTreeMap<u64, Arc<OnceLock<Option<Arc<Strip>>>>>,
    /// Where blocks begin in those that have been read.
    starts: BTreeMap<u64, Option<u64>>,
    false_starts: u32,
    /// Nobody takes any more.
    is_over: bool,
}

#[derive(Debug)]
enum Slot {
    UnderWay,
    /// None, if no block was found to begin in the strip, or none ended.
    Done(Option<Leg>),
}

/// What one thread needs to decode legs; any one serves any legs.
#[derive(Debug, Default)]
pub struct Helper {
    workbench: Workbench,
    lanes: Vec<Box<Lane>>,
}

impl Legs {
    /// The legs of a gzip file of `length` bytes, from strips of `strip` bytes; up to `most`, at least one, are held at a time.
    ///
    /// A leg takes about as much memory as a strip is text, and at most 16 times the strip, with a third of it in symbols of two bytes.
    /// Strips should be 4 MiB, so that what must be decoded to such symbols is little, and 64 KiB at least.
    ///
    /// # Panics
    /// If `strip` is less than 64 KiB.
    pub fn new(file: Arc<dyn ReadAt>, length: u64, strip: usize, most: usize) -> Self {
        assert!(strip >= 64 << 10, "strips are larger than blocks");
        Self {
            file,
            strip,
            strips: length.div_ceil(strip as u64),
            most: most.max(1),
            buffers: Arc::default(),
            // The decoder itself begins with the first one.
            state: Mutex::new(State {
                next: 1,
                ..State::default()
            }),
            changed: Condvar::new(),
        }
    }

    /// Decode the next one or two legs that nobody has begun, and say whether there were any: there are none as long as too many
    /// wait to be taken, and when nobody will take any more.
    pub fn help(&self, helper: &mut Helper) -> bool {
        let claims = self.lock().claim(self, self.most);
        let some = !claims.is_empty();
        self.make(helper, claims);
        some
    }

    /// The file.
    pub(crate) fn file(&self) -> &Arc<dyn ReadAt> {
        &self.file
    }

    /// Nobody will take any more legs.
    pub fn close(&self) {
        let state = &mut *self.lock();
        state.is_over = true;
        state.slots.clear();
        state.strips.clear();
        self.changed.notify_all();
    }

    /// The leg that begins at `bit`, from the start of the file, for whoever decodes in order and stands at a block's start there.
    /// Decodes it, or waits for it and decodes others meanwhile.
    pub(crate) fn take(&self, bit: u64, helper: &mut Helper) -> Option<Leg> {
        let index = bit / 8 / self.strip as u64;
        if index == 0 {
            return None;
        }
        let known = self.lock().pass(index, self)?;
        let start = match known {
            Some(start) => start,
            None => self.strip(index)?.start,
        };
        if start != Some(bit) {
            return None;
        }
        loop {
            let mut guard = self.lock();
            let state = &mut *guard;
            if state.is_over {
                return None;
            }
            match state.slots.get_mut(&index) {
                Some(Slot::Done(leg)) => {
                    let leg = leg.take();
                    state.slots.remove(&index);
                    return leg.filter(|leg| leg.end > leg.start);
                }
                Some(Slot::UnderWay) => {
                    drop(guard);
                    if !self.help(helper) {
                        self.wait_for(index);
                    }
                }
                // It was taken, and is not what is wanted.
                None if state.next > index => return None,
                None => {
                    state.next = index;
                    let claims = state.claim(self, usize::MAX);
                    drop(guard);
                    self.make(helper, claims);
                }
            }
        }
    }

    /// Wait until something has changed, if the leg at `index` is under way.
    fn wait_for(&self, index: u64) {
        let state = self.lock();
        if let Some(Slot::UnderWay) = state.slots.get(&index) {
            drop(self.changed.wait(state));
        }
    }

    /// Decode what is claimed.
    fn make(&self, helper: &mut Helper, claims: Vec<Claim<'_>>) {
        let mut makings = Vec::with_capacity(claims.len());
        let mut made = Vec::with_capacity(claims.len());
        for claim in claims {
            // Dropped, it says that there is no leg.
            let Some(strip) = self.strip(claim.index) else {
                continue;
            };
            let Some(start) = strip.start else { continue };
            let next = match strip.is_last {
                true => None,
                false => self.strip(claim.index + 1),
            };
            let lane = helper.lanes.pop().unwrap_or_default();
            let most = self.strip * MOST_TEXT;
            makings.push(Making::new(lane, start, strip, next, most, &self.buffers));
            made.push(claim);
        }
        run(&mut helper.workbench, &mut makings);
        for (claim, making) in made.into_iter().zip(makings) {
            let (leg, lane) = making.finish();
            helper.lanes.push(lane);
            // The one before may still need it, and has it.
            self.lock().strips.remove(&claim.index);
            claim.finish(leg);
        }
    }

    /// A strip, unless it cannot be read: whoever decodes in order will tell why.
    fn strip(&self, index: u64) -> Option<Arc<Strip>> {
        let place = {
            let mut state = self.lock();
            Arc::clone(state.strips.entry(index).or_default())
        };
        let read = || {
            let strip = Strip::read(&*self.file, index, self.strip).ok()?;
            self.lock().starts.insert(index, strip.start);
            Some(Arc::new(strip))
        };
        place.get_or_init(read).clone()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Legs that nobody has begun, as long as there are fewer than `most`.
    fn claim<'a>(&mut self, legs: &'a Legs, most: usize) -> Vec<Claim<'a>> {
        let mut claims = Vec::new();
        while claims.len() < AT_ONCE
            && !self.is_over
            && self.next < legs.strips
            && self.slots.len() < most.max(AT_ONCE)
        {
            self.slots.insert(self.next, Slot::UnderWay);
            claims.push(Claim {
                legs,
                index: self.next,
            });
            self.next += 1;
        }
        claims
    }

    /// The decoder has come to the strip at `index`: where a block begins in it, if that is known. `None` if legs are no longer
    /// wanted.
    fn pass(&mut self, index: u64, legs: &Legs) -> Option<Option<Option<u64>>> {
        while let Some(entry) = self.slots.first_entry()
            && *entry.key() < index
        {
            // Those under way are counted when they are done.
            if let Slot::Done(Some(_)) = entry.remove() {
                self.note_false_start(legs);
            }
        }
        self.strips = self.strips.split_off(&index);
        self.starts = self.starts.split_off(&index);
        self.next = self.next.max(index);
        (!self.is_over).then(|| self.starts.get(&index).copied())
    }

    fn note_false_start(&mut self, legs: &Legs) {
        self.false_starts += 1;
        if self.false_starts >= FALSE_STARTS {
            self.is_over = true;
            self.slots.clear();
            self.strips.clear();
            legs.changed.notify_all();
        }
    }
}

/// The right to decode a leg. Where that comes to nothing, there is none.
struct Claim<'a> {
    legs: &'a Legs,
    index: u64,
}

impl Claim<'_> {
    fn finish(self, leg: Leg) {
        self.put(Some(leg));
    }

    fn put(&self, leg: Option<Leg>) {
        let mut guard = self.legs.lock();
        let state = &mut *guard;
        match state.slots.get_mut(&self.index) {
            Some(slot @ Slot::UnderWay) => *slot = Slot::Done(leg),
            // The decoder has passed it by, or has it.
            Some(Slot::Done(_)) => {}
            None if leg.is_some() && !state.is_over => state.note_false_start(self.legs),
            None => {}
        }
        drop(guard);
        self.legs.changed.notify_all();
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        self.put(None);
    }
}
