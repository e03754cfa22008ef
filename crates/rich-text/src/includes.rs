//! Tags that include a text in containers that have no block for them.

use std::ops::Range;

use super::{
    error::DocumentError,
    limits::DocumentLimits,
    parse::{BlockParser, MisplacedInclude},
    resolver::UrlResolver,
    rewrite::continued,
};

/// Replaces each tag in a container that has no block for it by the text that it includes. `text` returns the text of a target;
/// without one the tag stays.
pub fn expand_includes(
    markdown: &str,
    limits: &DocumentLimits,
    text: &mut dyn FnMut(&str) -> Option<String>,
) -> Result<String, DocumentError> {
    let (mut expanded, mut done) = (String::with_capacity(markdown.len()), 0);
    for MisplacedInclude { at, target } in misplaced_includes(markdown, limits)? {
        let Some(before) = markdown.get(done..at.start) else {
            continue;
        };
        let included = text(&target);
        let words = included.and_then(|included| in_place(markdown, &at, included.trim_matches('\n')));
        if let Some(words) = words {
            expanded.extend([before, &words]);
            done = at.end;
        }
    }
    expanded.push_str(markdown.get(done..).unwrap_or_default());
    Ok(expanded)
}

/// Returns the tags in the order of the text.
fn misplaced_includes(markdown: &str, limits: &DocumentLimits) -> Result<Vec<MisplacedInclude>, DocumentError> {
    // Offsets are those in a text with one kind of line ends.
    if !markdown.contains("include") || markdown.contains('\r') {
        return Ok(Vec::new());
    }
    let mut parser = BlockParser::new(markdown.into(), limits, &UrlResolver)?;
    while parser.next_piece(&mut |_| Ok(()))? {}
    let mut found = parser.into_misplaced_includes();
    found.retain(|it| markdown.get(it.at.clone()).is_some_and(|tag| tag.starts_with("{%")));
    // A footnote is parsed at each of its references.
    found.sort_by_key(|it| it.at.start);
    found.dedup();
    Ok(found)
}

/// Returns a text as it stands in the place of a tag: apart from the lines around it, and with their prefix. `None`: the tag
/// follows text in its line.
fn in_place(markdown: &str, at: &Range<usize>, text: &str) -> Option<String> {
    let (before, after) = (markdown.get(..at.start)?, markdown.get(at.end..)?);
    let line = before.rsplit('\n').next()?;
    let is_prefix = |c: char| c.is_ascii_digit() || matches!(c, ' ' | '\t' | '>' | '*' | '-' | '+' | '.' | ')');
    let follows_tag = line.trim_start_matches(is_prefix);
    let prefix = line.strip_suffix(follows_tag)?;
    (follows_tag.is_empty() || follows_tag.trim_end().ends_with("%}")).then_some(())?;
    let above = before.strip_suffix(line)?.strip_suffix('\n');
    let above = above.and_then(|above| above.rsplit('\n').next()).unwrap_or_default();
    let begins_item = !prefix.trim_matches(BLANKS).is_empty();
    let (rest, below) = after.split_once('\n').unwrap_or((after, ""));
    let below = below.split('\n').next().unwrap_or_default();
    let is_apart_above = !follows_tag.is_empty() || has_text(above) && !begins_item;
    let is_apart_below = !rest.trim().is_empty() || has_text(below) && !is_item(below);
    let apart = |is_apart: bool| if is_apart { "\n" } else { "" };
    let text = format!("{}{text}{}", apart(is_apart_above), apart(is_apart_below));
    Some(continued(&text, prefix))
}

const BLANKS: [char; 3] = [' ', '\t', '>'];

/// Returns whether a line has text that would go on in the next one, or go on the one before.
fn has_text(line: &str) -> bool {
    let bare = line.trim_matches(BLANKS);
    !bare.is_empty() && !bare.starts_with("{%") && !bare.ends_with("%}")
}

/// Returns whether a line begins an item of a list.
fn is_item(line: &str) -> bool {
    let bare = line.trim_start_matches(BLANKS);
    let rest = bare.trim_start_matches(|c: char| c.is_ascii_digit());
    let signs: &[char] = if rest.len() == bare.len() {
        &['*', '-', '+']
    } else {
        &['.', ')']
    };
    rest.strip_prefix(signs).is_some_and(|rest| rest.starts_with(' '))
}
