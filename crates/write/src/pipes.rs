//! Several pipes at once.
//!
//! A tool that reads mates from two pipes in step wants a little of each in turn.
//! Who filled one pipe with a whole piece before touching the other would wait for
//! that tool for ever, and it for us. So one worker at a time serves all pipes: it
//! asks which have room, and gives those no more than fits.

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::Error;
use crate::stream::Write;

/// How long to wait for room before looking for new pieces: they may be for a pipe
/// that is not among those that are waited for, in milliseconds.
const PATIENCE: u8 = 10;

/// Write to all pipes of `writes` that have room, until one write is done or no pipe
/// has room. Returns whether anything was written.
pub(crate) fn serve(writes: &mut [(usize, Write)], must_wait: bool) -> Result<bool, Error> {
    let mut any = false;
    let mut patience = if must_wait { PATIENCE } else { 0 };
    loop {
        let ready = ready(writes, patience)?;
        patience = 0;
        if !ready.contains(&true) {
            return Ok(any);
        }
        any = true;
        let mut finished = false;
        for ((_, write), _) in writes.iter_mut().zip(ready).filter(|(_, ready)| *ready) {
            let rest = &write.bytes[write.done..];
            let offset = write.offset + write.done as u64;
            write.done += write.sink.write_some(rest, offset)?;
            finished |= write.is_done();
        }
        if finished {
            return Ok(true);
        }
    }
}

/// Which pipes have room, or have been closed by their readers (to write then tells so).
fn ready(writes: &[(usize, Write)], patience: u8) -> Result<Vec<bool>, Error> {
    let mut pipes: Vec<_> = writes
        .iter()
        .map(|(_, write)| PollFd::new(write.sink.descriptor(), PollFlags::POLLOUT))
        .collect();
    match poll(&mut pipes, PollTimeout::from(patience)) {
        Ok(_) => {
            let is_ready = |pipe: &PollFd<'_>| pipe.any().unwrap_or(true);
            Ok(pipes.iter().map(is_ready).collect())
        }
        Err(Errno::EINTR) => Ok(vec![false; writes.len()]),
        Err(error) => {
            let (_, first) = &writes[0];
            let offset = first.offset + first.done as u64;
            Err(Error::write(first.sink.path(), offset, error.into()))
        }
    }
}
