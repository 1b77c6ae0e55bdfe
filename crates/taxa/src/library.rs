//! The list of inputs: which sequence is of which taxon, and which are empty, there twice, or of none.
//!
//! ```text
//! every thread:  (file, place in it, header, letters) ─► Listing ─► the node, for a build's worker
//! then:          all listings ─► LibraryInputs: sequences in the order of the files, and what is to be told of them
//! ```
//! Sequences may come in any order, on any thread: [`LibraryInputs`] are the same.

mod conflicts;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::sequences::{
    Assignment, AssignmentSource, AssignmentTally, RowSet, Sources, UnmatchedRows, header,
};
use crate::{Error, ErrorKind, Node, Result, Taxid, Taxonomy};
use conflicts::{Hit, RowConflict, conflicts};

/// Files whose sequences are listed, and what says of which taxa they are.
///
/// ```
/// use thalweg_taxa::{Taxid, library::Library, sequences::Sources, taxonomy};
///
/// let mut builder = taxonomy::TaxonomyBuilder::new();
/// builder.add_node(Taxid(1), None, "no rank")?;
/// builder.add_node(Taxid(562), Some(Taxid(1)), "species")?;
/// let (taxonomy, sources) = (builder.finish()?, Sources::new());
/// let library = Library::new(&taxonomy, &sources, vec!["genomes.fa".into()]);
/// let mut listing = library.listing();
/// let node = listing.add(0, 0, b"kraken:taxid|562|contig1 of something", b"ACGT");
/// assert_eq!(node, taxonomy.node(Taxid(562)));
/// assert_eq!(listing.add(0, 1, b"contig2", b"ACGT"), None);
/// let inputs = library.finish([listing]);
/// assert_eq!(&*inputs.sequences[0].name, "kraken:taxid|562|contig1");
/// assert_eq!(inputs.tally.unmapped.len(), 1);
/// # Ok::<(), thalweg_taxa::Error>(())
/// ```
#[derive(Debug)]
pub struct Library<'a> {
    taxonomy: &'a Taxonomy,
    sources: &'a Sources,
    files: Vec<PathBuf>,
}

/// What one thread has listed.
#[derive(Debug)]
pub struct Listing<'a> {
    taxonomy: &'a Taxonomy,
    sources: &'a Sources,
    files: &'a [PathBuf],
    listed: Vec<Listed>,
    /// Further names of those that have several.
    joined: Vec<Joined>,
    matched: Matched,
}

/// The rows that name a sequence or a file.
#[derive(Debug, Default)]
struct Matched {
    of_table: RowSet,
    of_map: RowSet,
}

/// A name of a sequence that is not its first, and which source names it.
#[derive(Debug)]
struct Joined {
    name: Box<str>,
    source: AssignmentSource,
    file: u32,
    letters: (u64, u128),
}

/// A sequence, whatever it is of.
#[derive(Debug)]
struct Listed {
    file: u32,
    place: u64,
    name: Box<str>,
    letters: u64,
    fingerprint: u128,
    assignment: Assignment,
    /// Which source names its name.
    named_by: Option<AssignmentSource>,
    /// True if it has a k-mer, if that was [asked](Listing::kmers_of_last).
    has_kmers: Option<Arc<AtomicBool>>,
}

/// All inputs.
#[derive(Clone, Debug, Default)]
pub struct LibraryInputs {
    /// The files, in the order in which they were given.
    pub files: Vec<PathBuf>,
    /// Sequences that are of a taxon, in the order of the files and in these.
    pub sequences: Vec<Sequence>,
    /// What became of all sequences.
    pub tally: AssignmentTally,
    /// Names of what says of which taxa sequences are, for those taxids that the taxonomy does not have.
    named_by: HashMap<AssignmentSource, String>,
    /// Rows of tables that do not say of which taxon a sequence is.
    conflicts: Vec<RowConflict>,
    /// Rows of tables that name no sequence and no file, of each table that has some: also those beside a taxonomy, which may
    /// be of many more genomes.
    pub unmatched: Vec<UnmatchedRows>,
    /// Numbers of files that have no sequence.
    pub files_without: Vec<usize>,
    /// Sequences that came again, with the same name, letters and taxon, which are not among `sequences`.
    pub repeated: Vec<Repeated>,
    /// Which of the sequences have no letters.
    pub empty: Vec<usize>,
    /// Which of the others have no k-mer, as far as was [asked](Listing::kmers_of_last).
    pub without_kmers: Vec<usize>,
    /// Sequences that have the same letters as one before, which is the second number; upper or lower case does not matter.
    pub equal: Vec<(usize, usize)>,
    /// Sequences that have the name of one before, which is the second number, and other letters.
    pub named_alike: Vec<(usize, usize)>,
    /// The same of equal sequences with equal names and taxids in the same order, whatever files they are in; of other ones,
    /// almost never.
    pub fingerprint: u128,
}

