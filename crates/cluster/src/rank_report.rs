//! What each rank says of its work at the end.

use std::time::Duration;

use serde_json::{Value, json};

/// Numbers of one rank.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RankReport {
    /// Its number.
    pub rank: u64,
    /// The machine that it ran on.
    pub host: String,
    /// Reads that it has read.
    pub records: u64,
    /// k-mers that it has cut.
    pub kmers_cut: u64,
    /// k-mers that it has counted, those of its own partitions.
    pub kmers_counted: u64,
    /// Bytes of blocks that it has sent to others.
    pub sent: u64,
    /// Bytes of blocks that it has got from others.
    pub received: u64,
    /// How long its workers have waited for claims, owners of partitions, and room, added up.
    pub waited: Duration,
    /// The most bytes that waited to be sent.
    pub waiting_bytes: u64,
    /// How long the first stage took, reading, and the second, counting.
    pub stages: [Duration; 2],
    /// Bytes in temporary files.
    pub spilled: u64,
    /// The most memory that its process has had, where the system says it.
    pub peak_memory: u64,
}

impl RankReport {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let microseconds = |time: Duration| time.as_micros() as u64;
        json!({
            "rank": self.rank,
            "host": self.host,
            "records": self.records,
            "kmers_cut": self.kmers_cut,
            "kmers_counted": self.kmers_counted,
            "sent": self.sent,
            "received": self.received,
            "waited": microseconds(self.waited),
            "waiting_bytes": self.waiting_bytes,
            "stage_1": microseconds(self.stages[0]),
            "stage_2": microseconds(self.stages[1]),
            "spilled": self.spilled,
            "peak_memory": self.peak_memory,
        })
        .to_string()
        .into_bytes()
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let value: Value = serde_json::from_slice(bytes).ok()?;
        let number = |name: &str| value.get(name)?.as_u64();
        let time = |name: &str| number(name).map(Duration::from_micros);
        Some(Self {
            rank: number("rank")?,
            host: value.get("host")?.as_str()?.to_owned(),
            records: number("records")?,
            kmers_cut: number("kmers_cut")?,
            kmers_counted: number("kmers_counted")?,
            sent: number("sent")?,
            received: number("received")?,
            waited: time("waited")?,
            waiting_bytes: number("waiting_bytes")?,
            stages: [time("stage_1")?, time("stage_2")?],
            spilled: number("spilled")?,
            peak_memory: number("peak_memory")?,
        })
    }
}

/// The most memory that this process has had; 0 where the system does not say it.
pub(crate) fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kibibytes.unwrap_or(0) << 10
}

/// What this machine is called; empty where the system does not say it.
pub(crate) fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    name.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_come_back() {
        let report = RankReport {
            rank: 3,
            host: "node \"7\"".to_owned(),
            records: u64::MAX,
            stages: [Duration::from_millis(5), Duration::from_secs(9)],
            ..RankReport::default()
        };
        assert_eq!(RankReport::from_bytes(&report.to_bytes()), Some(report));
        assert_eq!(RankReport::from_bytes(b"{}"), None);
    }
}
