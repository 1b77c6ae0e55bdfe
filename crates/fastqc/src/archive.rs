//! The folder of a report, as one file: `zip`.
//!
//! By the application note of PKWARE, version 6.3: local headers with the data, then the central directory. Times are the
//! first that the format has, so that the same report is the same file.

use libdeflater::{CompressionLvl, Compressor, Crc};

use crate::{Report, page};

/// "Version needed to extract": 2.0, which has folders and DEFLATE.
const VERSION_NEEDED: u16 = 20;

/// Made on Unix, so that "external attributes" have its permissions.
const MADE_BY: u16 = 3 << 8 | VERSION_NEEDED;

/// The first of January 1980.
const DATE: u16 = 1 << 5 | 1;

/// Most entries and bytes of the format without its extension for large files.
const MOST_BYTES: usize = u32::MAX as usize;

/// A file of the folder.
pub struct ReportFile {
    /// Its name below the folder.
    pub name: String,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// The files of a report's folder, in the order in which the archive has them: `page` is its page.
pub fn files(report: &Report, page: &str) -> Vec<ReportFile> {
    let file = |name: &str, text: &str| ReportFile {
        name: name.to_owned(),
        bytes: text.as_bytes().to_vec(),
    };
    let mut files: Vec<ReportFile> = page::ICONS
        .iter()
        .map(|(name, svg)| file(&format!("Icons/{name}.svg"), svg))
        .collect();
    files.push(file("summary.txt", &report.summary()));
    let figures = report.modules().iter().flat_map(|module| module.figures());
    files.extend(figures.map(|figure| {
        let svg = page::alone(&figure.svg);
        file(&format!("Images/{}.svg", figure.file), &svg)
    }));
    files.push(file("fastqc_report.html", page));
    files.push(file("fastqc_data.txt", &report.data()));
    files
}

/// The archive of a folder: `None` if it would have more than the format can hold, which no report has.
pub fn archive(folder: &str, files: &[ReportFile]) -> Option<Vec<u8>> {
    let mut archive = Archive::default();
    // Other programs take the first entry for the folder.
    for name in ["", "Icons/", "Images/"] {
        archive.add(&format!("{folder}/{name}"), b"")?;
    }
    for file in files {
        archive.add(&format!("{folder}/{}", file.name), &file.bytes)?;
    }
    archive.finish()
}

#[derive(Default)]
struct Archive {
    bytes: Vec<u8>,
    directory: Vec<u8>,
    entries: u16,
}

impl Archive {
    fn add(&mut self, name: &str, data: &[u8]) -> Option<()> {
        if data.len() > MOST_BYTES || name.len() > usize::from(u16::MAX) {
            return None;
        }
        let offset = u32::try_from(self.bytes.len()).ok()?;
        let mut compressor = Compressor::new(CompressionLvl::default());
        let mut packed = vec![0; compressor.deflate_compress_bound(data.len())];
        let packed = match compressor.deflate_compress(data, &mut packed) {
            Ok(length) if length < data.len() => &packed[..length],
            // What would not get shorter is stored.
            _ => data,
        };
        let method = if packed.len() < data.len() { 8_u16 } else { 0 };
        let mut crc = Crc::new();
        crc.update(data);
        let mut common = Vec::new();
        // Flags: the name is UTF-8. Then method, time, date, checksum, both sizes, length of the name.
        for field in [VERSION_NEEDED, 1 << 11, method, 0, DATE] {
            common.extend(field.to_le_bytes());
        }
        for field in [crc.sum(), packed.len() as u32, data.len() as u32] {
            common.extend(field.to_le_bytes());
        }
        common.extend((name.len() as u16).to_le_bytes());
        // No extra field.
        common.extend([0; 2]);
        self.bytes.extend(b"PK\x03\x04");
        self.bytes.extend(&common);
        self.bytes.extend(name.as_bytes());
        self.bytes.extend(packed);
        let mode: u32 = if name.ends_with('/') {
            0o040_755
        } else {
            0o100_644
        };
        let folder = u32::from(name.ends_with('/')) << 4;
        self.directory.extend(b"PK\x01\x02");
        self.directory.extend(MADE_BY.to_le_bytes());
        self.directory.extend(&common);
        // No comment, the first disk, no internal attributes.
        self.directory.extend([0; 6]);
        self.directory.extend((mode << 16 | folder).to_le_bytes());
        self.directory.extend(offset.to_le_bytes());
        self.directory.extend(name.as_bytes());
        self.entries = self.entries.checked_add(1)?;
        Some(())
    }

    fn finish(mut self) -> Option<Vec<u8>> {
        let start = u32::try_from(self.bytes.len()).ok()?;
        let length = u32::try_from(self.directory.len()).ok()?;
        self.bytes.append(&mut self.directory);
        self.bytes.extend(b"PK\x05\x06");
        for field in [0, 0, self.entries, self.entries] {
            self.bytes.extend(field.to_le_bytes());
        }
        self.bytes.extend(length.to_le_bytes());
        self.bytes.extend(start.to_le_bytes());
        // No comment.
        self.bytes.extend([0; 2]);
        Some(self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    fn number(bytes: &[u8]) -> usize {
        bytes
            .iter()
            .rev()
            .fold(0, |number, &byte| number << 8 | usize::from(byte))
    }

    #[test]
    fn what_was_put_in_comes_out() {
        let files = [
            ("a.txt", "text ".repeat(100)),
            ("é", String::new()),
            ("c", "x".to_owned()),
        ];
        let files = files.map(|(name, text)| ReportFile {
            name: name.to_owned(),
            bytes: text.into_bytes(),
        });
        let archive = archive("folder", &files).expect("a small archive");
        let end = &archive[archive.len() - 22..];
        assert_eq!((&end[..4], number(&end[10..12])), (&b"PK\x05\x06"[..], 6));
        let mut directory = &archive[number(&end[16..20])..archive.len() - 22];
        let mut names = Vec::new();
        while !directory.is_empty() {
            let name = &directory[46..46 + number(&directory[28..30])];
            let local = &archive[number(&directory[42..46])..];
            assert_eq!(
                (&local[..4], &local[30..30 + name.len()]),
                (&b"PK\x03\x04"[..], name)
            );
            let packed = &local[30 + name.len()..][..number(&directory[20..24])];
            let mut bytes = Vec::new();
            match number(&local[8..10]) {
                8 => flate2::read::DeflateDecoder::new(packed)
                    .read_to_end(&mut bytes)
                    .expect("DEFLATE"),
                _ => packed
                    .to_vec()
                    .as_slice()
                    .read_to_end(&mut bytes)
                    .expect("memory"),
            };
            let mut crc = Crc::new();
            crc.update(&bytes);
            assert_eq!(number(&local[14..18]), crc.sum() as usize);
            names.push((String::from_utf8_lossy(name).into_owned(), bytes));
            directory = &directory[46 + name.len()..];
        }
        let folders = ["folder/", "folder/Icons/", "folder/Images/"]
            .map(|name| (name.to_owned(), Vec::new()));
        let files = files.map(|file| (format!("folder/{}", file.name), file.bytes));
        assert_eq!(names, [folders, files].concat());
    }
}