/// A sequence that is of a taxon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sequence {
    /// The number of its file.
    pub file: u32,
    /// The first word of its header.
    pub name: Box<str>,
    /// Number of its letters.
    pub letters: u64,
    /// The taxon.
    pub node: Node,
}

/// A sequence that came again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeated {
    /// The first word of its header.
    pub name: Box<str>,
    /// The number of the file where it came first.
    pub first_file: u32,
    /// The number of the file where it came again, which may be the same.
    pub file: u32,
}

/// Names that an error tells, at most.
const MOST_TOLD: usize = 5;

impl<'a> Library<'a> {
    /// Of no sequences yet.
    pub fn new(taxonomy: &'a Taxonomy, sources: &'a Sources, files: Vec<PathBuf>) -> Self {
        Self {
            taxonomy,
            sources,
            files,
        }
    }

    /// A list for one thread.
    pub fn listing(&self) -> Listing<'_> {
        Listing {
            taxonomy: self.taxonomy,
            sources: self.sources,
            files: &self.files,
            listed: Vec::new(),
            joined: Vec::new(),
            matched: Matched::default(),
        }
    }

    /// Puts together what all threads have listed.
    pub fn finish<'b>(&self, listings: impl IntoIterator<Item = Listing<'b>>) -> LibraryInputs {
        let (mut all, mut joined) = (Vec::new(), Vec::new());
        let mut matched = Matched::default();
        for listing in listings {
            all.extend(listing.listed);
            joined.extend(listing.joined);
            matched.of_table.extend(&listing.matched.of_table);
            matched.of_map.extend(&listing.matched.of_map);
        }
        all.sort_unstable_by_key(|listed| (listed.file, listed.place));
        let hits = all.iter().filter_map(Listed::hit);
        let hits = hits.chain(joined.iter().map(Joined::hit));
        let mut inputs = LibraryInputs {
            files: self.files.clone(),
            conflicts: conflicts(self.taxonomy, self.sources, &self.files, hits),
            unmatched: self.unmatched(matched),
            ..LibraryInputs::default()
        };
        let mut first_of_letters = HashMap::new();
        let mut fingerprint_of_all = Fingerprint([3, 4]);
        let mut first_of_name: HashMap<Box<str>, usize> = HashMap::new();
        let mut is_with = vec![false; self.files.len()];
        let mut file_of_known = HashMap::new();
        for listed in all {
            is_with[listed.file as usize] = true;
            let file = &self.files[listed.file as usize];
            let name = listed.name.as_bytes();
            (inputs.tally).add(self.taxonomy, file, name, &listed.assignment);
            let Some(node) = listed.assignment.node() else {
                continue;
            };
            let taxid = self.taxonomy.taxid(node).0;
            let name = fingerprint(name);
            fingerprint_of_all.add(listed.letters, listed.fingerprint);
            fingerprint_of_all.add(taxid.into(), name);
            let sequence = (listed.letters, listed.fingerprint, name, node);
            match file_of_known.entry(sequence) {
                Entry::Vacant(entry) => {
                    entry.insert(listed.file);
                }
                Entry::Occupied(first) if listed.letters > 0 => {
                    inputs.repeated.push(Repeated {
                        name: listed.name,
                        first_file: *first.get(),
                        file: listed.file,
                    });
                    continue;
                }
                Entry::Occupied(_) => {}
            }
            let number = inputs.sequences.len();
            let first = *first_of_name.entry(listed.name.clone()).or_insert(number);
            // All threads have ended that may have set it.
            let has_kmers = listed.has_kmers.is_none_or(|it| it.load(Ordering::Relaxed));
            if listed.letters == 0 {
                inputs.empty.push(number);
            } else {
                if !has_kmers {
                    inputs.without_kmers.push(number);
                }
                let letters = (listed.letters, listed.fingerprint);
                let equal = *first_of_letters.entry(letters).or_insert(number);
                if equal != number {
                    inputs.equal.push((number, equal));
                } else if first != number {
                    inputs.named_alike.push((number, first));
                }
            }
            inputs.sequences.push(Sequence {
                file: listed.file,
                name: listed.name,
                letters: listed.letters,
                node,
            });
        }
        let without = is_with.iter().enumerate().filter(|(_, is_with)| !**is_with);
        inputs.files_without = without.map(|(file, _)| file).collect();
        for source in inputs.tally.named_by.values() {
            let told = || self.sources.told(*source);
            inputs.named_by.entry(*source).or_insert_with(told);
        }
        inputs.fingerprint = fingerprint_of_all.number();
        inputs
    }

    /// Returns the rows that are not `matched`, and name none of the files.
    fn unmatched(&self, mut matched: Matched) -> Vec<UnmatchedRows> {
        let (table, map) = (&self.sources.table, &self.sources.map);
        for file in &self.files {
            table.match_file(file, &mut matched.of_table);
        }
        let mut unmatched = table.unmatched(&matched.of_table);
        unmatched.extend(map.unmatched(&matched.of_map));
        unmatched
    }
}

