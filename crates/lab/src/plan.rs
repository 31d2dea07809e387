//! The constants of a campaign.

use std::time::SystemTime;

use ngcc_evidence::{InputMode, NoiseRules, Plan};
use sha2::{Digest as _, Sha256};

/// The rules that hold for every campaign.
const RULES: NoiseRules = NoiseRules {
    // Well within the slice of some milliseconds that a scheduler gives, long against two probes of 75 microseconds.
    stretch_s: 0.001,
    max_attempts: 16,
    // Three microseconds of a stretch: a kernel thread that cut in.
    lost_share: 0.003,
    clock_change: 0.02,
    changed_share: 0.1,
    // Two threads on one core slow such code by half and more.
    slowdown: 0.05,
};

/// The plan of a full campaign: five trials of about a second, with a fresh root seed.
#[must_use]
pub fn full(inputs: InputMode) -> Plan {
    Plan {
        quick: false,
        inputs,
        root_seed: root_seed(),
        trials: 5,
        trial_target_s: 1.0,
        operation_budget_s: 900.0,
        min_distinct: 100,
        max_calls_per_trial: 4000,
        max_replacements: 5,
        bootstrap_resamples: 2000,
        target_half_width: 0.005,
        max_extra_trials: 10,
        rules: RULES,
    }
}

/// The plan of `--quick`: five trials of about a fifth of a second, with a fresh root seed.
#[must_use]
pub fn quick(inputs: InputMode) -> Plan {
    Plan {
        quick: true,
        trial_target_s: 0.2,
        operation_budget_s: 10.0,
        max_calls_per_trial: 2000,
        max_replacements: 3,
        bootstrap_resamples: 1000,
        target_half_width: 0.01,
        max_extra_trials: 3,
        ..full(inputs)
    }
}

/// 32 bytes that no other campaign has, hex. They are published, so freshness is all that is asked of them: should the
/// system have no random bytes yet, time and process number are enough.
fn root_seed() -> String {
    let mut random = [0_u8; 32];
    let _ = rustix::rand::getrandom(&mut random, rustix::rand::GetRandomFlags::NONBLOCK);
    let time = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default().as_nanos();
    let mut seed = Sha256::new();
    seed.update(random);
    seed.update(time.to_le_bytes());
    seed.update(std::process::id().to_le_bytes());
    hex::encode(seed.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_plan_has_a_seed_of_its_own() {
        let (a, b) = (full(InputMode::Fresh), full(InputMode::Fresh));
        assert_ne!(a.root_seed, b.root_seed);
        assert_eq!(a.root_seed.len(), 64);
        assert_eq!(Plan { root_seed: b.root_seed.clone(), ..a }, b);
    }

    #[test]
    fn a_quick_plan_is_a_shorter_one() {
        let (full, quick) = (full(InputMode::Guide), quick(InputMode::Guide));
        assert!(quick.quick && quick.inputs == InputMode::Guide);
        assert!(quick.trials == full.trials && quick.trial_target_s < full.trial_target_s);
    }
}
