//! What kraken2's users ask `thalweg classify` for, and what there is in its place.

/// What to say of an option that only kraken2 has.
pub(crate) fn in_place_of(option: &str) -> Option<&'static str> {
    Some(match option {
        "--db" => "the database is the first argument: thalweg classify ref.tht r1.fq r2.fq",
        "--paired" => "two files are the mates of pairs: leave --paired out",
        "--gzip-compressed" | "--bzip2-compressed" => {
            "leave it out: how files are compressed is told from their content"
        }
        "--memory-mapping" => "leave it out: databases are mapped; --preload reads them before",
        "--quick" | "--minimum-hit-groups" => {
            "leave it out: all k-mers are looked up, and compared in full"
        }
        "--report-minimizer-data" => "--report-kmers has these columns, of k-mers",
        "--minimum-base-quality" | "--use-mpa-style" | "--only-classified-output" => {
            "a link to thalweg that is named kraken2 takes it, with all of kraken2's options"
        }
        _ => return None,
    })
}
