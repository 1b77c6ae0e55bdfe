//! The JSON at the begin of a Jellyfish file.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::matrix::Matrix;
use super::sums::Sums;
use crate::database::input::Input;
use crate::database::{DatabaseFormat, Description, Header, Order, Totals};
use crate::error::{Error, Result};
use crate::kmer::{MAX_K, byte_len};

/// Digits of the length that a file begins with.
const DIGITS: usize = 9;

/// What the header is filled up to.
const ALIGNMENT: usize = 8;

/// The field of our own that holds the sums: a file may be cut between two records or changed, which nothing else would tell.
const TOTALS: &str = "thalweg_totals";

/// The one in it that holds [`Sums::records`].
const RECORD_SUM: &str = "record_sum";

/// What can be done with a file that only Jellyfish reads.
const DUMP: &str = "convert it to text with `jellyfish dump -c` of the version that wrote it";

/// Rows of the matrix that is written: the size of the table, 2^62 slots, stays within what `jellyfish` can hold
/// as a signed number.
const ROWS: u32 = 62;

/// Whether a file begins like one of Jellyfish's.
pub(crate) fn sniff(start: &[u8]) -> bool {
    start.len() > DIGITS && start[..DIGITS].iter().all(u8::is_ascii_digit) && start[DIGITS] == b'{'
}

/// What a reader needs to know.
#[derive(Clone, Debug)]
pub(super) struct JellyfishHeader {
    pub(super) header: Header,
    pub(super) matrix: Matrix,
    /// Slots of the table, less one.
    pub(super) mask: u64,
    /// Where the records begin.
    pub(super) offset: u64,
    /// Bytes of a count; 0 in text.
    pub(super) counter_bytes: usize,
    /// What the records add up to; Jellyfish itself does not write it.
    pub(super) totals: Option<Totals>,
    /// What [`Sums`] has of the records, if the file says it.
    pub(super) record_sum: Option<u64>,
}

impl JellyfishHeader {
    pub(super) fn read(input: &Input) -> Result<JellyfishHeader> {
        let path = input.path();
        let mut start = [0; DIGITS + 1];
        if input.size() > DIGITS as u64 {
            input.read_at(&mut start, 0)?;
        }
        if !sniff(&start) {
            return Err(unknown(path, "it does not begin with a header".into()));
        }
        // Nine digits were seen: no overflow.
        let length = start[..DIGITS]
            .iter()
            .fold(0, |length, digit| 10 * length + u64::from(digit - b'0'));
        let offset = DIGITS as u64 + length;
        if offset > input.size() {
            return Err(damaged(path, "the header is truncated".into()));
        }
        let bytes = input.bytes_at(DIGITS as u64, length)?;
        let end = bytes
            .iter()
            .rposition(|&byte| byte != 0)
            .map_or(0, |last| last + 1);
        let json: Map<String, Value> = serde_json::from_slice(&bytes[..end])
            .map_err(|error| damaged(path, format!("the header is not JSON: {error}")))?;
        JellyfishHeader::parse(path, json, offset, input.size() - offset)
    }

