//! Values of columns, handed out without a copy.

use std::ffi::c_void;
use std::ptr;

use super::layout::ArrowArray;
use crate::columns::{Filled, Table, Values};

/// A record batch of all rows of a table.
pub(super) fn of_table(table: Table) -> ArrowArray {
    let rows = table.rows();
    let children = table
        .columns
        .into_iter()
        .map(|column| of_column(rows, column));
    array(rows, 0, vec![Buffer::None], children.collect())
}

fn of_column(rows: usize, column: Filled) -> ArrowArray {
    let nulls = column.nulls;
    let mut buffers = vec![match nulls.count {
        // A column without nulls need not say which they are.
        0 => Buffer::None,
        _ => Buffer::U8(nulls.bits),
    }];
    match column.values {
        Values::Text(ends, text) => buffers.extend([Buffer::I32(ends), Buffer::U8(text)]),
        Values::U8(values) => buffers.push(Buffer::U8(values)),
        Values::U32(values) => buffers.push(Buffer::U32(values)),
        Values::U64(values) => buffers.push(Buffer::U64(values)),
        Values::F64(values) => buffers.push(Buffer::F64(values)),
    }
    array(rows, nulls.count, buffers, Vec::new())
}

/// Memory of an array.
enum Buffer {
    None,
    U8(Vec<u8>),
    I32(Vec<i32>),
    U32(Vec<u32>),
    U64(Vec<u64>),
    F64(Vec<f64>),
}

impl Buffer {
    /// Where it begins, aligned to its numbers; null if there is none.
    fn start(&self) -> *const c_void {
        match self {
            Self::None => ptr::null(),
            Self::U8(values) => values.as_ptr().cast(),
            Self::I32(values) => values.as_ptr().cast(),
            Self::U32(values) => values.as_ptr().cast(),
            Self::U64(values) => values.as_ptr().cast(),
            Self::F64(values) => values.as_ptr().cast(),
        }
    }
}

/// What an array holds until it is released.
struct Private {
    /// Vectors do not move what they hold when they are moved.
    _memory: Vec<Buffer>,
    starts: Vec<*const c_void>,
    children: Vec<*mut ArrowArray>,
}

fn array(rows: usize, nulls: usize, memory: Vec<Buffer>, children: Vec<ArrowArray>) -> ArrowArray {
    let children = children.into_iter().map(Box::new).map(Box::into_raw);
    let mut private = Box::new(Private {
        starts: memory.iter().map(Buffer::start).collect(),
        _memory: memory,
        children: children.collect(),
    });
    ArrowArray {
        length: rows as i64,
        null_count: nulls as i64,
        offset: 0,
        n_buffers: private.starts.len() as i64,
        n_children: private.children.len() as i64,
        buffers: private.starts.as_mut_ptr(),
        children: private.children.as_mut_ptr(),
        dictionary: ptr::null_mut(),
        release: Some(release),
        private_data: Box::into_raw(private).cast(),
    }
}

/// # Safety
/// `array` is one that [`array`] made, which was not released.
unsafe extern "C" fn release(array: *mut ArrowArray) {
    // SAFETY: the caller's promise. `private_data` is the box that it was made of, which nobody else frees; the children
    // are boxes likewise, whose own `release` runs as they are dropped, unless they were moved away.
    unsafe {
        let array = &mut *array;
        debug_assert!(array.release.is_some(), "released twice");
        array.release = None;
        let private = Box::from_raw(array.private_data.cast::<Private>());
        for child in private.children {
            drop(Box::from_raw(child));
        }
    }
}
