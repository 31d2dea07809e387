//! One record of a known-answer text.

use std::fmt;

use ngcc_api::Kind;

/// A byte string of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Field {
    /// Seed of the record's DRNG.
    Seed,
    /// Public key.
    PublicKey,
    /// Secret key.
    SecretKey,
    /// Message (signatures).
    Message,
    /// Signature (signatures).
    Signature,
    /// Ciphertext (KEMs).
    Ciphertext,
    /// Shared secret (KEMs).
    SharedSecret,
}

impl Field {
    /// All fields.
    pub const ALL: [Self; 7] = [
        Self::Seed,
        Self::PublicKey,
        Self::SecretKey,
        Self::Message,
        Self::Signature,
        Self::Ciphertext,
        Self::SharedSecret,
    ];

    /// The fields of a record of this kind, in the order of the text.
    #[must_use]
    pub const fn of(kind: Kind) -> [Self; 5] {
        match kind {
            Kind::Signature => [Self::Seed, Self::PublicKey, Self::SecretKey, Self::Message, Self::Signature],
            Kind::Kem => [Self::Seed, Self::PublicKey, Self::SecretKey, Self::Ciphertext, Self::SharedSecret],
        }
    }

    /// The key in the text: `Seed`, `PK`, `SK`, `M`, `Sn`, `CT`, `SS`.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::Seed => "Seed",
            Self::PublicKey => "PK",
            Self::SecretKey => "SK",
            Self::Message => "M",
            Self::Signature => "Sn",
            Self::Ciphertext => "CT",
            Self::SharedSecret => "SS",
        }
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.key())
    }
}

/// A field with what the text says of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Which field.
    pub field: Field,
    /// The `_Len` value, bytes; `None` where the text leaves it blank or out.
    pub declared: Option<u64>,
    /// The bytes; `None` where the text leaves them blank, as templates do.
    pub value: Option<Vec<u8>>,
}

/// One record: its number and its fields in the order of the text.
///
/// [`Display`](fmt::Display) writes the text of the record: `Key = value` lines, hex in upper case, and a blank line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Number of the record, from 0.
    pub count: u32,
    /// The fields.
    pub items: Vec<Item>,
}

impl Record {
    /// The item of a field.
    #[must_use]
    pub fn item(&self, field: Field) -> Option<&Item> {
        self.items.iter().find(|i| i.field == field)
    }

    /// The bytes of a field; `None` if the record lacks it or leaves it blank.
    #[must_use]
    pub fn value(&self, field: Field) -> Option<&[u8]> {
        self.item(field)?.value.as_deref()
    }

    /// Appends a field, or replaces its bytes where it stands; the declared length becomes that of `bytes`.
    pub fn set(&mut self, field: Field, bytes: Vec<u8>) {
        let item = Item { field, declared: Some(bytes.len() as u64), value: Some(bytes) };
        match self.items.iter_mut().find(|i| i.field == field) {
            Some(place) => *place = item,
            None => self.items.push(item),
        }
    }
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Count = {}", self.count)?;
        for Item { field, declared, value } in &self.items {
            match declared {
                Some(n) => writeln!(f, "{field}_Len = {n}")?,
                None => writeln!(f, "{field}_Len = ")?,
            }
            writeln!(f, "{field} = {}", hex::encode_upper(value.as_deref().unwrap_or_default()))?;
        }
        writeln!(f)
    }
}

/// Name of a KAT file: `KAT_SIG_<name>.txt` or `KAT_KEM_<name>.txt`.
///
/// `name` is the instance name, or the one that the submitted files carry where they are named differently.
#[must_use]
pub fn file_name(kind: Kind, name: &str) -> String {
    match kind {
        Kind::Signature => format!("KAT_SIG_{name}.txt"),
        Kind::Kem => format!("KAT_KEM_{name}.txt"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_written_as_specified() {
        let mut record = Record { count: 3, items: Vec::new() };
        record.set(Field::Seed, vec![0xab, 0x01]);
        record.set(Field::Message, vec![]);
        record.items.push(Item { field: Field::Signature, declared: None, value: None });
        assert_eq!(
            record.to_string(),
            "Count = 3\nSeed_Len = 2\nSeed = AB01\nM_Len = 0\nM = \nSn_Len = \nSn = \n\n"
        );
        record.set(Field::Seed, vec![0xff]);
        assert_eq!(record.items[0], Item { field: Field::Seed, declared: Some(1), value: Some(vec![0xff]) });
        assert_eq!(record.items.len(), 3);
    }

    #[test]
    fn file_names() {
        assert_eq!(file_name(Kind::Signature, "CS_128"), "KAT_SIG_CS_128.txt");
        assert_eq!(file_name(Kind::Kem, "BIKE_MLThre_128"), "KAT_KEM_BIKE_MLThre_128.txt");
    }
}
