//! `thalweg info`

use std::path::Path;

use serde_json::{Map, Value, json};
use thalweg::FilePlan;
use thalweg::files::{counted, escape_controls};
use thalweg::index::{Container, Origin};
use thalweg::info::{DataInfo, FileContents, FileInfo, IndexInfo, InfoSettings};

use crate::options::InfoArguments;
use crate::options::quantity::{bytes, thousands};
use crate::output;
use crate::process::exit::Failure;
use crate::process::hearing::always_heard;

pub(crate) fn run(arguments: &InfoArguments) -> Result<(), Failure> {
    output::expect_standard_output()?;
    let mut settings = InfoSettings::new(&arguments.files);
    settings.index_directory = arguments.directory.path();
    settings.check_end = arguments.end.is_wanted();
    if let Some(threads) = arguments.threads {
        settings.threads = threads.get();
    }
    let mut described = Vec::new();
    for file in &settings.files {
        let info = always_heard(|control| settings.describe(file, control))?;
        described.push(fields_of(&info, &settings, arguments.checkpoints));
    }
    if arguments.json {
        return output::print(&format!("{:#}\n", json!({ "files": described })));
    }
    let text: Vec<String> = described.iter().map(to_text).collect();
    output::print(&text.join("\n"))
}

/// What is printed of a file, under the names that JSON has for it.
fn fields_of(info: &FileInfo, settings: &InfoSettings, checkpoints: bool) -> Map<String, Value> {
    let mut fields = Map::new();
    fields.insert("path".to_owned(), shown(&info.path));
    match &info.contents {
        FileContents::Index(index) => {
            fields.insert("kind".to_owned(), json!("index"));
            fields.insert("index".to_owned(), index_fields(index, checkpoints));
        }
        FileContents::Data(data) => {
            fields.insert("kind".to_owned(), json!("data"));
            add_data(&mut fields, data, settings.threads);
            if let Some(index) = &data.index {
                fields.insert("index".to_owned(), index_fields(index, checkpoints));
            }
        }
    }
    fields
}

fn add_data(fields: &mut Map<String, Value>, data: &DataInfo, threads: usize) {
    if let Some(size) = data.size {
        fields.insert("size".to_owned(), json!(size));
    }
    let plan = &data.plan;
    fields.insert("format".to_owned(), json!(data.format()));
    fields.insert("compression".to_owned(), json!(plan.compression));
    fields.insert("threads".to_owned(), json!(threads));
    fields.insert("pieces".to_owned(), json!(plan.pieces));
    fields.insert("plan".to_owned(), json!(plan_text(plan, threads)));
}

fn index_fields(index: &IndexInfo, checkpoints: bool) -> Value {
    let identity = &index.summary.identity;
    let mut fields = json!({
        "path": shown(&index.path),
        "format": match index.origin {
            Origin::Thw => "thw",
            Origin::Mim => "mim",
            Origin::Gzi => "gzi",
            _ => "other",
        },
        "size": index.size,
        "windows_size": index.windows_size,
        "container": match index.summary.container {
            Container::Gzip => "gzip",
            Container::Bgzf => "bgzf",
            _ => "other",
        },
        "record_format": index.record_format().unwrap_or("unknown".to_owned()),
        "records": index.records(),
        "compressed_size": index.compressed_size(),
        "uncompressed_size": index.uncompressed_size(),
        "blake3": identity.blake3.map(|hash| hex(&hash)),
        "fingerprint": identity.head_tail.map(|hash| hex(&hash)),
        "checkpoints": index.checkpoints.len(),
        "mean_span": index.mean_span(),
        "longest_span": index.longest_span(),
        "checksums": index.has_checksums(),
        "metadata": index.summary.metadata,
    });
    if checkpoints {
        fields["checkpoint_list"] = checkpoint_list(index);
    }
    fields
}

fn checkpoint_list(index: &IndexInfo) -> Value {
    let checkpoints = index.checkpoints.iter().map(|checkpoint| {
        json!({
            "bit_offset": checkpoint.bit_offset,
            "output_offset": checkpoint.output_offset,
            "record_rank": checkpoint.record_rank,
            "record_offset": checkpoint.record_offset,
            "crc32": checkpoint.crc32.map(|crc32| format!("{crc32:08x}")),
        })
    });
    checkpoints.collect()
}

fn shown(path: &Path) -> Value {
    json!(path.display().to_string())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// `4 threads, 7 pieces`.
fn shared(threads: usize, pieces: u64) -> String {
    format!(
        "{}, {}",
        counted(threads as u64, "thread"),
        counted(pieces, "piece")
    )
}

fn plan_text(plan: &FilePlan, threads: usize) -> String {
    let is_gzip = plan.compression == "gzip";
    match (plan.indexed, plan.pieces) {
        (true, Some(pieces)) => {
            format!("{} (boundaries from the index)", shared(threads, pieces))
        }
        (_, Some(pieces)) => {
            format!("{} (boundaries found by scanning)", shared(threads, pieces))
        }
        (_, None) if is_gzip => {
            "one thread decodes, the others parse; with an index (`thalweg index`), all decode"
                .to_owned()
        }
        (_, None) => "one thread decodes, the others parse".to_owned(),
    }
}

/// The same fields, one on each line.
fn to_text(fields: &Map<String, Value>) -> String {
    let mut text = String::new();
    for (name, value) in fields {
        match (name.as_str(), value) {
            ("path", Value::String(path)) => {
                text.push_str(&format!("{}\n", escape_controls(path, |_| true)));
            }
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
    let name = match name {
        "windows_size" => "gzip windows".to_owned(),
        name => name.replace('_', " "),
    };
    line(text, &name, &shown);
}

fn line(text: &mut String, name: &str, value: &str) {
    let value = escape_controls(value, |_| true);
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
