//! Three-way merge of texts, line by line. Each row of an HTML table counts as a line.

use std::{borrow::Cow, cell::Cell, collections::HashMap, iter::Peekable, ops::Range, slice};

use rich_text::DocumentLimits;
use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::{
    numbering::{Number, OpenLists},
    table_rows,
};

/// The most lines of a text, which bounds memory.
const MAX_LINES: usize = 1 << 20;

/// The work for all texts of one merge, in units of about 20 ns at worst.
const MAX_WORK: usize = 200_000_000;

/// The remaining work of a merge: crafted texts take much more time to align than to read.
pub(super) struct WorkBudget(Cell<usize>);

impl Default for WorkBudget {
    fn default() -> Self {
        Self::of(MAX_WORK)
    }
}

impl WorkBudget {
    pub fn of(work: usize) -> Self {
        Self(Cell::new(work))
    }

    /// Takes the work to align this many different lines from the budget. Returns false if too little is left.
    fn take(&self, lines: usize) -> bool {
        let left = self.0.get().checked_sub(lines.saturating_mul(lines.isqrt()));
        left.inspect(|left| self.0.set(*left)).is_some()
    }
}

/// The side whose lines stay where both sides changed them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Winner {
    Ours,
    Theirs,
}

impl Winner {
    fn choose<T>(self, ours: T, theirs: T) -> T {
        match self {
            Self::Ours => ours,
            Self::Theirs => theirs,
        }
    }
}

/// The versions of a text.
#[derive(Clone, Copy)]
pub(super) struct Versions<'t> {
    pub base: &'t str,
    pub ours: &'t str,
    pub theirs: &'t str,
}

/// Returns the text with the changes of both sides. `None`: both changed the same or adjacent lines in different ways, or the text
/// would be longer than those that are stored. A line includes its line break, so changed line breaks are changes too; the
/// numbers of list items and the spaces that align tables are none.
pub(super) fn merge(budget: &WorkBudget, base: &str, ours: &str, theirs: &str) -> Option<String> {
    merge_favoring(budget, Versions { base, ours, theirs }, None)
}

/// Like [`merge`], with the lines of one side where both changed them in different ways.
pub(super) fn merge_favoring(budget: &WorkBudget, versions: Versions<'_>, winner: Option<Winner>) -> Option<String> {
    let Versions { base, ours, theirs } = versions;
    if [base, ours, theirs].iter().any(|text| too_long(text)) {
        return None;
    }
    let mut numbers = HashMap::new();
    let base = Lines::of(base, &mut numbers);
    let (ours, theirs) = (Lines::of(ours, &mut numbers), Lines::of(theirs, &mut numbers));
    let (our_edits, their_edits) = (edits(budget, &base, &ours), edits(budget, &base, &theirs));
    let mut rest = Regions {
        ours: our_edits.iter().peekable(),
        theirs: their_edits.iter().peekable(),
    };
    let mut text = MergedText::default();
    let (mut base_rest, mut our_rest, mut their_rest) =
        (base.lines.as_slice(), ours.lines.as_slice(), theirs.lines.as_slice());
    while let Some(region) = rest.next() {
        let common = region.base.start - (base.lines.len() - base_rest.len());
        text.write_common(
            [&mut base_rest, &mut our_rest, &mut their_rest].map(|rest| take(rest, common)),
            winner,
        )?;
        let replaced = take(&mut base_rest, region.base.len());
        let length = |edit: &Option<Range<usize>>| edit.as_ref().map_or(replaced.len(), Range::len);
        let one = take(&mut our_rest, length(&region.ours));
        let other = take(&mut their_rest, length(&region.theirs));
        match (region.ours, region.theirs) {
            (Some(range), Some(other_range)) if ours.keys(&range) != theirs.keys(&other_range) => {
                match cells_combined([replaced, one, other]) {
                    Some(row) => text.write(&row, Number::Absent),
                    None => text.write_all(winner?.choose(one, other)),
                }
            }
            (Some(_), Some(_)) => text.write_all(one.max(other)),
            (Some(_), None) => text.write_all(one),
            (None, _) => text.write_all(other),
        }
    }
    text.write_common([base_rest, our_rest, their_rest], winner)?;
    // A longer one could not be stored.
    (text.text.len() <= DocumentLimits::default().bytes).then_some(text.text)
}

