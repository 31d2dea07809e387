//! Putting a site in its place.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use ngcc_report::{MARKER, Site, SiteFile, WriteError, write};

fn site(content: &str) -> Site {
    let file = |path: &str| SiteFile { path: path.to_owned(), content: content.to_owned() };
    Site { files: vec![file("index.html"), file("sign-02/perf_x.html")] }
}

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).expect("a folder");
    let name = |entry: std::io::Result<fs::DirEntry>| entry.expect("an entry").file_name();
    let mut names: Vec<String> = entries.map(|e| name(e).to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_site_is_written_and_replaced_as_a_whole() {
    let run = tempfile::tempdir().unwrap();
    let dir = run.path().join("site");
    write(&site("first"), &dir).unwrap();
    assert_eq!(fs::read_to_string(dir.join("sign-02/perf_x.html")).unwrap(), "first");
    fs::write(dir.join("old page.html"), "of an older report").unwrap();
    write(&site("second"), &dir).unwrap();
    assert_eq!(fs::read_to_string(dir.join("index.html")).unwrap(), "second");
    assert_eq!(names(&dir), [MARKER, "index.html", "sign-02"]);
    assert_eq!(names(run.path()), ["site"], "no temporary folder stays");
    assert_eq!(fs::metadata(&dir).unwrap().permissions().mode() & 0o777, 0o755);
}

#[test]
fn folders_of_others_are_not_replaced() {
    let run = tempfile::tempdir().unwrap();
    let dir = run.path().join("photos");
    fs::create_dir(&dir).unwrap();
    write(&site("into an empty folder"), &dir).unwrap();
    fs::remove_file(dir.join(MARKER)).unwrap();
    let error = write(&site("x"), &dir).unwrap_err();
    assert!(matches!(error, WriteError::NotASite { .. }), "{error}");
    assert_eq!(fs::read_to_string(dir.join("index.html")).unwrap(), "into an empty folder");

    let file = run.path().join("file");
    fs::write(&file, "x").unwrap();
    assert!(matches!(write(&site("x"), &file), Err(WriteError::NotASite { .. })));

    // A link is not followed: the folder behind it may belong to something else.
    let link = run.path().join("link");
    std::os::unix::fs::symlink(&dir, &link).unwrap();
    assert!(matches!(write(&site("x"), &link), Err(WriteError::NotASite { .. })));
}

#[test]
fn a_failure_leaves_the_old_site() {
    let run = tempfile::tempdir().unwrap();
    let dir = run.path().join("site");
    write(&site("good"), &dir).unwrap();
    for path in ["../outside", "/outside", "a/../../outside", "", "."] {
        let mut bad = site("bad");
        bad.files.push(SiteFile { path: path.to_owned(), content: String::new() });
        let error = write(&bad, &dir).unwrap_err();
        assert!(matches!(error, WriteError::UnsafePath { .. }), "{path}: {error}");
    }
    // Two files that cannot both exist: the second fails after the first was written.
    let mut clash = site("bad");
    clash.files.push(SiteFile { path: "index.html/below".to_owned(), content: String::new() });
    assert!(matches!(write(&clash, &dir), Err(WriteError::Io { .. })));
    assert_eq!(fs::read_to_string(dir.join("index.html")).unwrap(), "good");
    assert_eq!(names(run.path()), ["site"]);
}

#[test]
fn places_that_are_none_are_refused() {
    for dir in ["/", "..", "", "a/.."] {
        let error = write(&site("x"), Path::new(dir)).unwrap_err();
        assert!(matches!(error, WriteError::NoParent { .. }), "{dir:?}: {error}");
    }
}
