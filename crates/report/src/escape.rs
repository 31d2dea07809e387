//! Text from outside made safe for HTML, SVG, Markdown, links and file names.
//!
//! Names, notes, failure messages and worker output come from files that anyone may have written. The askama escapers
//! here (see `askama.toml`) apply to every template expression that is not marked safe.

use std::fmt::{self, Write};

use askama::filters::{Escaper, Html};

/// Whether a character must not reach a page: control characters are illegal in XML, bidirectional overrides let a
/// name reorder the text around it.
fn is_hostile(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        || matches!(c, '\u{fffe}' | '\u{ffff}')
}

/// `text` with every hostile character replaced by U+FFFD.
pub(crate) fn clean(text: &str) -> String {
    text.chars().map(|c| if is_hostile(c) { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// Escaper of HTML and SVG templates, for element text and quoted attributes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HtmlText;

impl Escaper for HtmlText {
    fn write_escaped_str<W: Write>(&self, dest: W, text: &str) -> fmt::Result {
        Html.write_escaped_str(dest, &clean(text))
    }
}

/// Escaper of Markdown templates, for text inside a line or a table cell.
///
/// Line starts belong to the templates, so block markers (`#`, `-`, `1.`) need no escape.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MarkdownText;

impl Escaper for MarkdownText {
    fn write_escaped_str<W: Write>(&self, mut dest: W, text: &str) -> fmt::Result {
        let text = clean(text);
        for (at, c) in text.char_indices() {
            match c {
                '\n' | '\t' => dest.write_char(' ')?,
                '_' if is_inside_word(&text, at) => dest.write_char('_')?,
                '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '&' | '~' | '$' | '!' => {
                    dest.write_char('\\')?;
                    dest.write_char(c)?;
                }
                _ => dest.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// Whether the run of underscores around `at` lies between letters or digits, where it marks no emphasis.
fn is_inside_word(text: &str, at: usize) -> bool {
    let before = text[..at].trim_end_matches('_').chars().next_back();
    let after = text[at..].trim_start_matches('_').chars().next();
    before.is_some_and(char::is_alphanumeric) && after.is_some_and(char::is_alphanumeric)
}

/// The longest run of backticks in `text`.
fn longest_backtick_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// A Markdown code span that shows `text` as it is, inside a table cell too.
pub(crate) fn markdown_code(text: &str) -> String {
    let text = clean(text).replace(['\n', '\t'], " ").replace('|', "\\|");
    if text.trim().is_empty() {
        return String::new();
    }
    let fence = "`".repeat(longest_backtick_run(&text) + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// A Markdown fenced block that shows `text` as it is.
pub(crate) fn markdown_block(text: &str) -> String {
    let text = clean(text);
    let fence = "`".repeat(longest_backtick_run(&text).max(2) + 1);
    format!("{fence}text\n{}\n{fence}", text.trim_end())
}

/// Writes `bytes` with everything but `keep` in percent form.
fn percent_encode(text: &str, keep: impl Fn(u8) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || keep(byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// One path segment of a link to a file that has exactly this name.
pub(crate) fn href_segment(name: &str) -> String {
    percent_encode(name, |byte| matches!(byte, b'-' | b'_' | b'.' | b'~'))
}

/// A relative link to a path with `/` between its segments.
pub(crate) fn href_path(path: &str) -> String {
    path.split('/').map(href_segment).collect::<Vec<_>>().join("/")
}

/// The link target of an outside address: only `https:` and `http:` make a link, every other scheme (`javascript:`)
/// stays text.
pub(crate) fn external_link(address: &str) -> Option<String> {
    let scheme_end = address.find("://")?;
    let scheme = address.get(..scheme_end)?;
    if !scheme.eq_ignore_ascii_case("https") && !scheme.eq_ignore_ascii_case("http") {
        return None;
    }
    Some(percent_encode(address, |byte| {
        matches!(byte, b'-' | b'_' | b'.' | b'~' | b':' | b'/' | b'?' | b'#' | b'@' | b'!' | b'$' | b'&')
            || matches!(byte, b'\'' | b'*' | b'+' | b',' | b';' | b'=' | b'%')
    }))
}

/// A file name of the site for any text: letters, digits, `-`, `_` and inner dots stay, every other byte becomes `~XX`.
///
/// Different texts give different names, and no name is empty, hidden or holds a separator, so ids and labels from
/// outside cannot leave the site's folder.
pub(crate) fn file_name(text: &str) -> String {
    if text.is_empty() {
        return "~".to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for (at, byte) in text.bytes().enumerate() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_') || (byte == b'.' && at > 0) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("~{byte:02X}"));
        }
    }
    out
}

/// A CSV field that a spreadsheet takes for text, never for a formula.
pub(crate) fn csv_text(text: &str) -> String {
    let text = clean(text);
    if text.starts_with(['=', '+', '-', '@', '\t']) { format!("'{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn html(text: &str) -> String {
        let mut out = String::new();
        HtmlText.write_escaped_str(&mut out, text).unwrap();
        out
    }

    fn markdown(text: &str) -> String {
        let mut out = String::new();
        MarkdownText.write_escaped_str(&mut out, text).unwrap();
        out
    }

    #[test]
    fn html_escapes_markup_and_replaces_control_characters() {
        assert_eq!(html("<b a=\"1\">&'"), "&#60;b a=&#34;1&#34;&#62;&#38;&#39;");
        assert_eq!(html("a\u{0}b\u{202e}c\u{1b}"), "a\u{fffd}b\u{fffd}c\u{fffd}");
        assert_eq!(html("é 中 µ"), "é 中 µ");
    }

    #[test]
    fn markdown_escapes_inline_markers_and_stays_on_one_line() {
        assert_eq!(markdown("a|b`c`*d*\n<e>"), "a\\|b\\`c\\`\\*d\\* \\<e\\>");
        assert_eq!(markdown("_a_ b_c d__e _"), "\\_a\\_ b_c d__e \\_");
        assert_eq!(markdown("[x](y) & $z$"), "\\[x\\](y) \\& \\$z\\$");
    }

    #[test]
    fn code_spans_hold_backticks_and_pipes() {
        assert_eq!(markdown_code("BiT-128"), "`BiT-128`");
        assert_eq!(markdown_code("a`b"), "``a`b``");
        assert_eq!(markdown_code("``x"), "``` ``x ```");
        assert_eq!(markdown_code("a|b\nc"), "`a\\|b c`");
        assert_eq!(markdown_code(" \n"), "");
    }

    #[test]
    fn blocks_outlast_fences_inside_them() {
        assert_eq!(markdown_block("x"), "```text\nx\n```");
        assert!(markdown_block("````\nevil").starts_with("`````text\n"));
    }

    #[test]
    fn only_web_addresses_become_links() {
        assert_eq!(external_link("https://a.example/b?c=d#e").as_deref(), Some("https://a.example/b?c=d#e"));
        assert_eq!(external_link("HTTPS://a.example/ (b)").as_deref(), Some("HTTPS://a.example/%20%28b%29"));
        assert_eq!(external_link("javascript:alert(1)"), None);
        assert_eq!(external_link("javascript://https://x"), None);
        assert_eq!(external_link("//a.example"), None);
        assert_eq!(external_link(""), None);
    }

    #[test]
    fn file_names_stay_inside_their_folder() {
        assert_eq!(file_name("BIKE_v2_128"), "BIKE_v2_128");
        assert_eq!(file_name("../etc"), "~2E.~2Fetc");
        assert_eq!(file_name(".."), "~2E.");
        assert_eq!(file_name(""), "~");
        assert_ne!(file_name("a/b"), file_name("a~2Fb"));
        assert_eq!(href_path("kat/sign 02/a%b.txt"), "kat/sign%2002/a%25b.txt");
    }

    #[test]
    fn csv_fields_are_no_formulas() {
        assert_eq!(csv_text("=1+1"), "'=1+1");
        assert_eq!(csv_text("BiT-128"), "BiT-128");
    }
}
