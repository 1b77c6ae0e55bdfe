//! `thalweg info`

use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde_json::{Map, Value, json};
use thalweg::formats::FileFormat;
use thalweg::index::{Container, Index, Origin};
use thalweg::{Budget, Error, ErrorKind, FilePlan, Format, IndexUse, ReaderOptions};

use crate::input::warn_if_cut_or_empty;
use crate::options::InfoArguments;
use crate::options::quantity::{bytes, thousands};
use crate::output;
use crate::process::exit::Failure;

pub(crate) fn run(arguments: &InfoArguments) -> Result<(), Failure> {
    output::expect_standard_output()?;
    let mut described = Vec::new();
    for file in &arguments.files {
        described.push(describe(file, arguments)?);
    }
    if arguments.json {
        return output::print(&format!("{:#}\n", json!({ "files": described })));
    }
    let text: Vec<String> = described.iter().map(to_text).collect();
    output::print(&text.join("\n"))
}

fn describe(file: &Path, arguments: &InfoArguments) -> Result<Map<String, Value>, Failure> {
    let mut fields = Map::new();
    fields.insert("path".to_owned(), json!(file.display().to_string()));
    if looks_like_index(file)? {
        let index = open_index(file, file)?;
        fields.insert("kind".to_owned(), json!("index"));
        fields.insert("index".to_owned(), describe_index(&index, file, arguments));
        return Ok(fields);
    }
    let all = Budget::all_cores();
    let threads = arguments.threads.map_or(all.threads(), usize::from);
    let options = ReaderOptions::new()
        .file(file)
        .budget(Budget::new(threads).with_memory(all.memory()))
        .index(IndexUse::Auto)
        .index_directory(arguments.directory.path());
    let reader = options.open()?;
    warn_if_cut_or_empty(file);
    fields.insert("kind".to_owned(), json!("data"));
    for plan in reader.plan() {
        if let Ok(metadata) = std::fs::metadata(file)
            && metadata.is_file()
        {
            fields.insert("size".to_owned(), json!(metadata.len()));
        }
        fields.insert("format".to_owned(), json!(name_in_plan(&plan)));
        fields.insert("compression".to_owned(), json!(plan.compression));
        fields.insert("threads".to_owned(), json!(threads));
        fields.insert("pieces".to_owned(), json!(plan.pieces));
        fields.insert("plan".to_owned(), json!(plan_text(&plan, threads)));
        if let Some(path) = &plan.index {
            let index = open_index(path, file)?;
            fields.insert("index".to_owned(), describe_index(&index, path, arguments));
        }
    }
    Ok(fields)
}

/// Indexes are told from their content; `.gzi` has nothing to tell it by.
fn looks_like_index(file: &Path) -> Result<bool, Failure> {
    let fail = |error| Failure::from(Error::io(file, error));
    if file.as_os_str() == "-" {
        return Ok(false);
    }
    // A pipe must not be opened twice.
    if !std::fs::metadata(file).map_err(fail)?.is_file() {
        return Ok(false);
    }
    let ending = file.extension().and_then(|ending| ending.to_str());
    if matches!(ending, Some("thw" | "mim" | "gzi")) {
        return Ok(true);
    }
    let mut start = Vec::new();
    File::open(file)
        .and_then(|file| file.take(4).read_to_end(&mut start))
        .map_err(fail)?;
    let is_data = start.is_empty() || matches!(start[0], b'@' | b'>' | 0x1f);
    let is_index = |index: Index| matches!(index.origin, Origin::Thw | Origin::Mim);
    Ok(!is_data && Index::open(file).is_ok_and(is_index))
}

fn open_index(path: &Path, file: &Path) -> Result<Index, Failure> {
    Index::open(path).map_err(|error| Error::new(ErrorKind::Index(error)).in_file(file).into())
}

