//! Seals, and how the files of a run directory are written.

use std::io;

use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::{Build, Campaign, PartialRecord, Record};

/// A file that carries the digest of its own content.
pub trait Sealed: Serialize + Clone {
    /// The seal it carries, hex.
    fn seal(&self) -> &str;
    /// Sets the seal.
    fn set_seal(&mut self, seal: String);
    /// The schema version it carries.
    fn schema(&self) -> u32;
}

macro_rules! sealed {
    ($($file:ty),*) => {$(
        impl Sealed for $file {
            fn seal(&self) -> &str {
                &self.seal
            }
            fn set_seal(&mut self, seal: String) {
                self.seal = seal;
            }
            fn schema(&self) -> u32 {
                self.schema
            }
        }
    )*};
}
sealed!(Campaign, Build, Record, PartialRecord);

/// SHA-256, hex, of the compact JSON of `file` with an empty seal.
///
/// # Errors
/// Only if the value cannot be written as JSON.
pub fn seal_of<T: Sealed>(file: &T) -> Result<String, serde_json::Error> {
    let mut unsealed = file.clone();
    unsealed.set_seal(String::new());
    Ok(sha256_hex(&serde_json::to_vec(&unsealed)?))
}

/// SHA-256 of bytes, lower-case hex.
#[must_use]
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// JSON that people can read: one field a line, but arrays of numbers on one.
///
/// # Errors
/// Only if the value cannot be written as JSON.
pub(crate) fn to_text<T: Serialize>(value: &T) -> Result<Vec<u8>, serde_json::Error> {
    let mut text = Vec::new();
    value.serialize(&mut serde_json::Serializer::with_formatter(&mut text, Layout { depth: 0 }))?;
    text.push(b'\n');
    Ok(text)
}

/// Objects indented, arrays inline.
struct Layout {
    depth: usize,
}

impl Layout {
    fn line<W: ?Sized + io::Write>(&self, out: &mut W) -> io::Result<()> {
        out.write_all(b"\n")?;
        for _ in 0..self.depth {
            out.write_all(b" ")?;
        }
        Ok(())
    }
}

impl serde_json::ser::Formatter for Layout {
    fn begin_array_value<W: ?Sized + io::Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { out.write_all(b", ") }
    }

    fn begin_object<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.depth += 1;
        out.write_all(b"{")
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.depth = self.depth.saturating_sub(1);
        self.line(out)?;
        out.write_all(b"}")
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if !first {
            out.write_all(b",")?;
        }
        self.line(out)
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_readable_and_the_same_json() {
        let value = serde_json::json!({"a": [1, 2], "b": {"c": [{"d": 0.1}]}, "e": {}});
        let text = String::from_utf8(to_text(&value).unwrap()).unwrap();
        assert_eq!(
            text,
            "{\n \"a\": [1, 2],\n \"b\": {\n  \"c\": [{\n   \"d\": 0.1\n  }]\n },\n \"e\": {\n }\n}\n"
        );
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }
}
