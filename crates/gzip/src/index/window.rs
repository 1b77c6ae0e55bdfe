//! The coding of a window: the 32 KiB before a checkpoint, reduced to the bytes that later data refers to.
//!
//! About a quarter of a window is referred to, in short runs. The kept bytes and the lengths of the gaps and runs are
//! packed by DEFLATE apart from each other, and the kept bytes again in two streams: bytes that follow two
//! nucleotides, which are nearly always nucleotides and take two bits, and all others. Gaps of one or two bytes are
//! filled with the true bytes, which costs less than naming the gap. `docs/formats/index.md` gives the layout and the
//! measured alternatives; PPMd would save another tenth to fifth, but unpacking would take a good part of the time that the
//! chunk takes to decode.

use libdeflater::{CompressionLvl, Compressor, Decompressor};
use thalweg_files::write_varint;

use super::IndexError;
use super::cursor::Cursor;

/// The farthest that DEFLATE refers back (RFC 1951, section 2: "32K bytes").
pub const WINDOW_SIZE: usize = 32_768;

/// Which bytes of a window later data refers to: bit `i % 64` of word `i / 64` stands for byte `i`, 0 the oldest.
///
/// Of a shorter window the bits are right-aligned: the last bit is always the byte right before the checkpoint.
pub type References = [u64; WINDOW_SIZE / 64];

/// The largest stored window: the coding, its length, and the bytes as they are.
pub(super) const LARGEST_ENCODED: usize = 1 + 3 + WINDOW_SIZE;

const PLAIN: u8 = 0;
const SPLIT: u8 = 1;

/// The longest gap that is cheaper to fill than to name: of 0, 2, 3 and 4, 2 was best on all data.
const LONGEST_FILLED_GAP: usize = 2;

/// libdeflate's level: 12 saves a little more, but takes several times as long, a tenth of what building an index takes.
const LEVEL: i32 = 6;

/// For windows of which nothing is known and that are only kept in memory: about three times as fast.
const FAST_LEVEL: i32 = 1;

const SECTION: &str = "windows";

/// A window in the form in which an index stores it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EncodedWindow {
    bytes: Vec<u8>,
}

impl EncodedWindow {
    /// Encodes the bytes before a checkpoint, oldest first; only the last [`WINDOW_SIZE`] of them are used.
    ///
    /// Without `references` all bytes are kept. A pure function, so that any thread can do it.
    pub fn encode(window: &[u8], references: Option<&References>) -> EncodedWindow {
        encode(window, references, LEVEL)
    }

    /// As [`EncodedWindow::encode`] with all bytes kept, five times as fast and a little larger.
    pub(super) fn encode_fast(window: &[u8]) -> EncodedWindow {
        encode(window, None, FAST_LEVEL)
    }

    /// The stored form; empty for an empty window.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn from_bytes(bytes: Vec<u8>) -> EncodedWindow {
        EncodedWindow { bytes }
    }

    /// Fills the end of `window`, zeroes the rest, returns how many bytes the window has.
    ///
    /// `offset` is where the stored form begins in the index file, for messages.
    pub(super) fn decode(
        &self,
        offset: u64,
        window: &mut [u8; WINDOW_SIZE],
    ) -> Result<usize, IndexError> {
        window.fill(0);
        if self.bytes.is_empty() {
            return Ok(0);
        }
        let mut cursor = Cursor::new(&self.bytes, SECTION, offset);
        let coding = cursor.u8()?;
        let missing = cursor.varint()?;
        if missing >= WINDOW_SIZE as u64 {
            return Err(cursor.damaged("a window has an impossible length"));
        }
        let target = &mut window[missing as usize..];
        match coding {
            PLAIN => {
                target.copy_from_slice(cursor.take(target.len())?);
                cursor.finish()?;
            }
            SPLIT => decode_split(&mut cursor, target)?,
            _ => return Err(cursor.damaged("a window has an unknown coding")),
        }
        Ok(target.len())
    }
}

