//! Markdown before it is parsed: lines that are tags or enclose a formula are replaced by stand-ins.
//!
//! A stand-in is a processing instruction of HTML, which ends every paragraph and list that it is not indented into.
//! So the tags become nodes of the syntax tree between those that they enclose, and one parse is enough for a page.

use std::borrow::Cow;

use comrak::nodes::LineColumn;

use super::tags::Tag;

pub struct Prepared {
    pub text: String,
    stands: Vec<Stand>,
    /// How every stand-in begins; nothing in the original does.
    mark: String,
    /// Where the lines of the text begin.
    starts: Vec<usize>,
    /// Which line of the original each of them was, or the first of several.
    origins: Vec<usize>,
}

/// What a stand-in stands for.
pub enum Stand {
    Tag(Tag),
    Formula(String),
}

impl Prepared {
    pub fn new(markdown: &str) -> Self {
        let markdown = &with_plain_line_ends(markdown);
        let mut prepared = Self {
            text: String::with_capacity(markdown.len()),
            stands: Vec::new(),
            mark: unused_mark(markdown),
            starts: Vec::new(),
            origins: Vec::new(),
        };
        let lines: Vec<&str> = markdown.split_inclusive('\n').collect();
        let mut fence = None;
        let mut at = 0;
        while let Some(line) = lines.get(at) {
            prepared.origins.push(at);
            let (prefix, content) = line.split_at(prefix_length(line));
            let bare = content.trim_end_matches('\n');
            let in_fence = Fence::follow(&mut fence, prefix, bare);
            let formula = match is_sign(bare) && !in_fence {
                true => formula(prefix, lines.get(at + 1..).unwrap_or_default()),
                false => None,
            };
            if let Some((formula, length)) = formula {
                prepared.stand(prefix, Stand::Formula(formula));
                at += length + 1;
            } else if let Some(tag) = Tag::read(bare) {
                prepared.stand(prefix, Stand::Tag(tag));
            } else {
                prepared.text.push_str(line);
            }
            at += 1;
        }
        prepared.origins.push(at);
        let ends = prepared.text.match_indices('\n').map(|(at, _)| at + 1);
        prepared.starts = std::iter::once(0).chain(ends).collect();
        prepared
    }

    fn stand(&mut self, prefix: &str, stand: Stand) {
        let number = self.stands.len();
        self.stands.push(stand);
        self.text.push_str(prefix);
        self.text.push_str(&format!("{}{number}?>\n", self.mark));
    }

    pub fn lines(&self) -> usize {
        self.starts.len()
    }

    /// A line of the text, counted from 0, and where it begins.
    pub fn line(&self, number: usize) -> Option<(usize, &str)> {
        let from = *self.starts.get(number)?;
        let to = self.starts.get(number + 1).copied().unwrap_or(self.text.len());
        Some((from, self.text.get(from..to)?))
    }

    /// The place of a line and a column, both counted from 1.
    pub fn place(&self, position: LineColumn) -> Option<usize> {
        let start = self.starts.get(position.line.checked_sub(1)?)?;
        Some(start + position.column.checked_sub(1)?)
    }

    /// The line of the original in which a place lies, counted from 0, and how far it is from where that line begins.
    pub fn origin(&self, at: usize) -> Option<(usize, usize)> {
        let line = self.starts.partition_point(|start| *start <= at).checked_sub(1)?;
        Some((*self.origins.get(line)?, at - self.starts.get(line)?))
    }

    /// What a block of HTML stands for, if it is a stand-in.
    pub fn stand_in(&self, html: &str) -> Option<&Stand> {
        let number = html.trim().strip_prefix(&self.mark)?.strip_suffix("?>")?;
        self.stands.get(number.parse::<usize>().ok()?)
    }

    /// The text with the original in place of stand-ins: they stand also where they only look like tags, as in code.
    pub fn restore<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if !text.contains(&self.mark) {
            return Cow::Borrowed(text);
        }
        let mut restored = String::with_capacity(text.len());
        for line in text.split_inclusive('\n') {
            self.restore_line(line, &mut restored);
        }
        Cow::Owned(restored)
    }

    fn restore_line(&self, line: &str, restored: &mut String) {
        let parts = line.split_once(&self.mark).and_then(|(indent, rest)| {
            let (number, rest) = rest.split_once("?>")?;
            let stand = self.stands.get(number.parse::<usize>().ok()?)?;
            Some((indent, stand, rest))
        });
        match parts {
            None => restored.push_str(line),
            Some((indent, Stand::Tag(tag), rest)) => {
                restored.extend([indent, &tag.raw, rest]);
            }
            Some((indent, Stand::Formula(formula), rest)) => {
                let original = format!("$$\n{formula}\n$$");
                let indented = original.replace('\n', &format!("\n{indent}"));
                restored.extend([indent, &indented, rest]);
            }
        }
    }
}

