//! Tables for all who know Arrow, by its C data interface (<https://arrow.apache.org/docs/format/CDataInterface.html>) in
//! Python's capsules.
//!
//! `layout` has the structures as they stand in that document; `schema`, `array` and `stream` fill them in. What is
//! handed out owns its memory, and is let go by whoever took it.

#![allow(unsafe_code)]

mod array;
mod layout;
mod schema;
mod stream;

use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use std::sync::Arc;

use crate::columns::{Column, Table};
use crate::table::Tables;

/// Arrays of a table may be let go by any thread, and iterations, too.
const _: fn() = || {
    fn is_shared<T: Send + Sync>() {}
    fn is_sent<T: Send>() {}
    is_shared::<Table>();
    is_sent::<Tables>();
};

/// The schema of record batches with these columns.
pub(crate) fn schema_capsule<'py>(
    py: Python<'py>,
    columns: &[Column],
) -> PyResult<Bound<'py, PyAny>> {
    let schema = schema::of_columns(columns);
    PyCapsule::new_with_value(py, schema, c"arrow_schema").map(Bound::into_any)
}

/// A record batch of a table with these columns: its schema, and its array.
pub(crate) fn batch_capsules<'py>(
    py: Python<'py>,
    columns: &[Column],
    table: Arc<Table>,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let schema = schema_capsule(py, columns)?;
    let array = array::of_table(table);
    let array = PyCapsule::new_with_value(py, array, c"arrow_array")?;
    Ok((schema, array.into_any()))
}

/// All record batches of an iteration.
pub(crate) fn stream_capsule(py: Python<'_>, tables: Tables) -> PyResult<Bound<'_, PyAny>> {
    let stream = stream::of_tables(tables);
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream").map(Bound::into_any)
}
