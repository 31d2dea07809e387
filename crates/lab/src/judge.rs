//! The judge's side of a worker: starts it, asks it, bounds it, and ends it.

use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::protocol::{Numbered, Reply, Request, VERSION, read_frame, write_frame};
use crate::target::Program;

/// Bytes of what a worker prints that are kept, the last ones.
const KEPT_OUTPUT: usize = 4096;

/// Seconds that a worker has to start and answer its first request.
const START_LIMIT: Duration = Duration::from_secs(30);

/// How long a dead worker's output is waited for: a process that it left behind may hold the pipe open.
const DRAIN_LIMIT: Duration = Duration::from_millis(300);

/// A worker that did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WorkerError {
    /// It could not be started.
    #[error("the worker could not be started: {0}")]
    Start(io::Error),
    /// It ended.
    #[error("the worker {0}")]
    Died(String),
    /// It gave no answer in time.
    #[error("the worker gave no answer within {} s and was killed", .0.as_secs())]
    Hung(Duration),
    /// It answered what is no answer.
    #[error("the worker answered nonsense: {0}")]
    Babbled(String),
    /// It could not carry the request out.
    #[error("{0}")]
    Failed(String),
}

/// Why an operation failed, with what the worker had printed.
#[derive(Debug)]
pub(crate) struct WorkerFailure {
    pub(crate) error: WorkerError,
    pub(crate) output: String,
}

/// A running worker; dropping it kills it and everything it started.
pub(crate) struct Worker {
    child: Child,
    socket: UnixStream,
    output: Output,
    number: u64,
    /// Longest time for any answer.
    longest: Option<Duration>,
}

impl Worker {
    /// Starts a worker and pins it to a processor.
    pub(crate) fn start(program: &Program, cpu: Option<u32>) -> Result<Self, WorkerFailure> {
        let start = |e| WorkerFailure { error: WorkerError::Start(e), output: String::new() };
        let (socket, theirs) = UnixStream::pair().map_err(start)?;
        let mut child = Command::new(&program.path)
            .args(&program.args)
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .map_err(start)?;
        let output = Output::default();
        output.collect(child.stdout.take());
        output.collect(child.stderr.take());
        let mut worker = Self { child, socket, output, number: 0, longest: program.limit };
        match worker.ask(Request::Hello { version: VERSION, cpu }, START_LIMIT)? {
            Reply::Ready { version: VERSION } => Ok(worker),
            other => Err(worker.failed(WorkerError::Babbled(format!("no greeting but {}", brief(&other))))),
        }
    }

    /// Asks and waits for the one answer.
    pub(crate) fn ask(&mut self, request: Request, limit: Duration) -> Result<Reply, WorkerFailure> {
        self.send(request)?;
        self.answer(limit)
    }

    /// Asks without waiting.
    pub(crate) fn send(&mut self, request: Request) -> Result<(), WorkerFailure> {
        self.number += 1;
        let message = Numbered { number: self.number, body: request };
        write_frame(&mut self.socket, &message).map_err(|e| self.broken(e, START_LIMIT))
    }

    /// Waits for the next answer to the last request.
    pub(crate) fn answer(&mut self, limit: Duration) -> Result<Reply, WorkerFailure> {
        let limit = self.longest.map_or(limit, |longest| limit.min(longest));
        let deadline = Instant::now() + limit;
        let mut input = Deadlined { socket: &self.socket, deadline };
        let reply: Numbered<Reply> = read_frame(&mut input).map_err(|e| self.broken(e, limit))?;
        if reply.number != self.number {
            let what = format!("an answer to request {} instead of {}", reply.number, self.number);
            return Err(self.failed(WorkerError::Babbled(what)));
        }
        match reply.body {
            Reply::Failed(message) => Err(self.failed(WorkerError::Failed(message))),
            other => Ok(other),
        }
    }

