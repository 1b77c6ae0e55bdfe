//! Real threads: order, failure, panics, early drops.
#![cfg(not(loom))]

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use thalweg_flow::{
    Claims, Crew, Failure, Made, Pile, Place, Pool, Relay, Sequencer, SequencerError, run,
};

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

/// The next of `numbers`, each as heavy as `weight` says.
fn number(
    numbers: &mut std::ops::Range<u64>,
    weight: impl Fn(u64) -> u64,
) -> Result<Made<u64>, ()> {
    let made = |item| Made::Item {
        item,
        weight: weight(item),
    };
    Ok(numbers.next().map_or(Made::End, made))
}

#[test]
fn a_relay_gives_each_item_once_and_in_order() {
    for threads in [1, 2, 3, 8] {
        for ahead in [0, 1, 7, u64::MAX] {
            let relay = Relay::new(0..1000u64);
            let taken = run::<_, (), _>(threads, |_, _| {
                let mut taken = Vec::new();
                while let Some(item) =
                    relay.next(ahead, |numbers, _| number(numbers, |item| item % 4))?
                {
                    taken.push(item);
                }
                Ok(taken)
            })
            .unwrap();
            assert!(taken.iter().all(|items| items.is_sorted()));
            let mut all = taken.concat();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..1000), "{threads} {ahead}");
            assert_eq!(relay.at_home(|numbers| numbers.is_empty()), Some(true));
        }
    }
}

#[test]
fn workers_of_a_relay_do_something_else_instead_of_waiting() {
    let relay = Relay::new(0..30u64);
    let others = std::sync::atomic::AtomicU64::new(0);
    let slowly = |numbers: &mut std::ops::Range<u64>, _: bool| -> Result<_, ()> {
        std::thread::sleep(std::time::Duration::from_millis(2));
        Ok(numbers
            .next()
            .map_or(Made::End, |item| Made::Item { item, weight: 1 }))
    };
    let parts = run::<_, (), _>(3, |_, _| {
        let mut part = Vec::new();
        let meanwhile = || {
            std::thread::sleep(std::time::Duration::from_micros(100));
            others.fetch_add(1, std::sync::atomic::Ordering::Relaxed) < 100
        };
        while let Some(item) = relay.next_or(0, slowly, meanwhile)? {
            part.push(item);
        }
        assert!(part.is_sorted());
        Ok(part)
    });
    let mut all = parts.unwrap().concat();
    all.sort_unstable();
    assert!(all.into_iter().eq(0..30));
    assert!(others.into_inner() > 0);
}

#[test]
fn a_relay_makes_no_more_ahead_than_it_was_told() {
    let relay = Relay::new(0..1000u64);
    let next = |ahead| {
        relay
            .next(ahead, |numbers, _| number(numbers, |_| 10))
            .unwrap()
    };
    let made = || relay.at_home(|numbers| numbers.start).unwrap();
    assert_eq!((next(0), made()), (Some(0), 1));
    // The first that weighs more than 25 with those before it is the last.
    assert_eq!((next(25), made()), (Some(1), 4));
    assert_eq!((next(25), made()), (Some(2), 5));
    assert_eq!((next(0), made()), (Some(3), 5));
}

#[test]
fn a_relay_does_not_wait_while_something_lies_ready() {
    let relay = Relay::new(0..4u64);
    let even_at_once = |numbers: &mut std::ops::Range<u64>, some_are_ready: bool| {
        if some_are_ready && numbers.start % 2 == 1 {
            return Ok(Made::NotNow);
        }
        number(numbers, |_| 1)
    };
    let made = || relay.at_home(|numbers| numbers.start).unwrap();
    for expected in [(0, 1), (1, 3), (2, 3), (3, 4)] {
        let item = relay.next(u64::MAX, even_at_once).unwrap().unwrap();
        assert_eq!((item, made()), expected);
    }
    assert_eq!(relay.next(u64::MAX, even_at_once), Ok(None));
}

#[test]
fn an_error_of_a_relay_is_told_once_and_loses_nothing() {
    let relay = Relay::new(0..5u64);
    let fails_at_three = |fails: bool| {
        move |numbers: &mut std::ops::Range<u64>, _| {
            if fails && numbers.start == 3 {
                return Err("three");
            }
            Ok(number(numbers, |_| 1).unwrap())
        }
    };
    assert_eq!(relay.next(u64::MAX, fails_at_three(true)), Err("three"));
    let rest = || relay.next(u64::MAX, fails_at_three(false)).unwrap();
    assert!(std::iter::from_fn(rest).eq(0..5));
}

