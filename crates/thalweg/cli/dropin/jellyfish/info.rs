//! `jellyfish info`

use std::io::{BufReader, Read};

use serde_json::Value;
use thalweg::kmers::database::{Database, DatabaseFormat};

use super::arguments::InfoArguments;
use crate::jobs::kmers::Fault;
use crate::output::{self, Output};
use crate::process::exit::Failure;

/// Digits that a file begins with: the length of the header.
const DIGITS: usize = 9;

pub(super) fn run(arguments: &InfoArguments, database: &Database) -> Result<(), Fault> {
    let is_jellyfish = matches!(
        database.header().format,
        DatabaseFormat::Jellyfish | DatabaseFormat::JellyfishText
    );
    if arguments.skip || arguments.json && is_jellyfish {
        if !is_jellyfish {
            return Err(Failure::usage("only Jellyfish's files have such a header", "").into());
        }
        return Ok(raw(database, arguments.skip)?);
    }
    let header = database.header();
    if arguments.json {
        let text = format!("{:#}\n", Value::Object(header.provenance.clone()));
        return Ok(output::print(&text)?);
    }
    let field = |name: &str| header.provenance.get(name);
    let text = |name: &str| field(name).and_then(Value::as_str).unwrap_or_default();
    let words = field("cmdline").and_then(Value::as_array);
    let words = words.into_iter().flatten().filter_map(Value::as_str);
    let command = std::iter::once(text("exe_path")).chain(words);
    let command = command.collect::<Vec<_>>().join(" ");
    let text = match arguments.cmd {
        true => format!("{command}\n"),
        false => format!(
            "command: {command}\nwhere: {}:{}\nwhen: {}\ncanonical: {}\n",
            text("hostname"),
            text("pwd"),
            text("time"),
            if header.canonical == Some(true) {
                "yes"
            } else {
                "no"
            },
        ),
    };
    Ok(output::print(&text)?)
}

/// The header as it stands, or what comes behind it.
fn raw(database: &Database, skip: bool) -> Result<(), Failure> {
    let path = database.path();
    let fail = |error| Failure::io(path, error);
    let mut file = BufReader::new(std::fs::File::open(path).map_err(fail)?);
    let mut digits = [0; DIGITS];
    file.read_exact(&mut digits).map_err(fail)?;
    // The library has opened the file: these are digits, and so many bytes are there.
    let length = digits
        .iter()
        .fold(0, |length, digit| 10 * length + u64::from(digit - b'0'));
    let mut header = Vec::new();
    (&mut file)
        .take(length)
        .read_to_end(&mut header)
        .map_err(fail)?;
    let mut output = Output::stdout()?;
    if !skip {
        let end = header.iter().position(|&byte| byte == 0);
        let json = &header[..end.unwrap_or(header.len())];
        match serde_json::from_slice::<Value>(json) {
            Ok(json) => output.write(format!("{json:#}\n").as_bytes())?,
            Err(_) => output.write(json)?,
        }
        return output.finish();
    }
    let mut block = vec![0; 1 << 20];
    loop {
        match file.read(&mut block).map_err(fail)? {
            0 => return output.finish(),
            length => output.write(&block[..length])?,
        }
    }
}
