//! What judge and worker say to each other: JSON in frames of a little-endian 32-bit length.
//!
//! The judge trusts nothing that comes back: frames are bounded, each answer repeats the number of its request, and the
//! worker's standard output and error are no part of the conversation.

use std::io::{self, Read, Write};

use ngcc_evidence::{Calibration, InputMode, Memory, NoiseRules, ProfileRow, Trial};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Version of the messages; judge and worker are the same executable, so another one means a mistake.
pub(crate) const VERSION: u32 = 1;

/// Largest frame, bytes, either way.
const MAX_FRAME: u32 = 64 << 20;

/// A message with the number of the request that it is or answers.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Numbered<T> {
    pub(crate) number: u64,
    pub(crate) body: T,
}

/// What the judge asks.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Request {
    /// Version of the messages, and the processor to be pinned to.
    Hello { version: u32, cpu: Option<u32> },
    /// The known-answer text of a back-end of an instance.
    Kat { subject: Subject, records: u32 },
    /// A few calls, to plan by.
    Calibrate { subject: Subject, inputs: Inputs },
    /// A trial.
    Trial { subject: Subject, inputs: Inputs, spec: TrialSpec },
    /// Resident memory before and after one call.
    Memory { subject: Subject, inputs: Inputs },
    /// Time in the ICCS functions.
    Profile { subject: Subject, inputs: Inputs, spec: TrialSpec },
}

/// What is measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Subject {
    pub(crate) submission: String,
    pub(crate) instance: String,
    pub(crate) backend: String,
    /// Absent for a known-answer test.
    pub(crate) operation: Option<String>,
}

/// Where inputs come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Inputs {
    pub(crate) mode: InputMode,
    /// DRNG seed, hex.
    pub(crate) seed: String,
    /// Seed of the messages, hex; absent where there are none or where they are fixed.
    pub(crate) message_seed: Option<String>,
    /// Inputs to be made before timing, where the operation needs some.
    pub(crate) distinct: u32,
}

/// How a trial runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct TrialSpec {
    pub(crate) index: u32,
    pub(crate) calls: u32,
    pub(crate) warmups: u32,
    pub(crate) calls_per_stretch: u32,
    /// Calibrated seconds of one call.
    pub(crate) seconds_per_call: f64,
    pub(crate) rules: NoiseRules,
    /// Width of a quiet core, as far as the judge has seen.
    pub(crate) quiet_width: f64,
}

/// What the worker answers.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Reply {
    /// To [`Request::Hello`].
    Ready { version: u32 },
    /// One record of a known-answer text; more follow.
    KatRecord { count: u32, text: String },
    /// The text is complete, or ended with a status and its reason.
    KatEnd { failure: Option<(String, String)> },
    /// To [`Request::Calibrate`].
    Calibrated { calibration: Calibration, width: f64 },
    /// To [`Request::Trial`]; `disturbed` is for the judge to say.
    Trial(Box<Trial>),
    /// To [`Request::Memory`].
    Memory(Memory),
    /// To [`Request::Profile`].
    Profile(ProfileCounts),
    /// The request could not be carried out.
    Failed(String),
}

/// A profile, free of the recording's own time.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ProfileCounts {
    pub(crate) operations: u64,
    pub(crate) total_ticks: u64,
    pub(crate) recording_ticks: u64,
    /// The shares are left zero.
    pub(crate) rows: Vec<ProfileRow>,
}

/// Writes one frame.
pub(crate) fn write_frame<T: Serialize>(out: &mut impl Write, message: &T) -> io::Result<()> {
    let body = serde_json::to_vec(message)?;
    let length = u32::try_from(body.len()).ok().filter(|n| *n <= MAX_FRAME);
    let length =
        length.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "the message is too long"))?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(&body)
}

/// Reads one frame. An end of file before its first byte is [`io::ErrorKind::UnexpectedEof`] as any other.
pub(crate) fn read_frame<T: DeserializeOwned>(input: &mut impl Read) -> io::Result<T> {
    let mut length = [0; 4];
    input.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length);
    if length > MAX_FRAME {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            format!("a frame of {length} bytes was announced"),
        ));
    }
    // Grows with what comes, not with what was announced.
    let mut body = Vec::new();
    input.take(length.into()).read_to_end(&mut body)?;
    if body.len() != length as usize {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    serde_json::from_slice(&body).map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_round_trip() {
        let mut wire = Vec::new();
        for number in 0..3 {
            let body = Request::Hello { version: VERSION, cpu: Some(1) };
            write_frame(&mut wire, &Numbered { number, body }).unwrap();
        }
        let mut input = wire.as_slice();
        for number in 0..3 {
            let read: Numbered<Request> = read_frame(&mut input).unwrap();
            assert_eq!(read.number, number);
        }
        assert_eq!(read_frame::<u8>(&mut input).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }

    #[test]
    fn broken_frames_are_refused() {
        let kind = |bytes: &[u8]| read_frame::<Numbered<Request>>(&mut &bytes[..]).unwrap_err().kind();
        assert_eq!(kind(&[]), io::ErrorKind::UnexpectedEof);
        assert_eq!(kind(&[1, 0]), io::ErrorKind::UnexpectedEof);
        assert_eq!(kind(&[9, 0, 0, 0, b'{']), io::ErrorKind::UnexpectedEof);
        assert_eq!(kind(&[0xff; 8]), io::ErrorKind::InvalidData);
        assert_eq!(kind(&[2, 0, 0, 0, b'{', b'}']), io::ErrorKind::InvalidData);
        assert_eq!(kind(b"RESULT sign-02 BiT-128 PASS"), io::ErrorKind::InvalidData);
    }
}
