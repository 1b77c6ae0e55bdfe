//! How long a count takes on machines that are not here: the formula of docs/design/scale.md.
//!
//! ```text
//! time = start + max(reading and cutting, file system, wire) + counting + writing + tail
//! ```
//! All rates are bytes of input per second, but for those of output.

/// A cluster and an input.
#[derive(Clone, Copy, Debug)]
pub struct Cluster {
    /// Ranks, one for each node or part of one.
    pub ranks: f64,
    /// Cores of a rank.
    pub cores: f64,
    /// Bytes of input, not compressed.
    pub input: f64,
    /// Input that one core reads and cuts in a second.
    pub cut: f64,
    /// Input that one core counts in a second: more where reads cover the same bases more often.
    pub count: f64,
    /// What the file system gives to all ranks together.
    pub files: f64,
    /// What the net takes from one rank, bytes on the wire.
    pub wire: f64,
    /// Bytes on the wire for each of input, if all went over it.
    pub wire_bytes: f64,
    /// Bytes of all databases together.
    pub output: f64,
    /// What one rank writes.
    pub write: f64,
    /// Until all ranks have begun.
    pub start: f64,
    /// Bytes that are claimed as one.
    pub chunk: f64,
}

/// Seconds, by what they go to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Time {
    /// Until all ranks have begun.
    pub start: f64,
    /// Cores that read and cut.
    pub cut: f64,
    /// The file system, at the same time.
    pub files: f64,
    /// The net, at the same time.
    pub wire: f64,
    /// Cores that count.
    pub count: f64,
    /// Shards.
    pub write: f64,
    /// The last claim, which others wait for.
    pub tail: f64,
}

impl Cluster {
    /// 150-base FASTQ at k = 22 on cores as they were measured, one rank of 24 cores on each of `ranks` nodes.
    pub fn measured(ranks: f64, input: f64, files: f64) -> Self {
        Self {
            ranks,
            cores: 24.0,
            input,
            cut: 520e6,
            count: 540e6,
            files,
            wire: 5e9,
            wire_bytes: 0.44,
            output: 0.0,
            write: 1e9,
            start: 1.0,
            chunk: 64e6,
        }
    }

    /// How long it takes.
    pub fn time(&self) -> Time {
        let cores = self.ranks * self.cores;
        // Of what a rank cuts, its own part stays.
        let sent = self.input * self.wire_bytes * (self.ranks - 1.0) / self.ranks;
        Time {
            start: self.start,
            cut: self.input / (cores * self.cut),
            files: self.input / self.files,
            wire: sent / self.ranks / self.wire,
            count: self.input / (cores * self.count),
            write: self.output / self.ranks / self.write,
            tail: self.chunk / self.cut,
        }
    }

    /// Bytes of super-k-mers of each rank between the stages, of so many for each of input.
    pub fn records(&self, bytes_of_input: f64) -> f64 {
        self.input * bytes_of_input / self.ranks
    }
}

impl Time {
    /// Seconds in all.
    pub fn total(&self) -> f64 {
        let first = self.cut.max(self.files).max(self.wire);
        self.start + first + self.count + self.write + self.tail
    }

    /// What the first stage waits for.
    pub fn limit(&self) -> &'static str {
        let first = self.cut.max(self.files).max(self.wire);
        match () {
            () if self.files >= first => "file system",
            () if self.wire >= first => "net",
            () => "cores",
        }
    }
}

/// Bloomfish as its authors describe it, fitted: cores at this rate, and beyond that a time that grows with ranks and bytes.
///
/// Three parameters for six published points: it shows the shape, and proves little.
pub fn bloomfish_seconds(ranks: f64, input: f64) -> f64 {
    let rate = match input / ranks > 2e9 {
        true => 4.0e6,
        false => 2.9e6,
    };
    let start = 15.0 * (ranks / 768.0).powf(2.2);
    input / ranks / rate + start + input / 19e9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_system_decides_at_scale() {
        let cluster = Cluster::measured(128.0, 24e12, 19e9);
        let time = cluster.time();
        assert_eq!(time.limit(), "file system");
        assert!((1260.0..1320.0).contains(&time.total()), "{time:?}");
        // With one as fast as a large installation's, six minutes.
        let faster = Cluster {
            files: 67e9,
            ..cluster
        };
        assert!((358.0..380.0).contains(&faster.time().total()));
        // 84 GB of records on each node, of which many have 64.
        assert!((80e9..88e9).contains(&cluster.records(0.45)));
    }

    #[test]
    fn one_rank_sends_nothing_and_twice_the_cores_take_half() {
        let one = Cluster {
            chunk: 0.0,
            start: 0.0,
            ..Cluster::measured(1.0, 1e12, 1e15)
        };
        assert_eq!(one.time().wire, 0.0);
        assert_eq!(one.time().limit(), "cores");
        let two = Cluster { cores: 48.0, ..one };
        assert!((one.time().total() / two.time().total() - 2.0).abs() < 1e-9);
    }

    #[test]
    fn a_slow_net_shows() {
        let cluster = Cluster {
            wire: 1e6,
            ..Cluster::measured(4.0, 1e12, 1e15)
        };
        assert_eq!(cluster.time().limit(), "net");
    }

    #[test]
    fn published_points_are_near() {
        // 24 TB on 3072 ranks took an hour, 3 TB 14 minutes; 64 GB on 768 took 43 s.
        for (ranks, input, seconds) in [
            (3072.0, 24e12, 3600.0),
            (3072.0, 3e12, 840.0),
            (768.0, 64e9, 43.0),
        ] {
            let modelled = bloomfish_seconds(ranks, input);
            assert!(
                (modelled / seconds - 1.0_f64).abs() < 0.15,
                "{modelled} of {seconds}"
            );
        }
    }
}
