//! The document model: what a page says, without how HTML or Markdown writes it.
//!
//! Every text is plain and unescaped; the templates escape it.

use crate::escape;
use crate::plot::Plot;

/// A link target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Href {
    /// Another page of the site, without extension: each format links to its own kind.
    Page(String),
    /// A section of this page.
    Fragment(String),
    /// A file, already in percent form.
    File(String),
}

impl Href {
    /// As the HTML page writes it.
    pub(crate) fn html(&self) -> String {
        match self {
            Self::Page(stem) => format!("{stem}.html"),
            Self::Fragment(id) => format!("#{id}"),
            Self::File(path) => path.clone(),
        }
    }

    /// As the Markdown page writes it.
    pub(crate) fn markdown(&self) -> String {
        match self {
            Self::Page(stem) => format!("{stem}.md"),
            _ => self.html(),
        }
    }
}

/// A run of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Inline {
    /// Plain.
    Text(String),
    /// Emphasised.
    Strong(String),
    /// A name as a program writes it.
    Code(String),
    /// A link.
    Link(String, Href),
    /// A reference to a numbered note, from 1.
    Note(usize),
}

/// Plain text.
pub(crate) fn text(text: impl Into<String>) -> Inline {
    Inline::Text(text.into())
}

/// Emphasised text.
pub(crate) fn strong(text: impl Into<String>) -> Inline {
    Inline::Strong(text.into())
}

/// A name as a program writes it.
pub(crate) fn code(text: impl Into<String>) -> Inline {
    Inline::Code(text.into())
}

/// A link.
pub(crate) fn link(text: impl Into<String>, href: Href) -> Inline {
    Inline::Link(text.into(), href)
}

/// A link to an outside address, or the address as text where it is no web address.
pub(crate) fn outside(label: &str, address: &str) -> Inline {
    match escape::external_link(address) {
        Some(target) => link(label, Href::File(target)),
        None => text(format!("{label}: {address}")),
    }
}

/// Names in code, separated by commas.
pub(crate) fn code_list<S: AsRef<str>>(names: &[S]) -> Vec<Inline> {
    let mut out = Vec::new();
    for name in names {
        if !out.is_empty() {
            out.push(text(", "));
        }
        out.push(code(name.as_ref()));
    }
    out
}

/// A table cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Cell {
    /// What it says.
    pub content: Vec<Inline>,
    /// A second, smaller line: interval, reason.
    pub note: Option<String>,
    /// Whether the smaller line is a sentence, which may wrap.
    pub long_note: bool,
    /// What must not be overlooked: `KAT MISMATCH`.
    pub mark: Option<String>,
    /// Whether it holds a number: aligned to the right.
    pub numeric: bool,
    /// Value to sort by where the text does not sort.
    pub sort: Option<f64>,
}

impl Cell {
    /// A cell of text.
    pub(crate) fn text(value: impl Into<String>) -> Self {
        Self { content: vec![text(value)], ..Self::default() }
    }

    /// A cell of one or more runs.
    pub(crate) fn of(content: Vec<Inline>) -> Self {
        Self { content, ..Self::default() }
    }

    /// A name as a program writes it.
    pub(crate) fn code(value: impl Into<String>) -> Self {
        Self { content: vec![code(value)], ..Self::default() }
    }

    /// A number, linked to the file that holds it.
    pub(crate) fn number(value: impl Into<String>, source: Option<&Href>) -> Self {
        let value = value.into();
        let content = match source {
            Some(href) if value != crate::format::MISSING => link(value, href.clone()),
            _ => text(value),
        };
        Self { content: vec![content], numeric: true, ..Self::default() }
    }

    /// A missing number.
    pub(crate) fn missing() -> Self {
        Self::number(crate::format::MISSING, None)
    }

    /// Adds the smaller line.
    pub(crate) fn with_note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }

    /// Adds a sentence as the smaller line.
    pub(crate) fn with_sentence(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self.long_note = true;
        self
    }

    /// Adds the value to sort by; a value that is no number adds none.
    pub(crate) fn sorted_by(mut self, value: f64) -> Self {
        self.sort = value.is_finite().then_some(value);
        self
    }
}

/// A table. The first cell of each row is its header.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Table {
    /// Name for screen readers.
    pub caption: String,
    /// Column headings; those of numbers are aligned like them.
    pub columns: Vec<String>,
    /// Rows, each as wide as `columns`.
    pub rows: Vec<Row>,
    /// Whether rows with the same first cell belong together.
    pub grouped: bool,
    /// Whether the HTML page offers sorting.
    pub sortable: bool,
}

/// A table row.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Row {
    /// As many as the table has columns.
    pub cells: Vec<Cell>,
    /// Whether a new group (instance) starts here.
    pub starts_group: bool,
}

impl Table {
    /// An empty table.
    pub(crate) fn new(caption: &str, columns: &[&str]) -> Self {
        Self {
            caption: caption.to_owned(),
            columns: columns.iter().map(|&c| c.to_owned()).collect(),
            ..Self::default()
        }
    }

    /// Adds a row; in a grouped table a group starts where the first cell changes.
    pub(crate) fn push(&mut self, cells: Vec<Cell>) {
        let last = self.rows.last().and_then(|row| row.cells.first());
        let changed = |last: &Cell| cells.first().is_some_and(|first| first.content != last.content);
        let starts_group = self.grouped && last.is_some_and(changed);
        self.rows.push(Row { cells, starts_group });
    }

