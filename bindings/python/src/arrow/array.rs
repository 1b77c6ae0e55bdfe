//! Values of columns, handed out without a copy.

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

use super::layout::ArrowArray;
use crate::columns::{Filled, Table, Values};

/// A record batch of all rows of a table.
///
/// # Panics
/// If a column has fewer values than the table has rows: whoever is given the addresses would read behind its end.
pub(super) fn of_table(table: Arc<Table>) -> ArrowArray {
    table.assert_whole();
    let children = table.columns.iter().map(|column| of_column(&table, column));
    let children = children.collect();
    array(&table, 0, vec![ptr::null()], children)
}

/// A column of the table.
fn of_column(table: &Arc<Table>, column: &Filled) -> ArrowArray {
    let nulls = &column.nulls;
    let mut starts = vec![match nulls.count {
        // A column without nulls need not say which they are.
        0 => ptr::null(),
        _ => start(&nulls.bits),
    }];
    match &column.values {
        Values::Text(ends, text) => starts.extend([start(ends), start(text)]),
        Values::U8(values) => starts.push(start(values)),
        Values::U32(values) => starts.push(start(values)),
        Values::U64(values) => starts.push(start(values)),
        Values::I64(values) => starts.push(start(values)),
        Values::F64(values) => starts.push(start(values)),
    }
    array(table, nulls.count, starts, Vec::new())
}

/// Where they begin, aligned to their numbers.
fn start<T>(values: &[T]) -> *const c_void {
    values.as_ptr().cast()
}

/// What an array holds until it is released.
struct Private {
    /// Whose columns the addresses are of: nobody changes it.
    _table: Arc<Table>,
    starts: Vec<*const c_void>,
    children: Vec<*mut ArrowArray>,
}

fn array(
    table: &Arc<Table>,
    nulls: usize,
    starts: Vec<*const c_void>,
    children: Vec<ArrowArray>,
) -> ArrowArray {
    let children = children.into_iter().map(Box::new).map(Box::into_raw);
    let mut private = Box::new(Private {
        _table: Arc::clone(table),
        starts,
        children: children.collect(),
    });
    ArrowArray {
        length: table.rows() as i64,
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
    // are boxes likewise. As they are dropped their own `release` runs, which those have no more that a consumer has taken.
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