impl Listing<'_> {
    /// Lists a sequence: the `place`th of the file of this number, both from 0; its header without `>`, and its letters. Tells
    /// of which taxon it is, if of any.
    ///
    /// # Panics
    ///
    /// If there is no such file.
    pub fn add(&mut self, file: usize, place: u64, header: &[u8], letters: &[u8]) -> Option<Node> {
        let name = header::names(header).next().unwrap_or_default();
        let (path, file) = (&self.files[file], file as u32);
        let Matched { of_table, of_map } = &mut self.matched;
        for name in header::names(header) {
            self.sources.table.match_sequence(path, name, of_table);
            self.sources.map.match_sequence(path, name, of_map);
        }
        let fingerprint = fingerprint(letters);
        let mut named_by = None;
        let joined = &mut self.joined;
        let note = |found: &[u8], source: AssignmentSource| {
            if found == name {
                named_by = Some(source);
            } else if source.is_of_names_alone() {
                joined.push(Joined {
                    name: text(found),
                    source,
                    file,
                    letters: (letters.len() as u64, fingerprint),
                });
            }
        };
        let assignment = (self.sources).assign_noting(self.taxonomy, path, header, note);
        self.listed.push(Listed {
            file,
            place,
            name: text(name),
            letters: letters.len() as u64,
            fingerprint,
            assignment,
            named_by,
            has_kmers: None,
        });
        assignment.node()
    }

    /// Returns what is to be set where a k-mer of the sequence is found that was listed last. One for which it was asked, and
    /// never set, is among [`LibraryInputs::without_kmers`].
    pub fn kmers_of_last(&mut self) -> Arc<AtomicBool> {
        let flag = Arc::default();
        if let Some(last) = self.listed.last_mut() {
            last.has_kmers = Some(Arc::clone(&flag));
        }
        flag
    }
}

impl LibraryInputs {
    /// Whether all sequences are of a taxon.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Unmapped`] if not: how many are of none, and the names of some.
    pub fn check_mapped(&self) -> Result<()> {
        self.unmapped().map_or(Ok(()), Err)
    }

    /// Checks that each row of a table that names sequences alone, without their files, names those of one file, or equal ones; and
    /// that none contradicts a row for the file.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::RowConflict`] if not, of the first such row.
    pub fn check_rows(&self) -> Result<()> {
        let Some((first, others)) = self.conflicts.split_first() else {
            return Ok(());
        };
        let error = Error::new(ErrorKind::RowConflict {
            what: first.what.clone(),
            more: others.len(),
        });
        Err(error.in_file(&first.path).at_line(first.line))
    }

    /// Whether any sequence is of a taxon.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NothingMapped`] if not.
    pub fn check_some_mapped(&self) -> Result<()> {
        if !self.sequences.is_empty() {
            return Ok(());
        }
        let told = (self.unmapped()).map_or_else(String::new, |error| error.to_string());
        Err(Error::new(ErrorKind::NothingMapped { told }))
    }

