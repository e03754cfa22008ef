//! Three-way merge of texts, line by line.

use std::{cell::Cell, collections::HashMap, iter::Peekable, ops::Range, slice};

use similar::{Algorithm, DiffTag, capture_diff_slices};

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

/// The versions of a text.
#[derive(Clone, Copy)]
pub(super) struct Versions<'t> {
    pub base: &'t str,
    pub ours: &'t str,
    pub theirs: &'t str,
}

/// Returns the text with the changes of both sides. `None`: both changed the same or adjacent lines in different ways. A
/// line includes its line break, so changed line breaks are changes too.
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
    let mut text = String::new();
    let mut at = 0;
    while let Some(region) = rest.next() {
        base.write(at..region.base.start, &mut text);
        match (region.ours, region.theirs) {
            (Some(one), Some(other)) if ours.numbers(&one) != theirs.numbers(&other) => match winner? {
                Winner::Ours => ours.write(one, &mut text),
                Winner::Theirs => theirs.write(other, &mut text),
            },
            (Some(range), _) => ours.write(range, &mut text),
            (None, Some(range)) => theirs.write(range, &mut text),
            (None, None) => {}
        }
        at = region.base.end;
    }
    base.write(at..base.text.len(), &mut text);
    Some(text)
}

fn too_long(text: &str) -> bool {
    text.len() > MAX_LINES && text.split_inclusive('\n').nth(MAX_LINES).is_some()
}

/// A text as lines, and as numbers that are equal for equal lines.
struct Lines<'t> {
    text: Vec<&'t str>,
    numbers: Vec<u32>,
}

impl<'t> Lines<'t> {
    fn of(text: &'t str, known: &mut HashMap<&'t str, u32>) -> Self {
        let text: Vec<&str> = text.split_inclusive('\n').collect();
        let number = |line: &&'t str| {
            let next = u32::try_from(known.len()).unwrap_or(u32::MAX);
            *known.entry(line).or_insert(next)
        };
        let numbers = text.iter().map(number).collect();
        Self { text, numbers }
    }

    fn numbers(&self, range: &Range<usize>) -> Option<&[u32]> {
        self.numbers.get(range.clone())
    }

    fn write(&self, range: Range<usize>, text: &mut String) {
        text.extend(self.text.get(range).into_iter().flatten().copied());
    }
}

/// Lines of one side that replace lines of the base. Between two edits are common lines.
#[derive(Debug)]
struct LineEdit {
    base: Range<usize>,
    side: Range<usize>,
}

fn edits(budget: &WorkBudget, base: &Lines<'_>, side: &Lines<'_>) -> Vec<LineEdit> {
    let (base, side) = (base.numbers.as_slice(), side.numbers.as_slice());
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
