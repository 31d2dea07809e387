//! The command line, as types.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use ngcc_api::{Backend, Operation};

/// Verifies, measures and publishes public-key algorithms of the NGCC programme.
///
/// Exit status: 0 success, 1 a check failed or work could not be finished, 2 usage.
#[derive(Debug, Parser)]
#[command(name = "ngcc", version, max_term_width = 110)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the built-in instances
    List(List),
    /// Generate known-answer texts and compare them with the submitted ones
    Kat(Kat),
    /// Measure and print a table; nothing is written
    Bench(Bench),
    /// Verify, measure and publish: all phases, ending in a site that a browser opens
    Run(Run),
    /// Make the pages of a run directory again
    Report(RunDir),
    /// Recompute every number, digest and completeness of a run directory
    Validate(Validate),
    /// Show what is known of this machine, and what makes its numbers weaker
    Host(Host),
    /// Measured code runs here; the judge speaks to it over descriptor 0
    #[command(hide = true)]
    Worker,
}

/// Which instances.
#[derive(Debug, Args)]
pub(crate) struct Selection {
    /// Submission id or id/instance: a part of the name or a glob, in any case; none means all
    #[arg(value_name = "PATTERN")]
    pub(crate) patterns: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    #[command(flatten)]
    pub(crate) selection: Selection,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Kat {
    #[command(flatten)]
    pub(crate) selection: Selection,
    /// Write each text to DIR/<id>/<instance>/KAT_SIG_<name>.txt (KAT_KEM_ for a KEM)
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Back-end to run; by default the best of this machine
    #[arg(long, value_parser = parse_backend)]
    pub(crate) variant: Option<Backend>,
    /// Compare with this KAT file instead of the manifest's digest (one instance only)
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Bench {
    #[command(flatten)]
    pub(crate) selection: Selection,
    /// Only this operation
    #[arg(long, value_parser = parse_operation)]
    pub(crate) op: Option<Operation>,
    /// Back-end to run; by default the best of this machine
    #[arg(long, value_parser = parse_backend)]
    pub(crate) variant: Option<Backend>,
    #[command(flatten)]
    pub(crate) measuring: Measuring,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// How to measure.
#[derive(Debug, Args)]
pub(crate) struct Measuring {
    /// Shorter trials
    #[arg(long)]
    pub(crate) quick: bool,
    /// Time the public harness's fixed inputs instead of fresh ones
    #[arg(long)]
    pub(crate) guide_inputs: bool,
    /// Processor to measure on; by default the last one allowed
    #[arg(long, value_name = "N")]
    pub(crate) cpu: Option<u32>,
}

/// Which back-ends a campaign measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Variants {
    /// The best one of this machine
    Best,
    /// Every one that this machine runs
    All,
}

#[derive(Debug, Args)]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) selection: Selection,
    #[command(flatten)]
    pub(crate) measuring: Measuring,
    /// Back-ends to measure; by default all, with --quick the best
    #[arg(long, value_enum)]
    pub(crate) variants: Option<Variants>,
    /// New run directory; by default runs/<system>-<UTC time>
    #[arg(long, value_name = "DIR", conflicts_with = "resume")]
    pub(crate) out: Option<PathBuf>,
    /// Go on with a campaign that was stopped; its own plan and instances are used
    #[arg(long, value_name = "DIR", conflicts_with_all = ["patterns", "quick", "guide_inputs", "variants", "system", "cpu"])]
    pub(crate) resume: Option<PathBuf>,
    /// Name of this system on pages; by default made from the processor's name
    #[arg(long, value_name = "NAME")]
    pub(crate) system: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct RunDir {
    /// Run directory
    #[arg(value_name = "DIR")]
    pub(crate) dir: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Validate {
    #[command(flatten)]
    pub(crate) run: RunDir,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Host {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

fn parse_backend(name: &str) -> Result<Backend, String> {
    let backend: Backend = name.to_lowercase().parse().map_err(|e| format!("{e}"))?;
    if backend.is_available() {
        Ok(backend)
    } else {
        let here: Vec<&str> = Backend::available().map(Backend::name).collect();
        Err(format!("this machine cannot run {backend}; it runs {}", here.join(", ")))
    }
}

fn parse_operation(name: &str) -> Result<Operation, String> {
    Operation::ALL.into_iter().find(|o| o.name().eq_ignore_ascii_case(name)).ok_or_else(|| {
        format!("no such operation; there are {}", Operation::ALL.map(Operation::name).join(", "))
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_consistent() {
        super::Cli::command().debug_assert();
    }
}
