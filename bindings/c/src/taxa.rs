//! Which organisms reads are of.

#![allow(unsafe_code)]

use std::ffi::{c_char, c_int};
use std::path::Path;

use thalweg::taxa::classify::{Classifier, Hits, Lca, Posterior, Rule, Stored, Workspace};
use thalweg::taxa::database::TaxonDatabase;
use thalweg::taxa::lookup::TaxonLookup;
use thalweg::taxa::{Kernel, Taxid};

use crate::error::{Failure, let_go, status};
use crate::pointers::{self, Text, give, path, put, shared, slice, unique};
use crate::reader::Record;

/// Reads are called by the posterior of species.
pub const THALWEG_RULE_POSTERIOR: c_int = 0;
/// Reads are called by lowest common ancestors, as kraken2 does.
pub const THALWEG_RULE_LCA: c_int = 1;

/// What a read, or a pair, is.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Label {
    /// The number of its taxon; 0 if there is not enough to tell.
    pub taxid: u32,
    /// k-mers that could be looked up.
    pub kmers: u32,
    /// k-mers that speak for the taxon.
    pub support: u32,
    /// How sure it is, 0 to 1: the posterior, or the share of k-mers that speak for it.
    pub score: f64,
}

/// What a taxon is. The texts belong to the database.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Taxon {
    /// Its scientific name.
    pub name: Text,
    /// Such as species, genus, no rank.
    pub rank: Text,
    /// The number of the taxon above; 0 of the root.
    pub parent: u32,
}

/// Reads whose k-mers are looked up together: what the memory has to bring for one is on its way while others are
/// looked at.
const TOGETHER: usize = 32;

/// A database of the k-mers of genomes, and what labels reads by it.
pub struct Taxa {
    /// Borrows of what follows, and is let go before it.
    desk: Option<Desk>,
    stored: *mut Stored<'static>,
    database: *mut TaxonDatabase,
}

struct Desk {
    lookup: TaxonLookup<'static>,
    classifier: Classifier<'static, Stored<'static>>,
    workspace: Workspace,
    /// How many records a read has.
    database: &'static TaxonDatabase,
}

// SAFETY: what the pointers lead to belongs to this alone, and is of types that are `Send` and `Sync`.
unsafe impl Send for Taxa {}

const _: fn() = || {
    fn is_shared<T: Send + Sync>() {}
    fn is_sent<T: Send>() {}
    is_shared::<TaxonDatabase>();
    is_sent::<Desk>();
};

impl Taxa {
    fn new(
        open: impl FnOnce() -> thalweg::taxa::Result<TaxonDatabase>,
        rule: c_int,
        confidence: f64,
    ) -> Result<Self, Failure> {
        let lca = match rule {
            THALWEG_RULE_POSTERIOR => None,
            THALWEG_RULE_LCA => Some(Lca::with_confidence(confidence).ok_or_else(|| {
                Failure::usage(format!("a confidence of {confidence}: must be from 0 to 1"))
            })?),
            other => {
                return Err(Failure::usage(format!(
                    "{other} is not one of THALWEG_RULE_..."
                )));
            }
        };
        let mut taxa = Self {
            desk: None,
            stored: std::ptr::null_mut(),
            database: Box::into_raw(Box::new(open()?)),
        };
        // SAFETY: it is where the box was until `taxa` is dropped, which drops all that borrows of it before; nobody
        // changes it.
        let database: &'static TaxonDatabase = unsafe { &*taxa.database };
        let (sets, species) = (database.sets(), database.species());
        taxa.stored = Box::into_raw(Box::new(Stored { sets, species }));
        // SAFETY: the same.
        let stored: &'static Stored<'static> = unsafe { &*taxa.stored };
        let k = database.header().layout.scheme().k();
        let rule = match lca {
            Some(lca) => Rule::Lca(lca),
            None => Rule::Posterior(Posterior::new(k)),
        };
        let (nodes, leaves) = (species.nodes(), species.leaf_nodes());
        let classifier = Classifier::new(database.taxonomy(), k, nodes, leaves, stored, rule);
        taxa.desk = Some(Desk {
            lookup: TaxonLookup::new(database, Kernel::best()),
            workspace: classifier.workspace(),
            classifier,
            database,
        });
        Ok(taxa)
    }

    fn desk(&mut self) -> Result<&mut Desk, Failure> {
        let desk = self.desk.as_mut();
        desk.ok_or_else(|| Failure::usage("the database is closed"))
    }
}

impl Desk {
    /// Labels reads of so many records each.
    fn label(
        &mut self,
        records: &[Record],
        mates: usize,
        each: &mut dyn FnMut(usize, Label),
    ) -> Result<(), Failure> {
        for (number, group) in records.chunks(TOGETHER * mates).enumerate() {
            // SAFETY: who asks promises that the texts of records are there.
            let letters = group
                .iter()
                .map(|record| unsafe { record.sequence.bytes() });
            let letters = letters.collect::<Result<Vec<&[u8]>, _>>()?;
            self.lookup.clear();
            letters
                .chunks(mates)
                .for_each(|mates| self.lookup.push(mates));
            self.lookup.look_up()?;
            for (read, letters) in letters.chunks(mates).enumerate() {
                let mut hits = [Hits::NONE; 2];
                for (mate, hits) in hits[..mates].iter_mut().enumerate() {
                    *hits = Hits {
                        letters: letters[mate],
                        runs: self.lookup.runs(read * mates + mate),
                    };
                }
                let call = self.classifier.call(&mut self.workspace, &hits[..mates]);
                let taxonomy = self.database.taxonomy();
                let label = Label {
                    taxid: call.node.map_or(0, |node| taxonomy.taxid(node).0),
                    kmers: call.valid,
                    support: call.support,
                    score: call.score,
                };
                each(number * TOGETHER + read, label);
            }
        }
        Ok(self.database.check_unchanged()?)
    }
}

