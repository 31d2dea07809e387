//! Facts about the machine and its state. A file that is missing, or a value that cannot be read, is a fact too: `None`.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use iccs::Backend;
use ngcc_evidence::{Host, HostState};

use crate::clock::ClockFacts;

/// Facts about this machine. `cpu` is the processor that workers are pinned to; by default the last one allowed.
///
/// Measures the clocks for about 25 milliseconds.
#[must_use]
pub fn facts(cpu: Option<u32>) -> Host {
    let cpu = cpu.or_else(|| crate::pin(None).ok().flatten());
    let clock = ClockFacts::measure();
    let cpuinfo = read("/proc/cpuinfo").unwrap_or_default();
    let frequency = |file: &str| cpu_file(cpu, &format!("cpufreq/{file}"));
    let limits = || Some([khz(&frequency("scaling_min_freq")?)?, khz(&frequency("scaling_max_freq")?)?]);
    let mut host = Host {
        architecture: std::env::consts::ARCH.to_owned(),
        cpu_model: cpuinfo_field(&cpuinfo, "model name").or_else(|| cpuinfo_field(&cpuinfo, "CPU part")),
        cpu_number: cpu,
        cpus_online: read("/sys/devices/system/cpu/online").and_then(|s| count_list(&s)),
        cpu_features: Backend::available().map(|b| b.name().to_owned()).collect(),
        hypervisor: hypervisor(&cpuinfo),
        memory_bytes: read("/proc/meminfo").and_then(|s| meminfo_total(&s)),
        os: read("/etc/os-release").and_then(|s| os_name(&s)),
        kernel: read("/proc/sys/kernel/osrelease"),
        c_compiler: c_compiler(),
        governor: frequency("scaling_governor"),
        frequency_driver: frequency("scaling_driver"),
        frequency_limits_hz: limits(),
        turbo: turbo(),
        smt: read("/sys/devices/system/cpu/smt/control"),
        kernel_switches: read("/proc/cmdline").map(|s| kernel_switches(&s)).unwrap_or_default(),
        microcode: cpuinfo_field(&cpuinfo, "microcode"),
        perf_event_paranoid: read("/proc/sys/kernel/perf_event_paranoid").and_then(|s| s.parse().ok()),
        cycle_counter: clock.cycle_counter,
        tick_hz: Some(clock.tick_hz),
        core_hz: Some(clock.core_hz),
        core_hz_uncertainty: Some(clock.uncertainty),
        caveats: Vec::new(),
    };
    host.caveats = caveats(&host);
    if !may_raise_priority() {
        host.caveats.push(
            "The priority of the workers could not be raised: other programs take the processor from them more often."
                .to_owned(),
        );
    }
    host
}

/// Tries what workers do, and takes it back.
fn may_raise_priority() -> bool {
    let Ok(before) = rustix::process::getpriority_process(None) else { return false };
    let raised = crate::worker::raise_priority().is_ok();
    if raised {
        // Lowering it again is always allowed.
        let _ = rustix::process::setpriority_process(None, before);
    }
    raised
}

/// State of the host and of this process now.
#[must_use]
pub fn state() -> HostState {
    let status = read("/proc/self/status").unwrap_or_default();
    let cpu = rustix::thread::sched_getcpu();
    HostState {
        load1: read("/proc/loadavg").and_then(|s| s.split(' ').next()?.parse().ok()),
        steal_jiffies: read("/proc/stat").and_then(|s| steal(&s)),
        involuntary_switches: status_field(&status, "nonvoluntary_ctxt_switches"),
        minor_faults: read("/proc/self/stat").and_then(|s| minor_faults(&s)),
        frequency_hz: u32::try_from(cpu)
            .ok()
            .and_then(|n| cpu_file(Some(n), "cpufreq/scaling_cur_freq"))
            .and_then(|s| khz(&s)),
        temperature_mc: hottest(),
    }
}

/// A name for this system that can stand on a page: architecture and processor model, never a host name.
#[must_use]
pub fn system_id(host: &Host) -> String {
    let arch = match host.architecture.as_str() {
        "x86_64" => "x86",
        "aarch64" => "arm",
        other => other,
    };
    let mut words = vec![slug(arch)];
    for word in host.cpu_model.as_deref().unwrap_or("cpu").split_whitespace() {
        let word = slug(&word.replace("(R)", "").replace("(TM)", ""));
        let dull =
            ["", "cpu", "processor", "gen", "core"].contains(&word.as_str()) || word.ends_with("-core");
        if !dull && words.len() < 5 {
            words.push(word);
        }
    }
    if let Some(name) = host.hypervisor.as_deref().filter(|h| *h != "none") {
        words.push(slug(name));
    }
    words.retain(|w| !w.is_empty());
    words.join("-")
}

