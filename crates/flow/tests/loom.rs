//! Every interleaving of the ordering code:
//! `RUSTFLAGS="--cfg loom" cargo test -p thalweg-flow --release --test loom`.
#![cfg(loom)]

use loom::sync::Arc;
use loom::sync::Mutex;
use loom::thread;
use thalweg_flow::{Claims, Gate, Made, Pile, Place, Relay, Sequencer, SequencerError};

#[test]
fn each_number_is_claimed_once() {
    loom::model(|| {
        let claims = Arc::new(Claims::new(3));
        let take =
            |claims: Arc<Claims>| move || std::iter::from_fn(|| claims.claim()).collect::<Vec<_>>();
        let other = thread::spawn(take(claims.clone()));
        let mut all = take(claims)();
        all.extend(other.join().unwrap());
        all.sort_unstable();
        assert_eq!(all, [0, 1, 2]);
    });
}

#[test]
fn values_leave_in_order_with_one_ticket_in_flight() {
    in_order(1);
}

#[test]
fn values_leave_in_order_with_two_tickets_in_flight() {
    in_order(2);
}

fn in_order(ahead: u64) {
    loom::model(move || {
        let sequencer = Arc::new(Sequencer::new(ahead));
        let written = Arc::new(Mutex::new(Vec::new()));
        let claims = Arc::new(Claims::new(2));
        let work = {
            let (sequencer, written) = (sequencer.clone(), written.clone());
            move || {
                while let Some(ticket) = claims.claim() {
                    sequencer.gate().wait(ticket).unwrap();
                    for piece in 0..2 {
                        let last = piece == 1;
                        let place = Place {
                            ticket,
                            piece,
                            last,
                        };
                        sequencer
                            .commit(place, (ticket, piece), |value| {
                                written.lock().unwrap().push(value);
                                Ok::<(), ()>(())
                            })
                            .unwrap();
                    }
                }
            }
        };
        let other = thread::spawn(work.clone());
        work();
        other.join().unwrap();
        let written = written.lock().unwrap();
        assert_eq!(*written, [(0, 0), (0, 1), (1, 0), (1, 1)]);
        assert_eq!(sequencer.is_complete(2), Ok(true));
    });
}

#[test]
fn a_failed_write_sends_everybody_home() {
    loom::model(|| {
        let sequencer = Arc::new(Sequencer::new(1));
        let place = |ticket| Place {
            ticket,
            piece: 0,
            last: true,
        };
        let waiting = {
            let sequencer = sequencer.clone();
            thread::spawn(move || {
                if sequencer.gate().wait(1).is_ok() {
                    panic!("ticket 0 was never written");
                }
            })
        };
        let outcome = sequencer.commit(place(0), (), |()| Err("disk full"));
        assert_eq!(outcome, Err(SequencerError::Write("disk full")));
        waiting.join().unwrap();
    });
}

#[test]
fn closing_wakes_those_who_wait() {
    loom::model(|| {
        let gate = Arc::new(Gate::new(1));
        let waiting = {
            let gate = gate.clone();
            thread::spawn(move || gate.wait(5))
        };
        gate.close();
        assert!(waiting.join().unwrap().is_err());
    });
}

fn relayed(ahead: u64) {
    loom::model(move || {
        let relay = Arc::new(Relay::new(0..3u64));
        let take = |relay: Arc<Relay<std::ops::Range<u64>, u64>>| {
            move || {
                let make = |numbers: &mut std::ops::Range<u64>, _: bool| {
                    let made = |item| Made::Item { item, weight: 1 };
                    Ok::<_, ()>(numbers.next().map_or(Made::End, made))
                };
                let next = || relay.next(ahead, make).unwrap();
                std::iter::from_fn(next).collect::<Vec<_>>()
            }
        };
        let other = thread::spawn(take(relay.clone()));
        let mut all = take(relay)();
        let others = other.join().unwrap();
        assert!(all.is_sorted() && others.is_sorted());
        all.extend(others);
        all.sort_unstable();
        assert_eq!(all, [0, 1, 2]);
    });
}

#[test]
fn each_item_is_taken_once_if_none_lies_ready() {
    relayed(0);
}

#[test]
fn each_item_is_taken_once_if_one_lies_ready() {
    relayed(1);
}

