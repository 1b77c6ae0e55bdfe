//! Columns of records: text, and numbers made of it.

mod tag;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use pyo3::prelude::*;
use thalweg::flow::Pool;
use thalweg::formats::bam::BamRecord;
use thalweg::{Batch, Location, Record};

use self::tag::Tag;
use crate::errors;
use crate::fault::{TableFault, TooLong};
use crate::grouping::Grouping;

/// Rows of a batch of a table, unless somebody wants others.
pub(crate) const ROWS: usize = 65536;

/// What can be told of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Column {
    Name,
    Description,
    Sequence,
    Quality,
    Length,
    MeanQuality,
    QualityOfMeanError,
    Gc,
    Rank,
    Mate,
    /// Of BAM.
    Tag(Tag),
}

impl Column {
    /// But for tags, of which there are as many as anyone likes.
    const ALL: [Self; 10] = [
        Self::Name,
        Self::Description,
        Self::Sequence,
        Self::Quality,
        Self::Length,
        Self::MeanQuality,
        Self::QualityOfMeanError,
        Self::Gc,
        Self::Rank,
        Self::Mate,
    ];

    pub(crate) fn name(self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::Tag(tag) => return Cow::Owned(tag.column()),
            Self::Name => "name",
            Self::Description => "description",
            Self::Sequence => "sequence",
            Self::Quality => "quality",
            Self::Length => "length",
            Self::MeanQuality => "mean_quality",
            Self::QualityOfMeanError => "quality_of_mean_error",
            Self::Gc => "gc",
            Self::Rank => "rank",
            Self::Mate => "mate",
        })
    }

    /// Whether a record may have none.
    pub(crate) fn may_be_null(self) -> bool {
        match self {
            Self::Quality | Self::MeanQuality | Self::QualityOfMeanError => true,
            Self::Gc | Self::Rank | Self::Tag(_) => true,
            Self::Name | Self::Description | Self::Sequence | Self::Length | Self::Mate => false,
        }
    }

    /// None of its values yet.
    pub(crate) fn values(self) -> Values {
        match self {
            Self::Tag(tag) => tag.values(),
            Self::Name | Self::Description | Self::Sequence | Self::Quality => {
                Values::Text(vec![0], Vec::new())
            }
            Self::Length => Values::U32(Vec::new()),
            Self::MeanQuality | Self::QualityOfMeanError | Self::Gc => Values::F64(Vec::new()),
            Self::Rank => Values::U64(Vec::new()),
            Self::Mate => Values::U8(Vec::new()),
        }
    }
}

/// Their names, in order.
pub(crate) fn names(columns: &[Column]) -> Vec<Cow<'static, str>> {
    columns.iter().map(|column| column.name()).collect()
}

/// What a user names; the columns that nobody need name if `None`.
pub(crate) fn parse(names: Option<Vec<String>>) -> PyResult<Arc<[Column]>> {
    let Some(names) = names else {
        return Ok(Arc::from([Column::Name, Column::Sequence, Column::Quality]));
    };
    let known =
        || Column::ALL.map(Column::name).join(", ") + ", tag:XX, tag:XX:i, tag:XX:f, tag:XX:Z";
    if names.is_empty() {
        let what = format!("no column; there are {}", known());
        return Err(errors::of_value("columns", what));
    }
    let of_name = |name: &String| {
        let mut all = Column::ALL.into_iter();
        let found = all.find(|column| column.name() == *name);
        let of_tag = || Tag::parse(name).map(Column::Tag);
        found.or_else(of_tag).ok_or_else(|| {
            let what = format!("there is no '{name}', but {}", known());
            errors::of_value("columns", what)
        })
    };
    names.iter().map(of_name).collect()
}

/// Rows of some columns.
pub(crate) struct Table {
    pub(crate) columns: Vec<Filled>,
    rows: usize,
    /// Where its memory goes when nobody needs it any more.
    shelf: Option<Arc<Shelf>>,
}

/// Memory of columns of text, which is used again: what the system gives is filled with zeros before, page by page.
pub(crate) struct Shelf(Pool<(Vec<i32>, Vec<u8>)>);

