//! Rows of tables, cell by cell.

use std::borrow::Cow;

/// Returns the row with the changes of both sides. `None`: both changed the same cell in different ways, or the lines are not
/// versions of one row.
pub(super) fn merge(base: &str, ours: &str, theirs: &str) -> Option<String> {
    let (base, ours, theirs) = (cells(base)?, cells(ours)?, cells(theirs)?);
    if base.len() != ours.len() || base.len() != theirs.len() {
        return None;
    }
    let sides = base.into_iter().zip(ours.into_iter().zip(theirs));
    let cell = |(base, (ours, theirs))| {
        if content(ours) == content(theirs) || content(theirs) == content(base) {
            Some(ours)
        } else {
            (content(ours) == content(base)).then_some(theirs)
        }
    };
    sides.map(cell).collect()
}

/// Returns a row of a pipe table without the spaces that align its cells. `None`: the line is no row.
pub(super) fn without_alignment(line: &str) -> Option<String> {
    let cells = cells(line).filter(|_| is_pipe_row(line))?;
    let end = line.trim_end().len();
    let line_break = line.get(end..).unwrap_or_default();
    let cells: Vec<Cow<'_, str>> = cells.into_iter().map(content).collect();
    Some(format!("{}{line_break}", cells.join("|")))
}

/// Returns the cells of a row, each with the mark that ends it, and what follows them.
fn cells(line: &str) -> Option<Vec<&str>> {
    let is_end = |start: &str, mark: &str| match mark {
        "|" => !start.ends_with('\\'),
        _ => true,
    };
    let marks: &[&str] = if is_pipe_row(line) { &["|"] } else { &["</td>", "</th>"] };
    let found = marks.iter().flat_map(|mark| line.match_indices(mark));
    let ends = found.filter(|(at, mark)| is_end(line.get(..*at).unwrap_or_default(), mark));
    let mut ends: Vec<usize> = ends.map(|(at, mark)| at + mark.len()).collect();
    ends.sort_unstable();
    if ends.is_empty() {
        return None;
    }
    let starts = std::iter::once(0).chain(ends.iter().copied());
    let bounds = starts.zip(ends.iter().copied().chain([line.len()]));
    bounds.map(|(start, end)| line.get(start..end)).collect()
}

fn is_pipe_row(line: &str) -> bool {
    line.trim_start().starts_with('|')
}

/// Returns what a cell says: spaces align it, and so do the dashes below the head of a table.
fn content(cell: &str) -> Cow<'_, str> {
    let text = cell.trim_end_matches('|').trim();
    match text.split_once('-') {
        Some((start, end)) if text.bytes().all(|byte| matches!(byte, b'-' | b':')) => {
            format!("{start}-{}", end.trim_start_matches('-')).into()
        }
        _ => text.into(),
    }
}