impl Drop for Taxa {
    fn drop(&mut self) {
        self.desk = None;
        // SAFETY: what borrowed of them is gone. They are boxes that `open` took apart, or null, and nobody else frees
        // them; the sets borrow of the database, which goes last.
        unsafe {
            drop(pointers::take(self.stored));
            drop(pointers::take(self.database));
        }
    }
}

/// Open a database that thalweg taxa build made. It is mapped: what of it is not in memory comes as it is looked at, and is
/// checked then. Nobody may write to the file before it is closed: labels of a changed file are refused, but the system ends a
/// process whose file was truncated (SIGBUS). Where that may happen, use thalweg_taxa_preload().
///
/// @param rule One of THALWEG_RULE_...
/// @param confidence For THALWEG_RULE_LCA: the share of k-mers that must speak for a taxon, 0 to 1.
/// @param taxa Is given a handle for thalweg_taxa_close(); NULL if that fails.
///
/// # Safety
/// `file` ends with NUL; `taxa` is a place for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn thalweg_taxa_open(
    file: *const c_char,
    rule: c_int,
    confidence: f64,
    taxa: *mut *mut Taxa,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { open_by(TaxonDatabase::open, file, rule, confidence, taxa) }
}

/// As thalweg_taxa_open(), and read the whole database into memory and check it. Whatever happens to the file later, it stays.
///
/// @param rule One of THALWEG_RULE_...
/// @param confidence For THALWEG_RULE_LCA: the share of k-mers that must speak for a taxon, 0 to 1.
/// @param taxa Is given a handle for thalweg_taxa_close(); NULL if that fails.
///
/// # Safety
/// `file` ends with NUL; `taxa` is a place for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn thalweg_taxa_preload(
    file: *const c_char,
    rule: c_int,
    confidence: f64,
    taxa: *mut *mut Taxa,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { open_by(TaxonDatabase::preload, file, rule, confidence, taxa) }
}

/// Opens a database as `read` does, for both functions above.
///
/// # Safety
/// As [`thalweg_taxa_open`].
unsafe fn open_by(
    read: fn(&Path) -> thalweg::taxa::Result<TaxonDatabase>,
    file: *const c_char,
    rule: c_int,
    confidence: f64,
    taxa: *mut *mut Taxa,
) -> c_int {
    // SAFETY: the caller's promise.
    let path = || unsafe { path(file) };
    let open = || {
        let path = path()?;
        Taxa::new(|| read(path.as_ref()), rule, confidence)
    };
    // SAFETY: the same.
    status(|| unsafe { give(taxa, open, "the place for a database") })
}

/// Label reads, many at a time: faster than one by one.
///
/// @param records number * mates records, those of a read behind each other, as thalweg_next_batch() gives them.
/// @param mates How many records a read has: 1, or 2 of pairs, which have one label.
/// @param labels Is given one for each read. Without THALWEG_OK none may be used.
///
/// # Safety
/// `taxa` comes from thalweg_taxa_open(); there are so many records, with sequences that are valid; `labels` has room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn thalweg_taxa_label(
    taxa: *mut Taxa,
    records: *const Record,
    number: usize,
    mates: usize,
    labels: *mut Label,
) -> c_int {
    status(|| {
        if !matches!(mates, 1 | 2) {
            return Err(Failure::usage(format!(
                "{mates} mates have no label: 1 or 2 have"
            )));
        }
        let all = number.checked_mul(mates);
        let all = all.ok_or_else(|| Failure::usage("too many records"))?;
        if labels.is_null() && number > 0 {
            return Err(Failure::usage("the array of labels is NULL"));
        }
        // SAFETY: the caller's promise.
        let taxa = unsafe { unique(taxa, "the database")? };
        // SAFETY: the same.
        let records = unsafe { slice(records, all, "the array of records")? };
        taxa.desk()?.label(records, mates, &mut |read, label| {
            debug_assert!(read < number, "a label too many");
            // SAFETY: the same: there is room for one of each read.
            unsafe { labels.add(read).write(label) };
        })
    })
}

/// What the taxon of a label is. The texts are valid until thalweg_taxa_close().
///
/// # Safety
/// `taxa` comes from thalweg_taxa_open(); `taxon` is a place for one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn thalweg_taxa_find(
    taxa: *const Taxa,
    taxid: u32,
    taxon: *mut Taxon,
) -> c_int {
    status(|| {
        // SAFETY: the caller's promise.
        let taxa = unsafe { shared(taxa, "the database")? };
        let desk = taxa.desk.as_ref();
        let desk = desk.ok_or_else(|| Failure::usage("the database is closed"))?;
        let taxonomy = desk.database.taxonomy();
        let node = taxonomy.node(Taxid(taxid)).ok_or_else(|| {
            Failure::usage(format!(
                "the taxonomy of this database has no taxon {taxid}"
            ))
        })?;
        let parent = taxonomy.parent(node);
        let found = Taxon {
            name: Text::of(taxonomy.name(node).as_bytes()),
            rank: Text::of(taxonomy.rank(node).as_bytes()),
            parent: parent.map_or(0, |parent| taxonomy.taxid(parent).0),
        };
        // SAFETY: the same.
        unsafe { put(taxon, found, "the place for a taxon") }
    })
}

/// Let go of a database.
///
/// # Safety
/// `taxa` is NULL, or comes from thalweg_taxa_open(), and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn thalweg_taxa_close(taxa: *mut Taxa) {
    // SAFETY: the caller's promise.
    let_go(unsafe { pointers::take(taxa) });
}
