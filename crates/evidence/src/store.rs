//! A run directory: locked while a campaign writes it, every file written whole or not at all.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::error::StoreError;
use crate::json::{Sealed, seal_of, to_text};
use crate::validate::kat_digest;
use crate::{Build, Campaign, KatResult, PartialRecord, Record, SCHEMA};

/// Largest file of a run directory that is read, bytes.
pub const MAX_FILE_BYTES: u64 = 256 << 20;

/// Longest name that becomes part of a path.
const MAX_NAME_LEN: usize = 100;

const LOCK_FILE: &str = ".lock";
const TEMPORARY_PREFIX: &str = ".tmp-";
/// Where the report makes pages before it swaps them in.
const UNFINISHED_SITE_PREFIX: &str = ".site-";

/// A run directory.
///
/// A store that was created or locked holds the directory's lock until it is dropped; the system releases the lock of a
/// process that died. Reading takes no lock: files are replaced as a whole, so a reader sees the old or the new one.
#[derive(Debug)]
pub struct Store {
    dir: PathBuf,
    lock: Option<File>,
}

/// What the pages are made from.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// `campaign.json`.
    pub campaign: Campaign,
    /// `build.json`.
    pub build: Build,
    /// The records there are, in the order of the campaign's labels and operations.
    pub records: Vec<Record>,
}

impl Store {
    /// Makes a new run directory (absent, or there and empty) and locks it.
    ///
    /// # Errors
    /// [`StoreError::NotEmpty`], [`StoreError::Locked`], or what the file system says.
    pub fn create(dir: &Path) -> Result<Self, StoreError> {
        fs::create_dir_all(dir).map_err(|e| StoreError::io("create", dir, e))?;
        // A foreign folder stays as it is, its lock file included; a campaign says first who is at work there.
        if !dir.join("campaign.json").exists() {
            expect_empty(dir)?;
        }
        let lock = lock(dir)?;
        expect_empty(dir)?;
        Ok(Self { dir: dir.to_owned(), lock: Some(lock) })
    }

    /// Opens a run directory for reading.
    ///
    /// # Errors
    /// [`StoreError::NotARun`] if it holds no `campaign.json`.
    pub fn open(dir: &Path) -> Result<Self, StoreError> {
        if !dir.join("campaign.json").is_file() {
            return Err(StoreError::NotARun { dir: dir.to_owned() });
        }
        Ok(Self { dir: dir.to_owned(), lock: None })
    }

    /// Opens a run directory for writing, locks it and removes what a killed writer left half-written.
    ///
    /// # Errors
    /// [`StoreError::NotARun`], [`StoreError::Locked`], or what the file system says.
    pub fn lock(dir: &Path) -> Result<Self, StoreError> {
        let mut store = Self::open(dir)?;
        store.lock = Some(lock(dir)?);
        for folder in store.folders()? {
            remove_temporary(&folder)?;
        }
        remove_unfinished_sites(dir)?;
        Ok(store)
    }

    /// The directory.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Reads `campaign.json`.
    ///
    /// # Errors
    /// The file is missing, half-written, edited, or of another schema version.
    pub fn campaign(&self) -> Result<Campaign, StoreError> {
        read_sealed(&self.dir.join("campaign.json"))
    }

    /// Reads `build.json`; `None` if it does not exist yet.
    ///
    /// # Errors
    /// As [`Store::campaign`], a missing file apart.
    pub fn build(&self) -> Result<Option<Build>, StoreError> {
        optional(read_sealed(&self.dir.join("build.json")))
    }

    /// Reads a record; `None` if it does not exist yet.
    ///
    /// # Errors
    /// As [`Store::build`], and [`StoreError::Name`].
    pub fn record(
        &self,
        submission: &str,
        label: &str,
        operation: &str,
    ) -> Result<Option<Record>, StoreError> {
        let path = self.dir.join(record_path(submission, label, operation)?);
        let record: Option<Record> = optional(read_sealed(&path))?;
        if let Some(r) = &record {
            expect_names(&path, [&r.submission, &r.label, &r.operation], [submission, label, operation])?;
        }
        Ok(record)
    }

