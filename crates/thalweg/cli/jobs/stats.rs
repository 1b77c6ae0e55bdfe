//! `thalweg stats`

mod table;

use std::path::PathBuf;

use serde_json::{Map, Value, json};
use thalweg::files::escape_controls;
use thalweg::stats::{FileStatistics, StatsSettings, seqkit_table};
use thalweg::{Fault, Listener, Statistics};

use self::table::Table;
use crate::input::{self, indexes};
use crate::options::StatsArguments;
use crate::options::quantity::thousands;
use crate::output::Printer;
use crate::process::exit::Failure;
use crate::process::hearing::heard;

pub(crate) fn run(arguments: &StatsArguments) -> Result<(), Failure> {
    let common = &arguments.common;
    let settings = settings(arguments);
    indexes::check(&arguments.files, &arguments.index)?;
    settings.check()?;
    let mut printer = Printer::new()?;
    input::tell_of_terminal(&arguments.files, common);
    let outcomes = heard(common, &arguments.files[0], |control| {
        settings.run_each(control)
    })?;
    let (mut files, mut uncounted) = (Vec::new(), Vec::new());
    for (place, (path, outcome)) in outcomes.into_iter().enumerate() {
        match outcome {
            Ok(file) => files.push(file),
            Err(fault) => uncounted.push(Uncounted { place, path, fault }),
        }
    }
    let printed = match files.is_empty() {
        true => Ok(()),
        false => printer.print(&to_text(files, &uncounted, arguments)),
    };
    // What is wrong is told, whatever became of the rows.
    let worst = tell(uncounted);
    printed?;
    match worst {
        0 => Ok(()),
        code => Err(Failure::Reported(code)),
    }
}

/// A file that has no row.
struct Uncounted {
    /// Its place among all.
    place: usize,
    path: PathBuf,
    fault: Fault,
}

/// Say why files have no row; returns how bad it is.
fn tell(uncounted: Vec<Uncounted>) -> u8 {
    let mut worst = 0;
    for Uncounted { fault, .. } in uncounted {
        let failure = Failure::from(fault);
        failure.print();
        worst = worst.max(failure.code());
    }
    worst
}

/// The rows of the files that were counted, as the user wants them.
fn to_text(
    files: Vec<FileStatistics>,
    uncounted: &[Uncounted],
    arguments: &StatsArguments,
) -> String {
    if let Some(layout) = arguments.seqkit {
        return seqkit_table(&files, layout.into());
    }
    let rows: Vec<Row> = files.into_iter().map(Row::of_file).collect();
    let total = total(&rows, uncounted, arguments);
    match (arguments.json, arguments.tsv) {
        (true, _) => to_json(&rows, uncounted, total.as_ref()),
        (_, true) => to_tsv(rows.iter().chain(&total), arguments.quality),
        _ => to_table(rows.iter().chain(&total), arguments.quality),
    }
}

/// The row of all files together, if it is wanted: there is none where a file lacks.
fn total(rows: &[Row], uncounted: &[Uncounted], arguments: &StatsArguments) -> Option<Row> {
    if !arguments.total {
        return None;
    }
    if !uncounted.is_empty() {
        if !arguments.common.quiet {
            tell!("thalweg: note: there is no total, as not all files could be counted");
        }
        return None;
    }
    let mut statistics = Statistics::new(arguments.quality);
    rows.iter()
        .for_each(|row| statistics.merge(&row.statistics));
    Some(Row {
        name: "total".to_owned(),
        format: "-",
        statistics,
    })
}

/// What the user has said, as the library takes it.
fn settings(arguments: &StatsArguments) -> StatsSettings {
    let StatsArguments { pairing, index, .. } = arguments;
    let common = &arguments.common;
    StatsSettings {
        qualities: arguments.quality || arguments.seqkit.is_some(),
        first_records: arguments.seqkit.is_some(),
        mates: pairing.mates,
        interleaved: pairing.interleaved,
        ignore_names: pairing.ignore_names,
        indexes: indexes::to_library(index),
        budget: input::budget(common),
        max_record: arguments.limit.max_record,
        check_end: arguments.end.is_wanted(),
        on_wait: (!common.quiet).then(|| Listener::new(input::tell_of_wait)),
        ..StatsSettings::new(&arguments.files)
    }
}

struct Row {
    name: String,
    format: &'static str,
    statistics: Statistics,
}

impl Row {
    fn of_file(file: FileStatistics) -> Self {
        Self {
            name: file.path.to_string_lossy().into_owned(),
            format: file.format,
            statistics: file.statistics,
        }
    }
}

/// The letters with a column each; both cases count.
const LETTERS: [u8; 5] = *b"ACGTN";

fn both_cases(statistics: &Statistics, letter: u8) -> u64 {
    let letters = statistics.letters();
    letters.count(letter) + letters.count(letter.to_ascii_lowercase())
}

fn other_letters(statistics: &Statistics) -> u64 {
    let named: u64 = LETTERS
        .iter()
        .map(|&letter| both_cases(statistics, letter))
        .sum();
    statistics.letters().total() - named
}

/// Every byte that was seen with its count, upper and lower case apart.
fn exact_letters(statistics: &Statistics) -> impl Iterator<Item = (String, u64)> {
    statistics.letters().iter().map(|(letter, count)| {
        let name = match letter.is_ascii_graphic() {
            true => char::from(letter).to_string(),
            false => format!("0x{letter:02x}"),
        };
        (name, count)
    })
}

fn percent(share: Option<f64>) -> Option<f64> {
    share.map(|share| share * 100.0)
}

