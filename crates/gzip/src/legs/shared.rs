//! Legs as several threads decode them and one takes them.
//!
//! ```text
//! slots    done and text | done | done, one before it not | under way | nobody has begun it
//! chain    ------------->|  the window here is known: of the leg that begins here whoever is free makes text
//! ```

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

use thalweg_files::ReadAt;
use thalweg_inflate::{WINDOW, Workbench};

use super::ahead::{Ahead, IsReady};
use super::buffers::Buffers;
use super::leg::Leg;
use super::making::{Bench, Making, Plan, run};
use super::source::Source;
use super::strip::find_start;

/// Legs that one thread decodes side by side. Four are no faster than two, and hold twice the memory.
const AT_ONCE: usize = 2;
/// Text that a leg has at most, as a multiple of a strip. Reads are compressed to a third or a tenth.
const MOST_TEXT: usize = 16;
/// False starts after which no more legs are decoded.
const FALSE_STARTS: u32 = 2;

/// The legs of one file or stream. They are decoded by any number of threads that [`help`](Self::help), and by the decoder that
/// takes them ([`Decoder::with_legs`](crate::Decoder::with_legs)).
#[derive(Debug)]
pub struct Legs {
    source: Source,
    /// Bytes of a strip.
    strip: usize,
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
    /// Where blocks begin in strips, once somebody has looked.
    starts: BTreeMap<u64, Arc<OnceLock<Option<u64>>>>,
    chain: Option<Chain>,
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

/// How far it is known what the text is, by the decoder or by the legs that follow it without a gap.
#[derive(Debug)]
struct Chain {
    /// A bit at which a block begins, from the start of the file.
    bit: u64,
    /// What is before it; none, if a stream has ended there.
    before: Option<Before>,
}

#[derive(Clone, Debug)]
struct Before {
    window: Box<[u8; WINDOW]>,
    /// How many bytes of that are of the same member.
    history: usize,
}

/// What one thread needs to decode legs; any one serves any legs.
#[derive(Default)]
pub struct Helper {
    workbench: Workbench,
    benches: Vec<Bench>,
}

impl std::fmt::Debug for Helper {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Helper").finish_non_exhaustive()
    }
}

impl Legs {
    /// The legs of a gzip file of `length` bytes, from strips of `strip` bytes; up to `most`, at least two, are held at a time.
    ///
    /// A leg takes about as much memory as a strip is text, and at most 16 times the strip, with a third of it in symbols of two bytes.
    /// Strips should be 4 MiB, so that what must be decoded to such symbols is little, and 64 KiB at least.
    ///
    /// # Panics
    /// If `strip` is less than 64 KiB.
    pub fn new(file: Arc<dyn ReadAt>, length: u64, strip: usize, most: usize) -> Self {
        Self::of(Source::File { file, length }, strip, most)
    }

    /// The legs of a stream, whose next byte lies at `offset`, and which is read in order from now on by [`Self::in_order`]. What is read
    /// ahead of the decoder is as many strips as legs are held, and some more.
    pub(crate) fn of_stream(
        stream: Box<dyn Read + Send>,
        offset: u64,
        is_ready: IsReady,
        strip: usize,
        most: usize,
    ) -> Self {
        let source = Source::Stream(Arc::new(Ahead::new(stream, offset, is_ready)));
        Self::of(source, strip, most)
    }

