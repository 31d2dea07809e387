//! Snapshots of the pages of a made-up campaign.

mod common;

use ngcc_report::{Site, render};

fn site() -> Site {
    render(&common::evidence(), &common::published()).expect("the campaign renders")
}

/// A page without its style and script, which the snapshots need not repeat.
fn body(site: &Site, path: &str) -> String {
    let mut text = site.file(path).expect("the page exists").to_owned();
    for (open, close) in [("<style>", "</style>"), ("<script>", "</script>")] {
        if let (Some(from), Some(to)) = (text.find(open), text.find(close)) {
            text.replace_range(from + open.len()..to, "…");
        }
    }
    text
}

#[test]
fn files_of_the_site() {
    let site = site();
    let paths: Vec<&str> = site.files.iter().map(|file| file.path.as_str()).collect();
    insta::assert_snapshot!(paths.join("\n"));
}

#[test]
fn submission_as_markdown() {
    insta::assert_snapshot!(body(&site(), "sign-02/perf_x86_lab.md"));
}

#[test]
fn submission_as_html() {
    insta::assert_snapshot!(body(&site(), "sign-02/perf_x86_lab.html"));
}

#[test]
fn index_as_markdown() {
    insta::assert_snapshot!(body(&site(), "index.md"));
}

#[test]
fn index_as_html() {
    insta::assert_snapshot!(body(&site(), "index.html"));
}

#[test]
fn method_as_markdown() {
    insta::assert_snapshot!(body(&site(), "method_x86_lab.md"));
}

#[test]
fn method_as_html() {
    insta::assert_snapshot!(body(&site(), "method_x86_lab.html"));
}

#[test]
fn plot_as_a_file() {
    insta::assert_snapshot!(body(&site(), "sign-02/plots/BiT-512__keygen.svg"));
}

#[test]
fn figures_as_csv() {
    insta::assert_snapshot!(body(&site(), "sign-02/performance_x86_lab.csv").replace("\r\n", "\n"));
}

#[test]
fn figures_as_json() {
    let site = site();
    let text = site.file("performance.json").expect("the download exists");
    let value: serde_json::Value = serde_json::from_str(text).expect("the download parses");
    let rows = value["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 9);
    assert_eq!(rows[0]["status"], "complete");
    assert_eq!(rows[7]["status"], "failed");
    assert_eq!(rows[8]["status"], "not-measured");
    let ours = rows[0]["core_cycles"]["mean"].as_f64().expect("a mean");
    let theirs = &rows[0]["published"][0];
    assert_eq!((theirs["system"].as_str(), theirs["label"].as_str()), (Some("x86_1"), Some("BiT-128")));
    assert_eq!(theirs["ratio"].as_f64(), Some(460_700.0 / ours));
    assert_eq!(rows[0]["published"][1]["label"], "BiT-128-avx2");
    assert_eq!(rows[0]["record"], "records/sign-02/BiT-128__keygen.json");
}

#[test]
fn the_same_evidence_gives_the_same_bytes() {
    let mut shuffled = common::evidence();
    shuffled.records.reverse();
    assert_eq!(site(), render(&shuffled, &common::published()).expect("renders"));
}
