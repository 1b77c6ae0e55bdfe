//! The index formats from outside: round trips, damage, forgery, and files of other programs.

mod support;

mod damage;
mod forgery;
mod other_programs;
mod round_trips;