    fn of(source: Source, strip: usize, most: usize) -> Self {
        assert!(strip >= 64 << 10, "strips are larger than blocks");
        Self {
            source,
            strip,
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

    /// Decode the next one or two legs that nobody has begun, or make text of one that is decoded, or read some of a stream, and say whether
    /// there was any of that: there is not as long as too many wait to be taken, and when nobody will take any more.
    pub fn help(&self, helper: &mut Helper) -> bool {
        let claims = self.lock().claim(self, self.most);
        if claims.is_empty() {
            return self.resolve() || self.read_ahead();
        }
        self.make(helper, claims);
        true
    }

    /// [Help](Self::help) until the legs, of a file, are [closed](Self::close), and wait while there is nothing to do.
    pub fn help_until_closed(&self, helper: &mut Helper) {
        loop {
            while self.help(helper) {}
            let mut state = self.lock();
            while !state.has_work(self) {
                if state.is_over {
                    return;
                }
                let waited = self.changed.wait(state);
                state = waited.unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    /// The file, if it is none that can only be read in order.
    pub(crate) fn file(&self) -> Option<&Arc<dyn ReadAt>> {
        match &self.source {
            Source::File { file, .. } => Some(file),
            Source::Stream(_) => None,
        }
    }

    /// The compressed bytes from `offset` on, for whoever decodes in order.
    pub(crate) fn in_order(&self, offset: u64) -> Box<dyn Read + Send> {
        self.source.in_order(offset)
    }

    /// Nobody will take any more legs.
    pub fn close(&self) {
        let state = &mut *self.lock();
        state.give_up();
        self.changed.notify_all();
    }

    /// Whoever decodes in order stands at `bit`, from the start of the file: the strip that it is in has no leg.
    pub(crate) fn begin_behind(&self, bit: u64) {
        let state = &mut *self.lock();
        state.next = state.next.max(bit / 8 / self.strip as u64 + 1);
    }

    /// The leg that begins at `bit`, from the start of the file, for whoever decodes in order and stands at a block's start there,
    /// behind `window`, of which `history` bytes are of the same member. Decodes it, or waits for it and decodes others meanwhile.
    pub(crate) fn take(
        &self,
        bit: u64,
        window: &[u8; WINDOW],
        history: usize,
        helper: &mut Helper,
    ) -> Option<Leg> {
        let index = bit / 8 / self.strip as u64;
        if index == 0 || !self.lock().reach(index, self) || self.start(index) != Some(bit) {
            return None;
        }
        loop {
            let mut guard = self.lock();
            let state = &mut *guard;
            if state.is_over {
                return None;
            }
            if state.chain.as_ref().is_none_or(|chain| chain.bit < bit) {
                let window = Box::new(*window);
                let before = Some(Before { window, history });
                state.chain = Some(Chain { bit, before });
            }
            match state.slots.get_mut(&index) {
                Some(Slot::Done(leg)) => {
                    let leg = leg.take();
                    state.slots.remove(&index);
                    // There is room for another one.
                    self.changed.notify_all();
                    if let Source::Stream(ahead) = &self.source {
                        ahead.leave(bit / 8);
                    }
                    let leg = leg.filter(|leg| leg.end > leg.start)?;
                    // Whoever decodes it in order meets the fault.
                    if leg.reaches_behind(history) {
                        return None;
                    }
                    state.follow(&leg);
                    return Some(leg);
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
                    let claims = state.claim(self, usize::MAX);
                    drop(guard);
                    if claims.is_empty() {
                        return None;
                    }
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
            let Some(start) = self.start(claim.index) else {
                continue;
            };
            // Without a start in the next strip that has its blocks, too.
            let goal = self.start(claim.index + 1);
            let plan = Plan {
                start,
                goal: goal.unwrap_or((claim.index + 2) * self.strip as u64 * 8),
                most: self.strip * MOST_TEXT,
                window: self.lock().window_before(start),
            };
            let bench = helper.benches.pop().unwrap_or_default();
            makings.push(Making::new(bench, &self.source, plan, &self.buffers));
            made.push(claim);
        }
        run(&mut helper.workbench, &mut makings);
        for (claim, making) in made.into_iter().zip(makings) {
            let (leg, bench) = making.finish();
            helper.benches.push(bench);
            claim.finish(leg);
        }
    }

    /// Make text of the leg at the end of the chain, if it is done.
    fn resolve(&self) -> bool {
        let (claim, mut leg, window) = {
            let state = &mut *self.lock();
            let Some((index, leg, window)) = state.claim_to_resolve(self) else {
                return false;
            };
            (Claim { legs: self, index }, leg, window)
        };
        leg.resolve(&window);
        claim.finish(leg);
        true
    }

    /// Read some of a stream, if legs may be begun when there is more.
    fn read_ahead(&self) -> bool {
        let Source::Stream(ahead) = &self.source else {
            return false;
        };
        let wanted = {
            let state = self.lock();
            match state.has_room(self.most) {
                // The strip behind the last leg, too.
                true => (state.next + AT_ONCE as u64 + 1) * self.strip as u64,
                false => return false,
            }
        };
        ahead.read_ahead(wanted)
    }

    /// The first bit, from the start of the file, at which a block seems to begin in a strip, if all of that is there. If it cannot be read, whoever decodes
    /// in order will tell why.
    fn start(&self, index: u64) -> Option<u64> {
        if !self.source.known().has_strip(index, self.strip) {
            return None;
        }
        let place = {
            let mut state = self.lock();
            Arc::clone(state.starts.entry(index).or_default())
        };
        *place.get_or_init(|| find_start(&self.source, index, self.strip).unwrap_or_default())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Legs that nobody has begun, if there is room for as many as one thread decodes at once, and so much is there: one alone takes longer.
    fn claim<'a>(&mut self, legs: &'a Legs, most: usize) -> Vec<Claim<'a>> {
        let count = self.claimable(legs, most);
        let claim = |index| {
            self.slots.insert(index, Slot::UnderWay);
            Claim { legs, index }
        };
        let claims = (self.next..self.next + count).map(claim).collect();
        self.next += count;
        claims
    }

    fn claimable(&self, legs: &Legs, most: usize) -> u64 {
        if !self.has_room(most) {
            return 0;
        }
        let known = legs.source.known();
        let left = known.legs(legs.strip).saturating_sub(self.next);
        match left >= AT_ONCE as u64 {
            true => AT_ONCE as u64,
            false if known.is_all => left,
            false => 0,
        }
    }

    /// Whether legs are wanted, of which up to `most` are held.
    fn has_room(&self, most: usize) -> bool {
        !self.is_over && self.slots.len() + AT_ONCE <= most.max(AT_ONCE)
    }

    /// The leg at the end of the chain, if it is done and nobody has made text of it, and the window before it. The chain goes on
    /// behind it.
    fn claim_to_resolve(&mut self, legs: &Legs) -> Option<(u64, Leg, Box<[u8; WINDOW]>)> {
        let index = self.resolvable(legs)?;
        let window = self.chain.as_ref()?.before.as_ref()?.window.clone();
        let slot = self.slots.get_mut(&index)?;
        let Slot::Done(Some(leg)) = std::mem::replace(slot, Slot::UnderWay) else {
            return None;
        };
        self.follow(&leg);
        Some((index, leg, window))
    }

    /// The strip of the leg at the end of the chain, if it is done.
    fn resolvable(&self, legs: &Legs) -> Option<u64> {
        let chain = self.chain.as_ref()?;
        let before = chain.before.as_ref()?;
        let index = chain.bit / 8 / legs.strip as u64;
        let Slot::Done(Some(leg)) = self.slots.get(&index)? else {
            return None;
        };
        let is_next = leg.start == chain.bit && leg.end > leg.start;
        (is_next && !leg.reaches_behind(before.history)).then_some(index)
    }

    fn has_work(&self, legs: &Legs) -> bool {
        let may_begin = self.claimable(legs, legs.most) > 0;
        may_begin || self.resolvable(legs).is_some()
    }

    /// Let the chain go on behind `leg`, if it ends where that begins: so nobody has made text of it yet.
    fn follow(&mut self, leg: &Leg) {
        let Some(chain) = self.chain.as_mut().filter(|chain| chain.bit == leg.start) else {
            return;
        };
        chain.bit = leg.end;
        chain.before = chain
            .before
            .take()
            .filter(|_| !leg.is_stream_end)
            .map(|before| Before {
                window: leg.window_behind(&before.window),
                history: leg.history_behind(before.history),
            });
    }

    /// What is before the block at a bit, if that is known, and all of it is of the same member.
    fn window_before(&self, bit: u64) -> Option<Box<[u8; WINDOW]>> {
        let chain = self.chain.as_ref().filter(|chain| chain.bit == bit)?;
        let before = chain.before.as_ref()?;
        (before.history == WINDOW).then(|| before.window.clone())
    }

    /// The decoder has come to the strip at `index`. Whether legs are still wanted.
    fn pass(&mut self, index: u64, legs: &Legs) -> bool {
        while let Some(entry) = self.slots.first_entry()
            && *entry.key() < index
        {
            // Those under way are counted when they are done.
            if let Slot::Done(Some(_)) = entry.remove() {
                self.note_false_start(legs);
            }
            // There is room for another one.
            legs.changed.notify_all();
        }
        self.starts = self.starts.split_off(&index);
        self.next = self.next.max(index);
        !self.is_over
    }

    /// The decoder has come to a block in the strip at `index`. Whether its leg may be there.
    fn reach(&mut self, index: u64, legs: &Legs) -> bool {
        if !self.pass(index, legs) {
            return false;
        }
        let is_begun = self.next > index;
        if !is_begun && self.claimable(legs, usize::MAX) == 0 {
            // Too little has come of a stream. When there is more, the decoder is behind the start.
            self.next = index + 1;
            return false;
        }
        !is_begun || self.slots.contains_key(&index)
    }

    fn note_false_start(&mut self, legs: &Legs) {
        self.false_starts += 1;
        if self.false_starts >= FALSE_STARTS {
            self.give_up();
            legs.changed.notify_all();
        }
    }

    fn give_up(&mut self) {
        self.is_over = true;
        self.slots.clear();
        self.starts.clear();
        self.chain = None;
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
