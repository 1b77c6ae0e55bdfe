//! What C hands over, as Rust has it. What is taken for granted of it is what `include/thalweg.h` asks for.

#![allow(unsafe_code)]

use std::ffi::{CStr, OsStr, c_char};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use crate::error::Failure;

/// Some bytes, which need not end with NUL. Who gave them says how long they are valid.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Text {
    /// The first of them; NULL where there is no such text, as FASTA has no qualities.
    pub start: *const c_char,
    /// How many they are.
    pub length: usize,
}

impl Text {
    pub(crate) const NONE: Self = Self {
        start: std::ptr::null(),
        length: 0,
    };

    #[inline]
    pub(crate) fn of(bytes: &[u8]) -> Self {
        Self {
            start: bytes.as_ptr().cast(),
            length: bytes.len(),
        }
    }

    /// # Safety
    /// As of [`bytes`].
    pub(crate) unsafe fn bytes<'a>(self) -> Result<&'a [u8], Failure> {
        // SAFETY: the caller's promise.
        unsafe { slice(self.start.cast(), self.length, "a text") }
    }
}

fn is_null(what: &str) -> Failure {
    Failure::usage(format!("{what} is NULL"))
}

/// # Safety
/// `handle` is NULL or one that [`give`] gave, which was not ended, and which nobody changes as long as `'a`.
pub(crate) unsafe fn shared<'a, T>(handle: *const T, what: &str) -> Result<&'a T, Failure> {
    // SAFETY: the caller's promise.
    unsafe { handle.as_ref() }.ok_or_else(|| is_null(what))
}

/// # Safety
/// `handle` is NULL or one that [`give`] gave, which was not ended, and which nobody else uses as long as `'a`.
pub(crate) unsafe fn unique<'a, T>(handle: *mut T, what: &str) -> Result<&'a mut T, Failure> {
    // SAFETY: the caller's promise.
    unsafe { handle.as_mut() }.ok_or_else(|| is_null(what))
}

/// # Safety
/// `place` is NULL, or memory for a value, which nobody else uses.
pub(crate) unsafe fn put<T: Copy>(place: *mut T, value: T, what: &str) -> Result<(), Failure> {
    if place.is_null() {
        return Err(is_null(what));
    }
    // SAFETY: the caller's promise. Nothing is read of what is there.
    unsafe { place.write(value) };
    Ok(())
}

/// Puts a new handle there; if there is none, NULL.
///
/// # Safety
/// `place` is NULL, or memory for a pointer, which nobody else uses.
pub(crate) unsafe fn give<T>(
    place: *mut *mut T,
    make: impl FnOnce() -> Result<T, Failure>,
    what: &str,
) -> Result<(), Failure> {
    // SAFETY: the caller's promise.
    unsafe { put(place, std::ptr::null_mut(), what)? };
    let made = Box::into_raw(Box::new(make()?));
    // SAFETY: the same.
    unsafe { put(place, made, what) }
}

/// # Safety
/// `handle` is NULL or one that [`give`] gave, which was not ended. It is now.
pub(crate) unsafe fn take<T>(handle: *mut T) -> Option<Box<T>> {
    if handle.is_null() {
        return None;
    }
    // SAFETY: `give` made it of a box, and the caller promises that nobody took it before.
    Some(unsafe { Box::from_raw(handle) })
}

/// # Safety
/// `start` is NULL, or that of so many values, which nobody changes as long as `'a`.
pub(crate) unsafe fn slice<'a, T>(
    start: *const T,
    length: usize,
    what: &str,
) -> Result<&'a [T], Failure> {
    match (start.is_null(), length) {
        (_, 0) => Ok(&[]),
        (true, _) => Err(is_null(what)),
        // SAFETY: the caller's promise.
        (false, _) => Ok(unsafe { std::slice::from_raw_parts(start, length) }),
    }
}

/// # Safety
/// `start` is NULL, or that of memory for so many values, which nobody else uses as long as `'a`. There are values, of
/// numbers whatever they are: all bytes of `T` are initialised by this.
pub(crate) unsafe fn zeroed_slice<'a>(
    start: *mut u64,
    length: usize,
    what: &str,
) -> Result<&'a mut [u64], Failure> {
    match (start.is_null(), length) {
        (_, 0) => Ok(&mut []),
        (true, _) => Err(is_null(what)),
        // SAFETY: the caller's promise. What C did not initialise is written to before it is lent.
        (false, _) => Ok(unsafe {
            start.write_bytes(0, length);
            std::slice::from_raw_parts_mut(start, length)
        }),
    }
}

/// # Safety
/// `path` is NULL, or bytes that end with NUL.
pub(crate) unsafe fn path(path: *const c_char) -> Result<PathBuf, Failure> {
    if path.is_null() {
        return Err(is_null("a path"));
    }
    // SAFETY: the caller's promise.
    let path = unsafe { CStr::from_ptr(path) };
    Ok(PathBuf::from(OsStr::from_bytes(path.to_bytes())))
}
