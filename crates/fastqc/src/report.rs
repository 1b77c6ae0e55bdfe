//! A report, and the two texts that programs read.

use std::fmt::Write;

use crate::{Findings, Verdict, modules};

/// FastQC's version whose text this is.
pub const VERSION: &str = "0.12.1";

/// A report on the reads of a file.
pub struct Report {
    name: String,
    modules: Vec<Module>,
}

/// One module of it.
pub struct Module {
    pub(crate) title: &'static str,
    pub(crate) verdict: Verdict,
    /// Lines before the head of the table, without `#`.
    pub(crate) notes: Vec<String>,
    /// The head of the table; none if there is no table.
    pub(crate) head: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
    /// Pictures.
    pub(crate) figures: Vec<Figure>,
}

/// A picture, for a page or a file.
pub struct Figure {
    /// What the picture's file is called, without an ending.
    pub file: &'static str,
    /// What it shows.
    pub caption: String,
    /// What each colour stands for: class and name.
    pub legend: Vec<(&'static str, String)>,
    /// The text of an `<svg>` element.
    pub svg: String,
}

impl Report {
    /// A report on all that was found of the reads of the file `name`, in which U+FFFD stands for control characters: they would
    /// break its tables.
    pub fn new(findings: &Findings, name: &str) -> Self {
        let name = name.replace(char::is_control, "\u{fffd}");
        Report {
            modules: modules::all(findings, &name),
            name,
        }
    }

    /// The name of the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The modules in their order.
    pub fn modules(&self) -> &[Module] {
        &self.modules
    }

    /// The text of `fastqc_data.txt`.
    pub fn data(&self) -> String {
        let mut text = format!("##FastQC\t{VERSION}\n");
        for module in &self.modules {
            module.write(&mut text);
        }
        text
    }

    /// The text of `summary.txt`.
    pub fn summary(&self) -> String {
        let line = |module: &Module| {
            let verdict = module.verdict.word().to_uppercase();
            format!("{verdict}\t{}\t{}\n", module.title, self.name)
        };
        self.modules.iter().map(line).collect()
    }
}

impl Module {
    pub(crate) fn new(title: &'static str, verdict: Verdict) -> Self {
        Module {
            title,
            verdict,
            notes: Vec::new(),
            head: Vec::new(),
            rows: Vec::new(),
            figures: Vec::new(),
        }
    }

    pub(crate) fn head(mut self, head: &[&str]) -> Self {
        self.head = head.iter().map(|name| (*name).to_owned()).collect();
        self
    }

    /// What it is called.
    pub fn title(&self) -> &str {
        self.title
    }

    /// What it says.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Its pictures.
    pub fn figures(&self) -> &[Figure] {
        &self.figures
    }

    fn write(&self, text: &mut String) {
        // Writing to a string does not fail.
        let _ = writeln!(text, ">>{}\t{}", self.title, self.verdict.word());
        for note in &self.notes {
            let _ = writeln!(text, "#{note}");
        }
        if !self.head.is_empty() {
            let _ = writeln!(text, "#{}", self.head.join("\t"));
        }
        for row in &self.rows {
            let _ = writeln!(text, "{}", row.join("\t"));
        }
        text.push_str(">>END_MODULE\n");
    }
}
