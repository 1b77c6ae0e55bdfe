//! gzip framing and DEFLATE: arbitrary bytes through the decoder, beside another implementation.
//!
//! The first byte of the input chooses the size of the slabs and of the pieces in which compressed bytes come.
//! Asserts: as far as both decode, the bytes are the same; what one accepts to the end, the other does not
//! contradict; sizes of slabs and pieces change nothing; what was accepted is accepted again, in step with a
//! second decoder of the same data.
#![no_main]

use std::io::{Cursor, Read};

use libfuzzer_sys::fuzz_target;
use thalweg_gzip::{Decoder, Error, Event, Goal, Slab, Start, Workbench, advance, header};

/// Uncompressed bytes at which a bomb is left alone.
const MOST: usize = 1 << 20;

fuzz_target!(|input: &[u8]| {
    let Some((&choice, data)) = input.split_first() else {
        return;
    };
    let _ = header::parse(data);
    let _ = header::find_bgzf_block(data, choice & 1 == 0);

    let (whole, result) = decode(data, 1 << 16, usize::MAX);
    let (in_pieces, other) = decode(data, 1 + usize::from(choice >> 4) * 61, 1 + usize::from(choice & 15));
    let common = whole.len().min(in_pieces.len());
    assert_eq!(whole[..common], in_pieces[..common]);
    assert_eq!(result.is_ok(), other.is_ok(), "{result:?} at once, {other:?} in pieces");
    if result.is_ok() {
        assert_eq!(whole.len().min(MOST), in_pieces.len().min(MOST));
        assert_eq!(in_step(data), [whole.len().min(MOST); 2]);
    }

    let mut oracle = Vec::new();
    let _ = flate2::read::MultiGzDecoder::new(data).take(MOST as u64).read_to_end(&mut oracle);
    let common = whole.len().min(oracle.len());
    assert_eq!(whole[..common], oracle[..common], "another decoder disagrees");
    if result.is_ok() {
        assert!(whole.len() >= oracle.len().min(MOST), "data are missing");
    }
});

/// The bytes before the end or the error, at least as far as [`MOST`].
fn decode(data: &[u8], slab: usize, piece: usize) -> (Vec<u8>, Result<(), Error>) {
    let mut decoder = decoder(data, slab, piece);
    let mut text = Vec::new();
    loop {
        let failed = decoder.advance().err();
        text.extend_from_slice(decoder.data());
        let _ = decoder.take(decoder.data().len(), Slab::new(slab));
        if let Some(error) = failed {
            return (text, Err(error));
        }
        if decoder.event() == Some(Event::End) || text.len() >= MOST {
            return (text, Ok(()));
        }
    }
}

/// Lengths of the text from two decoders that run in one loop.
fn in_step(data: &[u8]) -> [usize; 2] {
    let (mut first, mut second) = (decoder(data, 4096, usize::MAX), decoder(data, 999, 7));
    let mut lengths = [0, 0];
    let mut workbench = Workbench::new();
    loop {
        let done = [&first, &second].map(|decoder| decoder.event() == Some(Event::End));
        let full = [lengths[0] >= MOST, lengths[1] >= MOST];
        let open = [0, 1].map(|number| !done[number] && !full[number]);
        let mut running: Vec<&mut Decoder> = [&mut first, &mut second]
            .into_iter()
            .zip(open)
            .filter_map(|(decoder, open)| open.then_some(decoder))
            .collect();
        if running.is_empty() {
            return lengths.map(|length| length.min(MOST));
        }
        assert!(advance(&mut workbench, &mut running).is_ok(), "alone it was accepted");
        for (decoder, length, slab) in [(&mut first, 0, 4096), (&mut second, 1, 999)] {
            lengths[length] += decoder.data().len();
            let _ = decoder.take(decoder.data().len(), Slab::new(slab));
        }
    }
}

fn decoder(data: &[u8], slab: usize, piece: usize) -> Decoder {
    let source = Box::new(Pieces { data: Cursor::new(data.to_vec()), piece });
    Decoder::new(source, 0, Start::Member, Goal::EndOfFile, Slab::new(slab))
}

/// A source that gives at most `piece` bytes at a time.
struct Pieces {
    data: Cursor<Vec<u8>>,
    piece: usize,
}

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = buffer.len().min(self.piece);
        self.data.read(&mut buffer[..length])
    }
}
