//! Which files of Casava are one: `NAME_001.fastq.gz`, `NAME_002.fastq.gz` and so on.

use std::path::{Path, PathBuf};

/// Sets of files in the order of their first ones, each with the name that it has: that of all without the group's number.
pub(super) fn sets(files: &[PathBuf]) -> Vec<(PathBuf, Vec<PathBuf>)> {
    let mut sets: Vec<(PathBuf, Vec<PathBuf>)> = Vec::new();
    for file in files {
        let Some(name) = name_of_set(file) else {
            sets.push((file.clone(), vec![file.clone()]));
            continue;
        };
        match sets.iter_mut().find(|(other, _)| *other == name) {
            Some((_, files)) => files.push(file.clone()),
            None => sets.push((name, vec![file.clone()])),
        }
    }
    for (_, files) in &mut sets {
        files.sort();
    }
    sets
}

fn name_of_set(file: &Path) -> Option<PathBuf> {
    let stem = file.file_name()?.to_str()?.strip_suffix(".fastq.gz")?;
    let (name, number) = stem.rsplit_once('_')?;
    let is_number = number.len() == 3 && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| file.with_file_name(format!("{name}.fastq.gz")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_put_together() {
        let files = [
            "x/a_R1_002.fastq.gz",
            "b.fq",
            "x/a_R1_001.fastq.gz",
            "a_R1_001.fastq.gz",
        ];
        let found = sets(&files.map(PathBuf::from));
        let path = PathBuf::from;
        let wanted = vec![
            (
                path("x/a_R1.fastq.gz"),
                vec![path("x/a_R1_001.fastq.gz"), path("x/a_R1_002.fastq.gz")],
            ),
            (path("b.fq"), vec![path("b.fq")]),
            (path("a_R1.fastq.gz"), vec![path("a_R1_001.fastq.gz")]),
        ];
        assert_eq!(found, wanted);
    }
}
