//! The counters of the outermost calls. One test, because they are global.
#![cfg(feature = "profile")]

use iccs::profile::{Counter, Function, enable, reset, snapshot};
use iccs::{Backend, Drng, Sm3, XofPrefix, XofStream, pseudohash512_many, pseudohash1024, sm3, xof_many};

/// Calls, bytes in and bytes out of each function while `work` runs.
fn counted(work: impl FnOnce()) -> [(u64, u64, u64); 4] {
    reset();
    work();
    snapshot().map(|Counter { calls, bytes_in, bytes_out, .. }| (calls, bytes_in, bytes_out))
}

#[test]
fn outermost_calls_are_counted_while_recording() {
    let b = Backend::detect();
    assert_eq!(counted(|| _ = sm3(b"abc")), [(0, 0, 0); 4]);
    enable(true);
    let none = (0, 0, 0);
    let counts = counted(|| {
        let mut hash = Sm3::new();
        hash.update(b"ab");
        hash.update(b"c");
        let _ = (hash.finalize(), sm3(b"defg"));
    });
    assert_eq!(counts, [(2, 7, 64), none, none, none]);
    let counts = counted(|| {
        let _ = pseudohash1024(b, &[b"ab", b"c"]);
        pseudohash512_many(b, &[&[b"abc"], &[b"d"], &[]], &mut [[0; 64]; 3]);
    });
    assert_eq!(counts, [none, (4, 7, 320), none, none]);
    let counts = counted(|| {
        let [mut one, mut two] = [[0; 40], [0; 40]];
        let stream = |out| XofStream { tail: b"t", first_block: 0, out };
        xof_many(b, &XofPrefix::new(b"ab"), &mut [stream(&mut one), stream(&mut two)]);
    });
    assert_eq!(counts[2], (2, 2 + 2 * 3, 80));
    let counts = counted(|| Drng::from_seed(b"seed").fill(&mut [0; 33]));
    assert_eq!(counts, [none, none, none, (2, 4, 33)]);
    assert!(snapshot()[Function::Drng as usize].ticks > 0);
    enable(false);
    assert_eq!(counted(|| _ = sm3(b"abc")), [(0, 0, 0); 4]);
}
