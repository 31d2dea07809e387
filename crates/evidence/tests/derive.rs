//! Known answers of what follows from samples: plans, disturbed trials, statistics.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use ngcc_evidence::{
    Calibration, CycleSource, InputMode, Plan, SeedUse, Trial, call_cycles, call_seconds, counting,
    disturbance, guide_seed, plan_operation, profile, statistics, trial_seed,
};

fn calibration(seconds_per_call: f64, seconds_per_input: f64) -> Calibration {
    Calibration { calls: 5, seconds_per_call, seconds_per_input }
}

fn full() -> Plan {
    Plan {
        trials: 5,
        trial_target_s: 1.0,
        operation_budget_s: 900.0,
        max_calls_per_trial: 4000,
        ..common::plan()
    }
}

#[test]
fn calls_follow_from_their_cost() {
    let plan = |seconds| {
        let p = plan_operation(&full(), "sign", calibration(seconds, 0.0));
        (p.trials, p.calls_per_trial, p.warmups, p.distinct_per_trial, p.calls_per_stretch)
    };
    // Of microseconds: the cap. Of milliseconds: a second's worth. Then the wanted 100, then the budget.
    assert_eq!(plan(1e-5), (5, 4000, 3, 4000, 50));
    assert_eq!(plan(1e-3), (5, 1000, 3, 1000, 1));
    assert_eq!(plan(0.3), (5, 20, 1, 20, 1));
    assert_eq!(plan(30.0), (5, 6, 0, 6, 1));
    assert_eq!(plan(400.0), (2, 1, 0, 1, 1));
    assert_eq!(plan(4000.0), (1, 1, 0, 1, 1));
    assert_eq!(plan(0.0).1, 4000);
}

#[test]
fn pools_follow_from_the_cost_of_an_input() {
    let distinct = |plan: &Plan, seconds_per_input| {
        plan_operation(plan, "verify", calibration(1e-5, seconds_per_input)).distinct_per_trial
    };
    assert_eq!(distinct(&full(), 1e-5), 64);
    assert_eq!(distinct(&full(), 18.0), 10);
    assert_eq!(distinct(&full(), 1e9), 1);
    assert_eq!(distinct(&Plan { inputs: InputMode::Guide, ..full() }, 1e-5), 1);
}

#[test]
fn trials_are_disturbed_by_rule() {
    let rules = common::plan().rules;
    let judge = |change: fn(&mut Trial)| {
        let mut trial = common::trial("sign", 0, 40);
        change(&mut trial);
        disturbance(&trial.ticks, &trial.clock, &rules)
    };
    assert_eq!(judge(|_| {}), None);
    // About 1.02 ms are timed; one per cent may be lost.
    assert_eq!(judge(|t| t.clock.segments[0].lost_s = 9e-6), None);
    assert!(judge(|t| t.clock.segments[0].lost_s = 11e-6).unwrap().contains("off the processor for 1.08 %"));
    assert!(judge(|t| t.clock.segments[1].clock_change = 0.03).unwrap().contains("50."));
    assert!(judge(|t| t.clock.segments[1].slowdown = 0.06).unwrap().contains("another thread"));
    assert_eq!(judge(|t| t.ticks.fill(0)), None);
}

#[test]
fn disturbed_trials_count_only_where_too_few_others_are() {
    let trials = |disturbed: u32| -> Vec<Trial> {
        (0..5)
            .map(|i| {
                let mut trial = common::trial("sign", i, 4);
                trial.disturbed = (i < disturbed).then(String::new);
                trial
            })
            .collect()
    };
    let counted = |disturbed, planned| counting(&trials(disturbed), planned).len();
    assert_eq!([counted(0, 5), counted(2, 5), counted(3, 5), counted(5, 5)], [5, 3, 5, 5]);
    assert_eq!([counted(4, 1), counted(3, 2)], [1, 2]);
}

