//! What can be wrong with a run directory, and what to do about it.

use std::io;
use std::path::{Path, PathBuf};

/// A run directory that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The directory holds no campaign.
    #[error("{} is not a run directory: it has no campaign.json; name one that `ngcc run` made", dir.display())]
    NotARun {
        /// The directory.
        dir: PathBuf,
    },
    /// A new campaign needs an empty directory.
    #[error("{} is not empty; give `ngcc run` a new directory, or go on with an old one by --resume", dir.display())]
    NotEmpty {
        /// The directory.
        dir: PathBuf,
    },
    /// Another process writes here.
    #[error("{} is in use by {}; wait until it ends, or take another directory", dir.display(), holder(*.pid))]
    Locked {
        /// The directory.
        dir: PathBuf,
        /// Process that holds the lock, if it said so.
        pid: Option<u32>,
    },
    /// Nothing to make pages from yet.
    #[error("the campaign in {} has not passed its known-answer tests yet; finish it with `ngcc run --resume {}`", dir.display(), dir.display())]
    Unfinished {
        /// The directory.
        dir: PathBuf,
    },
    /// No space is left.
    #[error("the disk is full: {} could not be written; free some space and go on with --resume, finished work is kept", path.display())]
    DiskFull {
        /// The file.
        path: PathBuf,
    },
    /// The file system refused something else.
    #[error("cannot {action} {}: {reason}{}", path.display(), remedy(.reason))]
    Io {
        /// What was tried.
        action: &'static str,
        /// On which file or directory.
        path: PathBuf,
        /// Why it failed.
        reason: io::Error,
    },
    /// A file that is not what this program writes.
    #[error("{} is damaged or half-written: {reason}; {}", path.display(), replacement(path))]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What the reader found, with line and column.
        reason: String,
    },
    /// A file whose content is not what was sealed.
    #[error("{} was changed after it was written: its seal does not match; {}", path.display(), replacement(path))]
    Seal {
        /// The file.
        path: PathBuf,
    },
    /// A file of another version.
    #[error("{} has schema version {found}, this program reads version {expected}; use the program version that wrote it", path.display(), expected = crate::SCHEMA)]
    Schema {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// A file of absurd size.
    #[error("{} is larger than {limit} bytes, so it was not read; it is no file of this program", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Most bytes that are read.
        limit: u64,
    },
    /// A link where a folder or file of the run should be.
    #[error("{} is a link, which could lead out of the run directory; put the real one in its place", path.display())]
    Link {
        /// The link.
        path: PathBuf,
    },
    /// A name that cannot be part of a path.
    #[error("'{}' cannot be part of a file name; use letters, digits and - _ + . with a letter or digit first", name.escape_default())]
    Name {
        /// The name.
        name: String,
    },
}

impl StoreError {
    /// Sorts out what the file system said.
    pub(crate) fn io(action: &'static str, path: &Path, reason: io::Error) -> Self {
        if reason.kind() == io::ErrorKind::StorageFull {
            Self::DiskFull { path: path.to_owned() }
        } else {
            Self::Io { action, path: path.to_owned(), reason }
        }
    }
}

fn remedy(reason: &io::Error) -> &'static str {
    match reason.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "; take a directory that you may write to"
        }
        io::ErrorKind::QuotaExceeded => "; free some space and go on with --resume, finished work is kept",
        _ => "",
    }
}

/// What to do about a file that cannot be used.
fn replacement(path: &Path) -> &'static str {
    if path.file_name().is_some_and(|name| name == "campaign.json") {
        "it is the plan of the whole campaign: put a copy back, or start a new campaign"
    } else {
        "remove it and go on with --resume to make it again"
    }
}

fn holder(pid: Option<u32>) -> String {
    pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"))
}
