//! One module per command.

pub(crate) mod bench;
pub(crate) mod host;
pub(crate) mod kat;
pub(crate) mod list;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod validate;