fn encode(window: &[u8], references: Option<&References>, level: i32) -> EncodedWindow {
    let window = &window[window.len().saturating_sub(WINDOW_SIZE)..];
    if window.is_empty() {
        return EncodedWindow::default();
    }
    let missing = WINDOW_SIZE - window.len();
    let mut parts = Parts::default();
    let mut position = 0;
    for (start, end) in kept_runs(missing, references) {
        write_varint(&mut parts.runs, (start - position) as u64);
        write_varint(&mut parts.runs, (end - start) as u64);
        for &byte in &window[start..end] {
            parts.push(byte);
        }
        position = end;
    }
    let mut compressor = Compressor::new(CompressionLvl::new(level).unwrap_or_default());
    let packed =
        [&parts.runs, &parts.bases, &parts.others].map(|stream| deflate(&mut compressor, stream));

    let mut bytes = vec![SPLIT];
    write_varint(&mut bytes, missing as u64);
    for length in [
        parts.runs.len(),
        parts.bases.len(),
        parts.others.len(),
        packed[0].len(),
        packed[1].len(),
    ] {
        write_varint(&mut bytes, length as u64);
    }
    for stream in packed {
        bytes.extend_from_slice(&stream);
    }
    if bytes.len() > window.len() {
        bytes.clear();
        bytes.push(PLAIN);
        write_varint(&mut bytes, missing as u64);
        bytes.extend_from_slice(window);
    }
    EncodedWindow { bytes }
}

/// The runs of bytes to keep, as half-open ranges of the window, which lacks its first `missing` bytes.
fn kept_runs(missing: usize, references: Option<&References>) -> Vec<(usize, usize)> {
    let Some(references) = references else {
        return vec![(0, WINDOW_SIZE - missing)];
    };
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for bit in missing..WINDOW_SIZE {
        if references[bit / 64] >> (bit % 64) & 1 == 0 {
            continue;
        }
        let byte = bit - missing;
        match runs.last_mut() {
            Some((_, end)) if byte - *end <= LONGEST_FILLED_GAP => *end = byte + 1,
            _ => runs.push((byte, byte + 1)),
        }
    }
    runs
}

/// The three streams of a window, and the state that says which one a kept byte belongs to.
#[derive(Default)]
struct Parts {
    runs: Vec<u8>,
    bases: Vec<u8>,
    others: Vec<u8>,
    context: Context,
}

impl Parts {
    fn push(&mut self, byte: u8) {
        if self.context.expects_base() {
            self.bases.push(byte);
        } else {
            self.others.push(byte);
        }
        self.context.advance(byte);
    }
}

/// How many of the kept bytes before this one, up to two, are nucleotide letters without a break.
#[derive(Default)]
struct Context(u8);

impl Context {
    fn expects_base(&self) -> bool {
        self.0 == 2
    }

    /// Without a branch: letters of qualities cannot be predicted, and this runs once for every byte.
    fn advance(&mut self, byte: u8) {
        self.0 = (self.0 + 1).min(2) * IS_BASE[usize::from(byte)];
    }
}

/// 1 for the letters of nucleotides, N among them, in either case; else 0.
const IS_BASE: [u8; 256] = {
    let mut table = [0; 256];
    let mut letter = 0;
    while letter < 10 {
        table[b"ACGTNacgtn"[letter] as usize] = 1;
        letter += 1;
    }
    table
};

fn deflate(compressor: &mut Compressor, stream: &[u8]) -> Vec<u8> {
    if stream.is_empty() {
        return Vec::new();
    }
    let mut packed = vec![0; compressor.deflate_compress_bound(stream.len())];
    // The buffer has the size that libdeflate states to be enough; were it not, the plain coding would be chosen.
    let length = compressor
        .deflate_compress(stream, &mut packed)
        .unwrap_or(packed.len());
    packed.truncate(length);
    packed
}

fn decode_split(cursor: &mut Cursor<'_>, window: &mut [u8]) -> Result<(), IndexError> {
    // A varint of n bytes stands for a length of at least 2^(7(n-1)), so runs take at most one byte per window byte,
    // besides a first gap of zero.
    let runs_length = bounded(cursor, window.len() + 1)?;
    let bases_length = bounded(cursor, window.len())?;
    let others_length = bounded(cursor, window.len() - bases_length)?;
    let runs_packed = bounded(cursor, cursor.remaining())?;
    let bases_packed = bounded(cursor, cursor.remaining())?;

    let mut decompressor = Decompressor::new();
    let runs_packed = cursor.take(runs_packed)?;
    let bases_packed = cursor.take(bases_packed)?;
    let others_packed = cursor.take(cursor.remaining())?;
    let runs = inflate(cursor, &mut decompressor, runs_packed, runs_length)?;
    let bases = inflate(cursor, &mut decompressor, bases_packed, bases_length)?;
    let others = inflate(cursor, &mut decompressor, others_packed, others_length)?;

    let streams = [&others[..], &bases[..]];
    let mut used = [0, 0];
    let mut context = Context::default();
    let mut runs = Cursor::new(&runs, SECTION, 0);
    let mut position = 0_usize;
    while runs.remaining() > 0 {
        let (gap, run) = (runs.varint()?, runs.varint()?);
        let start = position as u64 + gap.min(WINDOW_SIZE as u64);
        let end = start + run.min(WINDOW_SIZE as u64);
        if end > window.len() as u64 {
            return Err(cursor.damaged("a window's runs are longer than the window"));
        }
        for byte in &mut window[start as usize..end as usize] {
            let stream = usize::from(context.expects_base());
            let Some(&next) = streams[stream].get(used[stream]) else {
                return Err(cursor.damaged("a window has fewer bytes than its runs say"));
            };
            used[stream] += 1;
            *byte = next;
            context.advance(next);
        }
        position = end as usize;
    }
    if used != [others.len(), bases.len()] {
        return Err(cursor.damaged("a window has more bytes than its runs say"));
    }
    Ok(())
}

