//! How much memory a count takes if nobody says.

use std::fs;

use thalweg::Budget;

/// Less than this is slower than it needs to be, on any machine that reads are counted on.
const LEAST: u64 = 256 << 20;

/// Half of what the system says is available, or of the limit that this process runs under, if
/// that is less.
pub(crate) fn available() -> u64 {
    let limits = [system(), control_group()];
    match limits.into_iter().flatten().min() {
        Some(bytes) => (bytes / 2).max(LEAST),
        None => Budget::DEFAULT_MEMORY,
    }
}

/// What Linux can give without swapping.
fn system() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes << 10)
}

/// The limit of a container or a batch system's job.
fn control_group() -> Option<u64> {
    let text = fs::read_to_string("/proc/self/cgroup").ok()?;
    let group = text.lines().find_map(|line| line.strip_prefix("0::"))?;
    let limit = |group: &str| -> Option<u64> {
        let path = format!("/sys/fs/cgroup{group}/memory.max");
        fs::read_to_string(path).ok()?.trim().parse().ok()
    };
    // A limit of any group around this one holds, too.
    let mut groups = vec![group];
    while let Some((outer, _)) = groups.last().and_then(|group| group.rsplit_once('/')) {
        groups.push(outer);
    }
    groups.into_iter().filter_map(limit).min()
}

#[cfg(test)]
mod tests {
    #[test]
    fn there_is_some() {
        assert!(super::available() >= super::LEAST);
    }
}