/// Takes lines from the beginning of the rest.
fn take<'r, 't>(rest: &mut &'r [Line<'t>], count: usize) -> &'r [Line<'t>] {
    let (taken, left) = rest.split_at_checked(count).unwrap_or((rest, &[]));
    *rest = left;
    taken
}

/// Combines three versions of a single row of a table.
fn cells_combined([base, ours, theirs]: [&[Line<'_>]; 3]) -> Option<String> {
    match (base, ours, theirs) {
        ([base], [ours], [theirs]) => table_rows::merge(base.text, ours.text, theirs.text),
        _ => None,
    }
}

fn lines_of(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive('\n')
        .flat_map(|line| line.split_inclusive("</tr>"))
}

fn too_long(text: &str) -> bool {
    text.len() > MAX_LINES && lines_of(text).nth(MAX_LINES).is_some()
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Line<'t> {
    number: Number,
    text: &'t str,
}

impl Line<'_> {
    /// Returns the version of a line that a side changed. The versions differ at most in what is no content. `None`: both sides
    /// begin a list with different numbers.
    fn changed(base: Self, ours: Self, theirs: Self) -> Option<Self> {
        if ours == theirs || theirs == base {
            return Some(ours);
        }
        if ours == base {
            return Some(theirs);
        }
        let begin_lists = (ours.number, theirs.number) == (Number::First, Number::First);
        (!begin_lists).then(|| ours.max(theirs))
    }
}

/// A text as lines, and as keys that are equal for lines of equal content.
struct Lines<'t> {
    lines: Vec<Line<'t>>,
    keys: Vec<u32>,
}

impl<'t> Lines<'t> {
    fn of(text: &'t str, known: &mut HashMap<Cow<'t, str>, u32>) -> Self {
        let (mut lines, mut keys, mut lists) = (Vec::new(), Vec::new(), OpenLists::default());
        for text in lines_of(text) {
            let (number, content) = match lists.read(text) {
                Some((item, before)) => {
                    lists.push(&item, item.number);
                    let number = before.map_or(Number::First, |before| Number::After(item.number - before));
                    // No other line contains NUL there: it is not a digit.
                    (number, format!("{}\0{}", item.indentation, item.rest).into())
                }
                None => {
                    let row = table_rows::without_alignment(text).filter(|_| !lists.is_in_code());
                    (Number::Absent, row.map_or(text.into(), Cow::from))
                }
            };
            let next = u32::try_from(known.len()).unwrap_or(u32::MAX);
            keys.push(*known.entry(content).or_insert(next));
            lines.push(Line { number, text });
        }
        Self { lines, keys }
    }

    fn keys(&self, range: &Range<usize>) -> Option<&[u32]> {
        self.keys.get(range.clone())
    }
}

/// The merged text, in which the items of lists continue the numbers before them.
#[derive(Default)]
struct MergedText {
    text: String,
    lists: OpenLists,
}

