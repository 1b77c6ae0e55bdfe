//! Reads to the findings of reports.
//!
//! ```text
//! each thread:  batch ──► Desk: counts ──► notes ──┐
//! in order:                                        └──► HandOver: a Ledger for each report ──┐
//! any thread:   Desk: what had to wait for it  ◄─────────────────────────────────────────────┘
//! ```

use std::sync::Arc;

use thalweg_fastqc::{Findings, Samples, Settings, Tally};
use thalweg_reads::{Error, ErrorKind};

use super::{Desk, HandOver};
use crate::{Control, Source, Workers};

/// FastQC's reports on reads: one for each file in step.
#[derive(Clone, Debug, Default)]
pub struct FastqcJob {
    /// What they are to be like.
    pub settings: Arc<Settings>,
}

impl FastqcJob {
    /// Look at all reads of `mates` files in step, and return what was found of each. The same for any number of threads.
    ///
    /// # Errors
    /// The first fault that a thread meets, or that it was cancelled.
    pub fn run(
        &self,
        workers: Workers,
        mates: usize,
        control: &Control,
    ) -> Result<Vec<Findings>, Error> {
        let position = workers.progress();
        let go_on = || {
            control.progress(&position);
            control.check()
        };
        let settings = &self.settings;
        let hand_over = HandOver::new(settings, mates, workers.ahead());
        let gate = Arc::clone(hand_over.gate());
        let work = |source: &mut Source| self.count(source, &hand_over, mates, &go_on);
        let (parts, tickets) = workers.run_behind(&gate, work, || hand_over.close())?;
        let ledgers = hand_over.finish(tickets)?;
        let mut parts: Vec<_> = parts.into_iter().map(Vec::into_iter).collect();
        let findings = ledgers.into_iter().map(|ledger| {
            let of_threads = parts.iter_mut().filter_map(Iterator::next);
            let (tallies, samples): (Vec<Tally>, Vec<Samples>) = of_threads.unzip();
            Findings::new(settings, tallies, ledger, samples)
        });
        Ok(findings.collect())
    }

    fn count(
        &self,
        source: &mut Source,
        hand_over: &HandOver<super::KeptReads>,
        mates: usize,
        go_on: &impl Fn() -> Result<(), Error>,
    ) -> Result<Vec<(Tally, Samples)>, Error> {
        let mut desks: Vec<Desk> = (0..mates).map(|_| Desk::new(&self.settings)).collect();
        let bringer = hand_over.bringer();
        while let Some(batch) = source.next_batch()? {
            go_on()?;
            let place = batch.place();
            let batch = Arc::new(batch);
            let entries = desks.iter_mut().enumerate();
            let entries = entries
                .map(|(mate, desk)| desk.count(&batch, mate))
                .collect();
            drop(batch);
            match hand_over.hand_in(place, entries) {
                // Another thread has failed, and tells why.
                Err(error) if matches!(error.kind(), ErrorKind::Stopped) => break,
                handed_in => handed_in?,
            }
            while let Some(entered) = hand_over.take() {
                settle(&mut desks, &entered);
            }
        }
        drop(bringer);
        while let Some(entered) = hand_over.wait() {
            settle(&mut desks, &entered);
        }
        Ok(desks.into_iter().map(Desk::finish).collect())
    }
}

fn settle(
    desks: &mut [Desk],
    entered: &[(
        super::ReportEntry<super::KeptReads>,
        thalweg_fastqc::Standing,
    )],
) {
    for (desk, (entry, standing)) in desks.iter_mut().zip(entered) {
        desk.settle(entry, standing);
    }
}

#[cfg(test)]
mod tests {
    use thalweg_fastqc::Report;

    use super::*;
    use crate::control::stopping;
    use crate::fastqc::{Extract, ReportFiles};
    use crate::{Budget, Fault, ReaderOptions, Reads};

    #[test]
    fn a_report_that_is_stopped_leaves_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let reads = directory.path().join("reads.fq");
        std::fs::write(&reads, "@r\nACGTTGCA\n+\nIIIIIIII\n".repeat(200_000)).unwrap();
        let job = FastqcJob::default();
        for threads in [1, 2] {
            let reports = directory.path().join(threads.to_string());
            std::fs::create_dir(&reports).unwrap();
            stopping::midway(directory.path(), |control| {
                let options = ReaderOptions::new().file(&reads);
                let workers = Reads::open(options.budget(Budget::new(threads)))?.all_workers();
                let files = ReportFiles::create(&reports, "reads", Extract::No)?;
                let findings = job.run(workers, 1, control)?;
                files.finish(&Report::new(&findings[0], "reads.fq"))?;
                Ok::<_, Fault>(())
            });
        }
    }
}
