//! Facts of a submission that a TOML reader cannot judge.

use crate::Submission;
use crate::store::check_name;

/// A submission file that contradicts itself.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {problem}")]
pub struct SubmissionError {
    /// Where, as a path within the file.
    pub field: String,
    /// What is wrong and what to write instead.
    pub problem: String,
}

fn wrong(field: impl Into<String>, problem: impl Into<String>) -> SubmissionError {
    SubmissionError { field: field.into(), problem: problem.into() }
}

impl Submission {
    /// Checks what the types leave open: known kind, unique safe names, well-formed digests, the sizes of the kind.
    ///
    /// # Errors
    /// The first contradiction, with its place and remedy.
    pub fn check(&self) -> Result<(), SubmissionError> {
        check_name(&self.id).map_err(|e| wrong("id", e.to_string()))?;
        let signature = match self.kind.as_str() {
            "signature" => true,
            "kem" => false,
            other => return Err(wrong("kind", format!("'{other}' is no kind; write signature or kem"))),
        };
        if self.instances.is_empty() {
            return Err(wrong(
                "instances",
                "there is none; add an [[instances]] table for each parameter set",
            ));
        }
        for (i, instance) in self.instances.iter().enumerate() {
            let at = |field: &str| format!("instances[{i}] ({}).{field}", instance.name);
            for name in [Some(&instance.name), instance.kat_name.as_ref()].into_iter().flatten() {
                check_name(name).map_err(|e| wrong(at("name"), e.to_string()))?;
            }
            if self.instances[..i].iter().any(|earlier| earlier.name == instance.name) {
                return Err(wrong(at("name"), "is there twice; each parameter set has one table"));
            }
            let digest = instance.kat_sha256.as_deref();
            if digest
                .is_some_and(|d| d.len() != 64 || !d.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')))
            {
                return Err(wrong(at("kat_sha256"), "is no SHA-256; write 64 lower-case hex digits"));
            }
            let present =
                [instance.signature, instance.ciphertext, instance.shared_secret].map(|s| s.is_some());
            if present != [signature, !signature, !signature] {
                let sizes = if signature { "signature only" } else { "ciphertext and shared_secret only" };
                return Err(wrong(at("sizes"), format!("do not fit the kind {}; give {sizes}", self.kind)));
            }
        }
        for (i, note) in self.kat_notes.iter().enumerate() {
            if let Some(unknown) =
                note.instances.iter().find(|n| !self.instances.iter().any(|k| k.name == **n))
            {
                return Err(wrong(
                    format!("kat_notes[{i}].instances"),
                    format!("'{unknown}' is no instance of this file"),
                ));
            }
        }
        Ok(())
    }
}
