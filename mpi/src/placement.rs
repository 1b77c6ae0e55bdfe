//! Where the launcher has put this rank.

use std::num::NonZeroUsize;

use thalweg::Budget;

/// The cores and the neighbours of a rank.
pub(crate) struct Placement {
    /// Cores for this rank: those that it is bound to, or its share of all.
    pub(crate) cores: usize,
    /// Cores of the machine, where the system says it.
    all_cores: Option<usize>,
    /// Ranks on this machine.
    pub(crate) ranks_here: usize,
}

/// What launchers call the number of ranks on a machine: Open MPI, MPICH, Slurm.
const RANKS_HERE: [&str; 3] = [
    "OMPI_COMM_WORLD_LOCAL_SIZE",
    "MPI_LOCALNRANKS",
    "SLURM_NTASKS_PER_NODE",
];

/// And the number of this one: Open MPI, PMIx, PMI, Slurm.
const RANK: [&str; 4] = [
    "OMPI_COMM_WORLD_RANK",
    "PMIX_RANK",
    "PMI_RANK",
    "SLURM_PROCID",
];

/// The number of ranks of the job: Open MPI, MPICH, Slurm.
const RANKS: [&str; 3] = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"];

impl Placement {
    /// Of a rank of so many.
    pub(crate) fn find(ranks: usize) -> Self {
        let ranks_here = first_number(&RANKS_HERE)
            .unwrap_or(1)
            .clamp(1, ranks.max(1));
        let bound = Budget::all_cores().threads();
        let all_cores = all_cores();
        let cores = match all_cores {
            // Bound to some of them: others have the rest.
            Some(all) if bound < all => bound,
            _ => (bound / ranks_here).max(1),
        };
        Self {
            cores,
            all_cores,
            ranks_here,
        }
    }

    /// Say so if a rank has one core of many, which is what Open MPI does unless told otherwise.
    pub(crate) fn warn(&self, threads: Option<NonZeroUsize>) {
        let Some(all) = self.all_cores else { return };
        let bound = Budget::all_cores().threads();
        // One thread that was asked for has all that it needs.
        let wants_one = threads.is_some_and(|threads| threads.get() == 1);
        if bound == 1 && !wants_one && all > self.ranks_here.max(1) {
            let threads = threads.map_or(1, usize::from);
            eprintln!(
                "thalweg-mpi: warning: rank 0 is bound to one of {all} cores, which its {threads} threads share; \
                 mpirun --bind-to none, or --map-by numa:PE=CORES, gives it more"
            );
        }
    }
}

/// How many ranks the launcher has started, if that is more than MPI knows of: the launcher is of another MPI.
pub(crate) fn unknown_to_mpi(ranks: usize) -> Option<usize> {
    first_number(&RANKS).filter(|&launched| ranks == 1 && launched > 1)
}

/// Whether this is the rank that speaks, before MPI has begun.
pub(crate) fn is_first_rank() -> bool {
    first_number(&RANK).unwrap_or(0) == 0
}

fn first_number(names: &[&str]) -> Option<usize> {
    names
        .iter()
        .find_map(|name| std::env::var(name).ok()?.trim().parse().ok())
}

/// Cores that are switched on, whoever may use them.
fn all_cores() -> Option<usize> {
    count(&std::fs::read_to_string("/sys/devices/system/cpu/online").ok()?)
}

/// How many numbers a list such as `0-3,8` has.
fn count(list: &str) -> Option<usize> {
    let ranges = list.trim().split(',').map(|range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let [first, last] = [first, last].map(|number| number.parse::<usize>().ok());
        Some(last?.checked_sub(first?)? + 1)
    });
    ranges.sum()
}

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn lists_of_cores_are_counted() {
        assert_eq!(count("0\n"), Some(1));
        assert_eq!(count("0-3,8,10-11"), Some(7));
        assert_eq!(count("x"), None);
        assert_eq!(count("3-1"), None);
    }
}