fn bounded(cursor: &mut Cursor<'_>, limit: usize) -> Result<usize, IndexError> {
    let length = cursor.varint()?;
    if length > limit as u64 {
        return Err(cursor.damaged("a window has an impossible length"));
    }
    Ok(length as usize)
}

fn inflate(
    cursor: &Cursor<'_>,
    decompressor: &mut Decompressor,
    packed: &[u8],
    length: usize,
) -> Result<Vec<u8>, IndexError> {
    let mut stream = vec![0; length];
    if length == 0 && packed.is_empty() {
        return Ok(stream);
    }
    match decompressor.deflate_decompress(packed, &mut stream) {
        Ok(found) if found == length => Ok(stream),
        _ => Err(cursor.damaged("a window cannot be unpacked")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(length: usize) -> Vec<u8> {
        let mut state = 7_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> 24
        };
        (0..length)
            .map(|at| {
                if at / 150 % 2 == 0 {
                    b"ACGT"[next() as usize % 4]
                } else {
                    33 + next() as u8 % 41
                }
            })
            .collect()
    }

    #[test]
    fn every_length_comes_back_right_aligned() {
        for length in [0, 1, 2, 3, 100, 32_767, 32_768, 40_000] {
            let window = sample(length);
            let mut decoded = [1; WINDOW_SIZE];
            let count = EncodedWindow::encode(&window, None)
                .decode(0, &mut decoded)
                .unwrap();
            assert_eq!(count, length.min(WINDOW_SIZE));
            assert_eq!(decoded[WINDOW_SIZE - count..], window[length - count..]);
            assert!(decoded[..WINDOW_SIZE - count].iter().all(|byte| *byte == 0));
        }
    }

    #[test]
    fn referenced_bytes_survive_and_the_rest_costs_little() {
        for length in [500, WINDOW_SIZE] {
            let window = sample(length);
            let references: References =
                std::array::from_fn(|word| if word % 4 == 3 { 0xff00_00f1 } else { 0 });
            let encoded = EncodedWindow::encode(&window, Some(&references));
            assert!(encoded.as_bytes().len() < length / 8 + 40);
            let mut decoded = [0; WINDOW_SIZE];
            assert_eq!(encoded.decode(0, &mut decoded).unwrap(), length);
            for bit in WINDOW_SIZE - length..WINDOW_SIZE {
                let byte = decoded[bit];
                let truth = window[bit - (WINDOW_SIZE - length)];
                let referenced = references[bit / 64] >> (bit % 64) & 1 == 1;
                assert!(byte == truth || (byte == 0 && !referenced));
            }
        }
    }

    #[test]
    fn bytes_that_do_not_compress_are_stored_plainly() {
        let mut state = 1_u64;
        let window: Vec<u8> = std::iter::repeat_with(|| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 56) as u8
        })
        .take(WINDOW_SIZE)
        .collect();
        let encoded = EncodedWindow::encode(&window, None);
        assert!(encoded.as_bytes().len() <= LARGEST_ENCODED);
        let mut decoded = [0; WINDOW_SIZE];
        assert_eq!(encoded.decode(0, &mut decoded).unwrap(), WINDOW_SIZE);
        assert_eq!(decoded[..], window[..]);
    }

    #[test]
    fn damaged_windows_never_panic() {
        let window = sample(3000);
        let references: References =
            std::array::from_fn(|word| 0x00ff_0f00_ffff_0001 >> (word % 7));
        let encoded = EncodedWindow::encode(&window, Some(&references));
        let mut decoded = [0; WINDOW_SIZE];
        for at in 0..encoded.as_bytes().len() {
            for flip in [1, 0x80, 0xff] {
                let mut bytes = encoded.as_bytes().to_vec();
                bytes[at] ^= flip;
                let _ = EncodedWindow::from_bytes(bytes).decode(0, &mut decoded);
            }
            let _ = EncodedWindow::from_bytes(encoded.as_bytes()[..at].to_vec())
                .decode(0, &mut decoded);
        }
    }
}