    /// Reads the finished parts of an unfinished operation; `None` if there are none.
    ///
    /// # Errors
    /// As [`Store::record`].
    pub fn partial(
        &self,
        submission: &str,
        label: &str,
        operation: &str,
    ) -> Result<Option<PartialRecord>, StoreError> {
        let path = self.dir.join(partial_path(submission, label, operation)?);
        let partial: Option<PartialRecord> = optional(read_sealed(&path))?;
        if let Some(p) = &partial {
            expect_names(&path, [&p.submission, &p.label, &p.operation], [submission, label, operation])?;
        }
        Ok(partial)
    }

    /// Reads everything that pages are made from.
    ///
    /// # Errors
    /// [`StoreError::Unfinished`] without `build.json`; as [`Store::campaign`] for every file.
    pub fn load(&self) -> Result<Loaded, StoreError> {
        let campaign = self.campaign()?;
        let build = self.build()?.ok_or_else(|| StoreError::Unfinished { dir: self.dir.clone() })?;
        let mut records = Vec::new();
        for (submission, label) in campaign.split_labels() {
            for operation in campaign.operations(submission) {
                records.extend(self.record(submission, label, operation)?);
            }
        }
        Ok(Loaded { campaign, build, records })
    }

    /// Seals and writes `campaign.json`.
    ///
    /// # Errors
    /// What the file system says; [`StoreError::DiskFull`] if it is full.
    pub fn write_campaign(&self, campaign: &Campaign) -> Result<(), StoreError> {
        write_sealed(&self.dir.join("campaign.json"), campaign)
    }

    /// Seals and writes `build.json`.
    ///
    /// # Errors
    /// As [`Store::write_campaign`].
    pub fn write_build(&self, build: &Build) -> Result<(), StoreError> {
        write_sealed(&self.dir.join("build.json"), build)
    }

    /// Seals and writes a record, and removes the finished parts that it replaces.
    ///
    /// # Errors
    /// As [`Store::write_campaign`], and [`StoreError::Name`].
    pub fn write_record(&self, record: &Record) -> Result<(), StoreError> {
        let key = (&record.submission, &record.label, &record.operation);
        write_sealed(&self.dir.join(record_path(key.0, key.1, key.2)?), record)?;
        let partial = self.dir.join(partial_path(key.0, key.1, key.2)?);
        match fs::remove_file(&partial) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => Err(StoreError::io("remove", &partial, e)),
            _ => Ok(()),
        }
    }

    /// Seals and writes the finished parts of an unfinished operation.
    ///
    /// # Errors
    /// As [`Store::write_record`].
    pub fn write_partial(&self, partial: &PartialRecord) -> Result<(), StoreError> {
        let path = partial_path(&partial.submission, &partial.label, &partial.operation)?;
        write_sealed(&self.dir.join(path), partial)
    }

    /// Writes a KAT text and returns its path relative to the run directory.
    ///
    /// # Errors
    /// As [`Store::write_record`].
    pub fn write_kat(
        &self,
        submission: &str,
        label: &str,
        file: &str,
        text: &[u8],
    ) -> Result<String, StoreError> {
        for name in [submission, label, file] {
            check_name(name)?;
        }
        let path = format!("kat/{submission}/{label}/{file}");
        write_whole(&self.dir.join(&path), text)?;
        Ok(path)
    }

    /// Digest of the canonical form of the KAT text that a result names; `None` if the text is not there any more.
    ///
    /// # Errors
    /// What the file system says of a text that is there.
    pub fn kat_text_digest(&self, kat: &KatResult) -> Result<Option<String>, StoreError> {
        let Some(path) = kat.text.as_deref().filter(|path| stays_inside(path)) else { return Ok(None) };
        Ok(optional(read_bytes(&self.dir.join(path)))?.map(|text| kat_digest(&text)))
    }

    /// The folders that this crate writes to.
    fn folders(&self) -> Result<Vec<PathBuf>, StoreError> {
        let mut folders = vec![self.dir.clone()];
        let mut next = vec![self.dir.join("records"), self.dir.join("kat")];
        while let Some(folder) = next.pop() {
            match fs::read_dir(&folder) {
                // A link could lead out of the run directory.
                Ok(_) if folder.is_symlink() => return Err(StoreError::Link { path: folder }),
                Ok(entries) => {
                    let inner = entries.flatten().map(|e| e.path());
                    next.extend(inner.filter(|path| path.is_dir()));
                    folders.push(folder);
                }
                Err(e) if e.kind() == io::ErrorKind::NotFound => {}
                Err(e) => return Err(StoreError::io("list", &folder, e)),
            }
        }
        Ok(folders)
    }
}

