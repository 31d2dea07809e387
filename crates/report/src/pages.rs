//! The templates: a [`Document`] as HTML and as Markdown, a [`Plot`] as SVG.

use askama::Template;

use crate::doc::{Block, Cell, Document, Figure, Headline, Inline, Table};
use crate::escape::markdown_block;
use crate::paths::{name_of, parent_of};
use crate::plot::{Plot, WIDTH};
use crate::{RenderError, SiteFile};

/// Style of every page.
const STYLE: &str = include_str!("../templates/page.css");
/// Style of a plot outside a page.
const PLOT_STYLE: &str = include_str!("../templates/plot.css");
/// Sorting of tables; pages work without it.
const SCRIPT: &str = include_str!("../templates/sort.js");

/// Runs of text as HTML.
#[derive(Template)]
#[template(path = "runs.html")]
struct HtmlRuns<'a> {
    runs: &'a [Inline],
}

/// Runs of text as Markdown.
#[derive(Template)]
#[template(path = "runs.md")]
struct MarkdownRuns<'a> {
    runs: &'a [Inline],
}

/// A plot as SVG.
#[derive(Template)]
#[template(path = "plot.svg")]
struct PlotFile<'a> {
    plot: &'a Plot,
    /// Style where no page gives one.
    style: Option<&'static str>,
}

/// A page as HTML.
#[derive(Template)]
#[template(path = "page.html")]
struct HtmlPage<'a> {
    document: &'a Document,
    /// The same page as Markdown.
    markdown: &'a str,
}

/// A page as Markdown.
#[derive(Template)]
#[template(path = "page.md")]
struct MarkdownPage<'a> {
    document: &'a Document,
}

impl HtmlPage<'_> {
    fn runs(&self, runs: &[Inline]) -> Result<String, askama::Error> {
        HtmlRuns { runs }.render()
    }

    fn plot(&self, figure: &Figure) -> Result<String, askama::Error> {
        PlotFile { plot: &figure.plot, style: None }.render()
    }

    fn style(&self) -> String {
        format!("{STYLE}{PLOT_STYLE}")
    }

    fn script(&self) -> &'static str {
        SCRIPT
    }

    fn sortable(&self) -> bool {
        let blocks = self.document.sections.iter().flat_map(|section| &section.blocks);
        blocks.into_iter().any(|block| matches!(block, Block::Table(table) if table.sortable))
    }
}

impl MarkdownPage<'_> {
    fn runs(&self, runs: &[Inline]) -> Result<String, askama::Error> {
        MarkdownRuns { runs }.render()
    }

    /// A cell on one line: the note behind the content, intervals without brackets.
    fn cell(&self, cell: &Cell) -> Result<String, askama::Error> {
        let mut out = self.runs(&cell.content)?;
        if let Some(note) = cell.note.as_ref().filter(|note| !note.is_empty()) {
            let bare = note.starts_with(['±', '−']);
            let note = if bare { format!(" {note}") } else { format!(" ({note})") };
            out.push_str(&self.runs(&[Inline::Text(note)])?);
        }
        if let Some(mark) = &cell.mark {
            out.push_str(&self.runs(&[Inline::Text(format!(" ⚠ {mark}"))])?);
        }
        Ok(out.trim().to_owned())
    }

    /// Column rule of a table.
    fn rule(&self, table: &Table) -> String {
        let columns = 0..table.columns.len();
        let marks = columns.map(|column| if table.is_numeric(&column) { "---:" } else { "---" });
        format!("|{}|", marks.collect::<Vec<_>>().join("|"))
    }

    /// Heading, first cells, and a column per operation of the bars.
    fn bars(&self, headline: &Headline) -> Result<String, askama::Error> {
        let mut lines =
            vec!["| instance | operation | ratio | cycles |".to_owned(), "|---|---|---:|---|".into()];
        for group in &headline.groups {
            for bar in &group.bars {
                let value = match &bar.href {
                    Some(href) => Inline::Link(bar.value.clone(), href.clone()),
                    None => Inline::Text(bar.value.clone()),
                };
                let cells = [
                    self.runs(&[Inline::Code(group.title.clone())])?,
                    self.runs(&[Inline::Text(bar.label.clone())])?,
                    self.runs(&[value])?,
                    self.runs(&[Inline::Text(bar.detail.clone())])?,
                ];
                lines.push(format!("| {} |", cells.join(" | ")));
            }
        }
        Ok(lines.join("\n"))
    }

    fn block(&self, output: &str) -> String {
        markdown_block(output)
    }
}

/// Renders a document in both formats and its plots as files.
pub(crate) fn add(files: &mut Vec<SiteFile>, stem: &str, document: &Document) -> Result<(), RenderError> {
    let markdown = format!("{}.md", name_of(stem));
    let html = HtmlPage { document, markdown: &markdown }.render()?;
    files.push(SiteFile { path: format!("{stem}.html"), content: ended(html) });
    let text = MarkdownPage { document }.render()?;
    files.push(SiteFile { path: format!("{stem}.md"), content: ended(text) });
    for block in document.sections.iter().flat_map(|section| &section.blocks) {
        let Block::Figures(figures) = block else { continue };
        for figure in figures {
            let svg = PlotFile { plot: &figure.plot, style: Some(PLOT_STYLE) }.render()?;
            let path = format!("{}{}", parent_of(stem), figure.file);
            files.push(SiteFile { path, content: ended(svg) });
        }
    }
    Ok(())
}

/// Exactly one line end at the end.
fn ended(mut content: String) -> String {
    content.truncate(content.trim_end().len());
    content.push('\n');
    content
}
