//! How many cases of a kind are tested.

/// Whether it is all of them: `scripts/test.sh --all` sets this variable.
pub(crate) fn is_all() -> bool {
    std::env::var_os("THALWEG_TEST_ALL").is_some()
}

/// All of `cases`; or the first, and each that comes `step` after another, where the others are of the same kinds.
pub(crate) fn some_of<I: IntoIterator>(step: usize, cases: I) -> std::iter::StepBy<I::IntoIter> {
    let step = if is_all() { 1 } else { step };
    cases.into_iter().step_by(step)
}

/// All of `cases`; or one of them, which is another for each `turn`.
pub(crate) fn one_of<T>(turn: usize, cases: &[T]) -> &[T] {
    let turn = turn % cases.len();
    if is_all() { cases } else { &cases[turn..=turn] }
}
