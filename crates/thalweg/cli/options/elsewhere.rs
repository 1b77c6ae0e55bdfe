//! What other programs call otherwise, and where it is here: commands and options.

/// Where to find what is no command here: a subcommand of a group, or what others call something that there is.
pub(super) fn elsewhere(command: &clap::Command, name: &str) -> Option<String> {
    let groups = groups_with(command, name.as_ref());
    let mut places: Vec<String> = groups
        .map(|group| format!("{name} is a command of `thalweg {group}`: thalweg {group} {name}"))
        .collect();
    let known = ELSEWHERE.iter().find(|(known, _)| *known == name);
    places.extend(known.map(|(_, place)| (*place).to_owned()));
    (!places.is_empty()).then(|| places.join("; "))
}

/// What others call what there is.
const ELSEWHERE: [(&str, &str); 19] = [
    ("clean", "thalweg qc IN.fq.gz -o OUT.fq.gz"),
    ("decompress", "thalweg cat FILE"),
    (
        "fastp",
        "thalweg qc takes fastp's options; with --fastp-compat, or as a link named fastp, it does as fastp does",
    ),
    (
        "fastqc",
        "thalweg qc --fastqc DIR FILE; or a link named fastqc takes its options",
    ),
    (
        "filter",
        "thalweg qc; by k-mers: thalweg kmers filter-reads",
    ),
    ("grep", "thalweg cat --grep MOTIF FILE"),
    ("gunzip", "thalweg cat FILE"),
    (
        "head",
        "thalweg cat --records 0..1000 FILE; where there may be fewer: thalweg cat FILE | head -n 4000",
    ),
    (
        "jellyfish",
        "thalweg count and thalweg kmers; or a link named jellyfish takes its options",
    ),
    (
        "kmc",
        "thalweg count and thalweg kmers; or a link named kmc takes its options",
    ),
    (
        "kraken2",
        "thalweg classify; or a link named kraken2 takes its options",
    ),
    ("merge", "mates that overlap: thalweg qc --merge"),
    ("sample", "thalweg cat --sample 10% FILE -o OUT"),
    ("split", "thalweg cat --parts 4 FILE"),
    ("subsample", "thalweg cat --sample 10% FILE -o OUT"),
    ("trim", "thalweg qc IN.fq.gz -o OUT.fq.gz"),
    ("unzip", "thalweg cat FILE"),
    ("view", "thalweg cat FILE"),
    ("zcat", "thalweg cat FILE"),
];

/// The commands with a subcommand of this name.
pub(super) fn groups_with<'a>(
    command: &'a clap::Command,
    name: &'a std::ffi::OsStr,
) -> impl Iterator<Item = &'a str> {
    let groups = command.get_subcommands();
    let groups = groups.filter(move |group| group.find_subcommand(name).is_some());
    groups.map(clap::Command::get_name)
}

/// What there is in the place of an option that another program has, and `command` has not.
pub(super) fn in_place_of(command: &str, option: &str) -> Option<&'static str> {
    let mut rows = OPTIONS.iter();
    let row = rows.find(|(of, known, _)| *of == command && *known == option);
    row.map(|(.., sentence)| *sentence)
}

/// Command, option of another program, and what to do instead.
const OPTIONS: [(&str, &str, &str); 11] = [
    (
        "classify",
        "--db",
        "the database is the first argument: thalweg classify ref.tht r1.fq r2.fq",
    ),
    (
        "classify",
        "--paired",
        "two files are the mates of pairs: leave --paired out",
    ),
    (
        "classify",
        "--gzip-compressed",
        "leave it out: how files are compressed is told from their content",
    ),
    (
        "classify",
        "--bzip2-compressed",
        "leave it out: how files are compressed is told from their content",
    ),
    (
        "classify",
        "--memory-mapping",
        "leave it out: databases are mapped; --preload reads them before",
    ),
    (
        "classify",
        "--quick",
        "leave it out: all k-mers are looked up, and compared in full",
    ),
    (
        "classify",
        "--minimum-hit-groups",
        "leave it out: all k-mers are looked up, and compared in full",
    ),
    (
        "classify",
        "--report-minimizer-data",
        "--report-kmers has these columns, of k-mers",
    ),
    (
        "classify",
        "--minimum-base-quality",
        "a link to thalweg that is named kraken2 takes it, with all of kraken2's options",
    ),
    (
        "classify",
        "--use-mpa-style",
        "a link to thalweg that is named kraken2 takes it, with all of kraken2's options",
    ),
    (
        "classify",
        "--only-classified-output",
        "a link to thalweg that is named kraken2 takes it, with all of kraken2's options",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::command;

    #[test]
    fn what_is_elsewhere_is_found() {
        for (name, place) in [
            ("merge", "thalweg kmers merge"),
            ("merge", "thalweg taxa merge"),
            ("merge", "qc --merge"),
            ("query", "thalweg kmers query"),
            ("build", "thalweg taxa build"),
            ("fastp", "thalweg qc"),
            ("zcat", "thalweg cat"),
        ] {
            let told = elsewhere(&command(), name).unwrap();
            assert!(told.contains(place), "{name}: {told}");
        }
        assert_eq!(elsewhere(&command(), "dance"), None);
    }
}
