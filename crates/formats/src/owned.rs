//! Records that own their bytes, and the other strand.

use std::io::{self, Write};

use crate::{Record, name};

/// A record of its own: for who keeps some, or changes them.
///
/// ```
/// use thalweg_formats::OwnedRecord;
///
/// let read = OwnedRecord::fastq("read1 lane 3", "AACG", "!IIF");
/// let other = read.reverse_complement();
/// assert_eq!((&other.sequence[..], other.quality.as_deref()), (&b"CGTT"[..], Some(&b"FII!"[..])));
/// let mut text = Vec::new();
/// other.write_to(&mut text)?;
/// assert_eq!(text, b"@read1 lane 3\nCGTT\n+\nFII!\n");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct OwnedRecord {
    /// The header line, without its `@` or `>`, and without its end.
    pub head: Vec<u8>,
    /// The bases, without line ends.
    pub sequence: Vec<u8>,
    /// The quality bytes of FASTQ, as many as there are bases; `None` in FASTA.
    pub quality: Option<Vec<u8>>,
}

impl OwnedRecord {
    /// A record of FASTQ. That there are as many qualities as bases is the caller's to see to.
    pub fn fastq(
        head: impl Into<Vec<u8>>,
        sequence: impl Into<Vec<u8>>,
        quality: impl Into<Vec<u8>>,
    ) -> Self {
        let quality = Some(quality.into());
        Self {
            quality,
            ..Self::fasta(head, sequence)
        }
    }

    /// A record of FASTA.
    pub fn fasta(head: impl Into<Vec<u8>>, sequence: impl Into<Vec<u8>>) -> Self {
        let (head, sequence) = (head.into(), sequence.into());
        Self {
            head,
            sequence,
            quality: None,
        }
    }

    /// The header up to the first space or tab: the name of the read.
    #[doc(alias = "name")]
    pub fn id(&self) -> &[u8] {
        name::id(&self.head)
    }

    /// What follows the first space or tab of the header; empty if there is none.
    pub fn description(&self) -> &[u8] {
        self.head.get(self.id().len() + 1..).unwrap_or_default()
    }

    /// The number of bases.
    #[doc(alias = "len")]
    pub fn length(&self) -> usize {
        self.sequence.len()
    }

    /// The same read of the other strand: bases as of [`reverse_complement`], qualities turned round with them, the header
    /// as it is.
    #[doc(alias = "revcomp")]
    pub fn reverse_complement(&self) -> Self {
        let turned = |quality: &Vec<u8>| quality.iter().rev().copied().collect();
        Self {
            head: self.head.clone(),
            sequence: reverse_complement(&self.sequence),
            quality: self.quality.as_ref().map(turned),
        }
    }

    /// Write it as text: FASTQ on four lines if it has qualities, else FASTA with the sequence on one line. Buffering is the
    /// caller's.
    ///
    /// # Errors
    /// Those of `output`.
    pub fn write_to(&self, output: &mut (impl Write + ?Sized)) -> io::Result<()> {
        let mark = if self.quality.is_some() { b"@" } else { b">" };
        for part in [&mark[..], &self.head, b"\n", &self.sequence, b"\n"] {
            output.write_all(part)?;
        }
        if let Some(quality) = &self.quality {
            for part in [&b"+\n"[..], quality, b"\n"] {
                output.write_all(part)?;
            }
        }
        Ok(())
    }
}

impl From<Record<'_>> for OwnedRecord {
    fn from(record: Record<'_>) -> Self {
        Self {
            head: record.head().to_vec(),
            sequence: record.sequence().into_owned(),
            quality: record.quality().map(|quality| quality.into_owned()),
        }
    }
}

/// The other strand of `bases`, read the other way: A and T, C and G change places, and the letters of IUPAC for several
/// bases likewise, each in its case. U becomes A; what is no such letter stays.
///
/// ```
/// assert_eq!(thalweg_formats::reverse_complement(b"AACGRn"), b"nYCGTT");
/// ```
#[doc(alias = "revcomp")]
pub fn reverse_complement(bases: &[u8]) -> Vec<u8> {
    let mut other = vec![0; bases.len()];
    match bases.iter().all(|base| b"ACGT".contains(base)) {
        true => thalweg_scan::reverse_complement(bases, &mut other),
        false => {
            for (other, &base) in other.iter_mut().zip(bases.iter().rev()) {
                *other = COMPLEMENTS[usize::from(base)];
            }
        }
    }
    other
}

