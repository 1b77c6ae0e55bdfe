//! Memory of parts of legs.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

use bytemuck::Pod;
use memmap2::MmapMut;

use super::leg::Part;

/// Bytes of the memory of a part: a large page of most systems. A part ends with its leg, so some of the last one stays unused; and the
/// window is copied to the next one.
const PART: usize = 2 << 20;

/// Memory of parts that were taken, for others: fresh memory costs as much as decoding does.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    wide: Mutex<Vec<Room<u16>>>,
    bytes: Mutex<Vec<Room<u8>>>,
}

impl Buffers {
    /// Room for a window and symbols behind it, whatever they are.
    pub(super) fn wide(&self) -> Room<u16> {
        let mut wide = self.wide.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = wide.pop();
        drop(wide);
        kept.unwrap_or_else(Room::mapped)
    }

    /// Room for a window and bytes behind it, whatever they are.
    pub(super) fn bytes(&self) -> Room<u8> {
        let mut bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = bytes.pop();
        drop(bytes);
        kept.unwrap_or_else(Room::mapped)
    }

    /// Take back the memory of a part, if it still has it.
    pub(super) fn give(&self, part: Part) {
        match part {
            Part::Wide { symbols, .. } if !symbols.is_empty() => {
                let mut wide = self.wide.lock().unwrap_or_else(PoisonError::into_inner);
                wide.push(symbols);
            }
            Part::Coded { bytes, .. } | Part::Text { bytes, .. } if !bytes.is_empty() => {
                let mut kept = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
                kept.push(bytes);
            }
            Part::Wide { .. } | Part::Coded { .. } | Part::Text { .. } => {}
        }
    }
}

/// [`PART`] bytes as bytes or symbols, or none.
#[derive(Debug)]
pub(super) enum Room<T> {
    Mapped(MmapMut),
    Heap(Vec<T>),
}

impl<T: Pod> Room<T> {
    /// Of large pages, where the system has any: in small ones, to clear and map them takes a good part of the time that decoding does.
    fn mapped() -> Self {
        let Ok(map) = MmapMut::map_anon(PART) else {
            return Room::Heap(vec![T::zeroed(); PART / size_of::<T>()]);
        };
        // Small pages do as well, only slower.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        Room::Mapped(map)
    }
}

impl<T> Default for Room<T> {
    /// None.
    fn default() -> Self {
        Room::Heap(Vec::new())
    }
}

impl<T: Pod> Deref for Room<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match self {
            Room::Mapped(map) => bytemuck::cast_slice(map),
            Room::Heap(values) => values,
        }
    }
}

impl<T: Pod> DerefMut for Room<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        match self {
            Room::Mapped(map) => bytemuck::cast_slice_mut(map),
            Room::Heap(values) => values,
        }
    }
}

#[cfg(test)]
impl<T: Pod> Clone for Room<T> {
    fn clone(&self) -> Self {
        Room::Heap(self.to_vec())
    }
}
