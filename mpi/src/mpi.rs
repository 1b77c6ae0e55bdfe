//! MPI as an exchange.

use std::ffi::{c_char, c_int};
use std::sync::Mutex;
use std::thread::{self, ThreadId};

use thalweg_cluster::{Arrived, Exchange, Lost, Tag};

// shim.c says what they do.
unsafe extern "C" {
    safe fn shim_slots() -> c_int;
    safe fn shim_begin() -> c_int;
    safe fn shim_rank() -> c_int;
    safe fn shim_ranks() -> c_int;
    fn shim_send(slot: c_int, to: c_int, tag: c_int, bytes: *const c_char, length: c_int) -> c_int;
    fn shim_is_sent(slot: c_int, is_over: *mut c_int) -> c_int;
    fn shim_probe(
        has_come: *mut c_int,
        from: *mut c_int,
        tag: *mut c_int,
        length: *mut c_int,
    ) -> c_int;
    fn shim_receive(bytes: *mut c_char, length: c_int) -> c_int;
    safe fn shim_begin_barrier() -> c_int;
    fn shim_is_barrier_over(is_over: *mut c_int) -> c_int;
    fn shim_explain(fault: c_int, text: *mut c_char, most: c_int) -> c_int;
    safe fn shim_end() -> c_int;
    safe fn shim_abort(code: c_int);
}

/// Whether MPI has begun, and so can be asked to end the job.
static HAS_BEGUN: Mutex<bool> = Mutex::new(false);

/// End the job on all ranks with this exit code. Any thread may: nothing else is to come of this process.
pub(crate) fn abort(code: u8) -> ! {
    let has_begun = match HAS_BEGUN.lock() {
        Ok(begun) => *begun,
        Err(poisoned) => *poisoned.into_inner(),
    };
    if has_begun {
        shim_abort(code.into());
    }
    std::process::exit(code.into())
}

/// This process as a rank. There is one.
pub(crate) struct Mpi {
    rank: usize,
    ranks: usize,
    thread: ThreadId,
    /// What is under way, by slots. The bytes stay where they are until MPI has done with them.
    sends: Vec<Option<Vec<u8>>>,
    /// Slots that are in use.
    busy: Vec<usize>,
    free: Vec<usize>,
    spare: Vec<Vec<u8>>,
}

/// Buffers that are kept.
const SPARE: usize = 64;

impl Mpi {
    /// Begin. To be called once, by the main thread.
    pub(crate) fn begin() -> Result<Self, Lost> {
        check(shim_begin())?;
        if let Ok(mut begun) = HAS_BEGUN.lock() {
            *begun = true;
        }
        let slots = shim_slots() as usize;
        Ok(Self {
            rank: shim_rank() as usize,
            ranks: shim_ranks() as usize,
            thread: thread::current().id(),
            sends: vec![None; slots],
            busy: Vec::new(),
            free: (0..slots).rev().collect(),
            spare: Vec::new(),
        })
    }

    /// End, when all ranks come to it.
    pub(crate) fn end(self) -> Result<(), Lost> {
        check(shim_end())
    }

    /// MPI is called by the thread that has begun it, and by no other.
    fn check_thread(&self) {
        assert_eq!(thread::current().id(), self.thread, "MPI has one thread");
    }
}

impl Exchange for Mpi {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.ranks
    }

    fn send(&mut self, to: usize, tag: Tag, bytes: Vec<u8>) -> Result<(), Lost> {
        self.check_thread();
        let length = c_int::try_from(bytes.len())
            .map_err(|_| Lost(format!("a message of {} bytes is too long", bytes.len())))?;
        let lacking = || Lost("too many messages are under way".to_owned());
        let slot = self.free.pop().ok_or_else(lacking)?;
        let bytes = self.sends[slot].insert(bytes);
        // SAFETY: the slot is below `shim_slots` and not in use, and MPI is called by its thread. The bytes are the heap
        // memory of a vector that stays in its slot, unchanged, until `shim_is_sent` has told that MPI has done with it.
        let fault = unsafe {
            shim_send(
                slot as c_int,
                to as c_int,
                tag as c_int,
                bytes.as_ptr().cast(),
                length,
            )
        };
        check(fault)?;
        self.busy.push(slot);
        Ok(())
    }

    fn under_way(&mut self) -> Result<usize, Lost> {
        self.check_thread();
        let mut at = 0;
        while let Some(&slot) = self.busy.get(at) {
            let mut is_over = 0;
            // SAFETY: the slot is in use, and `is_over` is an integer of ours.
            check(unsafe { shim_is_sent(slot as c_int, &raw mut is_over) })?;
            if is_over == 0 {
                at += 1;
                continue;
            }
            self.busy.swap_remove(at);
            self.free.push(slot);
            if let Some(mut bytes) = self.sends[slot].take()
                && self.spare.len() < SPARE
            {
                bytes.clear();
                self.spare.push(bytes);
            }
        }
        Ok(self.busy.len())
    }

    fn receive(&mut self) -> Result<Option<Arrived>, Lost> {
        self.check_thread();
        let [mut has_come, mut from, mut tag, mut length] = [0; 4];
        // SAFETY: all are integers of ours, and the message that came before was received.
        check(unsafe {
            shim_probe(
                &raw mut has_come,
                &raw mut from,
                &raw mut tag,
                &raw mut length,
            )
        })?;
        if has_come == 0 {
            return Ok(None);
        }
        let mut bytes = vec![0; length as usize];
        // SAFETY: the memory has as many bytes as the message that was probed.
        check(unsafe { shim_receive(bytes.as_mut_ptr().cast(), length) })?;
        let unknown = || Lost(format!("a message of an unknown kind, {tag}"));
        let tag = usize::try_from(tag).ok().and_then(Tag::of_number);
        Ok(Some(Arrived {
            from: from as usize,
            tag: tag.ok_or_else(unknown)?,
            bytes,
        }))
    }

    fn spare(&mut self) -> Option<Vec<u8>> {
        self.spare.pop()
    }

    fn begin_barrier(&mut self) -> Result<(), Lost> {
        self.check_thread();
        check(shim_begin_barrier())
    }

    fn is_barrier_over(&mut self) -> Result<bool, Lost> {
        self.check_thread();
        let mut is_over = 0;
        // SAFETY: it is an integer of ours. A barrier that was never begun, or is over, is over.
        check(unsafe { shim_is_barrier_over(&raw mut is_over) })?;
        Ok(is_over != 0)
    }

    fn abort(&mut self, code: u8) {
        abort(code)
    }
}

impl Drop for Mpi {
    fn drop(&mut self) {
        // MPI may read what is under way until the process is over.
        for bytes in self.sends.drain(..).flatten() {
            std::mem::forget(bytes);
        }
    }
}

/// What MPI says, if it is a fault.
fn check(fault: c_int) -> Result<(), Lost> {
    if fault == 0 {
        return Ok(());
    }
    let mut text = [0u8; 512];
    // SAFETY: the text has as many bytes as are told.
    let length = unsafe { shim_explain(fault, text.as_mut_ptr().cast(), text.len() as c_int) };
    let words = String::from_utf8_lossy(&text[..length as usize]).into_owned();
    Err(Lost(format!("MPI says: {words}")))
}