/// Path of a record, relative to the run directory.
///
/// # Errors
/// [`StoreError::Name`] if a part cannot be a file name.
pub fn record_path(submission: &str, label: &str, operation: &str) -> Result<String, StoreError> {
    for name in [submission, label, operation] {
        check_name(name)?;
    }
    Ok(format!("records/{submission}/{label}__{operation}.json"))
}

/// Whether a path that a file names is one within the run directory.
pub(crate) fn stays_inside(path: &str) -> bool {
    path.split('/').all(|part| check_name(part).is_ok())
}

fn partial_path(submission: &str, label: &str, operation: &str) -> Result<String, StoreError> {
    Ok(record_path(submission, label, operation)?.replace(".json", ".partial.json"))
}

/// Accepts names that are safe as part of a path: letters, digits and `- _ + .`, not beginning with a dot.
///
/// # Errors
/// [`StoreError::Name`] for all others.
pub fn check_name(name: &str) -> Result<(), StoreError> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '+' | '.');
    if name.is_empty() || name.len() > MAX_NAME_LEN || name.starts_with('.') || !name.chars().all(allowed) {
        return Err(StoreError::Name { name: name.chars().take(MAX_NAME_LEN).collect() });
    }
    Ok(())
}

/// Refuses a folder that holds more than a lock.
fn expect_empty(dir: &Path) -> Result<(), StoreError> {
    let entries = fs::read_dir(dir).map_err(|e| StoreError::io("list", dir, e))?;
    if entries.flatten().any(|e| e.file_name() != LOCK_FILE) {
        return Err(StoreError::NotEmpty { dir: dir.to_owned() });
    }
    Ok(())
}

/// Refuses a file that is about another operation than its name says.
fn expect_names(path: &Path, found: [&str; 3], wanted: [&str; 3]) -> Result<(), StoreError> {
    if found == wanted {
        return Ok(());
    }
    let reason = format!("it is about {}/{} {}", found[0], found[1], found[2]);
    Err(StoreError::Malformed { path: path.to_owned(), reason })
}

fn lock(dir: &Path) -> Result<File, StoreError> {
    let path = dir.join(LOCK_FILE);
    if path.is_symlink() {
        return Err(StoreError::Link { path });
    }
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(&path)
        .map_err(|e| StoreError::io("open", &path, e))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut pid = String::new();
            let known = (&file).take(32).read_to_string(&mut pid).is_ok();
            let pid = if known { pid.trim().parse().ok() } else { None };
            return Err(StoreError::Locked { dir: dir.to_owned(), pid });
        }
        Err(TryLockError::Error(e)) => return Err(StoreError::io("lock", &path, e)),
    }
    file.set_len(0)
        .and_then(|()| file.rewind())
        .and_then(|()| writeln!(file, "{}", std::process::id()))
        .map_err(|e| StoreError::io("write", &path, e))?;
    Ok(file)
}

fn remove_temporary(folder: &Path) -> Result<(), StoreError> {
    for entry in fs::read_dir(folder).map_err(|e| StoreError::io("list", folder, e))?.flatten() {
        let ours = entry.file_name().to_string_lossy().starts_with(TEMPORARY_PREFIX);
        if ours && entry.file_type().is_ok_and(|t| t.is_file()) {
            fs::remove_file(entry.path()).map_err(|e| StoreError::io("remove", &entry.path(), e))?;
        }
    }
    Ok(())
}

