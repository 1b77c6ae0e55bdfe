//! The structures of Arrow's C data and C stream interfaces, field by field as they are specified.

use std::ffi::{c_char, c_int, c_void};
use std::ptr;

/// What type a column, or a record batch, is of.
#[repr(C)]
pub(super) struct ArrowSchema {
    pub(super) format: *const c_char,
    pub(super) name: *const c_char,
    pub(super) metadata: *const c_char,
    pub(super) flags: i64,
    pub(super) n_children: i64,
    pub(super) children: *mut *mut ArrowSchema,
    pub(super) dictionary: *mut ArrowSchema,
    pub(super) release: Option<unsafe extern "C" fn(*mut ArrowSchema)>,
    pub(super) private_data: *mut c_void,
}

/// Values may be null.
pub(super) const NULLABLE: i64 = 2;

/// Its values.
#[repr(C)]
pub(super) struct ArrowArray {
    pub(super) length: i64,
    pub(super) null_count: i64,
    pub(super) offset: i64,
    pub(super) n_buffers: i64,
    pub(super) n_children: i64,
    pub(super) buffers: *mut *const c_void,
    pub(super) children: *mut *mut ArrowArray,
    pub(super) dictionary: *mut ArrowArray,
    pub(super) release: Option<unsafe extern "C" fn(*mut ArrowArray)>,
    pub(super) private_data: *mut c_void,
}

/// Record batches, one after the other.
#[repr(C)]
pub(super) struct ArrowArrayStream {
    pub(super) get_schema:
        Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowSchema) -> c_int>,
    pub(super) get_next:
        Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowArray) -> c_int>,
    pub(super) get_last_error: Option<unsafe extern "C" fn(*mut ArrowArrayStream) -> *const c_char>,
    pub(super) release: Option<unsafe extern "C" fn(*mut ArrowArrayStream)>,
    pub(super) private_data: *mut c_void,
}

impl ArrowArray {
    /// What `get_next` gives at the end: nothing to be released.
    pub(super) fn released() -> Self {
        Self {
            length: 0,
            null_count: 0,
            offset: 0,
            n_buffers: 0,
            n_children: 0,
            buffers: ptr::null_mut(),
            children: ptr::null_mut(),
            dictionary: ptr::null_mut(),
            release: None,
            private_data: ptr::null_mut(),
        }
    }
}

/// Whoever takes a structure out of its capsule leaves one without `release` behind, as the specification asks for; one
/// that nobody took is let go with the capsule.
macro_rules! is_released_when_dropped {
    ($($structure:ident)*) => {$(
        impl Drop for $structure {
            fn drop(&mut self) {
                if let Some(release) = self.release {
                    // SAFETY: `release` is called once: it takes itself out of the structure, which is valid here.
                    unsafe { release(self) };
                }
            }
        }

        // SAFETY: what the pointers lead to belongs to the structure alone, is memory of `Send` types (tables, which are
        // shared and which nobody changes, an iteration), and may be let go by any thread.
        unsafe impl Send for $structure {}
    )*};
}

is_released_when_dropped! { ArrowSchema ArrowArray ArrowArrayStream }