fn describe_index(index: &Index, path: &Path, arguments: &InfoArguments) -> Value {
    let hex = |bytes: &[u8]| {
        bytes
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<String>()
    };
    let known = |size: u64| Some(size).filter(|&size| size > 0);
    let chunks = index.chunks() as u64;
    let longest = (0..index.chunks())
        .map(|chunk| {
            index
                .chunk_end(chunk)
                .saturating_sub(index.checkpoints[chunk].output_offset)
        })
        .max();
    let mut fields = json!({
        "path": path.display().to_string(),
        "format": match index.origin {
            Origin::Thw => "thw",
            Origin::Mim => "mim",
            Origin::Gzi => "gzi",
            _ => "other",
        },
        "size": std::fs::metadata(path).ok().map(|metadata| metadata.len()),
        "windows_size": index.windows_size(),
        "container": match index.container {
            Container::Gzip => "gzip",
            Container::Bgzf => "bgzf",
            _ => "other",
        },
        "record_format": index.record_format.map_or("unknown".to_owned(), format_name),
        "records": Some(index.record_count).filter(|_| index.has_records),
        "compressed_size": known(index.identity.compressed_size),
        "uncompressed_size": known(index.output_size).or(index.has_records.then_some(0)),
        "blake3": index.identity.blake3.map(|hash| hex(&hash)),
        "fingerprint": index.identity.head_tail.map(|hash| hex(&hash)),
        "checkpoints": chunks,
        "mean_span": index.output_size.checked_div(chunks),
        "longest_span": longest.filter(|_| index.output_size > 0),
        "checksums": index.checkpoints.iter().all(|checkpoint| checkpoint.crc32.is_some()),
        "metadata": index.metadata,
    });
    if arguments.checkpoints {
        let list: Vec<Value> = index
            .checkpoints
            .iter()
            .map(|checkpoint| {
                json!({
                    "bit_offset": checkpoint.bit_offset,
                    "output_offset": checkpoint.output_offset,
                    "record_rank": checkpoint.record_rank,
                    "record_offset": checkpoint.record_offset,
                    "crc32": checkpoint.crc32.map(|crc32| format!("{crc32:08x}")),
                })
            })
            .collect();
        fields["checkpoint_list"] = Value::Array(list);
    }
    fields
}

fn format_name(format: FileFormat) -> String {
    match format {
        FileFormat::Text(Format::FastqMultiline) => "fastq-multiline".to_owned(),
        format => format.name().to_lowercase(),
    }
}

fn name_in_plan(plan: &FilePlan) -> String {
    match plan.format_name == plan.format.name() {
        true => format_name(plan.format.into()),
        false => plan.format_name.to_lowercase(),
    }
}

fn plan_text(plan: &FilePlan, threads: usize) -> String {
    let is_gzip = plan.compression == "gzip";
    match (plan.indexed, plan.pieces) {
        (true, Some(pieces)) => {
            format!("{threads} threads share {pieces} pieces given by the index")
        }
        (_, Some(pieces)) => format!("{threads} threads share {pieces} pieces found by inspection"),
        (_, None) if is_gzip => {
            "decoded in order, while other threads parse; `thalweg index` would let all decode"
                .to_owned()
        }
        (_, None) => "decoded in order, while other threads parse".to_owned(),
    }
}

/// The same fields, one on each line.
fn to_text(fields: &Map<String, Value>) -> String {
    let mut text = String::new();
    for (name, value) in fields {
        match (name.as_str(), value) {
            ("path", Value::String(path)) => text.push_str(&format!("{path}\n")),
            ("kind", _) => {}
            ("index", Value::Object(index)) => {
                let path = index
                    .get("path")
                    .and_then(Value::as_str)
                    .unwrap_or_default();
                if fields.get("path").and_then(Value::as_str) != Some(path) {
                    line(&mut text, "index", path);
                }
                index
                    .iter()
                    .filter(|(name, _)| *name != "path")
                    .for_each(|(name, value)| {
                        let name = match name.as_str() {
                            "size" => "index size",
                            "format" => "index format",
                            other => other,
                        };
                        field(&mut text, name, value);
                    });
            }
            _ => field(&mut text, name, value),
        }
    }
    text
}

fn field(text: &mut String, name: &str, value: &Value) {
    let shown = match value {
        Value::Null => return,
        Value::Array(checkpoints) if name == "checkpoint_list" => {
            return checkpoint_table(text, checkpoints);
        }
        Value::Number(number) => match number.as_u64() {
            Some(size) if name.contains("size") || name.contains("span") => {
                format!("{} ({})", thousands(size), bytes(size))
            }
            Some(number) => thousands(number),
            None => number.to_string(),
        },
        Value::Bool(yes) if name == "checksums" => {
            if *yes { "of every chunk" } else { "none" }.to_owned()
        }
        Value::String(word) => word.clone(),
        other => other.to_string(),
    };
    line(text, &name.replace('_', " "), &shown);
}

fn line(text: &mut String, name: &str, value: &str) {
    text.push_str(&format!("  {name:<18} {value}\n"));
}

fn checkpoint_table(text: &mut String, checkpoints: &[Value]) {
    let names = [
        "bit_offset",
        "output_offset",
        "record_rank",
        "record_offset",
        "crc32",
    ];
    let row = |cells: Vec<String>| {
        let cells: Vec<String> = cells.iter().map(|cell| format!("{cell:>18}")).collect();
        format!("{}\n", cells.join(" "))
    };
    text.push_str(&row(names
        .iter()
        .map(|name| name.replace('_', " "))
        .collect()));
    for checkpoint in checkpoints {
        let cell = |name: &&str| match &checkpoint[*name] {
            Value::Number(number) => thousands(number.as_u64().unwrap_or(0)),
            Value::String(word) => word.clone(),
            _ => "-".to_owned(),
        };
        text.push_str(&row(names.iter().map(cell).collect()));
    }
}
