//! What became of a claim, and the form of messages.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::Seam;

/// What reading one claim gave. Those of all processes together tell that nothing was left out, see
/// [`ClaimTable::check`](crate::ClaimTable::check).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimReport {
    /// The number of the claim.
    pub claim: u64,
    /// Records that end in it, mates as one.
    pub records: u64,
    /// Where it begins and ends, if its first record was found by inspection.
    pub seam: Option<Seam>,
}

impl ClaimReport {
    /// Reports as a message.
    pub fn to_bytes(reports: &[Self]) -> Vec<u8> {
        to_bytes(&reports)
    }

    /// The reports of a message; `None` if it is none.
    pub fn from_bytes(bytes: &[u8]) -> Option<Vec<Self>> {
        from_bytes(bytes)
    }
}

/// `value` as CBOR.
pub(super) fn to_bytes<T: Serialize>(value: &T) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Memory refuses nothing, and numbers, bytes and lists of them can all be written.
    let written = ciborium::into_writer(value, &mut bytes);
    debug_assert!(written.is_ok(), "{written:?}");
    bytes
}

/// The value that is all of `bytes`.
pub(super) fn from_bytes<T: DeserializeOwned>(mut bytes: &[u8]) -> Option<T> {
    let value = ciborium::from_reader(&mut bytes).ok()?;
    bytes.is_empty().then_some(value)
}