impl MergedText {
    /// Writes lines of equal content in the versions that a side changed.
    fn write_common(&mut self, [base, ours, theirs]: [&[Line<'_>]; 3], winner: Option<Winner>) -> Option<()> {
        for (base, (ours, theirs)) in base.iter().zip(ours.iter().zip(theirs)) {
            let changed = Line::changed(*base, *ours, *theirs);
            let line = changed.or_else(|| Some(winner?.choose(*ours, *theirs)))?;
            self.write(line.text, line.number);
        }
        Some(())
    }

    fn write_all(&mut self, lines: &[Line<'_>]) {
        for line in lines {
            self.write(line.text, line.number);
        }
    }

    fn write(&mut self, line: &str, number: Number) {
        let Some((item, before)) = self.lists.read(line) else {
            return self.text.push_str(line);
        };
        let continued = match (number, before) {
            (Number::After(difference), Some(before)) => before + difference,
            _ => item.number,
        };
        self.lists.push(&item, continued);
        if continued == item.number || continued < 0 {
            self.text.push_str(line);
        } else {
            self.text.push_str(item.indentation);
            self.text.push_str(&continued.to_string());
            self.text.push_str(item.rest);
        }
    }
}

/// Lines of one side that replace lines of the base. Between two edits are common lines.
#[derive(Debug)]
struct LineEdit {
    base: Range<usize>,
    side: Range<usize>,
}

fn edits(budget: &WorkBudget, base: &Lines<'_>, side: &Lines<'_>) -> Vec<LineEdit> {
    let (base, side) = (base.keys.as_slice(), side.keys.as_slice());
    let start = base.iter().zip(side).take_while(|(one, other)| one == other).count();
    let backwards = base.iter().skip(start).rev().zip(side.iter().skip(start).rev());
    let behind = backwards.take_while(|(one, other)| one == other).count();
    let (from, to) = (start..base.len() - behind, start..side.len() - behind);
    let parts = (base.get(from.clone()), side.get(to.clone()));
    let (Some(one), Some(other)) = parts else {
        return Vec::new();
    };
    if one.is_empty() && other.is_empty() {
        return Vec::new();
    }
    if one.is_empty() || other.is_empty() || !budget.take(one.len() + other.len()) {
        return vec![LineEdit { base: from, side: to }];
    }
    let mut found: Vec<LineEdit> = Vec::new();
    for operation in capture_diff_slices(Algorithm::Myers, one, other) {
        if operation.tag() == DiffTag::Equal {
            continue;
        }
        let moved = |range: Range<usize>| range.start + start..range.end + start;
        let (base, side) = (moved(operation.old_range()), moved(operation.new_range()));
        match found.last_mut().filter(|last| last.base.end == base.start) {
            Some(last) => {
                last.base.end = base.end;
                last.side.end = side.end;
            }
            None => found.push(LineEdit { base, side }),
        }
    }
    found
}

type Edits<'e> = Peekable<slice::Iter<'e, LineEdit>>;

/// Edits of both sides, in the order of the replaced lines.
struct Regions<'e> {
    ours: Edits<'e>,
    theirs: Edits<'e>,
}

/// Lines of the base with their replacement on each side that changed them.
struct Region {
    base: Range<usize>,
    ours: Option<Range<usize>>,
    theirs: Option<Range<usize>>,
}

impl Regions<'_> {
    /// Returns the next region. Edits without a common line between them are one region, so that a last line without a line
    /// break stays the last one.
    fn next(&mut self) -> Option<Region> {
        let starts = [self.ours.peek(), self.theirs.peek()];
        let start = starts.into_iter().flatten().map(|edit| edit.base.start).min()?;
        let mut end = start;
        let (mut ours, mut theirs) = (Span::default(), Span::default());
        while ours.grow(&mut self.ours, &mut end) || theirs.grow(&mut self.theirs, &mut end) {}
        let base = start..end;
        let (ours, theirs) = (ours.on_side(&base), theirs.on_side(&base));
        Some(Region { base, ours, theirs })
    }
}

/// The first and the last edit of one side in a region.
#[derive(Default)]
struct Span<'e> {
    ends: Option<(&'e LineEdit, &'e LineEdit)>,
}

impl<'e> Span<'e> {
    fn grow(&mut self, edits: &mut Edits<'e>, end: &mut usize) -> bool {
        let Some(edit) = edits.next_if(|edit| edit.base.start <= *end) else {
            return false;
        };
        *end = edit.base.end.max(*end);
        let first = self.ends.map_or(edit, |(first, _)| first);
        self.ends = Some((first, edit));
        true
    }

    /// Returns the lines of this side in place of those of the base.
    fn on_side(&self, base: &Range<usize>) -> Option<Range<usize>> {
        let (first, last) = self.ends?;
        let start = first.side.start - (first.base.start - base.start);
        Some(start..last.side.end + (base.end - last.base.end))
    }
}
