//! Comparison of generated records with a reference, and the verdict.

use std::fmt;
use std::io::BufRead;
use std::ops::ControlFlow;

use ngcc_api::Kind;

use crate::{
    Canonical, Coverage, DigestSpec, Field, GenerateError, Generator, Limits, ReadError, Reader, Record,
    Status,
};

/// How a record differs from the reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// The field has another number of bytes.
    Length,
    /// The seeds differ: the reference was made from another seed schedule, so nothing else can agree.
    Seed,
    /// The reference leaves the field blank.
    Template,
    /// The bytes differ.
    Value,
    /// The reference has fewer records.
    Records,
}

impl Class {
    /// One word: `length`, `seed`, `template`, `value`, `records`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Length => "length",
            Self::Seed => "seed",
            Self::Template => "template",
            Self::Value => "value",
            Self::Records => "records",
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The first difference from a reference text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Number of the record, from 0.
    pub record: u32,
    /// The first field that differs; `None` where the whole record is missing.
    pub field: Option<Field>,
    /// First byte of the field that differs; where one value is the start of the other, the length of the shorter.
    pub offset: Option<usize>,
    /// How it differs.
    pub class: Class,
    /// Bytes of the field as generated and in the reference, where both are there.
    pub lengths: Option<(usize, usize)>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let class = self.class;
        match (self.field, self.offset, self.lengths) {
            (Some(field), Some(offset), Some((ours, theirs))) if ours != theirs => write!(
                f,
                "record {}: {field} has {ours} bytes and the reference {theirs}, equal before byte {offset} ({class})",
                self.record
            ),
            (Some(field), Some(offset), _) => {
                write!(f, "record {}: {field} differs at byte {offset} ({class})", self.record)
            }
            (Some(field), None, _) => {
                write!(f, "record {}: {field} is blank in the reference ({class})", self.record)
            }
            (None, _, _) => write!(f, "record {} is not in the reference ({class})", self.record),
        }
    }
}

/// What came of checking an instance. [`Display`](fmt::Display) is the detail of its result line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The outcome.
    pub status: Status,
    /// Records that were generated.
    pub records: u32,
    /// Records that agree with the reference before the first difference. `None` where a digest cannot tell.
    pub agreed: Option<u32>,
    /// Where the text first differs from a reference text.
    pub difference: Option<Difference>,
    /// SHA-256 of the canonical form (`strict`) of all generated records.
    pub sha256: [u8; 32],
    /// What else there is to say, in one line.
    pub note: String,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        match (self.difference, self.agreed) {
            (Some(difference), agreed) => {
                parts.push(difference.to_string());
                parts.push(format!("{} before it", agreeing(agreed.unwrap_or(0))));
            }
            (None, Some(agreed)) if self.status == Status::Pass => {
                parts.push(agreeing(agreed));
            }
            (None, _) => {}
        }
        if !self.note.is_empty() {
            parts.push(self.note.clone());
        }
        f.write_str(&parts.join("; "))
    }
}

fn agreeing(records: u32) -> String {
    format!("{} agree{}", plural(records), if records == 1 { "s" } else { "" })
}

fn plural(records: u32) -> String {
    format!("{records} record{}", if records == 1 { "" } else { "s" })
}

enum Reference<'r> {
    Nothing,
    Digest(DigestSpec, Canonical),
    Text(Box<Reader<Box<dyn BufRead + 'r>>>),
}

/// Judges records as they are generated. Memory is bounded by one record of each side.
pub struct Comparison<'r> {
    reference: Reference<'r>,
    strict: Canonical,
    records: u32,
    agreed: u32,
    blank_lengths: u32,
    difference: Option<Difference>,
    /// The first record of the reference has no answers in it.
    template: bool,
}

impl<'r> Comparison<'r> {
    /// Compares with nothing: the verdict is [`Status::NoKat`] unless generation fails.
    #[must_use]
    pub fn without_reference() -> Self {
        Self::new(Reference::Nothing)
    }

    /// Compares with a digest, which tells only whether everything that it covers agrees.
    #[must_use]
    pub fn with_digest(spec: DigestSpec) -> Self {
        Self::new(Reference::Digest(spec, Canonical::new(spec.coverage)))
    }

    /// Compares with a text, record by record. A run shorter than the text passes on what it has.
    pub fn with_text(kind: Kind, text: impl BufRead + 'r, limits: Limits) -> Self {
        let text: Box<dyn BufRead + 'r> = Box::new(text);
        Self::new(Reference::Text(Box::new(Reader::new(kind, text, limits))))
    }

    fn new(reference: Reference<'r>) -> Self {
        Self {
            reference,
            strict: Canonical::new(Coverage::STRICT),
            records: 0,
            agreed: 0,
            blank_lengths: 0,
            difference: None,
            template: false,
        }
    }

    /// Takes the next generated record.
    ///
    /// # Errors
    /// [`ReadError`] if the reference text cannot be used.
    pub fn push(&mut self, record: &Record) -> Result<(), ReadError> {
        let text = record.to_string();
        self.strict.text(&text);
        self.records += 1;
        match &mut self.reference {
            Reference::Nothing => {}
            Reference::Digest(_, canonical) => canonical.text(&text),
            Reference::Text(reader) if self.difference.is_none() => match reader.next().transpose()? {
                None => {
                    self.difference = Some(Difference {
                        record: record.count,
                        field: None,
                        offset: None,
                        class: Class::Records,
                        lengths: None,
                    });
                }
                Some(reference) => self.compare(record, &reference),
            },
            Reference::Text(_) => {}
        }
        Ok(())
    }

