//! The link and footnote definitions of a whole text, for the pieces that refer to those of other pieces.

use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{DefaultHasher, Hash as _, Hasher as _},
    ops::Range,
};

use super::{
    entities,
    prepare::{has_definitions, prefix_length},
};

/// The longest label that the parser recognizes.
const MAX_LABEL_LENGTH: usize = 1000;

/// The most bytes of footnotes that further references to them repeat, and those of each reference beyond its footnote. A
/// text could refer to a long footnote on each line.
const MAX_REPEATED_BYTES: usize = 64 * 1024;
const REFERENCE_BYTES: usize = 64;

/// The targets of footnote links in HTML begin with this.
const FOOTNOTE_TARGET: &str = "#user-content-fn-";

#[derive(Default)]
pub struct TextDefinitions {
    links: Vec<DefinitionRange>,
    footnotes: Vec<DefinitionRange>,
    /// Indexes of the first definitions of each label, by its hash.
    link_labels: BTreeMap<u64, u32>,
    footnote_labels: BTreeMap<u64, u32>,
    /// Hashes of the targets of links, and of the names of footnotes, that have a reference.
    used_targets: BTreeSet<u64>,
    used_footnotes: BTreeSet<u64>,
    /// Bytes of footnotes that were repeated so far.
    repeated_bytes: usize,
    /// Ranges of the text that keep their source, in ascending order.
    excluded: Vec<Range<usize>>,
    /// A definition depends on its place in the text, so the text is parsed as a whole.
    is_whole: bool,
}

/// The source of definitions in other pieces.
#[derive(Default)]
pub struct FurtherSource {
    pub text: String,
    /// Offsets of the footnotes here and in the whole text.
    pub offsets: Vec<(usize, usize)>,
}

pub enum DefinitionUse {
    /// It has a reference, or keeps its source.
    Used,
    /// The range of the definition in the text.
    Unused(Range<usize>),
}

/// A definition takes few bytes: a text may consist of them.
struct DefinitionRange {
    start: u32,
    end: u32,
    /// Hash of the target of a link, or of the name of a footnote.
    hash: u64,
}

impl DefinitionRange {
    fn new(at: &Range<usize>, hash: u64) -> Self {
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Self {
            start: offset(at.start),
            end: offset(at.end),
            hash,
        }
    }

    fn range(&self) -> Range<usize> {
        let offset = |at: u32| usize::try_from(at).unwrap_or_default();
        offset(self.start)..offset(self.end)
    }
}

impl TextDefinitions {
    /// Parses the text as a whole if `condition` holds.
    pub fn keep_whole_if(&mut self, condition: bool) {
        self.is_whole |= condition;
    }

    pub fn is_empty(&self) -> bool {
        self.links.is_empty() && self.footnotes.is_empty()
    }

    /// Adds a link definition at this range of the text, in a piece.
    pub fn add_link(&mut self, text: &str, at: &Range<usize>, target: &str, piece: &Range<usize>) {
        let index = u32::try_from(self.links.len()).unwrap_or(u32::MAX);
        let label = label_at(text, at.start).map(|label| label_hash(&label));
        let first = *self.link_labels.entry(label.unwrap_or_default()).or_insert(index);
        // The first definition of a label counts, wherever its references are.
        if let Some(first) = usize::try_from(first).ok().and_then(|first| self.links.get(first)) {
            let first = first.range();
            self.is_whole |=
                !piece.contains(&first.start) && definition_text(text, &first) != definition_text(text, at);
        }
        self.links.push(DefinitionRange::new(at, hash(target)));
    }

    pub fn add_footnote(&mut self, at: Range<usize>, name: &str) {
        let index = u32::try_from(self.footnotes.len()).unwrap_or(u32::MAX);
        let hash = label_hash(name);
        self.is_whole |= self.footnote_labels.insert(hash, index).is_some();
        self.footnotes.push(DefinitionRange::new(&at, hash));
    }

    /// The text is parsed as a whole if it may have definitions.
    pub fn whole(text: &str) -> Self {
        Self {
            is_whole: has_definitions(text),
            ..Self::default()
        }
    }

    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Returns the definitions outside of a piece that it and these definitions refer to.
    pub fn source_for(&self, text: &str, piece: &Range<usize>) -> FurtherSource {
        let mut further = FurtherSource::default();
        if self.is_whole || (self.links.is_empty() && self.footnotes.is_empty()) {
            return further;
        }
        let (mut links, mut footnotes) = (BTreeSet::new(), BTreeSet::new());
        let mut pending = vec![piece.clone()];
        while let Some(referring) = pending.pop() {
            for label in labels(text.get(referring).unwrap_or_default()) {
                let (labels, ranges, taken) = match label.strip_prefix('^') {
                    Some(_) => (&self.footnote_labels, &self.footnotes, &mut footnotes),
                    None => (&self.link_labels, &self.links, &mut links),
                };
                let name = label.strip_prefix('^').unwrap_or(&label);
                let index = labels
                    .get(&label_hash(name))
                    .and_then(|index| usize::try_from(*index).ok());
                let Some((index, range)) = index.and_then(|index| Some((index, ranges.get(index)?))) else {
                    continue;
                };
                let at = range.range();
                if piece.contains(&at.start) || !taken.insert(index) {
                    continue;
                }
                let is_repeated = label.starts_with('^') && self.used_footnotes.contains(&range.hash);
                if is_repeated && !self.may_repeat(at.len()) {
                    continue;
                }
                further.text.push('\n');
                if !label.starts_with('^') {
                    further.text.push_str(&definition_text(text, &at));
                } else {
                    further.offsets.push((further.text.len(), at.start));
                    further.text.push_str(text.get(at.clone()).unwrap_or_default());
                    pending.push(at);
                }
                further.text.push('\n');
            }
        }
        further
    }