/// A worker that finds nothing does something else, once, and does not miss what comes meanwhile.
#[test]
fn something_else_is_done_instead_of_waiting() {
    let mut some = loom::model::Builder::new();
    some.preemption_bound = Some(3);
    some.check(|| {
        let relay = Arc::new(Relay::new(0..2u64));
        let take = |relay: Arc<Relay<std::ops::Range<u64>, u64>>| {
            move || {
                let make = |numbers: &mut std::ops::Range<u64>, _: bool| {
                    let made = |item| Made::Item { item, weight: 1 };
                    Ok::<_, ()>(numbers.next().map_or(Made::End, made))
                };
                let mut left = 1;
                let next = || {
                    let meanwhile = || std::mem::take(&mut left) > 0;
                    relay.next_or(0, make, meanwhile).unwrap()
                };
                std::iter::from_fn(next).collect::<Vec<_>>()
            }
        };
        let other = thread::spawn(take(relay.clone()));
        let mut all = take(relay)();
        all.extend(other.join().unwrap());
        all.sort_unstable();
        assert_eq!(all, [0, 1]);
    });
}

/// Two makers, of which each worker is lent one, or both at once.
fn relayed_of_two(at_once: usize) {
    let mut some = loom::model::Builder::new();
    some.preemption_bound = Some(3);
    some.check(move || {
        let relay = Arc::new(Relay::of([0..2u64, 10..11]));
        let take = |relay: Arc<Relay<std::ops::Range<u64>, u64>>| {
            move || {
                let make = |makers: &mut [(usize, std::ops::Range<u64>)], _: bool| {
                    let last = makers.len() - 1;
                    let made = |item| Made::Item { item, weight: 1 };
                    Ok::<_, ()>(makers[last].1.next().map_or(Made::End, made))
                };
                let next = || relay.next_of(0, at_once, make).unwrap();
                std::iter::from_fn(next).collect::<Vec<_>>()
            }
        };
        let other = thread::spawn(take(relay.clone()));
        let mut all = take(relay)();
        all.extend(other.join().unwrap());
        all.sort_unstable();
        assert_eq!(all, [0, 1, 10]);
    });
}

#[test]
fn each_item_of_two_makers_is_taken_once() {
    relayed_of_two(1);
}

#[test]
fn each_item_of_two_makers_that_are_lent_at_once_is_taken_once() {
    relayed_of_two(2);
}

/// Items that may not be made before the one before them was given back, as those of ordered work; one worker leaves
/// early, so that nobody else takes what the other one has made.
#[test]
fn nobody_waits_for_what_lies_ready() {
    // All schedules of two monitors take minutes; those that switch threads in the midst thrice take seconds.
    let mut some = loom::model::Builder::new();
    some.preemption_bound = Some(3);
    some.check(|| {
        let relay = Arc::new(Relay::new(0..3u64));
        let gate = Arc::new(Gate::new(1));
        let take = |most: usize| {
            let (relay, gate) = (relay.clone(), gate.clone());
            move || {
                let make = |numbers: &mut std::ops::Range<u64>, some_are_ready: bool| {
                    if numbers.is_empty() {
                        return Ok(Made::End);
                    }
                    if some_are_ready && !gate.admits(numbers.start)? {
                        return Ok(Made::NotNow);
                    }
                    gate.wait(numbers.start)?;
                    let made = |item| Made::Item { item, weight: 1 };
                    Ok::<_, thalweg_flow::Closed>(numbers.next().map_or(Made::End, made))
                };
                let next = || relay.next(2, make).unwrap();
                let numbers = std::iter::from_fn(next).take(most);
                numbers.inspect(|number| gate.advance(number + 1)).count()
            }
        };
        let other = thread::spawn(take(1));
        let taken = take(3)();
        assert_eq!(taken + other.join().unwrap(), 3);
    });
}

/// One brings two pieces of work and does what it finds, the other brings none, and neither leaves any.
#[test]
fn a_pile_is_done_by_those_who_bring_nothing_more() {
    loom::model(|| {
        let pile = Arc::new(Pile::new());
        let done = Arc::new(Mutex::new(Vec::new()));
        let bringer = pile.bringer();
        let other = {
            let (pile, done) = (pile.clone(), done.clone());
            thread::spawn(move || {
                while let Some(item) = pile.wait() {
                    done.lock().unwrap().push(item);
                }
            })
        };
        pile.push(1);
        if let Some(item) = pile.take() {
            done.lock().unwrap().push(item);
        }
        pile.push(2);
        drop(bringer);
        while let Some(item) = pile.wait() {
            done.lock().unwrap().push(item);
        }
        other.join().unwrap();
        let mut done = done.lock().unwrap().clone();
        done.sort_unstable();
        assert_eq!(done, [1, 2]);
    });
}

/// Who fails brings nothing more, either.
#[test]
fn a_bringer_that_goes_without_a_word_keeps_nobody_waiting() {
    loom::model(|| {
        let pile = Arc::new(Pile::<u8>::new());
        let other = {
            let pile = pile.clone();
            thread::spawn(move || {
                let _bringer = pile.bringer();
            })
        };
        assert_eq!(pile.wait(), None);
        other.join().unwrap();
        assert_eq!(pile.wait(), None);
    });
}
