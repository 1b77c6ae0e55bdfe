//! Real threads: order, failure, panics, early drops.
#![cfg(not(loom))]

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use thalweg_flow::{Claims, Crew, Failure, Place, Pool, Sequencer, SequencerError, run};

/// `tickets` tickets of `ticket % 3 + 1` pieces each, made by `threads`
/// workers that may run `ahead` tickets ahead.
fn sequence(threads: usize, ahead: u64, tickets: u64) -> Vec<(u64, u64)> {
    let sequencer = Sequencer::new(ahead);
    let written = Mutex::new(Vec::new());
    let claims = Claims::new(tickets);
    run::<(), SequencerError<()>, _>(threads, |_, _| {
        while let Some(ticket) = claims.claim() {
            sequencer
                .gate()
                .wait(ticket)
                .map_err(|_| SequencerError::Closed)?;
            let pieces = ticket % 3 + 1;
            for piece in 0..pieces {
                let last = piece + 1 == pieces;
                let place = Place {
                    ticket,
                    piece,
                    last,
                };
                sequencer.commit(place, (ticket, piece), |value| {
                    written.lock().unwrap().push(value);
                    Ok(())
                })?;
            }
        }
        Ok(())
    })
    .unwrap();
    assert_eq!(sequencer.is_complete(tickets), Ok(true));
    written.into_inner().unwrap()
}

#[test]
fn order_does_not_depend_on_threads_or_capacity() {
    let expected: Vec<_> = (0..200)
        .flat_map(|ticket| (0..ticket % 3 + 1).map(move |piece| (ticket, piece)))
        .collect();
    for threads in [1, 2, 3, 8] {
        for ahead in [1, 2, 7, 1000] {
            assert_eq!(sequence(threads, ahead, 200), expected, "{threads} {ahead}");
        }
    }
}

#[test]
fn the_gate_bounds_what_is_unfinished() {
    let sequencer = Sequencer::new(3);
    let (begun, finished) = (AtomicU64::new(0), AtomicU64::new(0));
    let claims = Claims::new(500);
    run::<(), SequencerError<()>, _>(8, |_, _| {
        while let Some(ticket) = claims.claim() {
            sequencer.gate().wait(ticket).unwrap();
            let ahead = begun.fetch_add(1, Ordering::SeqCst) + 1;
            assert!(ahead - finished.load(Ordering::SeqCst) <= 3 + 1);
            let place = Place {
                ticket,
                piece: 0,
                last: true,
            };
            sequencer.commit(place, (), |()| {
                finished.fetch_add(1, Ordering::SeqCst);
                Ok(())
            })?;
        }
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_failing_worker_stops_the_others() {
    let outcome = run::<(), &str, _>(4, |worker, stop| {
        if worker == 2 {
            return Err("no such read");
        }
        while !stop.is_stopped() {
            std::thread::yield_now();
        }
        Ok(())
    });
    assert_eq!(outcome, Err(Failure::Failed("no such read")));
}

#[test]
fn a_panicking_worker_becomes_a_failure() {
    let outcome = run::<(), (), _>(2, |worker, stop| {
        assert!(worker == 0, "worker {worker} fell over");
        while !stop.is_stopped() {
            std::thread::yield_now();
        }
        Ok(())
    });
    assert_eq!(outcome, Err(Failure::Panicked("worker 1 fell over".into())));
}

#[test]
fn a_panic_while_writing_closes_the_sequencer() {
    let sequencer = Sequencer::new(1);
    let outcome = run::<(), (), _>(2, |worker, _| {
        if worker == 0 {
            let place = Place {
                ticket: 0,
                piece: 0,
                last: true,
            };
            let _ = sequencer.commit::<()>(place, (), |()| panic!("writer fell over"));
        } else {
            assert!(sequencer.gate().wait(1).is_err());
        }
        Ok(())
    });
    assert_eq!(outcome, Err(Failure::Panicked("writer fell over".into())));
}

#[test]
fn a_dropped_crew_stops_its_threads() {
    let wait = |_, stop: &thalweg_flow::Stop| {
        while !stop.is_stopped() {
            std::thread::yield_now();
        }
        Ok(())
    };
    let crew: Crew<(), ()> = Crew::start(3, wait, || {});
    drop(crew);
}

#[test]
fn the_first_failure_is_the_cause_and_not_its_consequence() {
    for _ in 0..100 {
        let sequencer: Sequencer<()> = Sequencer::new(1);
        let work = |worker: usize, _: &thalweg_flow::Stop| match worker {
            0 => Err("disk full"),
            _ => sequencer.gate().wait(7).map_err(|_| "sent home"),
        };
        let outcome = thalweg_flow::run_or::<(), _, _, _>(3, work, || sequencer.close());
        assert_eq!(outcome, Err(Failure::Failed("disk full")));
    }
}

#[test]
fn a_pool_keeps_no_more_than_it_was_told() {
    let pool = Pool::new(1);
    pool.give(1);
    pool.give(2);
    assert_eq!(pool.take(|| 3), 1);
    assert_eq!(pool.take(|| 3), 3);
}
