//! Bytes of one value to the value.

use serde::de::DeserializeOwned;

use crate::Value;
use crate::format::PAIR;
use crate::walk::{Step, Walk};

/// What a value is.
#[derive(Debug)]
pub(crate) enum Decoded {
    Known(Value<'static>),
    /// Of a kind that this version does not have.
    Unknown(String),
}

/// Why it is none.
pub(crate) type Reason = String;

/// A value of MessagePack, of which [`Walk`] has found all bytes.
pub(crate) fn message(bytes: &[u8]) -> Result<Decoded, Reason> {
    let pair = "a value that is not an array of a kind and its fields";
    let Some((&PAIR, rest)) = bytes.split_first() else {
        return Err(pair.to_owned());
    };
    let Step::Whole(length) = Walk::default().step(rest) else {
        return Err(pair.to_owned());
    };
    let (kind, fields) = rest.split_at(length);
    let kind: &str = rmp_serde::from_slice(kind).map_err(|_| pair.to_owned())?;
    let Some(known) = Value::fields_of(kind) else {
        return Ok(Decoded::Unknown(kind.to_owned()));
    };
    let fields = &without_newer(fields, known.len())?;
    let value = match kind {
        "header" => fields_of(kind, fields).map(Value::Header),
        "read" => fields_of(kind, fields).map(Value::Read),
        "kmer" => fields_of(kind, fields).map(Value::Kmer),
        "label" => fields_of(kind, fields).map(Value::Label),
        _ => fields_of(kind, fields).map(Value::End),
    };
    value.map(Decoded::Known)
}

fn fields_of<T: DeserializeOwned>(kind: &str, fields: &[u8]) -> Result<T, Reason> {
    rmp_serde::from_slice(fields).map_err(|error| format!("the fields of a {kind}: {error}"))
}

/// An array of the first `known` fields, where a newer version has written more.
fn without_newer(fields: &[u8], known: usize) -> Result<std::borrow::Cow<'_, [u8]>, Reason> {
    let (length, head) = match *fields {
        [first @ 0x90..=0x9f, ..] => (usize::from(first & 0xf), 1),
        [0xdc, high, low, ..] => (usize::from(u16::from_be_bytes([high, low])), 3),
        [0xdd, a, b, c, d, ..] => (u32::from_be_bytes([a, b, c, d]) as usize, 5),
        _ => return Err("fields that are not an array".to_owned()),
    };
    if length <= known {
        return Ok(fields.into());
    }
    // Kinds of this version have few fields.
    let mut kept = vec![0x90 | known as u8];
    let mut rest = &fields[head..];
    for _ in 0..known {
        let Step::Whole(length) = Walk::default().step(rest) else {
            return Err("fields that are not whole".to_owned());
        };
        let (field, behind) = rest.split_at(length);
        kept.extend_from_slice(field);
        rest = behind;
    }
    Ok(kept.into())
}

/// A value of a line of JSON.
pub(crate) fn line(text: &[u8]) -> Result<Decoded, Reason> {
    let value: serde_json::Value =
        serde_json::from_slice(text).map_err(|error| format!("a line is not JSON: {error}"))?;
    let kind = value.get("kind").and_then(serde_json::Value::as_str);
    let kind = kind.ok_or("a line without a kind")?;
    if Value::fields_of(kind).is_none() {
        return Ok(Decoded::Unknown(kind.to_owned()));
    }
    let kind = kind.to_owned();
    serde_json::from_value(value)
        .map(Decoded::Known)
        .map_err(|error| format!("the fields of a {kind}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::End;

    fn bytes(value: &impl serde::Serialize) -> Vec<u8> {
        rmp_serde::to_vec(value).unwrap()
    }

    #[test]
    fn newer_fields_and_kinds_are_left_out() {
        let end = |decoded| match decoded {
            Ok(Decoded::Known(Value::End(end))) => end,
            other => panic!("{other:?}"),
        };
        assert_eq!(end(message(&bytes(&("end", (7,))))), End { values: 7 });
        let newer = ("end", (7, "more", [1, 2], Some(1.5)));
        assert_eq!(end(message(&bytes(&newer))), End { values: 7 });
        let many = ("end", vec![7; 70_000]);
        assert_eq!(end(message(&bytes(&many))), End { values: 7 });
        let line = line(br#"{"kind":"end","values":7,"more":{}}"#);
        assert_eq!(end(line), End { values: 7 });
        let unknown = message(&bytes(&("gap", (1, [2, 3]))));
        assert!(matches!(unknown, Ok(Decoded::Unknown(kind)) if kind == "gap"));
        let unknown = super::line(br#"{"kind":"gap"}"#);
        assert!(matches!(unknown, Ok(Decoded::Unknown(kind)) if kind == "gap"));
    }

    #[test]
    fn what_is_no_value_is_told() {
        for wrong in [
            bytes(&7),
            bytes(&("end",)),
            bytes(&("end", (7,), 1)),
            bytes(&(7, (7,))),
            bytes(&("end", 7)),
            bytes(&("end", ("x",))),
            bytes(&("end", ())),
            bytes(&("read", (1, 2))),
            bytes(&("read", (1, 300, "x", 1, 1, 1, ((),), 0, "", ""))),
        ] {
            assert!(message(&wrong).is_err(), "{wrong:02x?}");
        }
        for wrong in [
            "",
            "7",
            "{}",
            "{\"kind\":1}",
            "{\"kind\":\"end\"}",
            "{\"kind\":\"end\",\"values\":-1}",
        ] {
            assert!(line(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }
}
