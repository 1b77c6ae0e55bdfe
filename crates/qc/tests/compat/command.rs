//! A fastp command line, carried out by the library.

use std::collections::BTreeMap;
use std::path::Path;

use thalweg_formats::{Format, Records, Scanner};
use thalweg_qc::counts::Counts;
use thalweg_qc::{
    AdapterDetector, Config, Destination, Mode, Observer, Options, Pieces, Read, Routes,
    UmiLocation, Worker,
};

/// What came out: the contents of files by name, and the counts.
pub(crate) struct Outcome {
    /// Adapters that were searched by their sequences.
    pub(crate) adapters: [Option<Vec<u8>>; 2],
    pub(crate) files: BTreeMap<String, Vec<u8>>,
    pub(crate) counts: Counts,
}

/// Where each destination is written, in the order of the streams.
struct Plan {
    options: Options,
    names: BTreeMap<usize, String>,
    routes: Routes,
    most: usize,
}

/// Do what `line` says. Output goes to 1.fq and 2.fq unless the line says otherwise;
/// file names are those of files in `place`.
pub(crate) fn run(line: &str, mode: Mode, place: &Path, inputs: &[&[u8]]) -> Outcome {
    run_watched(line, mode, place, inputs, &mut (), |_| false)
}

/// The same, with somebody who looks on, and somebody who tells whether the bases of a
/// read or pair are to be removed as a copy.
pub(crate) fn run_watched(
    line: &str,
    mode: Mode,
    place: &Path,
    inputs: &[&[u8]],
    observer: &mut impl Observer,
    mut is_copy: impl FnMut(&[&[u8]]) -> bool,
) -> Outcome {
    let mut plan = parse(line, mode, place, inputs.len() == 2);
    let ends: Vec<Vec<u32>> = inputs.iter().map(|text| scan(text)).collect();
    let records: Vec<Records<'_>> = inputs
        .iter()
        .zip(&ends)
        .map(|(text, ends)| Records::new(text, 0, Format::Fastq, ends))
        .collect();
    let head = records[0]
        .get(0)
        .map_or(b"".as_slice(), |record| record.head());
    let head = head.to_vec();
    if plan.options.trim_poly_g.is_none() {
        plan.options.trim_poly_g = Some(thalweg_qc::is_two_colour(&head, mode));
    }
    // fastp takes that of read 1 for both.
    let tail = plan.options.trim_tail1;
    let mut config = Config::new(plan.options).expect("options");
    if inputs.len() == 1
        || line
            .split_whitespace()
            .any(|word| word == "-2" || word == "--detect_adapter_for_pe")
    {
        for (mate, reads) in records.iter().enumerate() {
            let mut detector = AdapterDetector::new(mode, tail);
            reads.for_each(|record| detector.add(&record.sequence()));
            if let Some(adapter) = detector.detect().filter(|found| found.is_used(mode)) {
                config.set_detected_adapter(mate, &adapter.sequence);
            }
        }
    }
    let config = config;
    let mut worker = Worker::new(&config);
    let mut pieces = Pieces::new(plan.routes);
    let (mut first, mut second) = (Read::new(mode), Read::new(mode));
    match records[..] {
        [reads] => {
            for record in reads.take(plan.most) {
                first.load(&record);
                let copy = is_copy(&[record.raw_sequence()]);
                worker.single(&mut first, copy, &mut pieces, observer);
            }
        }
        [reads, mates] => {
            for (record, mate) in reads.zip(mates).take(plan.most) {
                first.load(&record);
                second.load(&mate);
                let copy = is_copy(&[record.raw_sequence(), mate.raw_sequence()]);
                worker.pair(&mut first, &mut second, copy, &mut pieces, observer);
            }
        }
        _ => panic!("one or two inputs"),
    }
    let files = plan
        .names
        .into_iter()
        .map(|(stream, name)| (name, std::mem::take(&mut pieces.stream_mut(stream).text)))
        .collect();
    Outcome {
        adapters: [0, 1].map(|mate| config.adapter_sequence(mate).map(<[u8]>::to_vec)),
        files,
        counts: worker.counts,
    }
}

fn scan(text: &[u8]) -> Vec<u32> {
    let mut ends = Vec::new();
    let next = Scanner::new(Format::Fastq)
        .scan(text, 0, true, usize::MAX, &mut ends)
        .expect("FASTQ");
    assert_eq!(next, text.len());
    ends
}

