//! What types the columns are of.

use std::ffi::CStr;
use std::ptr;

use super::layout::{ArrowSchema, NULLABLE};
use crate::columns::Column;

/// That of a record batch with these columns.
pub(super) fn of_columns(columns: &[Column]) -> ArrowSchema {
    let children = columns.iter().map(|column| {
        let flags = if column.may_be_null() { NULLABLE } else { 0 };
        schema(format(*column), name(*column), flags, Vec::new())
    });
    // A record batch is a struct.
    schema(c"+s", c"", 0, children.collect())
}

fn schema(
    format: &'static CStr,
    name: &'static CStr,
    flags: i64,
    children: Vec<ArrowSchema>,
) -> ArrowSchema {
    let children = children.into_iter().map(Box::new).map(Box::into_raw);
    let mut children: Box<Children> = Box::new(children.collect());
    ArrowSchema {
        format: format.as_ptr(),
        name: name.as_ptr(),
        metadata: ptr::null(),
        flags,
        n_children: children.len() as i64,
        children: children.as_mut_ptr(),
        dictionary: ptr::null_mut(),
        release: Some(release),
        private_data: Box::into_raw(children).cast(),
    }
}

type Children = Vec<*mut ArrowSchema>;

/// # Safety
/// `schema` is one that [`schema`] made, which was not released.
unsafe extern "C" fn release(schema: *mut ArrowSchema) {
    // SAFETY: the caller's promise. `private_data` is the box that it was made of, which nobody else frees; the children
    // are boxes likewise, whose own `release` runs as they are dropped, unless they were moved away.
    unsafe {
        let schema = &mut *schema;
        debug_assert!(schema.release.is_some(), "released twice");
        schema.release = None;
        let children = Box::from_raw(schema.private_data.cast::<Children>());
        for child in *children {
            drop(Box::from_raw(child));
        }
    }
}

/// How Arrow's C interface writes the type.
fn format(column: Column) -> &'static CStr {
    match column {
        Column::Name | Column::Description | Column::Sequence | Column::Quality => c"u",
        Column::Length => c"I",
        Column::MeanQuality | Column::QualityOfMeanError | Column::Gc => c"g",
        Column::Rank => c"L",
        Column::Mate => c"C",
    }
}

fn name(column: Column) -> &'static CStr {
    match column {
        Column::Name => c"name",
        Column::Description => c"description",
        Column::Sequence => c"sequence",
        Column::Quality => c"quality",
        Column::Length => c"length",
        Column::MeanQuality => c"mean_quality",
        Column::QualityOfMeanError => c"quality_of_mean_error",
        Column::Gc => c"gc",
        Column::Rank => c"rank",
        Column::Mate => c"mate",
    }
}
