//! The process that runs measured code: the body of the hidden subcommand.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

use ngcc_api::{Backend, Instance, Operation, Registry};
use ngcc_kat::Generator;
use rustix::process::{Signal, set_parent_process_death_signal};
use rustix::thread::{CpuSet, sched_setaffinity};

use crate::measure;
use crate::protocol::{Numbered, Reply, Request, Subject, VERSION, read_frame, write_frame};

/// Serves the judge on descriptor 0 until it hangs up.
///
/// The socket is moved away from descriptor 0, out of reach of code that reads its standard input and of children.
#[must_use]
pub fn main(registry: &Registry) -> ExitCode {
    let mut socket = match take_socket() {
        Ok(socket) => socket,
        Err(e) => {
            let _ = writeln!(io::stderr(), "this subcommand is started by the program itself: {e}");
            return ExitCode::from(2);
        }
    };
    loop {
        // An end of the socket is the judge's way to say goodbye.
        let Ok(request) = read_frame::<Numbered<Request>>(&mut socket) else { return ExitCode::SUCCESS };
        let number = request.number;
        let mut send = |body: Reply| write_frame(&mut socket, &Numbered { number, body });
        let reply = serve(registry, request.body, &mut send).unwrap_or_else(Reply::Failed);
        if send(reply).is_err() {
            return ExitCode::FAILURE;
        }
    }
}

/// Gives this process the highest priority of those that share the processor by time.
pub(crate) fn raise_priority() -> rustix::io::Result<()> {
    rustix::process::setpriority_process(None, -20)
}

fn take_socket() -> io::Result<UnixStream> {
    let stdin = io::stdin();
    let kind = rustix::fs::FileType::from_raw_mode(rustix::fs::fstat(stdin.as_fd())?.st_mode);
    if kind != rustix::fs::FileType::Socket {
        return Err(io::Error::other("descriptor 0 is no socket"));
    }
    // The copy is closed on exec.
    let socket = stdin.as_fd().try_clone_to_owned()?;
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    set_parent_process_death_signal(Some(Signal::KILL))?;
    Ok(socket.into())
}

fn serve(
    registry: &Registry,
    request: Request,
    send: &mut dyn FnMut(Reply) -> io::Result<()>,
) -> Result<Reply, String> {
    match request {
        Request::Hello { version, cpu } => {
            if version != VERSION {
                return Err(format!("the judge speaks version {version}, the worker {VERSION}"));
            }
            if let Some(cpu) = cpu {
                let mut set = CpuSet::new();
                set.set(cpu as usize);
                sched_setaffinity(None, &set)
                    .map_err(|e| format!("cannot be pinned to processor {cpu}: {e}"))?;
            }
            Ok(Reply::Ready { version: VERSION })
        }
        Request::Kat { subject, records } => {
            let (instance, backend) = find(registry, &subject)?;
            for record in Generator::new(instance, backend).records(records) {
                match record {
                    Ok(record) => {
                        let reply = Reply::KatRecord { count: record.count, text: record.to_string() };
                        send(reply).map_err(|e| e.to_string())?;
                    }
                    Err(e) => {
                        return Ok(Reply::KatEnd { failure: Some((e.status().to_string(), e.to_string())) });
                    }
                }
            }
            Ok(Reply::KatEnd { failure: None })
        }
        Request::Calibrate { subject, inputs } => {
            let (instance, backend, operation) = find_operation(registry, &subject)?;
            let (calibration, width) = measure::calibrate(instance, backend, operation, &inputs)?;
            Ok(Reply::Calibrated { calibration, width })
        }
        Request::Trial { subject, inputs, spec } => {
            let (instance, backend, operation) = find_operation(registry, &subject)?;
            let trial = measure::trial(instance, backend, operation, &inputs, &spec)?;
            Ok(Reply::Trial(Box::new(trial)))
        }
        Request::Memory { subject, inputs } => {
            let (instance, backend, operation) = find_operation(registry, &subject)?;
            measure::memory(instance, backend, operation, &inputs).map(Reply::Memory)
        }
        Request::Profile { subject, inputs, spec } => {
            let (instance, backend, operation) = find_operation(registry, &subject)?;
            measure::profile(instance, backend, operation, &inputs, &spec).map(Reply::Profile)
        }
    }
}

fn find(registry: &Registry, subject: &Subject) -> Result<(&'static Instance, Backend), String> {
    let instance = registry
        .find(&subject.submission, &subject.instance)
        .ok_or_else(|| format!("the worker knows no instance {}/{}", subject.submission, subject.instance))?;
    let backend: Backend = subject.backend.parse().map_err(|e| format!("{e}"))?;
    if !backend.is_available() {
        return Err(format!("this machine cannot run {backend}"));
    }
    Ok((instance, backend))
}

fn find_operation(
    registry: &Registry,
    subject: &Subject,
) -> Result<(&'static Instance, Backend, Operation), String> {
    let (instance, backend) = find(registry, subject)?;
    let name = subject.operation.as_deref().unwrap_or_default();
    let operation = instance.kind().operations().into_iter().find(|o| o.name() == name);
    let operation = operation.ok_or_else(|| format!("{instance:?} has no operation '{name}'"))?;
    Ok((instance, backend, operation))
}
