//! `thalweg stats`

mod table;

use std::path::PathBuf;

use serde_json::{Map, Value, json};
use thalweg::Statistics;
use thalweg::formats::BinaryFormat;
use thalweg::formats::bam::BAM;

use self::table::Table;
use crate::input::{self, indexes};
use crate::options::StatsArguments;
use crate::options::quantity::thousands;
use crate::output;
use crate::process::exit::Failure;
use crate::process::progress::Progress;

/// Files that are open at the same time: each takes a descriptor or two and, if it can only be decoded in order, half a MiB.
const AT_ONCE: usize = 64;

pub(crate) fn run(arguments: &StatsArguments) -> Result<(), Failure> {
    indexes::check(&arguments.files, &arguments.index)?;
    input::check_stdin(&arguments.files)?;
    output::expect_standard_output()?;
    let mut rows = Vec::new();
    for places in read_together(arguments) {
        let files: Vec<PathBuf> = places
            .iter()
            .map(|place| arguments.files[*place].clone())
            .collect();
        rows.extend(places.into_iter().zip(count_or_tell(&files, arguments)?));
    }
    rows.sort_by_key(|(place, _)| *place);
    let rows: Vec<Row> = rows.into_iter().map(|(_, row)| row).collect();
    let total = arguments.total.then(|| {
        let mut total = Statistics::new(arguments.quality);
        rows.iter().for_each(|row| total.merge(&row.statistics));
        Row {
            name: "total".to_owned(),
            format: "-",
            statistics: total,
        }
    });
    let text = match (arguments.json, arguments.tsv) {
        (true, _) => to_json(&rows, total.as_ref()),
        (_, true) => to_tsv(rows.iter().chain(&total), arguments.quality),
        _ => to_table(rows.iter().chain(&total), arguments.quality),
    };
    output::print(&text)
}

/// Files that are read at the same time, by their places on the command line.
fn read_together(arguments: &StatsArguments) -> Vec<Vec<usize>> {
    let all: Vec<usize> = (0..arguments.files.len()).collect();
    if arguments.pairing.mates {
        return vec![all];
    }
    let is_regular = |place: &usize| arguments.files[*place].is_file();
    // Pipes may have one writer, who writes to them in step or opens one when another has been read.
    let (mut pipes, _): (Vec<usize>, Vec<usize>) = all.iter().partition(|place| !is_regular(place));
    let mut together = Vec::new();
    for run in all.chunk_by(|a, b| is_regular(a) && is_regular(b)) {
        match run {
            [pipe] if !is_regular(pipe) && arguments.pairing.interleaved => {
                together.push(vec![*pipe])
            }
            [pipe] if !is_regular(pipe) => together.push(std::mem::take(&mut pipes)),
            files => together.extend(files.chunks(AT_ONCE).map(<[usize]>::to_vec)),
        }
    }
    together.retain(|places| !places.is_empty());
    together
}

struct Row {
    name: String,
    format: &'static str,
    statistics: Statistics,
}

/// Of one file. What its format is called is known when there has been a record.
type Count = (Option<&'static str>, Statistics);

/// As [`count`]; if that fails, file by file: so the first fault in the order of the files is told, whatever thread met which one
/// first, and files that cannot all be open at the same time are counted all the same.
fn count_or_tell(files: &[PathBuf], arguments: &StatsArguments) -> Result<Vec<Row>, Failure> {
    let outcome = count(files, arguments);
    let can_be_read_again = files.iter().all(|file| file.is_file());
    if outcome.is_ok() || arguments.pairing.mates || files.len() == 1 || !can_be_read_again {
        return outcome;
    }
    let mut rows = Vec::with_capacity(files.len());
    for file in files {
        rows.extend(count(std::slice::from_ref(file), arguments)?);
    }
    Ok(rows)
}

/// Read files, in step or one after the other, and count each for itself.
fn count(files: &[PathBuf], arguments: &StatsArguments) -> Result<Vec<Row>, Failure> {
    let common = &arguments.common;
    let index = arguments.index.of_some(files, &arguments.files);
    let options = input::options(files, &arguments.pairing, &index, common)?.check_letters(true);
    let options = options.long_sequences_in_pieces(0).pipes_as_they_come(true);
    let reads = input::open(options, common)?;
    let formats: Vec<&str> = reads.plan().iter().map(|plan| plan.format_name).collect();
    let workers = reads.all_workers();
    let _progress = Progress::start(common, &files[0], workers.progress());
    let statistics = workers.fold(
        Vec::new,
        |counts, batch| {
            let first = batch.set() * batch.blocks().len();
            for (file, block) in (first..).zip(batch.blocks()) {
                let (format, statistics) = of_file(counts, file, arguments);
                // Of a pipe that is read as data come it is known now.
                *format = Some(match block.raw_records() {
                    Some(_) => BAM.name(),
                    None => block.format().name(),
                });
                statistics.add_block(block);
            }
        },
        |counts, others| {
            for (file, (other_format, other)) in others.iter().enumerate() {
                let (format, statistics) = of_file(counts, file, arguments);
                *format = format.or(*other_format);
                statistics.merge(other);
            }
        },
    )?;
    let none = || (None, Statistics::new(arguments.quality));
    let statistics = statistics.into_iter().chain(std::iter::repeat_with(none));
    let rows = files.iter().zip(formats).zip(statistics);
    Ok(rows
        .map(|((file, planned), (format, statistics))| Row {
            name: file.display().to_string(),
            format: format.unwrap_or(planned),
            statistics,
        })
        .collect())
}

/// Those of a file; a thread has none for files behind the last that it has read of.
fn of_file<'a>(
    counts: &'a mut Vec<Count>,
    file: usize,
    arguments: &StatsArguments,
) -> &'a mut Count {
    while counts.len() <= file {
        counts.push((None, Statistics::new(arguments.quality)));
    }
    &mut counts[file]
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
        names.extend(["Q20 %", "Q30 %", "mean Q"]);
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
            name.clone(),
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
        text.push_str("\tQ20\tQ30\tmean_quality");
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
            name.replace(['\t', '\n', '\r'], " "),
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
            ]);
        }
        text.push_str(&cells.join("\t"));
        text.push('\n');
    }
    text
}

fn to_json(rows: &[Row], total: Option<&Row>) -> String {
    let files: Vec<Value> = rows.iter().map(|row| Value::Object(object(row))).collect();
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
    put("gc_percent", json!(percent(statistics.gc())));
    if statistics.qualities().is_some() {
        put("q20_percent", json!(percent(statistics.q20())));
        put("q30_percent", json!(percent(statistics.q30())));
        put("mean_quality", json!(statistics.mean_quality()));
    }
    fields
}