    /// Excludes the definitions in a range: the range keeps its source.
    pub fn exclude(&mut self, range: Range<usize>) {
        self.excluded.push(range);
    }

    /// Returns whether an offset is in a range that keeps its source.
    pub fn is_excluded(&self, at: usize) -> bool {
        let before = self.excluded.partition_point(|range| range.start <= at);
        before
            .checked_sub(1)
            .and_then(|index| self.excluded.get(index))
            .is_some_and(|range| at < range.end)
    }

    /// Marks the definitions of this target as used.
    pub fn mark_used(&mut self, target: &str) {
        if !self.links.is_empty() {
            self.used_targets.insert(hash(target));
        }
    }

    pub fn mark_footnote_used(&mut self, name: &str) {
        self.used_footnotes.insert(label_hash(name));
    }

    pub fn is_footnote_used(&self, name: &str) -> bool {
        !self.used_footnotes.is_empty() && self.used_footnotes.contains(&label_hash(name))
    }

    /// Returns whether a further reference may repeat a footnote of this length.
    pub fn may_repeat(&self, length: usize) -> bool {
        self.repeated_bytes + length + REFERENCE_BYTES <= MAX_REPEATED_BYTES
    }

    pub fn mark_repeated(&mut self, length: usize) {
        self.repeated_bytes += length + REFERENCE_BYTES;
    }

    pub fn has_footnotes(&self) -> bool {
        !self.footnotes.is_empty()
    }

    /// Returns the use of a footnote definition. `None`: there are no more, or the text is parsed as a whole.
    pub fn footnote_use(&self, index: usize) -> Option<DefinitionUse> {
        let footnote = self.footnotes.get(index).filter(|_| !self.is_whole)?;
        let at = footnote.range();
        let is_used = self.used_footnotes.contains(&footnote.hash) || self.is_excluded(at.start);
        Some(if is_used {
            DefinitionUse::Used
        } else {
            DefinitionUse::Unused(at)
        })
    }

    /// Returns the text of the link definitions without a reference.
    pub fn unused_links<'t>(&'t self, text: &'t str) -> impl Iterator<Item = String> + 't {
        let is_unused =
            |link: &&DefinitionRange| !self.used_targets.contains(&link.hash) && !self.is_excluded(link.range().start);
        self.links.iter().filter(is_unused).map(|link| {
            let lines = definition_text(text, &link.range());
            lines.split_whitespace().collect::<Vec<&str>>().join(" ")
        })
    }
}

/// Returns a definition without the prefixes of its lines.
fn definition_text(text: &str, at: &Range<usize>) -> String {
    let mut lines = text.get(at.clone()).unwrap_or_default().split_inclusive('\n');
    let mut bare = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        bare.push_str(line.get(prefix_length(line)..).unwrap_or_default());
    }
    bare
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Returns the hash of a label, which is the same for all labels that the parser takes for equal.
fn label_hash(label: &str) -> u64 {
    let plain = entities::decode(label);
    let mut hasher = DefaultHasher::new();
    let bare = plain.chars().filter(|c| !c.is_whitespace() && *c != '\\');
    // Upper case first: some lower-case letters have the same upper case.
    for c in bare.flat_map(char::to_uppercase).flat_map(char::to_lowercase) {
        c.hash(&mut hasher);
    }
    hasher.finish()
}

/// Returns the labels in a text: those in brackets, and the names of footnotes in HTML, as `^name`.
fn labels(text: &str) -> impl Iterator<Item = String> {
    let in_brackets = text.match_indices('[').filter_map(|(at, _)| label_at(text, at));
    let in_html = text.match_indices(FOOTNOTE_TARGET).map(|(at, target)| {
        let rest = text.get(at + target.len()..).unwrap_or_default();
        let end = rest.find(['"', '\'', '>', ')', '\n']).unwrap_or(rest.len());
        format!("^{}", rest.get(..end).unwrap_or_default())
    });
    in_brackets.chain(in_html)
}

/// Returns the label in brackets at an offset, without the prefixes of its lines.
fn label_at(text: &str, at: usize) -> Option<String> {
    let inner = text.get(at..)?.strip_prefix('[')?;
    let mut escaped = false;
    let mut end = None;
    for (at, byte) in inner.bytes().enumerate().take(MAX_LABEL_LENGTH * 2) {
        match byte {
            b']' if !escaped => {
                end = Some(at);
                break;
            }
            b'[' if !escaped => return None,
            _ => escaped = byte == b'\\' && !escaped,
        }
    }
    let label = inner.get(..end?)?;
    Some(match label.contains('\n') {
        true => definition_text(label, &(0..label.len())),
        false => label.to_owned(),
    })
}