    fn compare(&mut self, ours: &Record, theirs: &Record) {
        self.difference = first_difference(ours, theirs);
        match self.difference {
            None => {
                self.agreed += 1;
                let blank = theirs.items.iter().filter(|i| i.declared.is_none()).count();
                self.blank_lengths =
                    self.blank_lengths.saturating_add(u32::try_from(blank).unwrap_or(u32::MAX));
            }
            Some(_) => {
                self.template = self.agreed == 0
                    && theirs
                        .items
                        .iter()
                        .all(|i| i.value.is_none() || matches!(i.field, Field::Seed | Field::Message));
            }
        }
    }

    /// The verdict on the records so far.
    ///
    /// # Errors
    /// [`ReadError`] if what follows in the reference text cannot be read.
    pub fn finish(mut self) -> Result<Verdict, ReadError> {
        let mut notes = Vec::new();
        if self.blank_lengths > 0 {
            notes.push(format!("{} lengths blank in the reference", self.blank_lengths));
        }
        let (status, agreed) = match &mut self.reference {
            Reference::Nothing => {
                notes.push("no reference".to_owned());
                (Status::NoKat, None)
            }
            Reference::Digest(spec, canonical) => judge_digest(*spec, canonical.clone(), &mut notes),
            Reference::Text(reader) => {
                if self.difference.is_none() && reader.next().transpose()?.is_some() {
                    notes.push("the reference continues".to_owned());
                }
                let status = match (self.difference, self.records) {
                    (Some(_), _) if self.template => Status::NoKat,
                    (Some(_), _) => Status::Mismatch,
                    (None, 0) => {
                        notes.push("no records were compared".to_owned());
                        Status::NoKat
                    }
                    (None, _) => Status::Pass,
                };
                (status, Some(self.agreed))
            }
        };
        Ok(self.verdict(status, agreed, notes.join("; ")))
    }

    /// The verdict when the run ended early: a failure, a time limit, a dead worker. `note` is one line.
    #[must_use]
    pub fn stop(self, status: Status, note: String) -> Verdict {
        let agreed = matches!(self.reference, Reference::Text(_)).then_some(self.agreed);
        self.verdict(status, agreed, note)
    }

    /// The verdict when a record could not be made.
    #[must_use]
    pub fn fail(self, error: &GenerateError) -> Verdict {
        self.stop(error.status(), error.to_string())
    }

    fn verdict(self, status: Status, agreed: Option<u32>, note: String) -> Verdict {
        Verdict {
            status,
            records: self.records,
            agreed,
            difference: self.difference,
            sha256: self.strict.finish().sha256,
            note,
        }
    }
}

fn judge_digest(spec: DigestSpec, canonical: Canonical, notes: &mut Vec<String>) -> (Status, Option<u32>) {
    let short = |digest: [u8; 32]| hex::encode(digest.get(..8).unwrap_or_default());
    let ours = canonical.finish();
    if let Some(n) = spec.coverage.records.filter(|n| n.get() > ours.records) {
        notes.push(format!("the digest covers {n} records and {} were generated", ours.records));
        return (Status::Mismatch, None);
    }
    if ours.sha256 == spec.sha256 {
        notes.push(format!("sha256 {} {}", short(ours.sha256), spec.coverage));
        (Status::Pass, Some(ours.records))
    } else {
        notes.push(format!(
            "sha256 {} of {} is not {} ({})",
            short(ours.sha256),
            plural(ours.records),
            short(spec.sha256),
            spec.coverage
        ));
        (Status::Mismatch, None)
    }
}

fn first_difference(ours: &Record, theirs: &Record) -> Option<Difference> {
    ours.items.iter().find_map(|item| {
        let field = item.field;
        let difference = |class, offset, lengths| {
            Some(Difference { record: ours.count, field: Some(field), offset, class, lengths })
        };
        let value = item.value.as_deref().unwrap_or_default();
        let Some(reference) = theirs.value(field) else {
            return difference(Class::Template, None, None);
        };
        if value == reference {
            return None;
        }
        let shorter = value.len().min(reference.len());
        let offset = value.iter().zip(reference).position(|(a, b)| a != b).unwrap_or(shorter);
        let class = match field {
            Field::Seed => Class::Seed,
            _ if value.len() != reference.len() => Class::Length,
            _ => Class::Value,
        };
        difference(class, Some(offset), Some((value.len(), reference.len())))
    })
}

/// Generates all records, shows each to `on_record`, and judges them.
///
/// `on_record` may write the text, advance a progress bar, or end the run: with [`Status::Timeout`] at a time limit, for
/// example.
///
/// # Errors
/// [`ReadError`] if the reference text cannot be used.
pub fn run(
    generator: Generator,
    mut comparison: Comparison<'_>,
    mut on_record: impl FnMut(&Record) -> ControlFlow<Status>,
) -> Result<Verdict, ReadError> {
    for record in generator {
        match record {
            Err(error) => return Ok(comparison.fail(&error)),
            Ok(record) => {
                comparison.push(&record)?;
                if let ControlFlow::Break(status) = on_record(&record) {
                    let note = format!("stopped after {}", plural(record.count.saturating_add(1)));
                    return Ok(comparison.stop(status, note));
                }
            }
        }
    }
    comparison.finish()
}
