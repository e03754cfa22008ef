//! Insertion of lines into existing files.

use std::iter;

/// The place of new lines. A prefix is the start of a line, including the indentation.
#[derive(Clone, Copy)]
pub enum Place<'a> {
    /// In alphabetical order among the last consecutive lines with this prefix.
    Sorted(&'a str),
    /// After the last line with this prefix.
    Behind(&'a str),
    /// After the indented block that follows the first line with this prefix.
    Inside(&'a str),
}

impl<'a> Place<'a> {
    pub fn prefix(&self) -> &'a str {
        match *self {
            Self::Sorted(prefix) | Self::Behind(prefix) | Self::Inside(prefix) => prefix,
        }
    }

    /// The same kind of place with another prefix.
    pub fn with<'b>(&self, prefix: &'b str) -> Place<'b> {
        match self {
            Self::Sorted(_) => Place::Sorted(prefix),
            Self::Behind(_) => Place::Behind(prefix),
            Self::Inside(_) => Place::Inside(prefix),
        }
    }

    /// Returns the text with the lines inserted at this place; `None` if the place does not exist.
    pub fn insert(&self, text: &str, added: &str) -> Option<String> {
        let lines: Vec<&str> = text.lines().collect();
        let at = self.find(&lines, added)?;
        let (above, below) = lines.split_at_checked(at)?;
        let all = above
            .iter()
            .copied()
            .chain(iter::once(added))
            .chain(below.iter().copied());
        Some(all.flat_map(|line| [line, "\n"]).collect())
    }

    /// The number of lines before the place.
    fn find(&self, lines: &[&str], added: &str) -> Option<usize> {
        let begins = |prefix: &str| lines.iter().position(|line| line.starts_with(prefix));
        // A name may be a prefix of another name.
        let first = |prefix: &str| lines.iter().position(|line| *line == prefix).or_else(|| begins(prefix));
        let last = |prefix: &str| lines.iter().rposition(|line| line.starts_with(prefix));
        match *self {
            Self::Sorted(prefix) => {
                let last = last(prefix)?;
                let earlier = |line: &&&str| line.starts_with(prefix) && **line > added;
                Some(last + 1 - lines.get(..=last)?.iter().rev().take_while(earlier).count())
            }
            Self::Behind(prefix) => last(prefix).map(|at| at + 1),
            Self::Inside(prefix) => {
                let head = first(prefix)? + 1;
                let deeper = " ".repeat(indentation(prefix) + 1);
                let below = lines.get(head..)?.iter();
                let within = below.take_while(|line| line.is_empty() || line.starts_with(&deeper));
                Some(head + within.count())
            }
        }
    }
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}
