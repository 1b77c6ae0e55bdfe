//! How likely a number of successes is, in the way in which FastQC's library computes it: digits of tiny differences show.

/// Where the continued fraction has converged.
const EPSILON: f64 = 10e-15;

/// Lanczos' coefficients for g = 607/128, the last ones first.
const LANCZOS: [f64; 15] = [
    3.6899182659531625e-06,
    -2.6190838401581408e-05,
    8.441822398385275e-05,
    -0.0001643181065367639,
    0.00021743961811521265,
    -0.00021026444172410488,
    0.0001580887032249125,
    -9.837447530487956e-05,
    4.652362892704858e-05,
    3.399464998481189e-05,
    -0.4919138160976202,
    14.136097974741746,
    -59.59796035547549,
    57.15623566586292,
    0.9999999999999971,
];

/// The probability of at most `successes` of `trials`, each of which succeeds with `chance`.
pub(crate) fn cumulative(successes: u64, trials: u64, chance: f64) -> f64 {
    match successes >= trials {
        true => 1.0,
        false => {
            let least = successes as f64 + 1.0;
            1.0 - regularized_beta(chance, least, (trials - successes) as f64)
        }
    }
}

fn regularized_beta(x: f64, a: f64, b: f64) -> f64 {
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - regularized_beta(1.0 - x, b, a);
    }
    let log_beta = log_gamma(a) + log_gamma(b) - log_gamma(a + b);
    let factor = (a * x.ln() + b * (1.0 - x).ln() - a.ln() - log_beta).exp();
    factor * 1.0 / fraction(x, a, b)
}

/// The continued fraction of the incomplete beta function.
fn fraction(x: f64, a: f64, b: f64) -> f64 {
    let coefficient = |n: u32| {
        let m = f64::from(n / 2);
        match n.is_multiple_of(2) {
            true => (m * (b - m) * x) / ((a + (2.0 * m) - 1.0) * (a + (2.0 * m))),
            false => -((a + m) * (a + b + m) * x) / ((a + (2.0 * m)) * (a + (2.0 * m) + 1.0)),
        }
    };
    let (mut p0, mut p1, mut q0, mut q1) = (1.0, 1.0, 0.0, 1.0);
    let mut value = 1.0;
    for n in 1..i32::MAX as u32 {
        let coefficient = coefficient(n);
        let (p2, q2) = (p1 + coefficient * p0, q1 + coefficient * q0);
        let next: f64 = p2 / q2;
        let error = (next / value - 1.0_f64).abs();
        value = next;
        if error <= EPSILON || !next.is_finite() {
            break;
        }
        (p0, p1, q0, q1) = (p1, p2, q1, q2);
    }
    value
}

fn log_gamma(x: f64) -> f64 {
    let (last, others) = LANCZOS.split_last().unwrap_or((&1.0, &[]));
    let mut sum = 0.0;
    for (place, coefficient) in (1..=others.len()).rev().zip(others) {
        sum += coefficient / (x + place as f64);
    }
    sum += last;
    let shifted = x + 607.0 / 128.0 + 0.5;
    let half_log_two_pi = 0.5 * (2.0 * std::f64::consts::PI).ln();
    ((x + 0.5) * shifted.ln()) - shifted + half_log_two_pi + (sum / x).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_all_terms() {
        for (trials, chance) in [(1_u64, 0.5_f64), (10, 0.25), (200, 0.01), (60, 0.9)] {
            let (mut term, mut sum) = ((1.0 - chance).powi(trials as i32), 0.0_f64);
            for successes in 0..=trials {
                sum += term;
                let found = cumulative(successes, trials, chance);
                assert!((found - sum).abs() < 1e-9, "{successes} of {trials}");
                let next = (trials - successes) as f64 / (successes + 1) as f64;
                term *= next * chance / (1.0 - chance);
            }
        }
    }
}