fn parse(line: &str, mode: Mode, place: &Path, paired: bool) -> Plan {
    let mut o = Options {
        paired,
        mode,
        ..Options::default()
    };
    let mut most = usize::MAX;
    let mut outputs: Vec<(Destination, String)> = Vec::new();
    let mut words = line
        .split_whitespace()
        .flat_map(|word| word.splitn(2, '='))
        .map(str::to_owned);
    let lines = |name: String| -> Vec<Vec<u8>> {
        let text = std::fs::read(place.join(name)).expect("a list");
        text.split(|&byte| byte == b'\n')
            .filter(|line| !line.is_empty())
            .map(<[u8]>::to_vec)
            .collect()
    };
    while let Some(word) = words.next() {
        let mut text = || words.next().expect("a value");
        macro_rules! number {
            () => {
                text().parse().expect("a number")
            };
        }
        match word.as_str() {
            "-5" | "--cut_front" => o.cut_front = true,
            "-3" | "--cut_tail" => o.cut_tail = true,
            "-r" | "--cut_right" => o.cut_right = true,
            "-W" => o.cut_window_size = number!(),
            "-M" => o.cut_mean_quality = number!(),
            "--cut_front_window_size" => o.cut_front_window_size = Some(number!()),
            "--cut_tail_mean_quality" => o.cut_tail_mean_quality = Some(number!()),
            "-f" => o.trim_front1 = number!(),
            "-t" => o.trim_tail1 = number!(),
            "-F" => o.trim_front2 = Some(number!()),
            "-T" => o.trim_tail2 = Some(number!()),
            "-b" => o.max_len1 = number!(),
            "-B" => o.max_len2 = Some(number!()),
            "-c" => o.correction = true,
            "-g" => o.trim_poly_g = Some(true),
            "-G" => o.trim_poly_g = Some(false),
            "--poly_g_min_len" => o.poly_g_min_len = number!(),
            "-x" => o.trim_poly_x = true,
            "--poly_x_min_len" => o.poly_x_min_len = number!(),
            "-l" => o.length_required = number!(),
            "-e" => o.average_qual = number!(),
            "-y" => o.low_complexity_filter = true,
            "-Y" => o.complexity_threshold = number!(),
            "-U" => o.umi = true,
            "--umi_loc" => o.umi_loc = UmiLocation::parse(&text()),
            "--umi_len" => o.umi_len = number!(),
            "--umi_skip" => o.umi_skip = number!(),
            "--umi_prefix" => o.umi_prefix = text(),
            "--umi_delim" => o.umi_delim = text(),
            "-A" => o.disable_adapter_trimming = true,
            "-Q" => o.disable_quality_filtering = true,
            "-L" => o.disable_length_filtering = true,
            "-n" => o.n_base_limit = number!(),
            "-u" => o.unqualified_percent_limit = number!(),
            "-q" => o.qualified_quality_phred = number!(),
            "-a" => o.adapter_sequence = Some(text().into_bytes()),
            "--adapter_sequence_r2" => o.adapter_sequence_r2 = Some(text().into_bytes()),
            "--adapter_sequence_5p" => o.adapter_sequence_5p.push(text().into_bytes()),
            "--adapter_sequence_5p_r2" => o.adapter_sequence_5p_r2.push(text().into_bytes()),
            "--trim_poly_a" => o.trim_poly_a = true,
            "--adapter_fasta" => {
                o.adapter_fasta = lines(text())
                    .into_iter()
                    .filter(|line| !line.starts_with(b">"))
                    .collect();
            }
            "--overlap_len_require" => o.overlap_len_require = number!(),
            "--overlap_diff_limit" => o.overlap_diff_limit = number!(),
            "--overlap_diff_percent_limit" => o.overlap_diff_percent_limit = number!(),
            "--allow_gap_overlap_trimming" => o.allow_gap_overlap_trimming = true,
            "--length_limit" => o.length_limit = number!(),
            "-m" => o.merge = true,
            "--include_unmerged" => o.include_unmerged = true,
            "--merged_out" => outputs.push((Destination::Merged, text())),
            "--unpaired1" => outputs.push((Destination::Unpaired1, text())),
            "--unpaired2" => outputs.push((Destination::Unpaired2, text())),
            "--failed_out" => outputs.push((Destination::Failed, text())),
            "--overlapped_out" => outputs.push((Destination::Overlapped, text())),
            "--filter_by_index1" => o.filter_by_index1 = lines(text()),
            "--filter_by_index2" => o.filter_by_index2 = lines(text()),
            "--filter_by_index_threshold" => o.filter_by_index_threshold = number!(),
            "--reads_to_process" => most = number!(),
            "--fix_mgi_id" => o.fix_mgi_id = true,
            "-6" => o.phred64 = true,
            "-2" | "--detect_adapter_for_pe" => o.detect_adapter_for_pe = true,
            // These have no effect here.
            "-D" | "-p" => {}
            "-P" => drop(text()),
            other => panic!("{other}: what is this?"),
        }
    }
    if !o.include_unmerged {
        outputs.push((Destination::Read1, String::from("1.fq")));
        if paired {
            outputs.push((Destination::Read2, String::from("2.fq")));
        }
    }
    let mut names = BTreeMap::new();
    let mut routes = Routes::none();
    for (destination, name) in outputs {
        let known = names.iter().find(|(_, other)| **other == name);
        let stream = known.map_or(names.len(), |(stream, _)| *stream);
        names.insert(stream, name);
        routes = routes.set(destination, stream);
        // fastp writes both kinds of unpaired reads to the first file if there is but one.
        if destination == Destination::Unpaired1 && !line.contains("--unpaired2") {
            routes = routes.set(Destination::Unpaired2, stream);
        }
    }
    Plan {
        options: o,
        names,
        routes,
        most,
    }
}