impl Shelf {
    /// That has room for so many columns.
    pub(crate) fn new(columns: usize) -> Self {
        Self(Pool::new(columns))
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        let Some(Shelf(pool)) = self.shelf.as_deref() else {
            return;
        };
        for column in self.columns.drain(..) {
            if let Values::Text(mut ends, mut text) = column.values
                && text.capacity() <= MOST_KEPT
            {
                ends.truncate(1);
                text.clear();
                pool.give((ends, text));
            }
        }
    }
}

/// Bytes of a text that is kept: not that of a long record.
const MOST_KEPT: usize = 16 << 20;

/// A column of a table.
pub(crate) struct Filled {
    column: Column,
    pub(crate) values: Values,
    pub(crate) nulls: Nulls,
}

/// Its values, as Arrow has them.
pub(crate) enum Values {
    /// Where each text begins, and the last one ends; and all of them.
    Text(Vec<i32>, Vec<u8>),
    U8(Vec<u8>),
    U32(Vec<u32>),
    U64(Vec<u64>),
    I64(Vec<i64>),
    F64(Vec<f64>),
}

impl Values {
    /// How many there are.
    fn rows(&self) -> usize {
        match self {
            Self::Text(ends, _) => ends.len() - 1,
            Self::U8(values) => values.len(),
            Self::U32(values) => values.len(),
            Self::U64(values) => values.len(),
            Self::I64(values) => values.len(),
            Self::F64(values) => values.len(),
        }
    }

    /// What Arrow calls their type.
    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            Self::Text(..) => "utf8",
            Self::U8(_) => "uint8",
            Self::U32(_) => "uint32",
            Self::U64(_) => "uint64",
            Self::I64(_) => "int64",
            Self::F64(_) => "float64",
        }
    }
}

/// Which rows have a value: a bit for each, the first the lowest of its byte.
#[derive(Default)]
pub(crate) struct Nulls {
    pub(crate) bits: Vec<u8>,
    rows: usize,
    /// How many have none.
    pub(crate) count: usize,
}

impl Nulls {
    fn push(&mut self, has_value: bool) {
        if self.rows.is_multiple_of(8) {
            self.bits.push(0);
        }
        if let Some(last) = self.bits.last_mut() {
            *last |= u8::from(has_value) << (self.rows % 8);
        }
        self.rows += 1;
        self.count += usize::from(!has_value);
    }
}

impl Table {
    pub(crate) fn new(columns: &[Column]) -> Self {
        let filled = |column: &Column| Filled {
            column: *column,
            values: column.values(),
            nulls: Nulls::default(),
        };
        Self {
            columns: columns.iter().map(filled).collect(),
            rows: 0,
            shelf: None,
        }
    }

    /// With memory of a shelf, where there is some.
    pub(crate) fn of_shelf(columns: &[Column], shelf: &Arc<Shelf>) -> Self {
        let mut table = Self::new(columns);
        for column in &mut table.columns {
            if let Values::Text(ends, text) = &mut column.values {
                (*ends, *text) = shelf.0.take(|| (vec![0], Vec::new()));
            }
        }
        table.shelf = Some(Arc::clone(shelf));
        table
    }

    /// Number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Bytes of the longest column of text.
    pub(crate) fn longest(&self) -> usize {
        let bytes = self.columns.iter().map(|column| match &column.values {
            Values::Text(_, text) => text.len(),
            _ => 0,
        });
        bytes.max().unwrap_or(0)
    }

    /// Make room for so many rows, with sequences of so many `bytes` in all.
    pub(crate) fn reserve(&mut self, rows: usize, bytes: usize) {
        for column in &mut self.columns {
            match &mut column.values {
                Values::Text(ends, text) => {
                    ends.reserve(rows);
                    let is_long = matches!(column.column, Column::Sequence | Column::Quality);
                    if is_long {
                        text.reserve(bytes);
                    }
                }
                Values::U8(values) => values.reserve(rows),
                Values::U32(values) => values.reserve(rows),
                Values::U64(values) => values.reserve(rows),
                Values::I64(values) => values.reserve(rows),
                Values::F64(values) => values.reserve(rows),
            }
        }
    }

    /// That every column has a value for each row: who is handed addresses of columns reads as many.
    ///
    /// # Panics
    /// If not, which would be a fault of ours.
    pub(crate) fn assert_whole(&self) {
        for Filled {
            column,
            values,
            nulls,
        } in &self.columns
        {
            let is_told = nulls.rows == self.rows || (nulls.rows == 0 && !column.may_be_null());
            assert!(
                values.rows() == self.rows && is_told,
                "column '{}' has {} values, {} flags of nulls, and the table {} rows",
                column.name(),
                values.rows(),
                nulls.rows,
                self.rows
            );
        }
    }

