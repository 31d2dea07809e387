//! Evidence that anyone may have written: markup in every text, and evidence with holes.

mod common;

use ngcc_evidence::{Build, Campaign, Published, Record};
use ngcc_report::{Evidence, Site, render};
use pulldown_cmark::{Event, Options, Parser, Tag};
use roxmltree::{Document, Node, ParsingOptions};
use serde_json::Value;

/// What stands before every text of the evidence.
const HOSTILE: &str = "</style><script>alert(1)</script>]]><!--\"'&amp;|`*_~$![a](javascript:alert(1))\u{202e}\u{1b}\u{0}\n\n# x ../";

/// Fields that are enumerations: another text would not be read at all.
const CLOSED: [&str; 5] = ["status", "inputs", "source", "size_basis", "kind"];

fn taint(value: &mut Value, key: &str) {
    match value {
        Value::String(text) if CLOSED.contains(&key) && !text.is_empty() => {}
        Value::String(text) => *text = format!("{HOSTILE}{text}"),
        Value::Array(items) => items.iter_mut().for_each(|item| taint(item, key)),
        Value::Object(fields) => fields.iter_mut().for_each(|(name, field)| taint(field, name)),
        _ => {}
    }
}

fn tainted<T: serde::Serialize + serde::de::DeserializeOwned>(value: &T) -> T {
    let mut json = serde_json::to_value(value).expect("serialises");
    taint(&mut json, "");
    serde_json::from_value(json).expect("still parses")
}

fn tainted_site() -> Site {
    let clean = common::evidence();
    let evidence = Evidence {
        campaign: tainted::<Campaign>(&clean.campaign),
        build: tainted::<Build>(&clean.build),
        records: clean.records.iter().map(tainted::<Record>).collect(),
    };
    render(&evidence, &tainted::<Published>(&common::published())).expect("renders")
}

fn files<'a>(site: &'a Site, extension: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
    let files = site.files.iter().filter(move |file| file.path.ends_with(extension));
    files.map(|file| (file.path.as_str(), file.content.as_str()))
}

#[test]
fn markup_stays_text_in_html_and_svg() {
    let site = tainted_site();
    assert!(files(&site, ".svg").count() > 5, "plots are there");
    for (path, content) in files(&site, ".html").chain(files(&site, ".svg")) {
        let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
        let page = Document::parse_with_options(content, options).unwrap_or_else(|e| panic!("{path}: {e}"));
        for node in page.descendants().filter(Node::is_element) {
            if node.tag_name().name() == "script" {
                assert!(!node.text().unwrap_or("").contains("alert"), "{path}");
            }
            for attribute in node.attributes() {
                assert!(!attribute.name().starts_with("on"), "{path}: {}", attribute.name());
                let value = attribute.value().trim_start();
                let is_target = attribute.name() == "href" && value.starts_with("javascript:");
                assert!(!is_target, "{path}: {value}");
            }
        }
        let banned = content.chars().find(|c| (c.is_control() && *c != '\n') || *c == '\u{202e}');
        assert_eq!(banned, None, "{path}");
    }
}

#[test]
fn markup_stays_text_in_markdown() {
    let site = tainted_site();
    for (path, content) in files(&site, ".md") {
        let mut rows = 0;
        for event in Parser::new_ext(content, Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES) {
            match event {
                Event::Html(html) | Event::InlineHtml(html) => panic!("{path}: {html}"),
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    assert!(!dest_url.starts_with("javascript"), "{path}: {dest_url}");
                }
                Event::Start(Tag::Heading { level, .. }) => rows += usize::from(level as usize == 1),
                _ => {}
            }
        }
        assert_eq!(rows, 1, "{path}: one first heading, the page's own");
        let banned = content.chars().find(|c| (c.is_control() && *c != '\n') || *c == '\u{202e}');
        assert_eq!(banned, None, "{path}");
    }
}