    /// An empty table whose rows belong together where their first cells agree.
    pub(crate) fn grouped(caption: &str, columns: &[&str]) -> Self {
        Self { grouped: true, ..Self::new(caption, columns) }
    }

    /// Whether the column holds numbers: its first row decides.
    pub(crate) fn is_numeric(&self, column: &usize) -> bool {
        self.rows.first().and_then(|row| row.cells.get(*column)).is_some_and(|cell| cell.numeric)
    }
}

/// One bar of the headline.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bar {
    /// Operation.
    pub label: String,
    /// `11.3×`, or why there is none.
    pub value: String,
    /// `40.8 k, published 460.7 k`.
    pub detail: String,
    /// Length in per cent of the track, 0..=100; absent without a ratio.
    pub length: Option<f64>,
    /// Whether ours is the slower one.
    pub slower: bool,
    /// Evidence.
    pub href: Option<Href>,
}

/// Bars of one instance.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BarGroup {
    /// Instance.
    pub title: String,
    /// Its page, where the strip stands on another.
    pub page: Option<Href>,
    /// Operations.
    pub bars: Vec<Bar>,
}

/// The speed-up strip.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Headline {
    /// What is compared, one sentence.
    pub caption: String,
    /// Instances.
    pub groups: Vec<BarGroup>,
    /// Position of the ratio 1 in per cent of the track.
    pub unity: f64,
}

/// A plot with the name of its file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Figure {
    /// Title in code, `BiT-128 keygen`.
    pub title: String,
    /// Text beside the title and below the plot.
    pub caption: String,
    /// Path relative to the page, in percent form.
    pub file: String,
    /// Evidence.
    pub href: Href,
    /// The plot.
    pub plot: Plot,
}

/// A part of a section.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Block {
    /// A paragraph.
    Paragraph(Vec<Inline>),
    /// A heading within the section.
    Subheading(String),
    /// A bulleted list.
    List(Vec<Vec<Inline>>),
    /// Numbered notes that cells refer to.
    Notes(Vec<String>),
    /// A table.
    Table(Table),
    /// Distribution plots.
    Figures(Vec<Figure>),
    /// What a program printed: a summary and the text.
    Output(String, String),
}

/// A section.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Section {
    /// Heading.
    pub title: String,
    /// Content.
    pub blocks: Vec<Block>,
}

impl Section {
    /// A section.
    pub(crate) fn new(title: &str, blocks: Vec<Block>) -> Self {
        Self { title: title.to_owned(), blocks }
    }

    /// Fragment of the heading.
    pub(crate) fn slug(&self) -> String {
        slug(&self.title)
    }
}

/// The fragment that Markdown renderers give a heading: HTML pages use the same one, so links work in both.
pub(crate) fn slug(title: &str) -> String {
    title
        .chars()
        .filter_map(|c| match c {
            ' ' => Some('-'),
            '-' | '_' => Some(c),
            c if c.is_alphanumeric() => c.to_lowercase().next(),
            _ => None,
        })
        .collect()
}

/// A fact of the header strip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fact {
    /// What it is.
    pub label: String,
    /// Its value.
    pub value: String,
    /// Whether it asks for care.
    pub alert: bool,
}

/// A page.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Document {
    /// Title of the window.
    pub title: String,
    /// Where the page stands: `Performance measurements › x86_1 › sign-02`.
    pub trail: Vec<Inline>,
    /// Systems with results: `system: ...`.
    pub systems: Vec<Inline>,
    /// Main heading.
    pub heading: String,
    /// Line below it.
    pub subheading: String,
    /// Links of the header.
    pub links: Vec<Inline>,
    /// Header facts.
    pub facts: Vec<Fact>,
    /// The warning box.
    pub warning: Option<String>,
    /// Smaller notices: unfinished, shortened.
    pub notices: Vec<String>,
    /// What this page is.
    pub lead: Vec<Inline>,
    /// Speed-up strip above the sections.
    pub headline: Option<Headline>,
    /// Sections.
    pub sections: Vec<Section>,
    /// Last line.
    pub footer: Vec<Inline>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_are_those_of_markdown_renderers() {
        assert_eq!(slug("4. Performance"), "4-performance");
        assert_eq!(slug("3. Functional testing (KAT)"), "3-functional-testing-kat");
        assert_eq!(slug("Beside the published results"), "beside-the-published-results");
    }

    #[test]
    fn groups_start_where_the_first_cell_changes() {
        let mut table = Table::grouped("t", &["a"]);
        for name in ["x", "x", "y"] {
            table.push(vec![Cell::code(name)]);
        }
        let starts: Vec<_> = table.rows.iter().map(|row| row.starts_group).collect();
        assert_eq!(starts, [false, false, true]);
    }

    #[test]
    fn each_format_links_to_its_own_pages() {
        let href = Href::Page("../index".into());
        assert_eq!((href.html(), href.markdown()), ("../index.html".into(), "../index.md".into()));
        assert_eq!(Href::Fragment("a".into()).markdown(), "#a");
    }

    #[test]
    fn addresses_that_are_no_links_stay_text() {
        assert_eq!(outside("review", "javascript:x"), text("review: javascript:x"));
    }
}
