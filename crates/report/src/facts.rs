//! Facts of a campaign in words: the environment table and what the method page shares with it.

use ngcc_evidence::{Campaign, Host, InputMode};

use crate::format::{self, MISSING};

/// A value or an en dash.
pub(crate) fn or_dash(value: Option<&String>) -> String {
    value.map_or_else(|| MISSING.to_owned(), Clone::clone)
}

/// `x86-64`, `AArch64`.
pub(crate) fn architecture(host: &Host) -> String {
    match host.architecture.as_str() {
        "x86_64" => "x86-64".to_owned(),
        "aarch64" => "AArch64".to_owned(),
        other => other.to_owned(),
    }
}

/// `digital signature`, `key encapsulation`.
pub(crate) fn function(kind: &str) -> String {
    match kind {
        "signature" => "digital signature".to_owned(),
        "kem" => "key encapsulation".to_owned(),
        other => other.to_owned(),
    }
}

/// The first 16 hex digits of a digest, for people to compare.
pub(crate) fn short_digest(digest: &str) -> String {
    if digest.chars().count() <= 16 {
        return digest.to_owned();
    }
    format!("{}…", digest.chars().take(16).collect::<String>())
}

/// RFC 3339 without the zone letter: the tables say UTC.
fn moment(rfc3339: &str) -> &str {
    rfc3339.trim_end_matches('Z')
}

/// Processor and its use.
fn processor(host: &Host) -> String {
    let mut out = or_dash(host.cpu_model.as_ref());
    match (host.cpu_number, host.cpus_online) {
        (Some(number), Some(online)) => out.push_str(&format!(" (CPU {number} of {online} online)")),
        (Some(number), None) => out.push_str(&format!(" (CPU {number})")),
        (None, Some(online)) => out.push_str(&format!(" ({online} CPUs online)")),
        (None, None) => {}
    }
    out
}

/// The core clock as it was measured.
fn core_clock(host: &Host) -> String {
    match (host.core_hz, host.core_hz_uncertainty) {
        (Some(hz), Some(u)) => format!("{} ± {} at the start", format::hertz(hz), format::relative(u)),
        (Some(hz), None) => format!("{} at the start", format::hertz(hz)),
        _ => MISSING.to_owned(),
    }
}

/// How the clock is governed.
fn clock_control(host: &Host) -> String {
    let turbo = match host.turbo {
        Some(true) => "on",
        Some(false) => "off",
        None => MISSING,
    };
    let limits = host.frequency_limits_hz.map_or_else(
        || MISSING.to_owned(),
        |[low, high]| format!("{} to {}", format::hertz(low as f64), format::hertz(high as f64)),
    );
    format!(
        "limits {limits}, governor {}, driver {}, turbo {turbo}, SMT {}",
        or_dash(host.governor.as_ref()),
        or_dash(host.frequency_driver.as_ref()),
        or_dash(host.smt.as_ref()),
    )
}

/// Names in a row, or an en dash for none.
fn joined(names: &[String]) -> String {
    if names.is_empty() { MISSING.to_owned() } else { names.join(", ") }
}

/// The environment: item and value.
pub(crate) fn environment(campaign: &Campaign) -> Vec<(&'static str, String)> {
    let host = &campaign.host;
    let tool = &campaign.tool;
    let counter = if host.cycle_counter { "opened" } else { "not available" };
    let paranoid = host.perf_event_paranoid.map_or_else(|| MISSING.to_owned(), |level| level.to_string());
    vec![
        ("processor", processor(host)),
        ("instruction sets used", joined(&host.cpu_features)),
        ("core clock", core_clock(host)),
        ("clock control", clock_control(host)),
        ("cycle counter", format!("{counter} (perf_event_paranoid {paranoid})")),
        ("hypervisor", or_dash(host.hypervisor.as_ref())),
        ("memory", host.memory_bytes.map_or_else(|| MISSING.to_owned(), format::mib)),
        ("OS / kernel", format!("{} / {}", or_dash(host.os.as_ref()), or_dash(host.kernel.as_ref()))),
        ("kernel switches", joined(&host.kernel_switches)),
        ("microcode", or_dash(host.microcode.as_ref())),
        ("compiler / flags", format!("{} / {}", tool.compiler, tool.flags)),
        ("C compiler", or_dash(host.c_compiler.as_ref())),
        (
            "program",
            format!("{} {} (sha256 {})", tool.name, tool.version, short_digest(&tool.executable_sha256)),
        ),
        ("campaign start / end (UTC)", {
            let end = campaign.ended_utc.as_deref().map_or("unfinished", moment);
            format!("{} / {end}", moment(&campaign.started_utc))
        }),
    ]
}

/// Host facts that could not be read.
pub(crate) fn missing_facts(host: &Host) -> Vec<&'static str> {
    let facts = [
        ("processor model", host.cpu_model.is_some()),
        ("pinned processor", host.cpu_number.is_some()),
        ("hypervisor", host.hypervisor.is_some()),
        ("memory", host.memory_bytes.is_some()),
        ("operating system", host.os.is_some()),
        ("kernel", host.kernel.is_some()),
        ("C compiler", host.c_compiler.is_some()),
        ("governor", host.governor.is_some()),
        ("frequency driver", host.frequency_driver.is_some()),
        ("frequency limits", host.frequency_limits_hz.is_some()),
        ("turbo", host.turbo.is_some()),
        ("SMT", host.smt.is_some()),
        ("microcode", host.microcode.is_some()),
        ("counter permission", host.perf_event_paranoid.is_some()),
        ("tick rate", host.tick_hz.is_some()),
        ("core clock", host.core_hz.is_some()),
    ];
    facts.into_iter().filter(|(_, known)| !known).map(|(name, _)| name).collect()
}

/// Notices that stand at the head of every page.
pub(crate) fn notices(campaign: &Campaign) -> Vec<String> {
    let mut out = Vec::new();
    if campaign.ended_utc.is_none() {
        out.push("This campaign is unfinished: rows without a value were not measured yet.".to_owned());
    }
    if campaign.plan.quick {
        out.push(
            "Quick campaign: trials were shortened, so intervals are wider than in a full one.".to_owned(),
        );
    }
    if campaign.plan.inputs == InputMode::Guide {
        out.push(
            "Fixed inputs: every trial replays the inputs of the public harness, so n overstates what was measured."
                .to_owned(),
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_without_facts_reads_as_dashes() {
        let host = Host::default();
        assert_eq!(processor(&host), "–");
        assert_eq!(core_clock(&host), "–");
        assert_eq!(clock_control(&host), "limits –, governor –, driver –, turbo –, SMT –");
        assert_eq!(missing_facts(&host).len(), 16);
    }

    #[test]
    fn digests_shorten_to_sixteen_digits() {
        assert_eq!(short_digest("0123456789abcdef0123"), "0123456789abcdef…");
        assert_eq!(short_digest("0123"), "0123");
        assert_eq!(short_digest("ééééééééééééééééé"), "éééééééééééééééé…");
    }
}