    /// An answer of the wrong kind.
    pub(crate) fn unexpected(&mut self, reply: &Reply) -> WorkerFailure {
        self.failed(WorkerError::Babbled(format!("it was not asked for {}", brief(reply))))
    }

    fn broken(&mut self, error: io::Error, limit: Duration) -> WorkerFailure {
        match error.kind() {
            io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => self.failed(WorkerError::Hung(limit)),
            io::ErrorKind::InvalidData => self.failed(WorkerError::Babbled(error.to_string())),
            _ => {
                // The end of the socket comes a little before that of the process.
                let ended = self.wait_briefly();
                let how = ended.map_or_else(|| format!("closed its socket ({error})"), describe);
                self.failed(WorkerError::Died(how))
            }
        }
    }

    fn wait_briefly(&mut self) -> Option<ExitStatus> {
        let deadline = Instant::now() + DRAIN_LIMIT;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(2)),
                _ => return None,
            }
        }
    }

    /// Ends the worker and takes what it printed.
    fn failed(&mut self, error: WorkerError) -> WorkerFailure {
        self.kill();
        WorkerFailure { error, output: self.output.wait() }
    }

    fn kill(&mut self) {
        // A process that was waited for has given its number back: only a child not yet reaped may be signalled.
        if let Ok(None) = self.child.try_wait() {
            if let Some(pid) = i32::try_from(self.child.id()).ok().and_then(rustix::process::Pid::from_raw) {
                let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
            }
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A socket whose reads together end at a deadline.
struct Deadlined<'a> {
    socket: &'a UnixStream,
    deadline: Instant,
}

impl Read for Deadlined<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.socket.set_read_timeout(Some(left))?;
        (&mut &*self.socket).read(buffer)
    }
}

/// The last bytes that a worker printed, and how many of its pipes are still open.
#[derive(Clone, Default)]
struct Output(Arc<Mutex<(Vec<u8>, u32)>>);

impl Output {
    fn with<T>(&self, f: impl FnOnce(&mut (Vec<u8>, u32)) -> T) -> T {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads a pipe to its end in a thread of its own, so that the worker never waits for it.
    fn collect(&self, pipe: Option<impl Read + Send + 'static>) {
        let Some(mut pipe) = pipe else { return };
        self.with(|state| state.1 += 1);
        let output = self.clone();
        thread::spawn(move || {
            let mut chunk = [0; 1024];
            while let Ok(n @ 1..) = pipe.read(&mut chunk) {
                output.with(|(kept, _)| {
                    kept.extend_from_slice(&chunk[..n]);
                    let surplus = kept.len().saturating_sub(KEPT_OUTPUT);
                    kept.drain(..surplus);
                });
            }
            output.with(|state| state.1 -= 1);
        });
    }

    /// What was printed, once the pipes are closed or soon after.
    fn wait(&self) -> String {
        let deadline = Instant::now() + DRAIN_LIMIT;
        while self.with(|state| state.1) > 0 && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(2));
        }
        self.with(|(kept, _)| String::from_utf8_lossy(kept).trim().to_owned())
    }
}

/// How a process ended.
fn describe(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => {
            let name = match signal {
                4 => " (illegal instruction)",
                6 => " (abort)",
                7 => " (bus error)",
                8 => " (arithmetic fault)",
                9 => " (killed, perhaps for want of memory)",
                11 => " (segmentation fault)",
                _ => "",
            };
            format!("was ended by signal {signal}{name}")
        }
        (None, Some(code)) => format!("ended by itself with code {code}"),
        (None, None) => "ended".to_owned(),
    }
}

fn brief(reply: &Reply) -> &'static str {
    match reply {
        Reply::Ready { .. } => "a greeting",
        Reply::KatRecord { .. } | Reply::KatEnd { .. } => "known answers",
        Reply::Calibrated { .. } => "a calibration",
        Reply::Trial(_) => "a trial",
        Reply::Memory(_) => "memory sizes",
        Reply::Profile(_) => "a profile",
        Reply::Failed(_) => "a failure",
    }
}