#[test]
fn a_panic_in_a_relay_ends_it_for_all() {
    let relay = Relay::new(0..100u64);
    let taken = AtomicU64::new(0);
    let result = run::<(), (), _>(4, |_, _| {
        while relay
            .next(2, |numbers, _| {
                assert!(numbers.start < 50, "broken");
                number(numbers, |_| 1)
            })?
            .is_some()
        {
            taken.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    });
    assert!(matches!(result, Err(Failure::Panicked { .. })));
    assert!(taken.load(Ordering::Relaxed) <= 50);
    assert_eq!(relay.at_home(|_| ()), None);
}

/// Each maker's items come in their order, whoever is lent it, and no more makers are begun than can be lent.
#[test]
fn a_relay_of_several_makers_gives_each_item_once() {
    const LENGTH: u64 = 300;
    for (threads, at_once) in [(1, 1), (1, 3), (2, 2), (3, 1), (4, 9)] {
        for ahead in [0, 5, u64::MAX] {
            let makers = (0..7u64).map(|maker| maker * 1000..maker * 1000 + LENGTH - maker);
            let relay = Relay::of(makers);
            let under_way = AtomicU64::new(0);
            let most = AtomicU64::new(0);
            let make = |makers: &mut [(usize, std::ops::Range<u64>)], _: bool| {
                assert!((1..=at_once).contains(&makers.len()));
                // The one with the most left, or the first that has none.
                let place = match makers.iter().position(|(_, numbers)| numbers.is_empty()) {
                    Some(over) => over,
                    None => {
                        let left = |(_, numbers): &(usize, std::ops::Range<u64>)| {
                            numbers.end - numbers.start
                        };
                        (0..makers.len())
                            .max_by_key(|place| left(&makers[*place]))
                            .unwrap()
                    }
                };
                let (number, numbers) = &mut makers[place];
                assert_eq!(*number as u64, numbers.end / 1000);
                let Some(item) = numbers.next() else {
                    under_way.fetch_sub(1, Ordering::Relaxed);
                    let last = makers.len() - 1;
                    makers.swap(place, last);
                    return Ok::<_, ()>(Made::End);
                };
                if item % 1000 == 0 {
                    let now = 1 + under_way.fetch_add(1, Ordering::Relaxed);
                    most.fetch_max(now, Ordering::Relaxed);
                }
                Ok(Made::Item { item, weight: 1 })
            };
            let taken = run::<_, (), _>(threads, |_, _| {
                let next = || relay.next_of(ahead, at_once, make).unwrap();
                Ok(Vec::from_iter(std::iter::from_fn(next)))
            })
            .unwrap();
            for items in &taken {
                for maker in 0..7 {
                    assert!(
                        items
                            .iter()
                            .filter(|item| *item / 1000 == maker)
                            .is_sorted()
                    );
                }
            }
            let mut all = taken.concat();
            all.sort_unstable();
            let expected = (0..7).flat_map(|maker| maker * 1000..maker * 1000 + LENGTH - maker);
            assert!(all.into_iter().eq(expected), "{threads} {at_once} {ahead}");
            assert!(most.load(Ordering::Relaxed) <= (threads * at_once) as u64);
            assert_eq!(relay.next_of(ahead, at_once, make), Ok(None));
        }
    }
}

#[test]
fn a_panic_of_one_maker_ends_a_relay_of_several() {
    let relay = Relay::of([0..100u64, 1000..1100]);
    let result = run::<(), (), _>(3, |_, _| {
        let mut make = |numbers: &mut std::ops::Range<u64>, _: bool| {
            assert!(numbers.start != 1050, "broken");
            number(numbers, |_| 1)
        };
        while relay.next(1, &mut make)?.is_some() {}
        Ok(())
    });
    assert!(matches!(result, Err(Failure::Panicked { .. })));
    assert_eq!(relay.next(1, |numbers, _| number(numbers, |_| 1)), Ok(None));
}

/// All work is on the pile of one thread that fails, or not, when it has brought it; the others do it.
#[test]
fn a_pile_is_done_whoever_fails() {
    for (threads, fails) in [(1, false), (4, false), (4, true)] {
        let pile = Pile::new();
        // Taken here, so that none of the others leaves before the first one begins.
        let bringer = Mutex::new(Some(pile.bringer()));
        let done = AtomicU64::new(0);
        let outcome = run(threads, |thread, _stop| {
            if thread == 0 {
                let _bringer = bringer.lock().unwrap().take();
                for number in 1..=100 {
                    pile.push(number);
                }
                if fails {
                    return Err("after all");
                }
            }
            while let Some(number) = pile.wait() {
                done.fetch_add(number, Ordering::Relaxed);
            }
            Ok(())
        });
        assert_eq!(outcome.is_err(), fails);
        assert_eq!(done.into_inner(), 5050);
    }
}
