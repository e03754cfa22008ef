//! A Markdown file split into front matter, title and body, and the line of a title.

use super::{
    DocumentLimits, DocumentStream, UrlResolver,
    front_matter::is_mapping,
    nodes::plain_text,
    syntax::escape::{self, EscapeContext, EscapeMode},
};
use openapi::models::DocumentBlock;

/// The parts of a Markdown file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageSource<'t> {
    /// YAML between the `---` lines.
    pub front_matter: Option<&'t str>,
    /// Markdown of a leading level-1 heading, which is one line, after `#` or above a line of `=`.
    pub title: Option<&'t str>,
    pub body: &'t str,
}

impl<'t> PageSource<'t> {
    pub fn split(markdown: &'t str) -> Self {
        let text = markdown.strip_prefix('\u{feff}').unwrap_or(markdown);
        let (front_matter, text) = front_matter(text).map_or((None, text), |(front, rest)| (Some(front), rest));
        let (title, body) = title(text).map_or((None, text), |(title, rest)| (Some(title), rest));
        Self {
            front_matter,
            title,
            body,
        }
    }
}

/// Returns the line of a title, without its line end. [`PageSource::split`] and [`title_text`] read the same title from it.
pub fn title_line(title: &str) -> String {
    let plain = format!("# {title}");
    if PageSource::split(&plain).title.map(title_text).as_deref() == Some(title) {
        return plain;
    }
    let mut escaped = String::new();
    let context = EscapeContext {
        mode: EscapeMode::Heading,
        is_last: true,
    };
    escape::escape_text(title, context, &mut escaped);
    format!("# {escaped}")
}

/// Returns a title as the words of a link.
pub fn link_words(title: &str) -> String {
    let mut escaped = String::new();
    let context = EscapeContext {
        mode: EscapeMode::ImageAlt,
        is_last: true,
    };
    escape::escape_text(title, context, &mut escaped);
    escaped
}

/// Returns the plain text of the Markdown of a title, which is itself if there is no other text.
pub fn title_text(markdown: &str) -> String {
    let mut found = None;
    let mut read = |block| found = found.take().or_else(|| heading_text(&block));
    let line = format!("# {markdown}\n");
    let parsed = DocumentStream::new(line.as_str(), &DocumentLimits::default(), &UrlResolver)
        .and_then(|mut stream| stream.for_each(&mut read));
    // A line that cannot be parsed is refused with the text that it belongs to.
    let text = found.filter(|text| parsed.is_ok() && !text.is_empty());
    let text = text.unwrap_or_else(|| markdown.trim().to_owned());
    text.replace(|c: char| c.is_control(), " ")
}

fn heading_text(block: &DocumentBlock) -> Option<String> {
    match block {
        DocumentBlock::BlockHeading1(heading) => {
            Some(plain_text::of_inlines(heading.nodes.as_deref().unwrap_or_default()))
        }
        _ => None,
    }
}

/// A horizontal rule at the beginning is text, and so is what follows it up to the next one.
fn front_matter(text: &str) -> Option<(&str, &str)> {
    let first = text.split_inclusive('\n').next()?;
    (first.trim_end() == "---").then_some(())?;
    let start = first.len();
    let mut end = start;
    for line in text.get(start..)?.split_inclusive('\n') {
        if line.trim_end() == "---" {
            let yaml = text.get(start..end).filter(|yaml| is_mapping(yaml))?;
            return Some((yaml, text.get(end + line.len()..)?));
        }
        end += line.len();
    }
    None
}

/// Returns the heading of the first line, which a line of `=` follows, and the text below.
fn underlined_title(text: &str) -> Option<(&str, &str)> {
    let mut lines = text.split_inclusive('\n');
    let (line, underline) = (lines.next()?, lines.next()?);
    let signs = underline.trim();
    (!signs.is_empty() && signs.bytes().all(|sign| sign == b'=')).then_some(())?;
    let (heading, below) = text.split_at_checked(line.len() + underline.len())?;
    let title = line.trim();
    // Other blocks than a paragraph have a line of such signs in them, or below them.
    let mut blocks = Vec::new();
    let mut stream = DocumentStream::new(heading, &DocumentLimits::default(), &UrlResolver).ok()?;
    stream.for_each(&mut |block| blocks.push(block)).ok()?;
    let [only] = blocks.as_slice() else { return None };
    (heading_text(only)? == title_text(title)).then_some((title, below))
}

fn title(text: &str) -> Option<(&str, &str)> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if line.trim().is_empty() {
            start += line.len();
            continue;
        }
        // Four blanks begin code.
        let bare = line.trim_start_matches(' ').trim_end();
        let Some(title) = bare
            .strip_prefix('#')
            .filter(|_| line.len() - line.trim_start_matches(' ').len() < 4)
            .filter(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
        else {
            return underlined_title(text.get(start..)?);
        };
        let title = title.trim();
        // Trailing `#` characters close the heading if a space precedes them.
        let closed = title.trim_end_matches('#');
        let title = match closed.is_empty() || closed.ends_with([' ', '\t']) {
            true => closed.trim_end(),
            false => title,
        };
        return Some((title, text.get(start + line.len()..)?));
    }
    None
}