/// Lower-case letters and digits of a word, all else as single hyphens.
fn slug(word: &str) -> String {
    let mut out = String::new();
    for c in word.chars() {
        if c.is_ascii_alphanumeric() {
            out.push(c.to_ascii_lowercase());
        } else if !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
    }
    out.trim_end_matches('-').to_owned()
}

/// What makes numbers from this host weaker.
fn caveats(host: &Host) -> Vec<String> {
    let mut list = Vec::new();
    let mut say = |sentence: &str| list.push(sentence.to_owned());
    if !host.cycle_counter {
        say(
            "The hardware cycle counter could not be opened: core cycles are time multiplied by a core clock that a \
             chain of dependent multiplications gave during each trial.",
        );
    }
    match host.hypervisor.as_deref() {
        Some("none") => {}
        Some(name) => list.push(format!(
            "This is a virtual machine ({name}): its processors are shared, and other guests' load shows in the samples."
        )),
        None => say("Whether this is a virtual machine is not known."),
    }
    let mut say = |sentence: &str| list.push(sentence.to_owned());
    match host.turbo {
        Some(true) => say("Turbo or boost is on: the core clock changes with load and temperature."),
        Some(false) => {}
        None => say("Whether turbo or boost is on cannot be read: the core clock may change."),
    }
    if host.governor.as_deref().is_some_and(|g| g != "performance") {
        say("The frequency governor is not `performance`.");
    }
    if matches!(host.smt.as_deref(), Some("on")) {
        say("Simultaneous multithreading is on: a sibling thread may share the core.");
    }
    if !host.kernel_switches.iter().any(|s| s.starts_with("isolcpus")) {
        say("The measuring processor is not isolated from the scheduler.");
    }
    list
}

fn read(path: impl AsRef<Path>) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn cpu_file(cpu: Option<u32>, file: &str) -> Option<String> {
    read(format!("/sys/devices/system/cpu/cpu{}/{file}", cpu.unwrap_or(0)))
}

/// The first value of a `name : value` line of /proc/cpuinfo.
fn cpuinfo_field(cpuinfo: &str, name: &str) -> Option<String> {
    cpuinfo.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then(|| value.trim().to_owned())
    })
}

/// Number of members of a list such as `0-3,5`.
fn count_list(list: &str) -> Option<u32> {
    let mut count = 0u32;
    for part in list.trim().split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        count = count.checked_add(last.checked_sub(first)?.checked_add(1)?)?;
    }
    Some(count)
}

/// Bytes of `MemTotal`.
fn meminfo_total(meminfo: &str) -> Option<u64> {
    let value = meminfo.lines().find_map(|l| l.strip_prefix("MemTotal:"))?;
    value.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// `PRETTY_NAME` of os-release.
fn os_name(release: &str) -> Option<String> {
    let value = release.lines().find_map(|l| l.strip_prefix("PRETTY_NAME="))?;
    Some(value.trim().trim_matches('"').to_owned())
}

/// The switches of the kernel command line that change measurements.
fn kernel_switches(cmdline: &str) -> Vec<String> {
    const NAMES: [&str; 8] =
        ["isolcpus", "nohz", "nohz_full", "rcu_nocbs", "mitigations", "nosmt", "idle", "intel_pstate"];
    cmdline
        .split_whitespace()
        .filter(|switch| NAMES.contains(&switch.split('=').next().unwrap_or(switch)))
        .map(str::to_owned)
        .collect()
}

/// Jiffies stolen by the hypervisor: the eighth number of the first line of /proc/stat.
fn steal(stat: &str) -> Option<u64> {
    stat.lines().next()?.strip_prefix("cpu ")?.split_whitespace().nth(7)?.parse().ok()
}

/// Minor faults: the tenth field of /proc/self/stat, counted behind the command's closing parenthesis.
fn minor_faults(stat: &str) -> Option<u64> {
    stat.rsplit_once(')')?.1.split_whitespace().nth(7)?.parse().ok()
}

/// A whole number from a `name:\tvalue` line of /proc/self/status.
pub(crate) fn status_field(status: &str, name: &str) -> Option<u64> {
    status.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        if key == name { value.split_whitespace().next()?.parse().ok() } else { None }
    })
}

fn khz(text: &str) -> Option<u64> {
    text.trim().parse::<u64>().ok()?.checked_mul(1000)
}

