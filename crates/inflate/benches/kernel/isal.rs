//! ISA-L, loaded when it is there: Debian's package `libisal2`. Nothing is linked, so that the benchmark
//! builds without it.

use std::alloc::{Layout, alloc_zeroed, dealloc};

use libloading::Library;

/// The functions of the library that are used.
pub(crate) struct Isal {
    library: Library,
}

/// The beginning of `struct inflate_state` (igzip_lib.h, the same since version 2.20).
#[repr(C)]
struct Head {
    next_out: *mut u8,
    avail_out: u32,
    total_out: u32,
    next_in: *const u8,
    read_in: u64,
    avail_in: u32,
}

/// Bytes for the whole of it: it has 85 KiB in version 2.30.
const STATE: usize = 1 << 20;
/// Bytes of output at a time: as `igzip` does, and small enough for the cache.
const PIECE: usize = 256 << 10;

impl Isal {
    /// The library, if this machine has it.
    pub(crate) fn load() -> Option<Self> {
        // SAFETY: the library's constructors only find out the CPU.
        let library = unsafe { Library::new("libisal.so.2") }.ok()?;
        Some(Self { library })
    }

    /// Decode a raw stream piece by piece; returns the length and CRC32 of the text.
    pub(crate) fn decode(&self, stream: &[u8]) -> (usize, u32) {
        let layout = Layout::from_size_align(STATE, 64).expect("a valid layout");
        let mut piece = vec![0; PIECE];
        let (mut total, mut crc) = (0, 0);
        // SAFETY: the names and types are those of igzip_lib.h and crc.h; the state is large enough, and
        // buffers and lengths belong together.
        unsafe {
            let init = self
                .library
                .get::<unsafe extern "C" fn(*mut Head)>(b"isal_inflate_init\0")
                .expect("libisal has it");
            let inflate = self
                .library
                .get::<unsafe extern "C" fn(*mut Head) -> i32>(b"isal_inflate\0")
                .expect("libisal has it");
            let sum = self
                .library
                .get::<unsafe extern "C" fn(u32, *const u8, u64) -> u32>(b"crc32_gzip_refl\0")
                .expect("libisal has it");
            let state = alloc_zeroed(layout).cast::<Head>();
            assert!(!state.is_null());
            init(state);
            (*state).next_in = stream.as_ptr();
            (*state).avail_in = u32::try_from(stream.len()).expect("a stream below 4 GiB");
            loop {
                (*state).next_out = piece.as_mut_ptr();
                (*state).avail_out = PIECE as u32;
                assert_eq!(inflate(state), 0, "ISA-L refuses the stream");
                let made = PIECE - (*state).avail_out as usize;
                if made == 0 {
                    break;
                }
                crc = sum(crc, piece.as_ptr(), made as u64);
                total += made;
            }
            dealloc(state.cast(), layout);
        }
        (total, crc)
    }
}