    fn parse(
        path: &Path,
        json: Map<String, Value>,
        offset: u64,
        data: u64,
    ) -> Result<JellyfishHeader> {
        let number = |name: &str| {
            json.get(name).and_then(Value::as_u64).ok_or_else(|| {
                damaged(
                    path,
                    format!("the header has no \"{name}\", or it is not a number"),
                )
            })
        };
        let format = match json.get("format").and_then(Value::as_str) {
            Some("binary/sorted") => DatabaseFormat::Jellyfish,
            Some("text/sorted") => DatabaseFormat::JellyfishText,
            Some("bloomcounter") => {
                let reason =
                    "it is a filter that `jellyfish bc` made (bloomcounter), which has no k-mers"
                        .into();
                let way_out = "Jellyfish itself asks it (`jellyfish query`, `jellyfish count --bc`); count the reads for a database";
                return Err(not_read(path, reason, way_out));
            }
            Some(other) => {
                let other: String = other.chars().take(40).collect();
                let reason = format!(
                    "its format is {other:?}, but only \"binary/sorted\" and \"text/sorted\" are supported"
                );
                return Err(not_read(path, reason, DUMP));
            }
            None => return Err(damaged(path, "the header has no \"format\"".into())),
        };
        let bits = number("key_len")?;
        if bits % 2 != 0 || bits < 2 {
            return Err(damaged(path, format!("a k-mer of {bits} bits")));
        }
        if bits > 2 * MAX_K as u64 {
            let reason = format!("k = {}, but k must be from 1 to {MAX_K}", bits / 2);
            let way_out = "use Jellyfish itself (`jellyfish dump`, `jellyfish query`), or count again with a k of 255 or less";
            return Err(not_read(path, reason, way_out));
        }
        let k = bits as usize / 2;
        let size = number("size")?;
        if !size.is_power_of_two() {
            return Err(damaged(
                path,
                format!("the size {size} is not a power of two"),
            ));
        }
        let matrix = json
            .get("matrix1")
            .and_then(|matrix| parse_matrix(matrix, 2 * k));
        let matrix =
            matrix.ok_or_else(|| damaged(path, "the header has no good \"matrix1\"".into()))?;

        let totals = match json.get(TOTALS) {
            None => None,
            Some(totals) => Some(
                parse_totals(totals)
                    .ok_or_else(|| damaged(path, format!("the header has no good \"{TOTALS}\"")))?,
            ),
        };
        let record_sum = json.get(TOTALS).and_then(|totals| totals.get(RECORD_SUM));
        let record_sum = record_sum
            .map(|sum| {
                let bad = || damaged(path, format!("the header has no good \"{RECORD_SUM}\""));
                sum.as_u64().ok_or_else(bad)
            })
            .transpose()?;
        let mut header = Header::new(format, k);
        header.distinct = totals.map(|totals| totals.distinct);
        let mut counter_bytes = 0;
        // A line has the k-mer, a blank, a digit and its end, which the last one may lack.
        let most = (data + 1) / (k as u64 + 3);
        if format == DatabaseFormat::JellyfishText
            && let Some(distinct) = header.distinct.filter(|distinct| *distinct > most)
        {
            return Err(damaged(
                path,
                format!("it has {most} k-mers at the most, but says {distinct}: it was cut"),
            ));
        }
        if format == DatabaseFormat::Jellyfish {
            let bytes = number("counter_len")?;
            if bytes > 8 {
                let reason = format!("counts of {bytes} bytes, but at most 8 are supported");
                // `jellyfish dump` does not read it either.
                let way_out = "count again with `--out-counter-len 8` or less";
                return Err(not_read(path, reason, way_out));
            }
            if bytes == 0 {
                let way_out = "count again, without `--out-counter-len 0`";
                return Err(not_read(path, "it has no counts".into(), way_out));
            }
            counter_bytes = bytes as usize;
            header.counter_bytes = Some(bytes as u8);
            let record = byte_len(k) as u64 + bytes;
            if !data.is_multiple_of(record) {
                return Err(damaged(
                    path,
                    format!(
                        "the file is truncated: {data} bytes is not a multiple of the record size ({record})"
                    ),
                ));
            }
            let found = data / record;
            if let Some(distinct) = header.distinct.filter(|distinct| *distinct != found) {
                return Err(damaged(
                    path,
                    format!("it has {found} k-mers, but says {distinct}: it was cut or added to"),
                ));
            }
            header.distinct = Some(found);
        }
        if matrix.keeps_order(size - 1) {
            header.order = Order::Sorted;
        }
        header.canonical = json.get("canonical").and_then(Value::as_bool);
        header.provenance = json;
        for technical in ["matrix1", "reprobes", TOTALS] {
            header.provenance.remove(technical);
        }
        Ok(JellyfishHeader {
            header,
            matrix,
            mask: size - 1,
            offset,
            counter_bytes,
            totals,
            record_sum,
        })
    }
}

fn parse_totals(totals: &Value) -> Option<Totals> {
    let number = |name: &str| totals.get(name)?.as_u64();
    Some(Totals {
        distinct: number("distinct")?,
        total: totals.get("total")?.as_str()?.parse().ok()?,
        unique: number("unique")?,
        max_count: number("max_count")?,
    })
}

