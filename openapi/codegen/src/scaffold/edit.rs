//! Lines that are added to files that exist. Nothing else in them changes.

use std::iter;

/// The place of new lines. A prefix is that of a line, indentation included.
#[derive(Clone, Copy)]
pub enum Place<'a> {
    /// Among the last lines in a row that begin with this, by the alphabet.
    Sorted(&'a str),
    /// Behind the last line that begins with this.
    Behind(&'a str),
    /// In front of the line that begins with this.
    Before(&'a str),
    /// Behind what is indented deeper than, and follows, the first line that begins with this.
    Inside(&'a str),
}

impl<'a> Place<'a> {
    pub fn prefix(&self) -> &'a str {
        match *self {
            Self::Sorted(prefix) | Self::Behind(prefix) | Self::Before(prefix) | Self::Inside(prefix) => prefix,
        }
    }

    /// The same place, found by another prefix.
    pub fn with<'b>(&self, prefix: &'b str) -> Place<'b> {
        match self {
            Self::Sorted(_) => Place::Sorted(prefix),
            Self::Behind(_) => Place::Behind(prefix),
            Self::Before(_) => Place::Before(prefix),
            Self::Inside(_) => Place::Inside(prefix),
        }
    }

    /// The text with the lines at this place; `None` if there is no such place.
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

    /// The number of lines above.
    fn find(&self, lines: &[&str], added: &str) -> Option<usize> {
        let begins = |prefix: &str| lines.iter().position(|line| line.starts_with(prefix));
        // A name may begin as another one does.
        let first = |prefix: &str| lines.iter().position(|line| *line == prefix).or_else(|| begins(prefix));
        let last = |prefix: &str| lines.iter().rposition(|line| line.starts_with(prefix));
        match *self {
            Self::Sorted(prefix) => {
                let last = last(prefix)?;
                let earlier = |line: &&&str| line.starts_with(prefix) && **line > added;
                Some(last + 1 - lines.get(..=last)?.iter().rev().take_while(earlier).count())
            }
            Self::Behind(prefix) => last(prefix).map(|at| at + 1),
            Self::Before(prefix) => first(prefix),
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
