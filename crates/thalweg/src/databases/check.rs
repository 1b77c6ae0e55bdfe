//! Whether databases are whole and sound.

use std::path::{Path, PathBuf};

use thalweg_kmers::database::{DatabaseFormat, SortOptions, Totals};

use super::open_database;
use crate::{Control, Fault, Message, MessageKind, Outcomes};

/// Which databases are checked, and by which means. All fields can be set; [`new`](Self::new) has the defaults.
///
/// ```no_run
/// use thalweg::Control;
/// use thalweg::databases::CheckSettings;
///
/// for (database, outcome) in CheckSettings::new(["counts.thk"]).run(&Control::default())? {
///     println!("{}: {} k-mers", database.display(), outcome?.totals.total);
/// }
/// # Ok::<(), thalweg::Fault>(())
/// ```
#[derive(Clone, Debug)]
#[doc(alias = "verify")]
pub struct CheckSettings {
    /// Databases of any formats.
    pub databases: Vec<PathBuf>,
    /// Memory for what must be put in order, and the directory of what it has no room for.
    pub sorting: SortOptions,
}

/// A database that is whole and sound, as far as its format tells.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Checked {
    /// What it is.
    pub format: DatabaseFormat,
    /// What it has, all in all.
    pub totals: Totals,
    /// Whether every changed letter or count would have been noticed: our own format has checksums, and no other.
    pub has_checksums: bool,
    /// Whether it says how many k-mers it has; else a cut between two of them goes unnoticed.
    pub tells_its_end: bool,
}

impl CheckSettings {
    /// Those `databases`.
    pub fn new<P: Into<PathBuf>>(databases: impl IntoIterator<Item = P>) -> Self {
        Self {
            databases: databases.into_iter().map(Into::into).collect(),
            sorting: SortOptions::default(),
        }
    }

    /// Check all databases, and go on where one is at fault: what came of each, in their order.
    ///
    /// # Errors
    /// That it was cancelled.
    pub fn run(&self, control: &Control) -> Result<Outcomes<Checked>, Fault> {
        let mut outcomes = Vec::with_capacity(self.databases.len());
        for (place, path) in self.databases.iter().enumerate() {
            let outcome = self.check(place, control);
            control.check()?;
            outcomes.push((path.clone(), outcome));
        }
        Ok(outcomes)
    }

    /// Check the database at this place among all. Reads everything.
    ///
    /// # Errors
    /// The first thing that is wrong with it, or that it was cancelled.
    ///
    /// # Panics
    /// If there is no such place.
    pub fn check(&self, place: usize, control: &Control) -> Result<Checked, Fault> {
        let database = open_database(&self.databases[place], control)?;
        let totals = database.verify_unless(&self.sorting, &control.watch(&database))?;
        let format = database.header().format;
        Ok(Checked {
            format,
            totals,
            has_checksums: format == DatabaseFormat::Thk,
            tells_its_end: database.tells_its_end(),
        })
    }
}

impl Checked {
    /// What the check of the database at `path` could not find, to be told to who wants to know.
    pub fn notes(&self, path: &Path) -> impl Iterator<Item = Message> {
        let path = path.display();
        let no_checksums = (!self.has_checksums).then(|| {
            format!(
                "{path} has no checksums, as its format has none: its structure is sound, but not \
                 every changed letter or count would be noticed"
            )
        });
        let no_end = (!self.tells_its_end).then(|| {
            format!(
                "{path} does not say how many k-mers it has: if it was cut between two of \
                 them, nothing tells"
            )
        });
        let kind = MessageKind::Note;
        let note = move |text| Message { kind, text };
        no_checksums.into_iter().chain(no_end).map(note)
    }
}
