//! The delay before a failed job is tried again.

use chrono::TimeDelta;

/// The delay after the first failure. It doubles with each further one.
const FIRST_DELAY: TimeDelta = TimeDelta::minutes(1);

/// A job fails for good after so many attempts, which is after one and a half to two days.
pub const MAX_ATTEMPTS: i32 = 12;

/// The delay after so many attempts. Up to half of it is added by chance, so that jobs that failed together are not tried
/// together again.
pub fn delay(attempts: i32) -> TimeDelta {
    let doublings = attempts.saturating_sub(1).clamp(0, MAX_ATTEMPTS);
    let least = FIRST_DELAY * 2_i32.pow(doublings.unsigned_abs());
    let range = u64::try_from(least.num_milliseconds() / 2).unwrap_or_default();
    let chance = getrandom::u64().unwrap_or_default() % range.max(1);
    least + TimeDelta::milliseconds(i64::try_from(chance).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_and_differ() {
        for (attempts, minutes) in [(0, 1), (1, 1), (2, 2), (3, 4), (11, 1024), (i32::MAX, 4096)] {
            let least = TimeDelta::minutes(minutes);
            for _ in 0..100 {
                let delay = delay(attempts);
                assert!(delay >= least && delay < least * 3 / 2, "{attempts}: {delay}");
            }
        }
        assert!((0..100).any(|_| delay(5) != delay(5)));
    }
}