#[test]
fn markup_adds_no_table_cell_in_markdown() {
    let shape = |site: &Site| {
        let mut shapes = Vec::new();
        for (path, content) in files(site, ".md").filter(|(path, _)| path.contains("perf_")) {
            let lines = content.lines().filter(|line| line.starts_with('|'));
            let bars = lines.map(|line| line.replace("\\|", "").matches('|').count());
            shapes.push((path.is_empty(), bars.collect::<Vec<_>>()));
        }
        shapes
    };
    let clean = render(&common::evidence(), &common::published()).expect("renders");
    let of_clean = shape(&clean);
    // The planned names of the campaign split elsewhere once they hold slashes, so tainted pages may have more rows;
    // every row must still have the width of one of the clean tables.
    for (_, widths) in shape(&tainted_site()) {
        for width in widths {
            assert!(of_clean[0].1.contains(&width), "a row with {width} bars");
        }
    }
}

#[test]
fn names_do_not_leave_the_site() {
    let site = tainted_site();
    for file in &site.files {
        for part in file.path.split('/') {
            assert!(!part.is_empty() && part != "." && part != ".." && !part.contains('\\'), "{}", file.path);
            let plain = |c: char| c.is_ascii_alphanumeric() || "-_.~".contains(c);
            assert!(part.chars().all(plain), "{}", file.path);
        }
    }
}

#[test]
fn csv_keeps_its_shape() {
    let site = tainted_site();
    for (path, content) in files(&site, ".csv") {
        let mut reader = csv::Reader::from_reader(content.as_bytes());
        let width = reader.headers().expect("a header").len();
        assert!(width > 40);
        let mut rows = 0;
        for row in reader.records() {
            assert_eq!(row.expect("a row").len(), width, "{path}");
            rows += 1;
        }
        // A tainted plan names a submission that has no records; the others have nine operations.
        assert!(rows >= 9 || path.starts_with("~3C/"), "{path}: {rows}");
    }
}

#[test]
fn evidence_with_holes_renders() {
    let full = common::evidence();
    let nothing = Evidence {
        campaign: Campaign { labels: vec![], submissions: vec![], ..full.campaign.clone() },
        build: Build { entries: vec![], ..full.build.clone() },
        records: vec![],
    };
    let site = render(&nothing, &Published::default()).expect("renders");
    assert!(site.file("index.html").is_some());

    // Records that no campaign knows, of which nothing is left but their names.
    let mut bare = nothing;
    bare.records = full.records;
    for record in &mut bare.records {
        record.trials.clear();
        record.statistics = None;
        record.failure = None;
        record.profile = None;
    }
    let site = render(&bare, &Published::default()).expect("renders");
    let page = site.file("sign-02/perf_x86_lab.html").expect("a page for the unknown submission");
    assert!(page.contains("no statistics") && page.contains("KAT MISMATCH"));
    assert!(page.contains("No published results of this submission are known here."));
}

#[test]
fn absurd_numbers_render() {
    for value in [0.0, -1.0, 1e-300, 1e300, f64::MAX, f64::NAN, f64::INFINITY] {
        let mut evidence = common::evidence();
        for record in &mut evidence.records {
            record.plan.calibration.seconds_per_call = value;
            for trial in &mut record.trials {
                trial.clock.tick_hz = value;
                trial.clock.uncertainty = value;
            }
            if let Some(s) = &mut record.statistics {
                s.clock_uncertainty = value;
                s.operations_per_second = value;
                for d in [&mut s.core_cycles, &mut s.seconds] {
                    (d.mean, d.ci95, d.min, d.q1, d.median, d.q3) =
                        (value, [value, -value], value, value, value, value);
                }
            }
        }
        let site = render(&evidence, &common::published()).expect("renders");
        for (path, content) in files(&site, ".svg") {
            assert!(!content.contains("NaN") && !content.contains("inf"), "{path} with {value}");
        }
    }
}