/// The matrix, if it fits k-mers of this many bits.
fn parse_matrix(matrix: &Value, bits: usize) -> Option<Matrix> {
    let rows = matrix.get("r")?.as_u64().filter(|rows| *rows <= 64)?;
    if matrix.get("c")?.as_u64()? != bits as u64 {
        return None;
    }
    if matrix.get("identity").and_then(Value::as_bool) == Some(true) {
        return Some(Matrix::identity(bits, rows as u32));
    }
    let columns = matrix.get("columns")?.as_array()?;
    let columns: Option<Vec<u64>> = columns.iter().map(Value::as_u64).collect();
    Some(Matrix::from_file(
        columns.filter(|columns| columns.len() == bits)?,
    ))
}

/// The bytes before the first record of a file that is to be written: as many, whatever the totals are, so that they can
/// be put in when all records were written.
pub(super) fn to_bytes(
    description: &Description,
    format: DatabaseFormat,
    counter_bytes: u8,
    sums: &Sums,
) -> Vec<u8> {
    let longest = Sums {
        totals: Totals {
            distinct: u64::MAX,
            total: u128::MAX,
            unique: u64::MAX,
            max_count: u64::MAX,
        },
        records: u64::MAX,
    };
    let longest = to_json(description, format, counter_bytes, &longest).len();
    let mut json = to_json(description, format, counter_bytes, sums);
    // Blanks belong to JSON, so that no reader trips over them.
    json.extend(std::iter::repeat_n(' ', longest - json.len()));
    let length = (DIGITS + json.len()).next_multiple_of(ALIGNMENT) - DIGITS;
    let mut bytes = format!("{length:0DIGITS$}{json}").into_bytes();
    bytes.resize(DIGITS + length, 0);
    bytes
}

fn to_json(
    description: &Description,
    format: DatabaseFormat,
    counter_bytes: u8,
    sums: &Sums,
) -> String {
    let totals = &sums.totals;
    let bits = 2 * description.k;
    let rows = (bits as u32).min(ROWS);
    let matrix = if rows as usize == bits {
        json!({ "c": bits, "r": rows, "identity": true })
    } else {
        let columns = Matrix::high(bits, rows).to_file();
        json!({ "c": bits, "r": rows, "identity": false, "columns": columns })
    };
    let mut json = json!({
        "cmdline": [],
        "exe_path": "",
        "hostname": "",
        "pwd": "",
        "time": "",
    });
    let fields = json.as_object_mut().into_iter();
    for fields in fields {
        // Whoever wrote the description knows these better; what decides how the file is read is ours.
        fields.extend(description.provenance.clone());
        fields.extend([
            ("alignment".to_owned(), ALIGNMENT.into()),
            ("canonical".to_owned(), description.canonical.into()),
            ("key_len".to_owned(), bits.into()),
            ("matrix1".to_owned(), matrix.clone()),
            ("max_reprobe".to_owned(), 0.into()),
            ("reprobes".to_owned(), json!([1])),
            ("size".to_owned(), (1u64 << rows).into()),
            ("val_len".to_owned(), (8 * u32::from(counter_bytes)).into()),
            (
                TOTALS.to_owned(),
                json!({
                    "distinct": totals.distinct,
                    // May be more than 64 bits, which readers of JSON round.
                    "total": totals.total.to_string(),
                    "unique": totals.unique,
                    "max_count": totals.max_count,
                    RECORD_SUM: sums.records,
                }),
            ),
        ]);
        if format == DatabaseFormat::Jellyfish {
            fields.insert("format".to_owned(), "binary/sorted".into());
            fields.insert("counter_len".to_owned(), counter_bytes.into());
        } else {
            fields.insert("format".to_owned(), "text/sorted".into());
        }
    }
    json.to_string()
}

pub(super) fn damaged(path: &Path, reason: String) -> Error {
    Error::Damaged {
        path: path.to_path_buf(),
        format: DatabaseFormat::Jellyfish.name(),
        reason,
    }
}

fn not_read(path: &Path, reason: String, way_out: &'static str) -> Error {
    Error::NotRead {
        path: path.to_path_buf(),
        format: DatabaseFormat::Jellyfish.name(),
        reason,
        way_out,
    }
}

fn unknown(path: &Path, reason: String) -> Error {
    Error::UnknownFormat {
        path: path.to_path_buf(),
        reason,
    }
}