/// Of each byte. NC-IUB 1984: R is A or G, Y C or T, K G or T, M A or C, B all but A, V all but T, D all but C, H all but G;
/// S, W and N are their own.
const COMPLEMENTS: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = byte as u8;
        byte += 1;
    }
    let pairs = [b"AT", b"CG", b"RY", b"KM", b"BV", b"DH"];
    let mut number = 0;
    while number < pairs.len() {
        let [one, other] = *pairs[number];
        table[one as usize] = other;
        table[other as usize] = one;
        table[one.to_ascii_lowercase() as usize] = other.to_ascii_lowercase();
        table[other.to_ascii_lowercase() as usize] = one.to_ascii_lowercase();
        number += 1;
    }
    table[b'U' as usize] = b'A';
    table[b'u' as usize] = b'a';
    table
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Format, Records, Scanner};

    fn records(text: &str, format: Format, ends: &mut Vec<u32>) -> Vec<OwnedRecord> {
        let mut scanner = Scanner::new(format);
        scanner
            .scan(text.as_bytes(), 0, true, usize::MAX, ends)
            .unwrap();
        let records = Records::new(text.as_bytes(), 0, format, ends);
        records.map(Record::into_owned).collect()
    }

    #[test]
    fn owned_records_are_what_the_views_show() {
        let fastq = "@a b c\r\nACGT\r\n+\r\nIIII\r\n@c\nGG\n+c\n#!";
        let found = records(fastq, Format::Fastq, &mut Vec::new());
        assert_eq!(found[0], OwnedRecord::fastq("a b c", "ACGT", "IIII"));
        assert_eq!(
            (found[0].id(), found[0].description()),
            (&b"a"[..], &b"b c"[..])
        );
        assert_eq!(found[1], OwnedRecord::fastq("c", "GG", "#!"));
        assert_eq!(found[1].length(), 2);
        let fasta = ">a\nACGT\nAC\n>b\n";
        let found = records(fasta, Format::Fasta, &mut Vec::new());
        let expected = [
            OwnedRecord::fasta("a", "ACGTAC"),
            OwnedRecord::fasta("b", ""),
        ];
        assert_eq!(found, expected);
        let mut text = Vec::new();
        for record in &found {
            record.write_to(&mut text).unwrap();
        }
        assert_eq!(text, b">a\nACGTAC\n>b\n\n");
    }

    #[test]
    fn views_are_written_as_they_stand_with_all_line_ends() {
        for (text, format, expected) in [
            ("@c\nGG\n+c\n#!", Format::Fastq, "@c\nGG\n+c\n#!\n"),
            ("@c\nGG\n+c\n#!\n", Format::Fastq, "@c\nGG\n+c\n#!\n"),
            ("@c\n\n+\n", Format::Fastq, "@c\n\n+\n\n"),
            ("@c\n\n+\n\n", Format::Fastq, "@c\n\n+\n\n"),
            (">a\nACG\nT", Format::Fasta, ">a\nACG\nT\n"),
            (">a\n", Format::Fasta, ">a\n"),
        ] {
            let mut ends = Vec::new();
            let mut scanner = Scanner::new(format);
            scanner
                .scan(text.as_bytes(), 0, true, usize::MAX, &mut ends)
                .unwrap();
            let mut written = Vec::new();
            for record in Records::new(text.as_bytes(), 0, format, &ends) {
                record.write_to(&mut written).unwrap();
            }
            assert_eq!(String::from_utf8(written).unwrap(), expected, "{text:?}");
        }
    }

    #[test]
    fn every_letter_has_its_other_strand() {
        let pairs = "AT CG GC TA RY YR KM MK BV VB DH HD SS WW NN UA -- ..";
        for pair in pairs.split(' ') {
            for pair in [pair.to_owned(), pair.to_lowercase()] {
                let (base, other) = pair.as_bytes().split_at(1);
                assert_eq!(reverse_complement(base), other, "{pair}");
            }
        }
        let bases = b"ACGTTGCAACGGGTA".repeat(20);
        for length in 0..bases.len() {
            let plain: Vec<u8> = bases[..length]
                .iter()
                .rev()
                .map(|base| match base {
                    b'A' => b'T',
                    b'C' => b'G',
                    b'G' => b'C',
                    _ => b'A',
                })
                .collect();
            assert_eq!(reverse_complement(&bases[..length]), plain);
            let mut with_n = bases[..length].to_vec();
            with_n.push(b'N');
            assert_eq!(reverse_complement(&with_n)[1..], plain);
        }
    }
}
