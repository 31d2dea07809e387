//! What every page promises: a record behind each number, no request to the outside, sound markup, working links.

mod common;

use std::collections::BTreeSet;

use ngcc_report::{Site, render};
use pulldown_cmark::{Event, Options, Parser, Tag};
use roxmltree::{Document, Node, ParsingOptions};

fn site() -> Site {
    render(&common::evidence(), &common::published()).expect("the campaign renders")
}

/// The pages are written so that an XML parser accepts them, which makes unclosed elements an error.
fn parse(text: &str) -> Document<'_> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    Document::parse_with_options(text, options).expect("well-formed")
}

fn text_of(node: Node<'_, '_>) -> String {
    node.descendants().filter(Node::is_text).filter_map(|n| n.text()).collect::<String>().trim().to_owned()
}

fn with_extension<'a>(site: &'a Site, extension: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
    let files = site.files.iter().filter(move |file| file.path.ends_with(extension));
    files.map(|file| (file.path.as_str(), file.content.as_str()))
}

fn links(node: Node<'_, '_>) -> Vec<String> {
    let anchors = node.descendants().filter(|n| n.has_tag_name(("http://www.w3.org/1999/xhtml", "a")));
    anchors.filter_map(|a| a.attribute("href")).map(str::to_owned).collect()
}

/// Checks the number cells of the tables with this caption; returns how many there were.
fn numbers_with_evidence(page: &Document<'_>, caption: &str) -> usize {
    let table = page
        .descendants()
        .find(|n| {
            n.tag_name().name() == "table" && n.first_element_child().map(text_of).as_deref() == Some(caption)
        })
        .unwrap_or_else(|| panic!("no table {caption}"));
    let rows = table.descendants().filter(|n| n.tag_name().name() == "tr").skip(1);
    let mut checked = 0;
    for row in rows {
        let cells: Vec<Node<'_, '_>> = row.children().filter(Node::is_element).collect();
        let (label, operation) = (text_of(cells[0]), text_of(cells[1]));
        let label = label.split_whitespace().next().unwrap_or_default().to_owned();
        let record = format!("../../records/sign-02/{label}__{operation}.json");
        for cell in cells.iter().filter(|cell| cell.attribute("class") == Some("num")) {
            let text = text_of(*cell);
            let is_published = text.matches(" · ").count() == 2 && text.contains("KiB");
            if text.starts_with('–') || is_published {
                continue;
            }
            let allowed = [record.as_str(), "../../build.json"];
            let found = links(*cell);
            assert_eq!(found.len(), 1, "{caption}: {label} {operation}: {text} has no link");
            assert!(allowed.contains(&found[0].as_str()), "{caption}: {text} links to {}", found[0]);
            checked += 1;
        }
    }
    checked
}

#[test]
fn every_number_links_to_its_record() {
    let site = site();
    let page = parse(site.file("sign-02/perf_x86_lab.html").unwrap());
    // Seven measured rows with eight numbers, and the word `failed`.
    assert_eq!(numbers_with_evidence(&page, "Performance"), 7 * 8 + 1);
    // Our mean and three published columns.
    assert_eq!(numbers_with_evidence(&page, "Beside the published results"), 7 * 4 + 1);
    // Nine ELF sizes; two memory figures for seven records less the one without.
    assert_eq!(numbers_with_evidence(&page, "Resource consumption"), 9 + 6 * 2);
    assert_eq!(numbers_with_evidence(&page, "Symmetric primitives"), 7 * 3);
}

#[test]
fn pages_load_nothing_from_outside() {
    let site = site();
    for (path, content) in with_extension(&site, ".html").chain(with_extension(&site, ".svg")) {
        let page = parse(content);
        for node in page.descendants().filter(Node::is_element) {
            let name = node.tag_name().name();
            assert!(
                !matches!(name, "link" | "img" | "iframe" | "object" | "image" | "use"),
                "{path}: {name}"
            );
            for attribute in node.attributes() {
                assert_ne!(attribute.name(), "src", "{path}: {name}");
                let is_link = name == "a" && attribute.name() == "href";
                assert!(is_link || !attribute.value().contains("://"), "{path}: {}", attribute.value());
            }
            if matches!(name, "style" | "script") {
                let text = text_of(node);
                for request in ["url(", "@import", "://", "fetch(", "XMLHttpRequest", "import("] {
                    assert!(!text.contains(request), "{path}: {name} holds {request}");
                }
            }
        }
    }
}

#[test]
fn plots_are_sound_and_described() {
    let site = site();
    assert_eq!(with_extension(&site, ".svg").count(), 7);
    for (path, content) in with_extension(&site, ".svg") {
        let plot = parse(content);
        let root = plot.root_element();
        assert_eq!(root.attribute("role"), Some("img"), "{path}");
        let ids = root.attribute("aria-labelledby").unwrap();
        for id in ids.split(' ') {
            let named = plot.descendants().find(|n| n.attribute("id") == Some(id)).expect("a target");
            assert!(!text_of(named).is_empty(), "{path}: {id}");
        }
        assert!(!content.contains("NaN") && !content.contains("inf"), "{path}");
    }
}