    /// Add rows; mates have one each.
    pub(crate) fn add(&mut self, rows: &Rows<'_>) -> Result<(), TableFault> {
        for column in &mut self.columns {
            column.add(rows)?;
        }
        self.rows += rows.groups.len() * rows.width();
        Ok(())
    }
}

/// What batches promise, and [`Rows`] relies on.
const EACH_MATE: &str = "a group has a record of each mate";

/// Records of a batch, by groups of mates.
pub(crate) struct Rows<'a> {
    batch: &'a Batch,
    grouping: Grouping,
    groups: Range<usize>,
}

impl<'a> Rows<'a> {
    /// These groups of a batch.
    pub(crate) fn new(batch: &'a Batch, grouping: Grouping, groups: Range<usize>) -> Self {
        Self {
            batch,
            grouping,
            groups,
        }
    }

    /// All of a batch.
    pub(crate) fn all(batch: &'a Batch, grouping: Grouping) -> Self {
        Self::new(batch, grouping, 0..grouping.groups(batch))
    }

    fn width(&self) -> usize {
        self.grouping.width(self.batch)
    }

    /// Calls `each` with every record, its mate and its rank, in the order of the rows.
    #[inline(always)]
    fn each<E>(
        &self,
        mut each: impl FnMut(Record<'a>, usize, Option<u64>) -> Result<(), E>,
    ) -> Result<(), E> {
        let blocks = self.batch.blocks();
        let (width, Range { start, end }) = (self.width(), self.groups.clone());
        if width == 1 {
            // Without looking for each record anew.
            let rank = blocks[0].first_rank();
            let records = blocks[0].records().split_at(end).0.split_at(start).1;
            for (number, record) in (start as u64..).zip(records) {
                each(record, 0, rank.map(|rank| rank + number))?;
            }
            return Ok(());
        }
        let records: Vec<_> = blocks.iter().map(|block| block.records()).collect();
        for group in start..end {
            for mate in 0..width {
                let (block, index) = self.grouping.place(group, mate);
                let record = records[block].get(index).expect(EACH_MATE);
                let rank = blocks[block].first_rank();
                each(record, mate, rank.map(|rank| rank + index as u64))?;
            }
        }
        Ok(())
    }

    /// Calls `each` with every record of BAM, and the number of its row.
    fn each_of_bam(
        &self,
        mut each: impl FnMut(BamRecord<'a>, usize) -> Result<(), TableFault>,
    ) -> Result<(), TableFault> {
        let of_block = |block: &'a thalweg::Block| {
            let no_tags = || TableFault::NoTags(Box::new(Location::of_file(block.path())));
            block.raw_records().ok_or_else(no_tags)
        };
        let records = self.batch.blocks().iter().map(of_block);
        let records = records.collect::<Result<Vec<_>, _>>()?;
        let rows = (self.groups.clone())
            .flat_map(|group| (0..self.width()).map(move |mate| (group, mate)));
        for (row, (group, mate)) in rows.enumerate() {
            let (block, index) = self.grouping.place(group, mate);
            let record = records[block].get(index).expect(EACH_MATE);
            each(BamRecord::new(record), row)?;
        }
        Ok(())
    }

    /// Where row `number` is.
    fn location(&self, number: usize) -> Location {
        let width = self.width();
        let (block, index) = self
            .grouping
            .place(self.groups.start + number / width, number % width);
        let block = &self.batch.blocks()[block];
        let rank = block.first_rank().map(|rank| rank + index as u64);
        Location::of_file(block.path()).at_record(rank)
    }
}

impl Filled {
    fn add(&mut self, rows: &Rows<'_>) -> Result<(), TableFault> {
        let (column, nulls) = (self.column, &mut self.nulls);
        if let Column::Tag(tag) = column {
            return tag.add(rows, &mut self.values, nulls);
        }
        match &mut self.values {
            Values::Text(ends, text) => {
                let (row, start) = (ends.len() - 1, text.len());
                match column {
                    Column::Name => add_text(rows, ends, text, |record, text| {
                        text.extend_from_slice(record.id());
                    })?,
                    Column::Description => add_text(rows, ends, text, |record, text| {
                        text.extend_from_slice(record.description());
                    })?,
                    Column::Sequence => add_text(rows, ends, text, |record, text| {
                        text.extend_from_slice(&record.sequence());
                    })?,
                    _ => add_text(rows, ends, text, |record, text| {
                        nulls.push(record.has_qualities());
                        if let Some(quality) = record.quality() {
                            text.extend_from_slice(&quality);
                        }
                    })?,
                }
                // Each for itself must be UTF-8, which all of it in ASCII tells at once.
                if text[start..].is_ascii() {
                    return Ok(());
                }
                let is_text = |ends: &[i32]| {
                    std::str::from_utf8(&text[ends[0] as usize..ends[1] as usize]).is_ok()
                };
                match ends[row..].windows(2).position(|ends| !is_text(ends)) {
                    None => Ok(()),
                    Some(number) => Err(TableFault::Text(Box::new(rows.location(number)), column)),
                }
            }
            Values::U8(values) => rows.each(|_, mate, _| {
                values.push(u8::try_from(mate).unwrap_or(u8::MAX));
                Ok(())
            }),
            Values::U32(values) => {
                let start = values.len();
                let outcome = rows.each(|record, _, _| {
                    u32::try_from(record.length()).map(|length| values.push(length))
                });
                outcome.map_err(|_| {
                    let number = values.len() - start;
                    TableFault::LongRecord(Box::new(rows.location(number)))
                })
            }
            Values::U64(values) => rows.each(|_, _, rank| {
                nulls.push(rank.is_some());
                values.push(rank.unwrap_or(0));
                Ok(())
            }),
            Values::I64(_) => {
                unreachable!("only columns of tags have such, which were added above")
            }
            Values::F64(values) => rows.each(|record, _, _| {
                let value = match column {
                    Column::Gc => gc(&record),
                    Column::MeanQuality => mean_quality(&record),
                    _ => quality_of_mean_error(&record),
                };
                nulls.push(value.is_some());
                values.push(value.unwrap_or(f64::NAN));
                Ok(())
            }),
        }
    }
}

#[inline(always)]
fn add_text(
    rows: &Rows<'_>,
    ends: &mut Vec<i32>,
    text: &mut Vec<u8>,
    mut add: impl FnMut(Record<'_>, &mut Vec<u8>),
) -> Result<(), TableFault> {
    rows.each(|record, _, _| {
        add(record, text);
        ends.push(i32::try_from(text.len()).map_err(|_| TooLong)?);
        Ok(())
    })
}

/// The share of G and C in either case, 0 to 1.
fn gc(record: &Record<'_>) -> Option<f64> {
    let is_gc = |base: &&u8| matches!(**base | 0x20, b'g' | b'c');
    let counts = record
        .sequence_lines()
        .map(|line| line.iter().filter(is_gc).count());
    let bases = record.length();
    (bases > 0).then(|| counts.sum::<usize>() as f64 / bases as f64)
}

/// The lowest quality byte of FASTQ: Phred 0.
const PHRED: i32 = 33;

/// The mean of the bases' Phred values, as `thalweg stats` has it.
fn mean_quality(record: &Record<'_>) -> Option<f64> {
    let of_line = |line: &[u8]| line.iter().map(|&byte| u64::from(byte)).sum::<u64>();
    let sum: u64 = record.quality_lines().map(of_line).sum();
    let bases = record.length();
    (bases > 0 && record.has_qualities()).then(|| sum as f64 / bases as f64 - f64::from(PHRED))
}

/// The Phred value of the mean of the bases' error probabilities.
fn quality_of_mean_error(record: &Record<'_>) -> Option<f64> {
    static PROBABILITIES: LazyLock<[f64; 256]> = LazyLock::new(|| {
        std::array::from_fn(|byte| 10f64.powf(f64::from(PHRED - byte as i32) / 10.0))
    });
    let probabilities = &*PROBABILITIES;
    let of_line = |line: &[u8]| {
        line.iter()
            .map(|&byte| probabilities[usize::from(byte)])
            .sum::<f64>()
    };
    let errors: f64 = record.quality_lines().map(of_line).sum();
    let bases = record.length();
    (bases > 0 && record.has_qualities()).then(|| -10.0 * (errors / bases as f64).log10())
}