fn with_plain_line_ends(text: &str) -> Cow<'_, str> {
    match text.contains('\r') {
        true => Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n")),
        false => Cow::Borrowed(text),
    }
}

/// Whether a line begins or ends a formula.
fn is_sign(line: &str) -> bool {
    line.trim_end_matches([' ', '\t']) == "$$"
}

/// Longer than everything in the text that looks like it.
fn unused_mark(markdown: &str) -> String {
    let mut longest = 0;
    for (at, _) in markdown.match_indices("<?t") {
        let after = markdown.get(at + 2..).unwrap_or_default();
        longest = longest.max(after.bytes().take_while(|byte| *byte == b't').count());
    }
    format!("<?{}", "t".repeat(longest + 1))
}

/// The length of what may stand before the first block of a line: indentation, marks of quotes, lists and footnotes.
pub fn prefix_length(line: &str) -> usize {
    let bytes = line.as_bytes();
    let mut at = 0;
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        at += match rest {
            [b' ' | b'\t' | b'>', ..] => 1,
            [b'-' | b'*' | b'+', b' ' | b'\t', ..] => 2,
            [b'0'..=b'9', ..] => match number_length(rest) {
                0 => return at,
                length => length,
            },
            [b'[', b'^', ..] => match label_length(rest) {
                0 => return at,
                length => length,
            },
            _ => return at,
        };
    }
}

/// The label of a footnote: `[^1]:`
fn label_length(bytes: &[u8]) -> usize {
    let end = bytes
        .iter()
        .position(|byte| matches!(byte, b']' | b' ' | b'\t' | b'\n'));
    match end.and_then(|end| bytes.get(end..end + 2)) {
        Some(b"]:") => end.map_or(0, |end| end + 2),
        _ => 0,
    }
}

fn number_length(bytes: &[u8]) -> usize {
    let digits = bytes.iter().take(10).take_while(|byte| byte.is_ascii_digit()).count();
    match bytes.get(digits..) {
        Some([b'.' | b')', b' ' | b'\t', ..]) if digits < 10 => digits + 2,
        _ => 0,
    }
}

/// A block of code between fences.
struct Fence {
    mark: char,
    length: usize,
    in_quote: bool,
}

impl Fence {
    /// Whether the line is in code, or begins or ends some. The end of a list can end code too; that it is missed here
    /// only makes a formula after it text.
    fn follow(open: &mut Option<Self>, prefix: &str, line: &str) -> bool {
        let in_quote = prefix.contains('>');
        let length = |mark: char| line.chars().take_while(|c| *c == mark).count();
        if open.as_ref().is_some_and(|fence| fence.in_quote && !in_quote) {
            *open = None;
        }
        if let Some(fence) = open {
            let marks = length(fence.mark);
            if marks >= fence.length && marks == line.chars().count() {
                *open = None;
            }
            return true;
        }
        let begun = ['`', '~'].into_iter().find(|mark| length(*mark) >= 3);
        let begun = begun.filter(|mark| *mark == '~' || !line.trim_start_matches('`').contains('`'));
        *open = begun.map(|mark| Self {
            mark,
            length: length(mark),
            in_quote,
        });
        open.is_some()
    }
}

/// The lines up to the one that ends the formula, without their prefix, and how many they are. The next line with `$$`
/// decides, so that many of them cost no more than one pass.
fn formula(prefix: &str, lines: &[&str]) -> Option<(String, usize)> {
    let inner = inner_prefix(prefix);
    let mut formula = Vec::new();
    for line in lines {
        let bare = line.trim_end_matches('\n');
        let content = match bare.strip_prefix(&inner) {
            Some(content) => content,
            None if bare.trim_end() == inner.trim_end() => "",
            None => return None,
        };
        if is_sign(content.trim_start_matches(' ')) {
            return Some((formula.join("\n"), formula.len()));
        }
        if content.contains("$$") {
            return None;
        }
        formula.push(content);
    }
    None
}

/// How further lines of the same block begin: marks of lists become spaces, the label of a footnote becomes four.
fn inner_prefix(prefix: &str) -> String {
    let spaced = |c: char| if matches!(c, '>' | '\t') { c } else { ' ' };
    match prefix
        .split_once("[^")
        .and_then(|(before, label)| Some((before, label.split_once("]:")?.1)))
    {
        Some((before, after)) => {
            let after = after.trim_start_matches([' ', '\t']);
            format!("{}    {}", inner_prefix(before), inner_prefix(after))
        }
        None => prefix.chars().map(spaced).collect(),
    }
}