fn to_table<'a>(rows: impl Iterator<Item = &'a Row>, quality: bool) -> String {
    let mut names = vec![
        "file", "format", "reads", "bases", "A", "C", "G", "T", "N", "other",
    ];
    names.extend(["min", "mean", "max", "N50", "GC %"]);
    if quality {
        names.extend(["Q20 %", "Q30 %", "mean Q", "Q of mean error"]);
    }
    let mut table = Table::new(names);
    for Row {
        name,
        format,
        statistics,
    } in rows
    {
        let whole = |number: Option<u64>| number.map_or("-".to_owned(), thousands);
        let decimal = |number: Option<f64>, places: usize| {
            number.map_or("-".to_owned(), |number| format!("{number:.places$}"))
        };
        let mut cells = vec![
            escape_controls(name, |_| true).into_owned(),
            (*format).to_owned(),
            thousands(statistics.reads()),
            thousands(statistics.bases()),
        ];
        cells.extend(LETTERS.map(|letter| thousands(both_cases(statistics, letter))));
        cells.extend([
            thousands(other_letters(statistics)),
            whole(statistics.shortest()),
            statistics
                .mean_length()
                .map_or("-".to_owned(), mean_for_people),
            whole(statistics.longest()),
            whole(statistics.n50()),
            decimal(percent(statistics.gc()), 2),
        ]);
        if quality {
            cells.extend([
                decimal(percent(statistics.q20()), 2),
                decimal(percent(statistics.q30()), 2),
                decimal(statistics.mean_quality(), 2),
                decimal(statistics.quality_of_mean_error(), 2),
            ]);
        }
        table.push(cells);
    }
    table.to_text()
}

/// With thousands separators and one decimal.
fn mean_for_people(mean: f64) -> String {
    let tenths = (mean * 10.0).round() as u64;
    format!("{}.{}", thousands(tenths / 10), tenths % 10)
}

/// Columns keep their names and places in later versions; new ones come behind.
fn to_tsv<'a>(rows: impl Iterator<Item = &'a Row>, quality: bool) -> String {
    let mut text =
        "file\tformat\treads\tbases\tA\tC\tG\tT\tN\tother\tmin\tmean\tmax\tN50\tGC\tletters"
            .to_owned();
    if quality {
        text.push_str("\tQ20\tQ30\tmean_quality\tquality_of_mean_error");
    }
    text.push('\n');
    for Row {
        name,
        format,
        statistics,
    } in rows
    {
        let whole =
            |number: Option<u64>| number.map_or("NA".to_owned(), |number| number.to_string());
        let decimal =
            |number: Option<f64>| number.map_or("NA".to_owned(), |number| format!("{number:.4}"));
        let mut cells = vec![
            // A name may hold anything but must not break the table.
            escape_controls(name, |_| true).into_owned(),
            (*format).to_owned(),
            statistics.reads().to_string(),
            statistics.bases().to_string(),
        ];
        cells.extend(LETTERS.map(|letter| both_cases(statistics, letter).to_string()));
        let letters: Vec<String> = exact_letters(statistics)
            .map(|(letter, count)| format!("{letter}:{count}"))
            .collect();
        cells.extend([
            other_letters(statistics).to_string(),
            whole(statistics.shortest()),
            decimal(statistics.mean_length()),
            whole(statistics.longest()),
            whole(statistics.n50()),
            decimal(percent(statistics.gc())),
            match letters.is_empty() {
                true => "NA".to_owned(),
                false => letters.join(","),
            },
        ]);
        if quality {
            cells.extend([
                decimal(percent(statistics.q20())),
                decimal(percent(statistics.q30())),
                decimal(statistics.mean_quality()),
                decimal(statistics.quality_of_mean_error()),
            ]);
        }
        text.push_str(&cells.join("\t"));
        text.push('\n');
    }
    text
}

fn to_json(rows: &[Row], uncounted: &[Uncounted], total: Option<&Row>) -> String {
    let mut files: Vec<Value> = rows.iter().map(|row| Value::Object(object(row))).collect();
    for Uncounted { place, path, fault } in uncounted {
        let error = json!({
            "file": path.display().to_string(),
            "error": fault.to_string(),
        });
        files.insert(*place, error);
    }
    let mut document = json!({ "files": files });
    if let Some(total) = total {
        let mut fields = object(total);
        fields.shift_remove("file");
        fields.shift_remove("format");
        document["total"] = Value::Object(fields);
    }
    format!("{document:#}\n")
}

fn object(row: &Row) -> Map<String, Value> {
    let statistics = &row.statistics;
    let letters: Map<String, Value> = exact_letters(statistics)
        .map(|(letter, count)| (letter, json!(count)))
        .collect();
    let mut fields = Map::new();
    let mut put = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    put("file", json!(row.name));
    put("format", json!(row.format.to_ascii_lowercase()));
    put("reads", json!(statistics.reads()));
    put("bases", json!(statistics.bases()));
    for letter in LETTERS {
        put(
            &char::from(letter).to_string(),
            json!(both_cases(statistics, letter)),
        );
    }
    put("other", json!(other_letters(statistics)));
    put("letters", Value::Object(letters));
    put("min_length", json!(statistics.shortest()));
    put("mean_length", json!(statistics.mean_length()));
    put("max_length", json!(statistics.longest()));
    put("n50", json!(statistics.n50()));
    put("l50", json!(statistics.l50()));
    put("gc_percent", json!(percent(statistics.gc())));
    if statistics.qualities().is_some() {
        put("q20_percent", json!(percent(statistics.q20())));
        put("q30_percent", json!(percent(statistics.q30())));
        put("mean_quality", json!(statistics.mean_quality()));
        put(
            "quality_of_mean_error",
            json!(statistics.quality_of_mean_error()),
        );
    }
    fields
}
