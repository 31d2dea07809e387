//! `ngcc`: verifies, measures and publishes public-key algorithms of the NGCC programme.

mod args;
mod builtin;
mod commands;
mod format;
mod output;
mod progress;
mod select;
mod session;

use std::process::ExitCode;

use anyhow::Result;
use clap::Parser as _;

use args::{Cli, Command};
use ngcc_evidence::StoreError;
use ngcc_lab::LabError;
use output::{Outcome, Usage};

fn main() -> ExitCode {
    let cli = Cli::parse();
    if matches!(cli.command, Command::Worker) {
        return ngcc_lab::worker::main(&builtin::REGISTRY);
    }
    match run(&cli.command) {
        Ok(outcome) => outcome.into(),
        Err(error) => {
            output::say(format_args!("ngcc: {error:#}"));
            ExitCode::from(if is_usage(&error) { 2 } else { 1 })
        }
    }
}

/// Whether the command line asked for what cannot be: other words would help, doing it again would not.
fn is_usage(error: &anyhow::Error) -> bool {
    let of_lab = error.downcast_ref::<LabError>().is_some_and(|e| {
        matches!(e, LabError::Processor { .. } | LabError::Store(StoreError::Name { .. }) | LabError::Nothing)
    });
    of_lab || error.is::<Usage>() || error.is::<select::SelectError>()
}

fn run(command: &Command) -> Result<Outcome> {
    match command {
        Command::List(args) => commands::list::list(args),
        Command::Kat(args) => commands::kat::kat(args),
        Command::Bench(args) => commands::bench::bench(args),
        Command::Run(args) => commands::run::run(args),
        Command::Report(args) => commands::report::report(&args.dir),
        Command::Validate(args) => commands::validate::validate(args),
        Command::Host(args) => commands::host::host(args),
        // `main` has taken it.
        Command::Worker => Ok(Outcome::Success),
    }
}
