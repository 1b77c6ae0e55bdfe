//! What the file is, in a few numbers.

use crate::Findings;
use crate::report::Module;
use crate::verdict::Verdict;

pub(super) fn module(findings: &Findings, name: &str) -> Option<Module> {
    let counts = &findings.counts;
    let lengths = || counts.lengths.iter();
    let bases: u64 = lengths().map(|(length, reads)| length as u64 * reads).sum();
    let shortest = lengths().next().map_or(0, |(length, _)| length);
    let length = match shortest == findings.longest {
        true => shortest.to_string(),
        false => format!("{shortest}-{}", findings.longest),
    };
    let [a, c, g, t, _] = counts.letters.total();
    // Of no letters, none are G or C.
    let gc = ((g + c) * 100).checked_div(a + c + g + t).unwrap_or(0);
    let mut module = Module::new("Basic Statistics", Verdict::Pass).head(&["Measure", "Value"]);
    module.rows = [
        ("Filename", name.to_owned()),
        ("File type", "Conventional base calls".to_owned()),
        ("Encoding", findings.encoding.to_owned()),
        ("Total Sequences", counts.reads.to_string()),
        ("Total Bases", with_unit(bases)),
        (
            "Sequences flagged as poor quality",
            counts.flagged.to_string(),
        ),
        ("Sequence length", length),
        ("%GC", gc.to_string()),
    ]
    .map(|(measure, value)| vec![measure.to_owned(), value])
    .into();
    Some(module)
}

/// One digit behind the point, cut off and not rounded, and none if it is 0.
fn with_unit(bases: u64) -> String {
    let (unit, name) = match bases {
        1_000_000_000.. => (1_000_000_000, "Gbp"),
        1_000_000.. => (1_000_000, "Mbp"),
        1000.. => (1000, "kbp"),
        _ => (1, "bp"),
    };
    match (bases / unit, bases % unit * 10 / unit) {
        (whole, 0) => format!("{whole} {name}"),
        (whole, tenth) => format!("{whole}.{tenth} {name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bases_have_one_digit_behind_the_point() {
        for (bases, text) in [
            (0, "0 bp"),
            (999, "999 bp"),
            (1000, "1 kbp"),
            (3_399_999, "3.3 Mbp"),
            (12_050_000_000, "12 Gbp"),
        ] {
            assert_eq!(with_unit(bases), text);
        }
    }
}
