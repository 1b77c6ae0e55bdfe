//! Writing past the system's cache of pages, on a thread that waits for the disk.
//!
//! What goes through the cache is copied into it, page by page, by the thread that writes, which takes a good part of
//! counting at low coverage, and more where a virtual machine must get the pages from its host first. Here the disk
//! takes the bytes from where they were put together.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use memmap2::{Advice, MmapMut};
use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use thalweg_flow::Background;

/// Bytes of each write, a large page: it is one piece of memory for the disk, where small pages are 512.
pub(super) const BLOCK: usize = 2 << 20;

/// One that is filled, one that is on its way, and three that were finished early: now and then the disk takes three times
/// as long as on average for one, and then all threads waited for it with three blocks. Eight are no faster than five.
const BLOCKS: usize = 5;

/// The rest of a file, from some multiple of the disk's blocks on.
#[derive(Debug)]
pub(super) struct PastCache {
    file: File,
    block: MmapMut,
    /// Bytes of it that are filled.
    filled: usize,
    /// Where its bytes go.
    offset: u64,
    idle: Vec<MmapMut>,
    writing: Background<(MmapMut, u64), (MmapMut, io::Result<()>)>,
}

impl PastCache {
    /// For what comes behind the first `offset` bytes; `None` if the file system does not offer that, or has no thread or
    /// memory to spare.
    pub(super) fn start(file: &File, offset: u64) -> Option<Self> {
        let [file, theirs] = [file.try_clone().ok()?, file.try_clone().ok()?];
        let block = map()?;
        let idle: Vec<MmapMut> = (1..BLOCKS).map_while(|_| map()).collect();
        // With one alone there would be nothing to fill while it is on its way.
        if idle.is_empty() {
            return None;
        }
        let writing = Background::start(move |(block, offset): (MmapMut, u64)| {
            let result = write(&theirs, &block, offset);
            (block, result)
        });
        let writing = writing.ok()?;
        set_past_cache(&file, true).ok()?;
        Some(Self {
            file,
            block,
            filled: 0,
            offset,
            idle,
            writing,
        })
    }

    /// Appends bytes. An error may be that of bytes that were given long before.
    pub(super) fn write(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let room = &mut self.block[self.filled..];
            let (now, later) = bytes.split_at(bytes.len().min(room.len()));
            room[..now.len()].copy_from_slice(now);
            self.filled += now.len();
            bytes = later;
            if self.filled == BLOCK {
                let next = match self.idle.pop() {
                    Some(block) => block,
                    None => self.written()?,
                };
                let full = std::mem::replace(&mut self.block, next);
                self.writing.give((full, self.offset));
                self.filled = 0;
                self.offset += BLOCK as u64;
            }
        }
        Ok(())
    }

    /// Waits for all that was written, and writes what is left in the ordinary way.
    pub(super) fn finish(mut self) -> io::Result<()> {
        while self.writing.under_way() > 0 {
            self.written()?;
        }
        set_past_cache(&self.file, false)?;
        self.file
            .write_all_at(&self.block[..self.filled], self.offset)
    }

    /// The block that was given first, when it is written.
    fn written(&mut self) -> io::Result<MmapMut> {
        let (block, result) = (self.writing.take()).ok_or(io::ErrorKind::BrokenPipe)?;
        result.map(|()| block)
    }
}

fn map() -> Option<MmapMut> {
    let map = MmapMut::map_anon(BLOCK).ok()?;
    // A wish: small pages do as well, for more of the processor.
    let _ = map.advise(Advice::HugePage);
    Some(map)
}

fn write(file: &File, block: &[u8], offset: u64) -> io::Result<()> {
    match file.write_all_at(block, offset) {
        // Of a file system that takes the flag, but not this write.
        Err(error) if error.raw_os_error() == Some(Errno::EINVAL as i32) => {
            set_past_cache(file, false)?;
            file.write_all_at(block, offset)
        }
        result => result,
    }
}

/// Of all that is open by the same call.
fn set_past_cache(file: &File, on: bool) -> io::Result<()> {
    let flags = OFlag::from_bits_retain(fcntl(file, FcntlArg::F_GETFL)?);
    let flags = match on {
        true => flags | OFlag::O_DIRECT,
        false => flags - OFlag::O_DIRECT,
    };
    fcntl(file, FcntlArg::F_SETFL(flags))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_arrive_wherever_they_begin() {
        // Of the last one the file system can write no block at its place but through the cache.
        for offset in [0, 4096, 1001] {
            let file = tempfile::tempfile().unwrap();
            let Some(mut past_cache) = PastCache::start(&file, offset) else {
                println!("not tested: this file system has no writing past the cache");
                return;
            };
            let all: Vec<u8> = (0..5 * BLOCK as u32 / 2).map(|i| (i / 3) as u8).collect();
            for bytes in all.chunks(300_007) {
                past_cache.write(bytes).unwrap();
            }
            past_cache.finish().unwrap();
            let mut found = vec![0; all.len()];
            file.read_exact_at(&mut found, offset).unwrap();
            assert!(found == all, "from {offset} on");
            assert_eq!(file.metadata().unwrap().len(), offset + all.len() as u64);
        }
    }

    #[test]
    fn what_cannot_be_written_is_told() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        std::fs::write(&path, "").unwrap();
        // Not open for writing.
        let file = File::open(&path).unwrap();
        let Some(mut past_cache) = PastCache::start(&file, 0) else {
            println!("not tested: this file system has no writing past the cache");
            return;
        };
        let block = vec![1; BLOCK];
        let error = (0..2 * BLOCKS).find_map(|_| past_cache.write(&block).err());
        assert_eq!(error.unwrap().raw_os_error(), Some(Errno::EBADF as i32));
    }
}
