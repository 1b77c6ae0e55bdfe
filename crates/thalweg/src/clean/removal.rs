//! Reads that are removed for what their k-mers are of: databases, opened, loaded and asked.

use std::borrow::Cow;
use std::cell::RefCell;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use thalweg_flow::Budget;
use thalweg_kmers::Error;
use thalweg_kmers::database::{Database, Threshold, files_of};
use thalweg_kmers::kmer::Alphabet;
use thalweg_reads::ReaderOptions;

use super::CleanSettings;
use crate::count::available;
use crate::databases::{Judge, Screen, open_database, say_strands};
use crate::{Control, Fault, MessageKind, Reads};

/// What reads are removed for: all that has many of their k-mers.
///
/// Mates are judged together, by the bases that are left of both when all is cut, and before they are merged.
#[derive(Clone, Debug, PartialEq)]
pub struct RemovalSettings {
    /// Whose k-mers. With none, the default, no read is removed. Each is compared with reads for itself.
    pub contaminants: Vec<Contaminant>,
    /// So many k-mers of a read, or of both mates, at least; 1 by default.
    pub least: u64,
    /// Of all k-mers of the read, or of both mates, such a share at least: from 0, the default, to 1.
    pub fraction: f64,
    /// Bytes of addresses that the process may use, if there is a limit (`ulimit -v`).
    pub addresses: Option<u64>,
}

impl Default for RemovalSettings {
    fn default() -> Self {
        Self {
            contaminants: Vec::new(),
            least: 1,
            fraction: 0.0,
            addresses: None,
        }
    }
}

impl RemovalSettings {
    /// What is out of its range.
    pub(super) fn check(&self, is_fastp: bool) -> Result<(), Fault> {
        if is_fastp && !self.contaminants.is_empty() {
            return Err(Fault::usage(
                "--remove: fastp knows no such option",
                "leave out --fastp-compat, or call `thalweg qc` in place of fastp, which takes the same options",
            ));
        }
        if self.least == 0 {
            return Err(Fault::usage(
                "--remove-min: at least 1 k-mer",
                "without --remove nothing is removed",
            ));
        }
        if !(0.0..=1.0).contains(&self.fraction) {
            let message = format!("--remove-fraction: {} is not in 0 to 1", self.fraction);
            return Err(Fault::usage(message, ""));
        }
        Ok(())
    }

    pub(super) fn threshold(&self) -> Threshold {
        Threshold {
            least: self.least,
            fraction: self.fraction,
        }
    }
}

/// Something whose reads are not wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Contaminant {
    /// Phage PhiX174, which Illumina's control is made of. Its genome is a part of this library.
    Phix,
    /// A database of k-mers.
    Database(PathBuf),
}

impl Contaminant {
    /// By how the command names them: `phix`, or a path.
    pub fn named(name: impl Into<PathBuf>) -> Self {
        let path = name.into();
        match path.to_str() {
            Some("phix") => Self::Phix,
            _ => Self::Database(path),
        }
    }

    /// What reports call it: `phix`, or the name of the file without its directory.
    pub fn name(&self) -> Cow<'_, str> {
        match self {
            Self::Phix => "phix".into(),
            Self::Database(path) => {
                let name = path.file_name().unwrap_or(path.as_os_str());
                name.to_string_lossy()
            }
        }
    }
}

/// What of given memory databases may take; output needs some, too.
const SHARE: (u64, u64) = (3, 4);

/// Databases that reads are compared with, of which no more is read than what they say of themselves.
pub(super) struct Opened {
    each: Vec<Source>,
    /// Of the bytes that whoever gave a limit gave.
    limit: Option<u64>,
}

struct Source {
    contaminant: Contaminant,
    /// `None` of what is built in.
    database: Option<Database>,
    /// Bytes that it may take.
    most: u64,
    /// Bytes that it will take; none if k-mers are looked up in its file.
    bytes: u64,
}