/// Removes the folders in which a killed writer was making pages.
fn remove_unfinished_sites(dir: &Path) -> Result<(), StoreError> {
    for entry in fs::read_dir(dir).map_err(|e| StoreError::io("list", dir, e))?.flatten() {
        let ours = entry.file_name().to_string_lossy().starts_with(UNFINISHED_SITE_PREFIX);
        if ours && entry.file_type().is_ok_and(|t| t.is_dir()) {
            fs::remove_dir_all(entry.path()).map_err(|e| StoreError::io("remove", &entry.path(), e))?;
        }
    }
    Ok(())
}

fn optional<T>(read: Result<T, StoreError>) -> Result<Option<T>, StoreError> {
    match read {
        Ok(file) => Ok(Some(file)),
        Err(StoreError::Io { reason, .. }) if reason.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(e),
    }
}

/// Reads a file of at most [`MAX_FILE_BYTES`].
pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>, StoreError> {
    let failed = |e| StoreError::io("read", path, e);
    // Opening a pipe would wait for a writer.
    if !fs::metadata(path).map_err(failed)?.is_file() {
        let reason = "it is no regular file".to_owned();
        return Err(StoreError::Malformed { path: path.to_owned(), reason });
    }
    let file = File::open(path).map_err(failed)?;
    let mut bytes = Vec::new();
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(StoreError::TooLarge { path: path.to_owned(), limit: MAX_FILE_BYTES });
    }
    Ok(bytes)
}

/// Reads a file of this schema version without looking at its seal.
pub(crate) fn read_unsealed<T: DeserializeOwned>(path: &Path) -> Result<T, StoreError> {
    #[derive(Deserialize)]
    struct Head {
        schema: u32,
    }
    let bytes = read_bytes(path)?;
    let malformed =
        |e: serde_json::Error| StoreError::Malformed { path: path.to_owned(), reason: e.to_string() };
    let head: Head = serde_json::from_slice(&bytes).map_err(malformed)?;
    if head.schema != SCHEMA {
        return Err(StoreError::Schema { path: path.to_owned(), found: head.schema });
    }
    serde_json::from_slice(&bytes).map_err(malformed)
}

fn read_sealed<T: Sealed + DeserializeOwned>(path: &Path) -> Result<T, StoreError> {
    let file: T = read_unsealed(path)?;
    let computed =
        seal_of(&file).map_err(|e| StoreError::Malformed { path: path.to_owned(), reason: e.to_string() })?;
    if computed != file.seal() {
        return Err(StoreError::Seal { path: path.to_owned() });
    }
    Ok(file)
}

fn write_sealed<T: Sealed>(path: &Path, file: &T) -> Result<(), StoreError> {
    let malformed =
        |e: serde_json::Error| StoreError::Malformed { path: path.to_owned(), reason: e.to_string() };
    let mut sealed = file.clone();
    sealed.set_seal(seal_of(file).map_err(malformed)?);
    write_whole(path, &to_text(&sealed).map_err(malformed)?)
}

/// Writes a file so that its name shows the old content or all of the new, whatever happens meanwhile.
fn write_whole(path: &Path, content: &[u8]) -> Result<(), StoreError> {
    let folder = path.parent().unwrap_or_else(|| Path::new("."));
    let failed = |e| StoreError::io("write", path, e);
    fs::create_dir_all(folder).map_err(failed)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY_PREFIX);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o644));
    }
    let mut temporary = builder.tempfile_in(folder).map_err(failed)?;
    temporary.write_all(content).map_err(failed)?;
    temporary.as_file().sync_all().map_err(failed)?;
    temporary.persist(path).map_err(|e| failed(e.error))?;
    // The new name is safe only when its folder is; some file systems refuse this, and then there is no more to do.
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
    Ok(())
}
