//! What types the columns are of.

use std::ffi::{CStr, CString};
use std::ptr;

use super::layout::{ArrowSchema, NULLABLE};
use crate::columns::{Column, Values};

/// That of a record batch with these columns.
pub(super) fn of_columns(columns: &[Column]) -> ArrowSchema {
    let children = columns.iter().map(|column| {
        let flags = if column.may_be_null() { NULLABLE } else { 0 };
        let name = CString::new(column.name().as_bytes());
        let name = name.expect("names of columns are ours, or letters and digits of a tag");
        schema(format(&column.values()), name, flags, Vec::new())
    });
    // A record batch is a struct.
    schema(c"+s", CString::default(), 0, children.collect())
}

/// What a schema holds until it is released.
struct Private {
    name: CString,
    children: Vec<*mut ArrowSchema>,
}

fn schema(
    format: &'static CStr,
    name: CString,
    flags: i64,
    children: Vec<ArrowSchema>,
) -> ArrowSchema {
    let children = children.into_iter().map(Box::new).map(Box::into_raw);
    let mut private = Box::new(Private {
        name,
        children: children.collect(),
    });
    ArrowSchema {
        format: format.as_ptr(),
        name: private.name.as_ptr(),
        metadata: ptr::null(),
        flags,
        n_children: private.children.len() as i64,
        children: private.children.as_mut_ptr(),
        dictionary: ptr::null_mut(),
        release: Some(release),
        private_data: Box::into_raw(private).cast(),
    }
}

/// # Safety
/// `schema` is one that [`schema`] made, which was not released.
unsafe extern "C" fn release(schema: *mut ArrowSchema) {
    // SAFETY: the caller's promise. `private_data` is the box that it was made of, which nobody else frees; the children
    // are boxes likewise, whose own `release` runs as they are dropped, unless they were moved away.
    unsafe {
        let schema = &mut *schema;
        debug_assert!(schema.release.is_some(), "released twice");
        schema.release = None;
        let private = Box::from_raw(schema.private_data.cast::<Private>());
        for child in private.children {
            drop(Box::from_raw(child));
        }
    }
}

/// How Arrow's C interface writes the type.
fn format(values: &Values) -> &'static CStr {
    match values {
        Values::Text(..) => c"u",
        Values::U8(_) => c"C",
        Values::U32(_) => c"I",
        Values::U64(_) => c"L",
        Values::I64(_) => c"l",
        Values::F64(_) => c"g",
    }
}
