//! Lines that are added to files that exist. Nothing else in them changes.

use std::iter;

/// Where lines go. A prefix is that of a line, indentation included.
pub enum Place<'a> {
    /// Among the last lines in a row that begin with this, by the alphabet.
    Sorted(&'a str),
    /// Behind the last line that begins with this.
    Behind(&'a str),
    /// In front of the line that begins with this.
    Before(&'a str),
    /// Behind what is indented below the line that begins with this.
    Inside(&'a str),
}

impl Place<'_> {
    /// The text with the lines at this place; none if there is no such place.
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

    /// How many lines are above.
    fn find(&self, lines: &[&str], added: &str) -> Option<usize> {
        let first = |prefix: &str| lines.iter().position(|line| line.starts_with(prefix));
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
                let below = lines.get(head..)?.iter();
                Some(
                    head + below
                        .take_while(|line| line.is_empty() || line.starts_with(' '))
                        .count(),
                )
            }
        }
    }
}