fn turbo() -> Option<bool> {
    if let Some(no_turbo) = read("/sys/devices/system/cpu/intel_pstate/no_turbo") {
        return Some(no_turbo == "0");
    }
    read("/sys/devices/system/cpu/cpufreq/boost").map(|boost| boost == "1")
}

fn hottest() -> Option<i64> {
    let zones = fs::read_dir("/sys/class/thermal").ok()?;
    zones.flatten().filter_map(|zone| read(zone.path().join("temp"))?.parse().ok()).max()
}

/// The first line that the C compiler on the path prints of its version.
fn c_compiler() -> Option<String> {
    let output =
        Command::new("cc").arg("--version").stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().next().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty())
}

#[cfg(target_arch = "x86_64")]
fn hypervisor(_cpuinfo: &str) -> Option<String> {
    use raw_cpuid::{CpuId, Hypervisor};
    let cpuid = CpuId::new();
    if !cpuid.get_feature_info()?.has_hypervisor() {
        return Some("none".to_owned());
    }
    Some(match cpuid.get_hypervisor_info().map(|h| h.identify()) {
        Some(Hypervisor::Unknown(..)) | None => "hypervisor of unknown name".to_owned(),
        Some(name) => format!("{name:?}"),
    })
}

#[cfg(not(target_arch = "x86_64"))]
fn hypervisor(_cpuinfo: &str) -> Option<String> {
    read("/sys/hypervisor/type")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_as_they_are_written() {
        let cpuinfo = "processor\t: 0\nmodel name\t: AMD EPYC 9R14\nmicrocode\t: 0xa101148\n";
        assert_eq!(cpuinfo_field(cpuinfo, "model name").as_deref(), Some("AMD EPYC 9R14"));
        assert_eq!(cpuinfo_field(cpuinfo, "flags"), None);
        assert_eq!(count_list("0-3,5\n"), Some(5));
        assert_eq!(meminfo_total("MemTotal:       2048 kB\nMemFree: 1 kB\n"), Some(2_097_152));
        assert_eq!(os_name("ID=x\nPRETTY_NAME=\"Debian 12\"\n").as_deref(), Some("Debian 12"));
        assert_eq!(kernel_switches("quiet isolcpus=2 mitigations=off x"), ["isolcpus=2", "mitigations=off"]);
        assert_eq!(steal("cpu  81150 0 13800 417324 1044 0 118 46 0 0\ncpu0 1\n"), Some(46));
        assert_eq!(minor_faults("7 (a b) R 1 2 3 4 5 6 77 8 9"), Some(77));
        assert_eq!(
            status_field(
                "voluntary_ctxt_switches:\t4\nnonvoluntary_ctxt_switches:\t9\n",
                "nonvoluntary_ctxt_switches"
            ),
            Some(9)
        );
    }

    #[test]
    fn malformed_files_are_unknown() {
        for text in ["", "x", "0-", "5-3", "cpu", "cpu  1 2", "MemTotal: many kB", "99999999999-1", "a) b"] {
            assert_eq!(count_list(text), None, "{text}");
            assert_eq!(meminfo_total(text), None, "{text}");
            assert_eq!(steal(text), None, "{text}");
            assert_eq!(minor_faults(text), None, "{text}");
        }
        assert_eq!(meminfo_total("MemTotal: 99999999999999999999 kB"), None);
        assert_eq!(khz("99999999999999999999"), None);
    }

    #[test]
    fn a_system_id_names_the_processor_and_not_the_host() {
        let id = |arch: &str, model: Option<&str>, hypervisor: Option<&str>| {
            system_id(&Host {
                architecture: arch.to_owned(),
                cpu_model: model.map(str::to_owned),
                hypervisor: hypervisor.map(str::to_owned),
                ..Host::default()
            })
        };
        assert_eq!(
            id("x86_64", Some("12th Gen Intel(R) Core(TM) i7-12700"), Some("none")),
            "x86-12th-intel-i7-12700"
        );
        assert_eq!(id("x86_64", Some("AMD EPYC"), Some("KVM")), "x86-amd-epyc-kvm");
        assert_eq!(id("aarch64", None, None), "arm");
        assert_eq!(id("x86_64", Some("../../etc <b>"), None), "x86-etc-b");
    }

    #[test]
    fn the_state_of_this_process_can_be_read() {
        let state = state();
        assert!(state.minor_faults.is_some_and(|n| n > 0));
        assert!(state.involuntary_switches.is_some());
    }
}
