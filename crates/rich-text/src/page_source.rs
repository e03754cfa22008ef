//! A Markdown file split into front matter, title and body.

/// The parts of a Markdown file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageSource<'t> {
    /// YAML between the `---` lines.
    pub front_matter: Option<&'t str>,
    /// Markdown of a leading level-1 heading.
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

fn front_matter(text: &str) -> Option<(&str, &str)> {
    let first = text.split_inclusive('\n').next()?;
    (first.trim_end() == "---").then_some(())?;
    let start = first.len();
    let mut end = start;
    for line in text.get(start..)?.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Some((text.get(start..end)?, text.get(end + line.len()..)?));
        }
        end += line.len();
    }
    None
}

fn title(text: &str) -> Option<(&str, &str)> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if line.trim().is_empty() {
            start += line.len();
            continue;
        }
        let bare = line.trim();
        let title = bare
            .strip_prefix('#')
            .filter(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))?;
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
