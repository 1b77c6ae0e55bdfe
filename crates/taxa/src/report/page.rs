//! Samples as one page for a browser, which needs nothing else.
//!
//! `templates/page.html` holds the page; what goes into it is a JSON object, which a script shows as pictures to click
//! through and a table. Names come from a database, which may be anybody's: the script puts them in as text, never as
//! markup, and in the object there is no `<` that could end it.

use std::fmt::Write;

use super::CallTally;
use crate::sample::{Presence, Profile, Row};
use crate::taxonomy::{Node, RankCode, Taxonomy};

const TEMPLATE: &str = include_str!("../../templates/page.html");

/// A page of one or more samples that were classified with the same database.
#[derive(Debug)]
pub struct Page<'a> {
    taxonomy: &'a Taxonomy,
    title: String,
    notes: String,
    samples: Vec<PageSample>,
}

/// What the page shows of a sample.
#[derive(Debug)]
struct PageSample {
    name: String,
    reads: u64,
    unclassified: u64,
    /// By node: those of it and below, and of itself.
    clades: Vec<(u64, u64)>,
    profile: Option<Profile>,
}

impl<'a> Page<'a> {
    /// One without samples. `notes` stand below the title: which database, which program.
    pub fn new(taxonomy: &'a Taxonomy, title: impl Into<String>, notes: impl Into<String>) -> Self {
        Self {
            taxonomy,
            title: title.into(),
            notes: notes.into(),
            samples: Vec::new(),
        }
    }

    /// Adds a note, behind a dot.
    pub fn note(&mut self, note: &str) {
        if !self.notes.is_empty() {
            self.notes.push_str(" \u{b7} ");
        }
        self.notes.push_str(note);
    }

    /// Adds a sample, which is shown behind those that are there. Memory: 16 bytes for each node.
    pub fn add(&mut self, name: impl Into<String>, tally: &CallTally, profile: Option<Profile>) {
        let clades = tally.clades(self.taxonomy);
        let nodes = self.taxonomy.nodes();
        self.samples.push(PageSample {
            name: name.into(),
            reads: tally.reads(),
            unclassified: tally.reads() - tally.classified(),
            clades: nodes
                .map(|node| (clades[node.0 as usize], tally.direct(node)))
                .collect(),
            profile,
        });
    }

    /// The page.
    pub fn render(&self) -> String {
        let (head, tail) = TEMPLATE.split_once("{{ data }}").unwrap_or_default();
        let head = head.replace("{{ title }}", &escaped(&self.title));
        [&head, &self.data(), tail].concat()
    }

    fn data(&self) -> String {
        let taxonomy = self.taxonomy;
        let codes = taxonomy.rank_codes();
        let has_reads = |node: &Node| {
            let of = |sample: &PageSample| sample.clades[node.0 as usize].0;
            self.samples.iter().any(|sample| of(sample) > 0)
        };
        let nodes = Vec::from_iter(taxonomy.nodes().filter(has_reads));
        let mut json = String::from("{\"title\":");
        push_text(&mut json, &self.title);
        json.push_str(",\"notes\":");
        push_text(&mut json, &self.notes);
        json.push_str(",\n\"taxa\":[");
        for (i, &node) in nodes.iter().enumerate() {
            self.push_taxon(&mut json, i, node, &nodes, codes[node.0 as usize]);
        }
        json.push_str("],\n\"samples\":[");
        for (i, sample) in self.samples.iter().enumerate() {
            json.push_str(if i > 0 {
                ",\n{\"name\":"
            } else {
                "\n{\"name\":"
            });
            push_text(&mut json, &sample.name);
            push(
                &mut json,
                format_args!(
                    ",\"reads\":{},\"unclassified\":{},\"profiled\":{},\"values\":[",
                    sample.reads,
                    sample.unclassified,
                    sample.profile.is_some()
                ),
            );
            for (i, &node) in nodes.iter().enumerate() {
                json.push_str(if i > 0 { "," } else { "" });
                sample.push_values(&mut json, node);
            }
            json.push_str("]}");
        }
        json.push_str("]}");
        json
    }

    /// `[place of the parent, taxid, rank, its code, name]`
    fn push_taxon(&self, json: &mut String, i: usize, node: Node, nodes: &[Node], code: RankCode) {
        let taxonomy = self.taxonomy;
        let parent = taxonomy.parent(node);
        let parent = parent.and_then(|parent| nodes.binary_search(&parent).ok());
        let comma = if i > 0 { ",\n" } else { "\n" };
        push(json, format_args!("{comma}["));
        match parent {
            Some(parent) => push(json, format_args!("{parent}")),
            None => json.push_str("-1"),
        }
        push(json, format_args!(",{},", taxonomy.taxid(node)));
        push_text(json, taxonomy.rank(node));
        push(json, format_args!(",\"{code}\","));
        push_text(json, taxonomy.name(node));
        json.push(']');
    }
}

impl PageSample {
    /// `0`, or `[reads, of itself]`, or these and `[…, verdict, ratio, identity, distinct, expected, abundance]`.
    fn push_values(&self, json: &mut String, node: Node) {
        let (reads, direct) = self.clades[node.0 as usize];
        if reads == 0 {
            json.push('0');
            return;
        }
        push(json, format_args!("[{reads},{direct}"));
        let row = self.profile.as_ref().and_then(|profile| profile.row(node));
        if let Some(row) = row {
            push_row(json, row);
        }
        json.push(']');
    }
}

fn push_row(json: &mut String, row: &Row) {
    let verdict = match row.verdict {
        Presence::Present => 1,
        Presence::Absent => 2,
        Presence::Untold => 0,
    };
    let Row {
        ratio,
        identity,
        expected,
        ..
    } = row;
    let distinct = row.evidence.distinct;
    push(
        json,
        format_args!(",{verdict},{ratio:.4},{identity:.4},{distinct},{expected:.1},"),
    );
    match row.abundance {
        Some(share) => push(json, format_args!("{share:.6}")),
        None => json.push_str("null"),
    }
}

fn push(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    let _ = text.write_fmt(arguments);
}

/// Text as JSON has it, which no markup can be found in.
fn push_text(json: &mut String, text: &str) {
    json.push('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => json.extend(['\\', letter]),
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                push(json, format_args!("\\u{:04x}", letter as u32));
            }
            letter if (letter as u32) < 0x20 => {
                push(json, format_args!("\\u{:04x}", letter as u32));
            }
            letter => json.push(letter),
        }
    }
    json.push('"');
}

/// Text as HTML has it.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            letter => escaped.push(letter),
        }
    }
    escaped
}