impl Opened {
    /// Open what `settings` name, if anything. `inputs` are what is read.
    pub(super) fn open(
        settings: &CleanSettings,
        inputs: &[PathBuf],
        control: &Control<'_>,
    ) -> Result<Option<Self>, Fault> {
        let removal = &settings.remove;
        if removal.contaminants.is_empty() {
            return Ok(None);
        }
        let limit = settings.memory.map(|bytes| bytes / SHARE.1 * SHARE.0);
        let mut left = limit.unwrap_or_else(|| available(removal.addresses));
        let mut each = Vec::new();
        for contaminant in &removal.contaminants {
            control.check()?;
            let (database, bytes) = match contaminant {
                Contaminant::Phix => (None, Screen::PHIX_BYTES),
                Contaminant::Database(path) => {
                    let database = open_database(path, control);
                    let database = database.map_err(|error| no_database(path, error))?;
                    let bytes = Screen::bytes_within(&database, inputs, left)?;
                    (Some(database), bytes)
                }
            };
            if let (Some(_), Some(database)) = (limit, &database)
                && bytes > left
            {
                return Err(too_large(database.path(), bytes, left));
            }
            each.push(Source {
                contaminant: contaminant.clone(),
                database,
                most: left,
                bytes,
            });
            left = left.saturating_sub(bytes);
        }
        Ok(Some(Self { each, limit }))
    }

    /// The files of all databases, which must not be written to.
    pub(super) fn files(&self) -> impl Iterator<Item = PathBuf> {
        let databases = self.each.iter().filter_map(|one| one.database.as_ref());
        databases.flat_map(|database| files_of(database.path()))
    }

    /// What is left for output of so many bytes.
    pub(super) fn left_of(&self, memory: u64) -> u64 {
        match self.limit {
            Some(_) => memory.saturating_sub(self.each.iter().map(|one| one.bytes).sum()),
            None => memory,
        }
    }

    /// Load what is to be in memory.
    pub(super) fn load(
        self,
        settings: &CleanSettings,
        inputs: &[PathBuf],
        threads: usize,
        control: &Control<'_>,
    ) -> Result<Removal, Fault> {
        let mut screens = Vec::new();
        for source in self.each {
            control.check()?;
            let screen = match &source.database {
                None => Screen::phix()?,
                Some(database) => {
                    let all = (1, u64::MAX);
                    let screen =
                        Screen::within(database, inputs, all, threads, source.most, control)?;
                    say_strands(database, screen.is_canonical(), control);
                    screen
                }
            };
            say_where(&source, &screen, inputs, control)?;
            screens.push((source.contaminant, screen));
        }
        Ok(Removal {
            screens,
            threshold: settings.remove.threshold(),
        })
    }
}

/// Say where k-mers are looked up; that it takes long, where memory would have made it quick.
fn say_where(
    source: &Source,
    screen: &Screen,
    inputs: &[PathBuf],
    control: &Control<'_>,
) -> Result<(), Fault> {
    let (name, k) = (source.contaminant.name(), screen.k());
    let place = match screen.is_in_memory() {
        true => "in memory",
        false => "in its file",
    };
    let text = format!("{name}: {k}-mers of reads are looked up {place}");
    control.say(MessageKind::Detail, text);
    if let Some(database) = source.database.as_ref().filter(|_| !screen.is_in_memory())
        && let needed @ 1.. = Screen::bytes_within(database, inputs, u64::MAX)?
    {
        let text = format!(
            "{name}: k-mers are looked up in its file, which takes many times as long as in memory: they would take {} MiB there, \
             and may take {}",
            needed.div_ceil(1 << 20),
            source.most >> 20
        );
        control.say(MessageKind::Note, text);
    }
    Ok(())
}

/// Why what was named is no database.
fn no_database(path: &Path, error: Error) -> Fault {
    match &error {
        Error::WrongKind { .. } => match kind_of_sequences(path) {
            Some(kind) => sequences_named(path, kind),
            None => error.into(),
        },
        Error::Io { source, .. }
            if source.kind() == io::ErrorKind::NotFound && is_like_phix(path) =>
        {
            Fault::usage(
                error.to_string(),
                "`--remove phix`, so written, is PhiX174, which is built in",
            )
        }
        _ => error.into(),
    }
}

