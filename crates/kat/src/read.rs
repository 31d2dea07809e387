//! Reading known-answer texts of any origin.

use std::fmt;
use std::io::{self, BufRead, Read as _};

use ngcc_api::Kind;

use crate::{Field, Item, Record};

/// What a reader takes at most. Its memory is bounded by `line` + `record` bytes, whatever the text holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Longest line, bytes.
    pub line: u64,
    /// All lines of one record together, bytes.
    pub record: u64,
    /// The whole text, bytes.
    pub text: u64,
    /// Number of records.
    pub records: u32,
}

impl Default for Limits {
    /// Lines of 32 MiB (values of 16 MiB), records of 64 MiB, texts of 1 GiB, 10 000 records.
    fn default() -> Self {
        Self { line: 32 << 20, record: 64 << 20, text: 1 << 30, records: 10_000 }
    }
}

/// What is wrong with a text.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The text cannot be read.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    /// A line beyond [`Limits::line`].
    #[error("longer than {0} bytes; this is no KAT text, or the limit must be raised")]
    LineTooLong(u64),
    /// A record beyond [`Limits::record`].
    #[error("its record is longer than {0} bytes; this is no KAT text, or the limit must be raised")]
    RecordTooLong(u64),
    /// A text beyond [`Limits::text`].
    #[error("the text is longer than {0} bytes; this is no KAT text, or the limit must be raised")]
    TextTooLong(u64),
    /// A record beyond [`Limits::records`].
    #[error("more than {0} records; compare fewer, or raise the limit")]
    TooManyRecords(u32),
    /// The line is no `Key = value`.
    #[error("'{0}' is not 'Key = value'; check that this is a KAT text and not truncated or binary")]
    NotKeyValue(String),
    /// The key belongs to no KAT text of this kind.
    #[error("'{key}' is no key of a {} text; its keys are Count and {} with their _Len", kind.name(), keys(*kind))]
    UnknownKey {
        /// The key as written.
        key: String,
        /// What is being read.
        kind: Kind,
    },
    /// The key stands in this record already.
    #[error("'{0}' stands twice in this record; remove one, or restore a missing Count line")]
    DuplicateKey(String),
    /// A value before the first record.
    #[error("'{0}' stands before the first Count line; a record starts with 'Count = n'")]
    BeforeCount(String),
    /// The record number is not the next one.
    #[error(
        "the record should be number {expected}, but is '{found}'; records are missing or from another text"
    )]
    Count {
        /// Number that follows the record before.
        expected: u32,
        /// The value as written.
        found: String,
    },
    /// A `_Len` value is no number.
    #[error("'{found}' is no length; {field}_Len is a decimal number of bytes or blank")]
    Length {
        /// Which field.
        field: Field,
        /// The value as written.
        found: String,
    },
    /// A value has an odd number of digits.
    #[error("{0} has an odd number of hexadecimal digits; the line is probably truncated")]
    OddHex(Field),
    /// A value has other characters than hexadecimal digits.
    #[error(
        "{field} has a character that is no hexadecimal digit at digit {position}; a value is one line of digits without blanks"
    )]
    NotHex {
        /// Which field.
        field: Field,
        /// Its place in the value, from 0.
        position: usize,
    },
    /// A value has another length than its `_Len` line says.
    #[error("{field} has {actual} bytes but {field}_Len says {declared}; the text is truncated or edited")]
    LengthDisagrees {
        /// Which field.
        field: Field,
        /// The `_Len` value, bytes.
        declared: u64,
        /// Bytes that are there.
        actual: u64,
    },
    /// The record ends before a field of its kind.
    #[error("record {record} ends without '{field}'; the text is truncated, or not of a {}", kind.name())]
    Missing {
        /// Number of the record.
        record: u32,
        /// Which field.
        field: Field,
        /// What is being read.
        kind: Kind,
    },
    /// There is no record.
    #[error("the text holds no record; check that it is a KAT text")]
    Empty,
}

fn keys(kind: Kind) -> String {
    Field::of(kind).map(Field::key).join(", ")
}

/// A text that cannot be used.
#[derive(Debug)]
pub struct ReadError {
    /// Number of the line, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub problem: Problem,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KAT text line {}: {}", self.line, self.problem)
    }
}

impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.problem {
            Problem::Io(e) => Some(e),
            _ => None,
        }
    }
}

/// Lines of a text within limits, one at a time.
pub(crate) struct Lines<R> {
    reader: R,
    limits: Limits,
    line: Vec<u8>,
    number: u64,
    read: u64,
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(reader: R, limits: Limits) -> Self {
        Self { reader, limits, line: Vec::new(), number: 0, read: 0 }
    }

    /// The next line, perhaps with its line end; `None` at the end of the text.
    pub(crate) fn next(&mut self) -> Result<Option<&[u8]>, ReadError> {
        self.number += 1;
        self.line.clear();
        let most = self.limits.line.saturating_add(1);
        let n = match self.reader.by_ref().take(most).read_until(b'\n', &mut self.line) {
            Ok(n) => n as u64,
            Err(e) => return Err(self.fail(Problem::Io(e))),
        };
        self.read = self.read.saturating_add(n);
        if n > self.limits.line {
            return Err(self.fail(Problem::LineTooLong(self.limits.line)));
        }
        if self.read > self.limits.text {
            return Err(self.fail(Problem::TextTooLong(self.limits.text)));
        }
        Ok((n > 0).then_some(&self.line))
    }

    fn fail(&self, problem: Problem) -> ReadError {
        ReadError { line: self.number, problem }
    }
}

/// The records of a known-answer text, one at a time.
///
/// Lines may end in CR LF or with blanks and the last newline may be missing; hex and keys may be in either case; `_Len`
/// lines may be blank or absent; a blank value is read as `None` (a template). Fields may stand in any order, each once.
/// The first error ends the iteration.
pub struct Reader<R> {
    lines: Lines<R>,
    kind: Kind,
    /// Number of the next record, and whether its Count line has been read.
    next: u32,
    open: bool,
    /// What is wrong with the Count line that ended the record before.
    pending: Option<ReadError>,
    done: bool,
}

impl<R: BufRead> Reader<R> {
    /// Reads a text of this kind.
    pub fn new(kind: Kind, reader: R, limits: Limits) -> Self {
        Self { lines: Lines::new(reader, limits), kind, next: 0, open: false, pending: None, done: false }
    }

    fn record(&mut self) -> Result<Option<Record>, ReadError> {
        if let Some(error) = self.pending.take() {
            return Err(error);
        }
        let limits = self.lines.limits;
        let mut draft = Draft::new(self.kind);
        let mut size = 0;
        loop {
            let number = self.lines.number + 1;
            let fail = |problem| ReadError { line: number, problem };
            let Some(line) = self.lines.next()? else {
                return match (self.open, self.next) {
                    (true, _) => {
                        self.open = false;
                        self.close(draft, number)
                    }
                    (false, 0) => Err(fail(Problem::Empty)),
                    (false, _) => Ok(None),
                };
            };
            let line = line.trim_ascii();
            size += line.len() as u64;
            if size > limits.record {
                return Err(fail(Problem::RecordTooLong(limits.record)));
            }
            if line.is_empty() {
                continue;
            }
            let (key, value) = key_value(line).ok_or_else(|| fail(Problem::NotKeyValue(excerpt(line))))?;
            if key.eq_ignore_ascii_case(b"Count") {
                let expected = self.next + u32::from(self.open);
                let count = check_count(value, expected, limits).map_err(fail);
                if self.open {
                    self.pending = count.err();
                    return self.close(draft, number);
                }
                count?;
                self.open = true;
            } else if self.open {
                draft.line(number, key, value).map_err(fail)?;
            } else {
                return Err(fail(Problem::BeforeCount(excerpt(key))));
            }
        }
    }

    /// Ends the open record: at the Count line of the next one, which stays open, or at the end of the text.
    fn close(&mut self, draft: Draft, number: u64) -> Result<Option<Record>, ReadError> {
        let record = draft.finish(self.next, number)?;
        self.next += 1;
        Ok(Some(record))
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Record, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let result = self.record().transpose();
        self.done = !matches!(result, Some(Ok(_)));
        result
    }
}