#[test]
fn pages_have_landmarks_headers_and_unique_ids() {
    let site = site();
    for (path, content) in with_extension(&site, ".html") {
        let page = parse(content);
        let all: Vec<Node<'_, '_>> = page.descendants().filter(Node::is_element).collect();
        let count = |name: &str| all.iter().filter(|n| n.tag_name().name() == name).count();
        assert_eq!((count("h1"), count("main"), count("header"), count("footer")), (1, 1, 1, 1), "{path}");
        assert_eq!(page.root_element().attribute("lang"), Some("en"), "{path}");
        for head in all.iter().filter(|n| n.tag_name().name() == "th") {
            assert!(matches!(head.attribute("scope"), Some("row" | "col")), "{path}");
        }
        for table in all.iter().filter(|n| n.tag_name().name() == "table") {
            let rows = || table.descendants().filter(|n| n.tag_name().name() == "tr");
            let widths: BTreeSet<usize> =
                rows().map(|r| r.children().filter(Node::is_element).count()).collect();
            assert_eq!(
                widths.len(),
                1,
                "{path}: ragged table {}",
                text_of(table.first_element_child().unwrap())
            );
        }
        let ids: Vec<&str> = all.iter().filter_map(|n| n.attribute("id")).collect();
        let unique: BTreeSet<&&str> = ids.iter().collect();
        assert_eq!(ids.len(), unique.len(), "{path}: ids repeat");
    }
}

/// Where a relative link leads, from the root of the site: `None` outside it.
fn resolve(page: &str, href: &str) -> Option<String> {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in href.split('/') {
        if part == ".." {
            parts.pop()?;
        } else {
            parts.push(part);
        }
    }
    Some(parts.join("/"))
}

fn check_link(site: &Site, page: &str, href: &str, ids: &BTreeSet<String>) {
    if href.starts_with("https://") {
        return;
    }
    if let Some(id) = href.strip_prefix('#') {
        assert!(ids.contains(id), "{page}: no target for #{id}");
        return;
    }
    match resolve(page, href) {
        Some(target) => assert!(site.file(&target).is_some(), "{page}: {href} leads nowhere"),
        None => {
            let evidence = ["records/", "kat/", "campaign.json", "build.json"];
            let rest = href.trim_start_matches("../");
            assert!(evidence.iter().any(|known| rest.starts_with(known)), "{page}: {href}");
        }
    }
}

#[test]
fn links_lead_somewhere() {
    let site = site();
    for (path, content) in with_extension(&site, ".html") {
        let page = parse(content);
        let ids = page.descendants().filter_map(|n| n.attribute("id")).map(str::to_owned).collect();
        for href in links(page.root()) {
            check_link(&site, path, &href, &ids);
        }
    }
    for (path, content) in with_extension(&site, ".md") {
        let html = path.replace(".md", ".html");
        let page = parse(site.file(&html).unwrap());
        let ids = page.descendants().filter_map(|n| n.attribute("id")).map(str::to_owned).collect();
        let mut seen = 0;
        for event in Parser::new_ext(content, Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES) {
            if let Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) = event {
                check_link(&site, path, &dest_url, &ids);
                seen += 1;
            }
        }
        assert!(seen > 5, "{path} has links");
    }
}

#[test]
fn markdown_marks_mean_what_they_should() {
    let site = site();
    for (path, content) in with_extension(&site, ".md") {
        for event in Parser::new_ext(content, Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES) {
            match event {
                Event::Text(text) => {
                    let text = text.to_string();
                    assert!(!text.contains("**") && !text.contains("[^"), "{path}: {text}");
                }
                Event::Html(html) | Event::InlineHtml(html) => panic!("{path}: {html}"),
                _ => {}
            }
        }
    }
}

#[test]
fn both_formats_hold_the_same_figures() {
    let site = site();
    let page = parse(site.file("sign-02/perf_x86_lab.html").unwrap());
    let markdown = site.file("sign-02/perf_x86_lab.md").unwrap();
    let numbers = page.descendants().filter(|n| n.attribute("class") == Some("num"));
    let texts = numbers.filter_map(|cell| cell.first_element_child()).map(text_of);
    let mut compared = 0;
    for text in texts.filter(|text| !text.is_empty()) {
        assert!(markdown.contains(&text.replace('<', "\\<")), "{text}");
        compared += 1;
    }
    assert!(compared > 100);
}

#[test]
fn key_encapsulation_has_its_own_operations_and_sizes() {
    let mut evidence = common::evidence();
    let facts = "id = 'kem-05'\nalgorithm = 'BIKE-MLThre'\ntitle = 'BIKE-MLThre'\nkind = 'kem'\n[[instances]]\n\
        name = 'BIKE_v2_128'\npublic_key = 1541\nsecret_key = 3115\nciphertext = 1573\nshared_secret = 32\n\
        size_basis = 'nominal-variable'\n";
    evidence.campaign.submissions.push(ngcc_evidence::Submission::from_toml(facts).unwrap());
    evidence.campaign.labels.push("kem-05/BIKE_v2_128".into());
    for (operation, cycles) in [("dec", 8e6), ("enc", 1.2e6), ("keygen", 1.5e8)] {
        let mut record = common::record("BIKE_v2_128", operation, cycles, 30, "PASS");
        record.submission = "kem-05".into();
        evidence.records.push(record);
    }
    let site = render(&evidence, &common::published()).unwrap();
    let page = site.file("kem-05/perf_x86_lab.md").unwrap();
    let rows = ["`BIKE_v2_128` | keygen |", "`BIKE_v2_128` | enc |", "`BIKE_v2_128` | dec |"];
    let places: Vec<usize> = rows.iter().map(|row| page.find(row).expect("a row")).collect();
    assert!(places.is_sorted(), "in page order");
    assert!(
        page.contains(
            "| instance | public key | secret key | ciphertext | shared secret | basis | published |"
        )
    );
    assert!(page.contains("x86_1: secret key 3114"), "a size that differs is named");
    assert!(page.contains("function: key encapsulation"));
    let index = site.file("index.md").unwrap();
    assert!(index.contains("[kem-05 BIKE-MLThre](kem-05/perf_x86_lab.md)"));
    assert!(index.contains("≈ 1573"), "a nominal size is marked");
}