    /// An error that tells which sequences are of no known taxon, if any are: for a warning, if that shall be none.
    pub fn unmapped(&self) -> Option<Error> {
        let unmapped = &self.tally.unmapped;
        if unmapped.is_empty() {
            return None;
        }
        let told = |(file, name): &(PathBuf, String)| format!("{name} ({})", file_name(file));
        let mut some = Vec::from_iter(unmapped.iter().take(MOST_TOLD).map(told)).join(", ");
        if unmapped.len() > MOST_TOLD {
            some.push_str(" …");
        }
        Some(Error::new(ErrorKind::Unmapped {
            sequences: unmapped.len() as u64,
            some,
            taxids: self.missing_taxids(),
        }))
    }

    /// Which taxids the taxonomy does not have, and what names them.
    fn missing_taxids(&self) -> String {
        let named_by = |taxid: &Taxid| {
            let source = self.tally.named_by.get(taxid);
            source.map_or("", |source| &self.named_by[source])
        };
        let tell = |taxid: &Taxid| {
            let what = match self.tally.deleted.contains_key(taxid) {
                true => "was deleted from the taxonomy",
                false => "is not in the taxonomy",
            };
            format!("taxid {taxid}, named in {}, {what}", named_by(taxid))
        };
        let missing = &self.tally.named_by;
        let mut told = Vec::from_iter(missing.keys().take(MOST_TOLD).map(tell)).join("; ");
        if missing.len() > MOST_TOLD {
            told.push_str("; …");
        }
        told
    }

    /// Leaves out sequences, and what is told of them; the others keep their order.
    pub fn leave_out(&mut self, is_out: impl Fn(&Sequence) -> bool) -> Vec<Sequence> {
        let mut numbers = Vec::with_capacity(self.sequences.len());
        let (mut kept, mut left_out) = (Vec::new(), Vec::new());
        for sequence in std::mem::take(&mut self.sequences) {
            match is_out(&sequence) {
                true => {
                    numbers.push(None);
                    left_out.push(sequence);
                }
                false => {
                    numbers.push(Some(kept.len()));
                    kept.push(sequence);
                }
            }
        }
        self.sequences = kept;
        let of = |number: usize| numbers[number];
        let pair = |(one, other): &(usize, usize)| Some((of(*one)?, of(*other)?));
        for some in [&mut self.empty, &mut self.without_kmers] {
            *some = some.iter().filter_map(|&number| of(number)).collect();
        }
        self.equal = self.equal.iter().filter_map(pair).collect();
        self.named_alike = self.named_alike.iter().filter_map(pair).collect();
        left_out
    }
}

impl Listed {
    fn hit(&self) -> Option<Hit<'_>> {
        Some(Hit {
            source: self.named_by?,
            name: &self.name,
            file: self.file,
            letters: (self.letters, self.fingerprint),
        })
    }
}

impl Joined {
    fn hit(&self) -> Hit<'_> {
        Hit {
            source: self.source,
            name: &self.name,
            file: self.file,
            letters: self.letters,
        }
    }
}

fn file_name(file: &Path) -> std::path::Display<'_> {
    file.file_name().map_or(file, Path::new).display()
}

/// A name that does not break what it is printed in.
fn text(name: &[u8]) -> Box<str> {
    let name = String::from_utf8_lossy(name);
    name.replace(char::is_control, "\u{fffd}").into()
}

/// The same of equal letters, in upper or lower case; of other ones of as many, almost never.
fn fingerprint(letters: &[u8]) -> u128 {
    /// All bits but that which upper and lower case differ in.
    const CASE: u64 = 0xdfdf_dfdf_dfdf_dfdf;
    let (words, rest) = letters.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let mut fingerprint = Fingerprint([1, 2]);
    for word in words.iter().chain([&last]) {
        fingerprint.mix(u64::from_le_bytes(*word) & CASE);
    }
    fingerprint.number()
}

/// Words that are mixed one after the other.
struct Fingerprint([u64; 2]);

impl Fingerprint {
    #[inline]
    fn mix(&mut self, word: u64) {
        const ODD: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0x6a09_e667_f3bc_c909];
        for (lane, odd) in self.0.iter_mut().zip(ODD) {
            *lane = (lane.rotate_left(29) ^ word).wrapping_mul(odd);
        }
    }

    fn add(&mut self, number: u64, fingerprint: u128) {
        let [upper, lower] = lanes_of(fingerprint);
        for word in [number, upper, lower] {
            self.mix(word);
        }
    }

    fn number(&self) -> u128 {
        u128::from(self.0[0]) << 64 | u128::from(self.0[1])
    }
}

fn lanes_of(number: u128) -> [u64; 2] {
    [(number >> 64) as u64, number as u64]
}
