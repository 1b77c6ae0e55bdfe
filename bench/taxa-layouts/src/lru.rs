//! Exactly the pages that were used last.

/// Pages in the order of their last use, as a list in both directions.
pub struct Lru {
    /// By page: the one that was used next after it, and the one before it. The place behind the last page is both ends.
    newer: Vec<u32>,
    older: Vec<u32>,
    is_there: Vec<bool>,
    free: usize,
}

impl Lru {
    /// Room for `most` of `pages` pages, at least one; none of them there.
    pub fn new(pages: usize, most: usize) -> Self {
        let ends = u32::try_from(pages).expect("pages of less than 16 TB");
        Self {
            newer: vec![ends; pages + 1],
            older: vec![ends; pages + 1],
            is_there: vec![false; pages],
            free: most.max(1),
        }
    }

    /// Uses a page; tells whether it was not there.
    pub fn touch(&mut self, page: usize) -> bool {
        let was_there = self.is_there[page];
        if was_there {
            self.unlink(page);
        } else if self.free > 0 {
            self.free -= 1;
        } else {
            let ends = self.is_there.len();
            let oldest = self.newer[ends] as usize;
            self.unlink(oldest);
            self.is_there[oldest] = false;
        }
        self.link(page);
        self.is_there[page] = true;
        !was_there
    }

    fn unlink(&mut self, page: usize) {
        let (newer, older) = (self.newer[page], self.older[page]);
        self.older[newer as usize] = older;
        self.newer[older as usize] = newer;
    }

    /// As the one that was used last.
    fn link(&mut self, page: usize) {
        let ends = self.is_there.len();
        let latest = self.older[ends];
        self.older[page] = latest;
        self.newer[page] = ends as u32;
        self.newer[latest as usize] = page as u32;
        self.older[ends] = page as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_a_list_of_the_last_ones() {
        let mut lru = Lru::new(50, 7);
        let mut list: Vec<usize> = Vec::new();
        let mut state = 1u64;
        for _ in 0..10_000 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let page = ((state >> 33) % 50).min((state >> 50) % 20) as usize;
            let found = list.iter().position(|&other| other == page);
            assert_eq!(lru.touch(page), found.is_none());
            found.map(|at| list.remove(at));
            list.push(page);
            if list.len() > 7 {
                list.remove(0);
            }
        }
    }
}