#[test]
fn cycles_come_from_the_counter_or_from_the_clock() {
    let mut trial = common::trial("sign", 0, 4);
    trial.ticks = vec![1040, 2040, 3040, 20];
    assert_eq!(call_seconds(&trial), [1e-6, 2e-6, 3e-6, 0.0]);
    let expected = [3500.0, 7000.0, 10_800.0, 0.0];
    assert!(call_cycles(&trial).iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9));
    trial.clock.source = CycleSource::HardwareCounter;
    trial.cycles = Some(vec![110, 220, 330, 50]);
    trial.overhead_cycles = Some(100);
    assert_eq!(call_cycles(&trial), [10.0, 120.0, 230.0, 0.0]);
    let calibration = calibration(1e-6, 0.0);
    let planned = plan_operation(&Plan { trials: 1, ..common::plan() }, "sign", calibration);
    let s = statistics(&[trial], &planned, 50).unwrap();
    assert_eq!(
        (s.source, s.core_cycles.mean, s.core_cycles.median),
        (CycleSource::HardwareCounter, 90.0, 65.0)
    );
    assert_eq!((s.samples, s.trials, s.guide_100_met), (4, 1, false));
    assert!(statistics(&[], &planned, 50).is_none());
}

#[test]
fn time_off_the_processor_is_taken_from_the_longest_calls() {
    let mut trial = common::trial("sign", 0, 5);
    trial.overhead_ticks = 0;
    let seconds = |trial: &Trial, lost: [f64; 2]| {
        let mut trial = trial.clone();
        trial.clock.segments[0].lost_s = lost[0];
        trial.clock.segments[1].lost_s = lost[1];
        call_seconds(&trial).iter().map(|s| (s * 1e9).round()).collect::<Vec<f64>>()
    };
    trial.ticks = vec![9000, 1000, 2000, 8000, 3000];
    assert_eq!(seconds(&trial, [0.0, 0.0]), [9000.0, 1000.0, 2000.0, 8000.0, 3000.0]);
    assert_eq!(seconds(&trial, [0.0, 4e-6]), [9000.0, 1000.0, 2000.0, 4000.0, 3000.0]);
    // No call falls below the median of its stretch, here 5000 and 3000.
    assert_eq!(seconds(&trial, [1e-3, 1e-3]), [5000.0, 1000.0, 2000.0, 3000.0, 3000.0]);
    trial.clock.segments[0].calls = 1;
    trial.clock.segments[1].calls = 4;
    assert_eq!(seconds(&trial, [8e-6, 0.0])[0], 1000.0);
}

#[test]
fn guide_inputs_are_counted_once() {
    let trials: Vec<Trial> = (0..3).map(|i| common::trial("sign", i, 40)).collect();
    let distinct = |inputs| {
        let planned = plan_operation(&Plan { inputs, ..common::plan() }, "sign", calibration(2.5e-5, 0.0));
        statistics(&trials, &planned, 50).unwrap().distinct_inputs
    };
    assert_eq!((distinct(InputMode::Fresh), distinct(InputMode::Guide)), (120, 40));
}

#[test]
fn seeds_differ_in_everything_but_the_variant() {
    let seed = |p, s: &str, i: &str, o: &str, n| trial_seed(common::ROOT, p, s, i, o, n);
    let all = [
        seed(SeedUse::Drng, "a", "b", "sign", 0),
        seed(SeedUse::Messages, "a", "b", "sign", 0),
        seed(SeedUse::Drng, "ab", "", "sign", 0),
        seed(SeedUse::Drng, "a", "c", "sign", 0),
        seed(SeedUse::Drng, "a", "b", "verify", 0),
        seed(SeedUse::Drng, "a", "b", "sign", 1),
        trial_seed("00", SeedUse::Drng, "a", "b", "sign", 0),
    ];
    let unique: std::collections::BTreeSet<_> = all.iter().collect();
    assert_eq!(unique.len(), all.len());
    assert!(guide_seed().starts_with("00010203") && guide_seed().ends_with("2d2e2f"));
}

#[test]
fn shares_are_parts_of_the_whole() {
    let rows =
        [("drng".to_owned(), 2, 100), ("pseudoXOF".to_owned(), 5, 300), ("sm3hash".to_owned(), 1, 100)];
    let p = profile(3, 1000, 7, &rows);
    assert_eq!((p.hash_share, p.drng_share, p.rows[1].share), (0.4, 0.1, 0.3));
    assert_eq!(profile(0, 0, 0, &rows).hash_share, 0.0);
}