impl<R: BufRead> std::iter::FusedIterator for Reader<R> {}

fn key_value(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = line.iter().position(|b| *b == b'=')?;
    let (key, value) = (line[..at].trim_ascii(), line[at + 1..].trim_ascii());
    (!key.is_empty()).then_some((key, value))
}

fn check_count(value: &[u8], expected: u32, limits: Limits) -> Result<(), Problem> {
    if decimal(value) != Some(u64::from(expected)) {
        return Err(Problem::Count { expected, found: excerpt(value) });
    }
    if expected >= limits.records {
        return Err(Problem::TooManyRecords(limits.records));
    }
    Ok(())
}

fn decimal(value: &[u8]) -> Option<u64> {
    value.iter().all(u8::is_ascii_digit).then_some(())?;
    std::str::from_utf8(value).ok()?.parse().ok()
}

/// The start of what stands in a text, fit for a message.
fn excerpt(bytes: &[u8]) -> String {
    const MOST: usize = 24;
    let mut s = bytes.get(..MOST).unwrap_or(bytes).escape_ascii().to_string();
    if bytes.len() > MOST {
        s.push_str("...");
    }
    s
}

/// A record being read: for each field the line and value of its `_Len` and of itself.
struct Draft {
    kind: Kind,
    lengths: [Option<Option<u64>>; 5],
    values: [Option<(u64, Option<Vec<u8>>)>; 5],
    order: Vec<usize>,
}

impl Draft {
    const fn new(kind: Kind) -> Self {
        Self { kind, lengths: [None; 5], values: [None, None, None, None, None], order: Vec::new() }
    }

    fn line(&mut self, number: u64, key: &[u8], value: &[u8]) -> Result<(), Problem> {
        let (name, is_length) = match key.len().checked_sub(4).and_then(|n| key.split_at_checked(n)) {
            Some((name, suffix)) if suffix.eq_ignore_ascii_case(b"_Len") => (name, true),
            _ => (key, false),
        };
        let fields = Field::of(self.kind);
        let Some(at) = fields.iter().position(|f| name.eq_ignore_ascii_case(f.key().as_bytes())) else {
            return Err(Problem::UnknownKey { key: excerpt(key), kind: self.kind });
        };
        let field = fields[at];
        let seen = if is_length { self.lengths[at].is_some() } else { self.values[at].is_some() };
        if seen {
            return Err(Problem::DuplicateKey(excerpt(key)));
        }
        if is_length {
            let length = if value.is_empty() {
                None
            } else {
                let bad = || Problem::Length { field, found: excerpt(value) };
                Some(decimal(value).ok_or_else(bad)?)
            };
            self.lengths[at] = Some(length);
        } else {
            self.values[at] = Some((number, decode(field, value)?));
            self.order.push(at);
        }
        Ok(())
    }

    fn finish(self, count: u32, end: u64) -> Result<Record, ReadError> {
        let Self { kind, lengths, mut values, order } = self;
        let fields = Field::of(kind);
        if let Some(at) = values.iter().position(Option::is_none) {
            let problem = Problem::Missing { record: count, field: fields[at], kind };
            return Err(ReadError { line: end, problem });
        }
        let mut items = Vec::with_capacity(order.len());
        for at in order {
            let Some((line, mut value)) = values[at].take() else { continue };
            let (field, declared) = (fields[at], lengths[at].flatten());
            if declared == Some(0) && value.is_none() {
                value = Some(Vec::new());
            }
            if let (Some(declared), Some(value)) = (declared, &value) {
                let actual = value.len() as u64;
                if actual != declared {
                    let problem = Problem::LengthDisagrees { field, declared, actual };
                    return Err(ReadError { line, problem });
                }
            }
            items.push(Item { field, declared, value });
        }
        Ok(Record { count, items })
    }
}

fn decode(field: Field, value: &[u8]) -> Result<Option<Vec<u8>>, Problem> {
    if value.is_empty() {
        return Ok(None);
    }
    if let Some(position) = value.iter().position(|b| !b.is_ascii_hexdigit()) {
        return Err(Problem::NotHex { field, position });
    }
    hex::decode(value).map(Some).map_err(|_| Problem::OddHex(field))
}
