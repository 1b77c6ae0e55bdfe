//! Buffers of one size, by their numbers; they may become more.

use thalweg_superkmers::slab::{LARGE_PAGE, Slab};

/// The first ones, and more in large pages as they are wanted.
#[derive(Debug)]
pub(super) struct Buffers {
    /// Bytes of each.
    size: usize,
    first: Vec<u8>,
    more: Vec<Slab>,
    /// Large pages that may still be added.
    pages: usize,
}

impl Buffers {
    /// `number` buffers, and more of no more than so many bytes.
    pub(super) fn new(size: usize, number: usize, more_bytes: u64) -> Self {
        Self {
            size,
            first: vec![0; number * size],
            more: Vec::new(),
            pages: usize::try_from(more_bytes).unwrap_or(usize::MAX) / LARGE_PAGE,
        }
    }

    /// Adds a large page of buffers to `empty`; `false` if there are enough.
    pub(super) fn grow(&mut self, empty: &mut Vec<u32>) -> bool {
        let page = match self.pages.checked_sub(1) {
            Some(left) => {
                self.pages = left;
                Slab::of_large_pages(LARGE_PAGE / 8)
            }
            None => None,
        };
        let Some(page) = page else {
            self.pages = 0;
            return false;
        };
        let number = self.len();
        // The first one is taken first.
        empty.extend((number..number + self.of_page()).rev().map(|i| i as u32));
        self.more.push(page);
        true
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.first.len() / self.size + self.more.len() * self.of_page()
    }

    fn of_page(&self) -> usize {
        LARGE_PAGE / self.size
    }

    #[inline(always)]
    pub(super) fn get(&self, number: u32) -> &[u8] {
        let at = number as usize * self.size;
        match at.checked_sub(self.first.len()) {
            None => &self.first[at..at + self.size],
            Some(at) => {
                let number = at / self.size;
                let page = self.more[number / self.of_page()].words();
                let at = number % self.of_page() * self.size;
                &bytemuck::cast_slice(page)[at..at + self.size]
            }
        }
    }

    #[inline(always)]
    pub(super) fn get_mut(&mut self, number: u32) -> &mut [u8] {
        let at = number as usize * self.size;
        match at.checked_sub(self.first.len()) {
            None => &mut self.first[at..at + self.size],
            Some(at) => {
                let number = at / self.size;
                let of_page = self.of_page();
                let page = self.more[number / of_page].words_mut();
                let at = number % of_page * self.size;
                &mut bytemuck::cast_slice_mut(page)[at..at + self.size]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_its_own_buffer() {
        for size in [256, 3000, 8192] {
            let mut buffers = Buffers::new(size, 5, (2 * LARGE_PAGE + 1) as u64);
            let mut numbers: Vec<u32> = (0..5).collect();
            while buffers.grow(&mut numbers) {}
            assert_eq!(numbers.len(), 5 + 2 * (LARGE_PAGE / size));
            for &number in &numbers {
                let bytes = number.to_le_bytes();
                buffers.get_mut(number)[..4].copy_from_slice(&bytes);
                buffers.get_mut(number)[size - 4..].copy_from_slice(&bytes);
            }
            for number in numbers {
                let buffer = buffers.get(number);
                assert_eq!(buffer.len(), size);
                let bytes = number.to_le_bytes();
                assert!(buffer.starts_with(&bytes) && buffer.ends_with(&bytes));
            }
        }
    }
}