/// What a file is called that has sequences, compressed or not, and is no dump of k-mers with counts for names.
fn kind_of_sequences(path: &Path) -> Option<&'static str> {
    let reads = Reads::open(ReaderOptions::new().file(path).budget(Budget::new(1))).ok()?;
    let plans = reads.plan();
    let plan = plans.first()?;
    let is_dump = plan.first_head.iter().all(u8::is_ascii_digit);
    (!is_dump).then_some(plan.format_name)
}

/// Sequences are no damage: their k-mers are to be counted first.
fn sequences_named(path: &Path, kind: &str) -> Fault {
    let name = path.file_name().unwrap_or(path.as_os_str());
    let name = name.to_string_lossy();
    let stem = name.split('.').next().filter(|stem| !stem.is_empty());
    let (stem, path) = (stem.unwrap_or("sequences"), path.display());
    Fault::usage(
        format!("--remove {path}: this is {kind}, but a k-mer database is needed"),
        format!(
            "count its k-mers first: `thalweg count -k 31 {path} -o {stem}.thk`, then --remove {stem}.thk"
        ),
    )
}

/// Whether somebody may mean the phage that is built in.
fn is_like_phix(path: &Path) -> bool {
    let name = path.to_str().unwrap_or_default().to_lowercase();
    let letters: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    ["phix", "phix174", "phi174", "phyx"].contains(&&*letters)
}

fn too_large(path: &Path, bytes: u64, left: u64) -> Fault {
    let (needed, left) = (bytes.div_ceil(1 << 20), left >> 20);
    Fault::usage(
        format!(
            "{}: its k-mers may take {needed} MiB, and --memory leaves {left} MiB for them",
            path.display()
        ),
        "allow more with --memory, or make a .thk file of it (`thalweg kmers merge FILE -o FILE.thk`), which need not be loaded",
    )
}

/// What reads are compared with, for all threads.
pub(crate) struct Removal {
    screens: Vec<(Contaminant, Screen)>,
    threshold: Threshold,
}

impl Removal {
    /// What tells contaminants, for one thread.
    pub(super) fn finder(&self) -> Result<Finder, Fault> {
        // Reads come with their letters as those that are usual.
        let judges = (self.screens.iter()).map(|(_, screen)| screen.judge(Alphabet::Acgtu));
        let judges: thalweg_kmers::Result<Vec<Judge>> = judges.collect();
        Ok(Finder {
            judges: judges?,
            threshold: self.threshold,
            fault: Rc::default(),
        })
    }

    /// Bases of the k-mers of each.
    pub(super) fn lengths(&self) -> Vec<usize> {
        self.screens.iter().map(|(_, screen)| screen.k()).collect()
    }

    /// Refuses to have compared reads with k-mers that none of them can have: the longest read is of so many bases.
    pub(super) fn check_lengths(&self, longest: usize) -> Result<(), Fault> {
        let too_long = (self.screens.iter()).find(|(_, screen)| screen.k() > longest);
        match too_long {
            Some((contaminant, screen)) if longest > 0 => {
                let k = screen.k();
                Err(Fault::usage(
                    format!(
                        "{}: its k-mers have {k} bases, and no read has more than {longest}, so that none can be removed",
                        contaminant.name()
                    ),
                    "count shorter k-mers of its sequences: `thalweg count -k K FILE -o FILE.thk`",
                ))
            }
            _ => Ok(()),
        }
    }
}

/// Tells which contaminant reads are of.
pub(super) struct Finder {
    judges: Vec<Judge>,
    threshold: Threshold,
    fault: FirstFault,
}

/// Why a database could not be read, where that was so: whoever asks of a read has no use for an error.
pub(super) type FirstFault = Rc<RefCell<Option<thalweg_kmers::Error>>>;

impl Finder {
    /// Where it says what went wrong.
    pub(super) fn fault(&self) -> FirstFault {
        Rc::clone(&self.fault)
    }

    /// The number of the first that the sequences of a read, or of both mates, are of.
    pub(super) fn find(&mut self, sequences: &[&[u8]]) -> Option<usize> {
        let threshold = self.threshold;
        self.judges.iter_mut().position(|judge| {
            let reached = judge.sequences_reach(sequences, threshold);
            reached.unwrap_or_else(|error| {
                self.fault.borrow_mut().get_or_insert(error);
                false
            })
        })
    }
}
