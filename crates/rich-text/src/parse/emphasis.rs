//! Emphasis: which delimiter runs of a line open and close it.
//!
//! The syntax tree has everything else of a line; emphasis depends on the delimiter runs that are left. They are read as in
//! CommonMark. If that leaves some of them visible, they are also read in their order, as older exports mean them: each
//! closes what the one before it opened, and a space at the inner side of a run belongs to its outer side: `the **Name
//! **and`. The reading that leaves fewer of them visible counts.

use std::collections::HashMap;

use comrak::Node;

use super::{
    MarkdownParser,
    inline_tokens::{self, InlineToken, MarkdownSpan},
};
use crate::{
    nodes::marks::MarkStyle,
    syntax::{
        flanking::Flanking,
        html::{HtmlElement, HtmlToken},
    },
};

/// The longest run that is read in order: `***`
const MAX_LENGTH: usize = 3;

/// The characters of delimiter runs.
const DELIMITERS: &str = "*_~";

/// Characters of code, paths and formulas, beside which a run with a space at its other side is no emphasis.
const OPERATORS: &str = "/\\=<>+*&%$#@^|~_{}";

/// A run of one delimiter character.
#[derive(Clone, Copy)]
struct DelimiterRun {
    /// Index of the token.
    at: usize,
    sign: char,
    length: usize,
    before: char,
    after: char,
    flanking: Flanking,
    /// The run could open emphasis that begins with a space, or close emphasis that ends with one.
    opens_space: bool,
    closes_space: bool,
}

/// The indexes of two runs, and how many characters of each belong together.
struct DelimiterPair {
    opener: usize,
    closer: usize,
    length: usize,
}

/// A part of a run that opens or closes emphasis.
struct RunPart {
    /// Index of the token of the run.
    at: usize,
    length: usize,
    is_opening: bool,
    moves_space: bool,
}

impl<'a> MarkdownParser<'a, '_> {
    /// Returns the tokens of a paragraph, heading or table cell, with spans.
    pub(super) fn items(&self, node: Node<'a>) -> Vec<InlineToken> {
        resolve(self.tokens(node))
    }
}

/// Replaces delimiter runs by the beginnings and ends of spans, and by text. Runs in code are text.
fn resolve(items: Vec<InlineToken>) -> Vec<InlineToken> {
    if !items.iter().any(InlineToken::is_delimiter) {
        return items;
    }
    let pairs = inline_tokens::match_pairs(&items);
    let mut parts = Vec::new();
    // The runs of the line, and those of an open link with its end.
    let mut scopes = vec![(items.len(), Vec::new())];
    let mut code_end = 0;
    for (at, item) in items.iter().enumerate() {
        if let Some((_, runs)) = scopes.pop_if(|(end, _)| *end == at) {
            read(&items, &runs, &mut parts);
        }
        let end = pairs.get(at).copied().flatten().filter(|end| *end > at);
        match (item, end) {
            (InlineToken::Html(HtmlToken::Open(element)), Some(end)) => {
                let is_lone = end == at + 2 && items.get(at + 1).is_some_and(InlineToken::is_delimiter);
                if is_code(element) || is_lone {
                    code_end = code_end.max(end);
                }
            }
            (InlineToken::Open(_), Some(end)) => scopes.push((end, Vec::new())),
            (InlineToken::Delimiters { sign, length }, _) if at >= code_end => {
                if let Some((_, runs)) = scopes.last_mut() {
                    runs.push(DelimiterRun::new(&items, at, *sign, *length));
                }
            }
            _ => {}
        }
    }
    drop(pairs);
    for (_, runs) in scopes {
        read(&items, &runs, &mut parts);
    }
    parts.sort_by_key(|part: &RunPart| part.at);
    replace(items, &parts)
}

/// Returns whether the content of an element is code or a formula.
fn is_code(element: &HtmlElement) -> bool {
    let is_formula = || element.attributes.clone().take("class").as_deref() == Some("math");
    element.name == "code" || (element.name == "span" && is_formula())
}

impl DelimiterRun {
    fn new(items: &[InlineToken], at: usize, sign: char, length: usize) -> Self {
        let previous = at.checked_sub(1).and_then(|at| items.get(at));
        let next = items.get(at + 1);
        let (before, after) = (edge(previous, last), edge(next, first));
        let is_space =
            |token: Option<&InlineToken>, c: char| matches!(token, Some(InlineToken::Text(_))) && c.is_whitespace();
        let follows_comma = matches!(previous, Some(InlineToken::Text(text)) if text.trim_end().ends_with(','));
        Self {
            at,
            sign,
            length,
            before,
            after,
            flanking: Flanking::of(sign, before, after),
            opens_space: is_space(next, after) && !before.is_whitespace() && is_word_edge(before),
            closes_space: is_space(previous, before) && !follows_comma && is_followed(next),
        }
    }

    /// Returns whether the run is too long for its character.
    fn is_text(&self) -> bool {
        self.sign == '~' && self.length > 2
    }

    /// Returns whether the run has a space at both sides in its line. It opens emphasis only where the next run of its kind is the end of
    /// a word.
    fn is_between_spaces(&self) -> bool {
        let is_space = |c: char| c.is_whitespace() && c != '\n';
        self.length > 1 && is_space(self.before) && is_space(self.after)
    }

    fn moves_opening_space(&self) -> bool {
        self.opens_space || self.is_between_spaces()
    }

    fn is_kind(&self, other: &Self) -> bool {
        self.sign == other.sign && self.length == other.length
    }
}

fn last(text: &str) -> Option<char> {
    text.chars().next_back()
}

fn first(text: &str) -> Option<char> {
    text.chars().next()
}

/// Returns the character of a token beside a run. All tokens but text begin and end with punctuation.
fn edge(token: Option<&InlineToken>, character: fn(&str) -> Option<char>) -> char {
    match token {
        Some(InlineToken::Text(text)) => character(text).unwrap_or('\n'),
        Some(InlineToken::Delimiters { sign, .. }) => *sign,
        Some(InlineToken::SoftBreak | InlineToken::Break) | None => '\n',
        Some(_) => '.',
    }
}

fn is_word_edge(c: char) -> bool {
    !OPERATORS.contains(c) || DELIMITERS.contains(c)
}

/// Returns whether something follows a run in its line that may follow emphasis.
fn is_followed(next: Option<&InlineToken>) -> bool {
    let Some(InlineToken::Text(text)) = next else {
        return !matches!(
            next,
            None | Some(InlineToken::SoftBreak | InlineToken::Break | InlineToken::Close)
        );
    };
    let mut characters = text.chars();
    match characters.next() {
        // The end of a sentence, but not that of a name: `**.rs`
        Some('.') => !characters.next().is_some_and(char::is_alphanumeric),
        Some(c) => !text.trim().is_empty() && !OPERATORS.contains(c),
        None => false,
    }
}

/// Adds the parts of the runs of one line or link.
fn read(items: &[InlineToken], runs: &[DelimiterRun], parts: &mut Vec<RunPart>) {
    let visible = |pairs: &[DelimiterPair]| {
        let all: usize = runs.iter().map(|run| run.length).sum();
        all - pairs.iter().map(|pair| pair.length * 2).sum::<usize>()
    };
    let mut pairs = standard_pairs(runs);
    if visible(&pairs) > 0 && runs.iter().any(|run| run.moves_opening_space() || run.closes_space) {
        let in_order = pairs_in_order(items, runs);
        if visible(&in_order) < visible(&pairs) {
            pairs = in_order;
        }
    }
    for pair in pairs {
        if let (Some(opener), Some(closer)) = (runs.get(pair.opener), runs.get(pair.closer)) {
            let part = |run: &DelimiterRun, is_opening, moves_space| RunPart {
                at: run.at,
                length: pair.length,
                is_opening,
                moves_space,
            };
            parts.push(part(opener, true, opener.moves_opening_space()));
            parts.push(part(closer, false, closer.closes_space));
        }
    }
}

/// A run that may open emphasis, with the characters that are left of it.
struct Opener {
    index: usize,
    run: DelimiterRun,
    left: usize,
}

/// Reads runs as in CommonMark. Where the search for an opener ended without one, later searches end too.
fn standard_pairs(runs: &[DelimiterRun]) -> Vec<DelimiterPair> {
    let mut pairs = Vec::new();
    let mut openers: Vec<Opener> = Vec::new();
    let mut bottoms: HashMap<(char, bool, usize), usize> = HashMap::new();
    for (index, run) in runs.iter().enumerate().filter(|(_, run)| !run.is_text()) {
        let mut left = run.length;
        while run.flanking.can_close && left > 0 {
            let bottom = bottoms
                .entry((run.sign, run.flanking.can_open, run.length % 3))
                .or_default();
            let mut candidates = openers.iter().enumerate().rev();
            let found = candidates
                .by_ref()
                .take_while(|(_, opener)| opener.index >= *bottom)
                .find(|(_, opener)| is_match(&opener.run, run));
            let Some((place, _)) = found else {
                *bottom = index;
                break;
            };
            openers.truncate(place + 1);
            let Some(opener) = openers.last_mut() else {
                break;
            };
            let length = match run.sign {
                '~' => run.length,
                _ => opener.left.min(left).min(2),
            };
            opener.left -= length;
            left -= length;
            pairs.push(DelimiterPair {
                opener: opener.index,
                closer: index,
                length,
            });
            openers.pop_if(|opener| opener.left == 0);
        }
        if run.flanking.can_open && left > 0 {
            openers.push(Opener { index, run: *run, left });
        }
    }
    pairs
}

fn is_match(opener: &DelimiterRun, closer: &DelimiterRun) -> bool {
    let is_either = closer.flanking.can_open || opener.flanking.can_close;
    let is_third = |length: usize| length.is_multiple_of(3);
    let is_odd =
        is_either && is_third(opener.length + closer.length) && !(is_third(opener.length) && is_third(closer.length));
    match closer.sign {
        '~' => opener.is_kind(closer),
        sign => opener.sign == sign && !is_odd,
    }
}

/// Reads runs in their order: of each kind at most one is open.
fn pairs_in_order(items: &[InlineToken], runs: &[DelimiterRun]) -> Vec<DelimiterPair> {
    let mut pairs = Vec::new();
    let mut open: Vec<(usize, DelimiterRun)> = Vec::new();
    let kinds = runs.iter().enumerate();
    for (index, run) in kinds.filter(|(_, run)| run.length <= MAX_LENGTH && !run.is_text()) {
        let place = open.iter().rposition(|(_, opener)| opener.is_kind(run));
        let opener = place.and_then(|place| open.get(place).copied());
        match (place, opener) {
            (Some(place), Some((opener, opening))) if is_span(items, &opening, run) => {
                open.truncate(place);
                pairs.push(DelimiterPair {
                    opener,
                    closer: index,
                    length: run.length,
                });
            }
            (Some(place), Some((_, opening))) if opening.is_between_spaces() && run.flanking.can_open => {
                open.truncate(place);
                open.push((index, *run));
            }
            (None, _) if run.flanking.can_open || run.moves_opening_space() => open.push((index, *run)),
            _ => {}
        }
    }
    pairs
}

/// Returns whether two runs are meant to stand around what is between them.
fn is_span(items: &[InlineToken], opener: &DelimiterRun, closer: &DelimiterRun) -> bool {
    let content = items.get(opener.at + 1..closer.at).unwrap_or_default();
    let is_blank = matches!(content, [InlineToken::Text(text)] if text.trim().is_empty());
    if is_blank || !(closer.flanking.can_close || closer.closes_space) {
        return false;
    }
    if opener.is_between_spaces() && closer.closes_space {
        return false;
    }
    if !opener.moves_opening_space() && !closer.closes_space {
        return true;
    }
    let begins_word =
        opener.moves_opening_space() || !(OPERATORS.contains(opener.after) || ".,;:!?)]".contains(opener.after));
    let ends_word = closer.closes_space || is_word_edge(closer.before);
    // Single characters occur in names and formulas: they stand around one word, and touch another one.
    let touches_word = |is_spaced: bool, c: char| !is_spaced || c.is_alphanumeric() || DELIMITERS.contains(c);
    let is_one_word = || match content {
        [InlineToken::Text(text)] => {
            touches_word(opener.opens_space, opener.before)
                && touches_word(closer.closes_space, closer.after)
                && text.trim().chars().all(char::is_alphabetic)
        }
        _ => false,
    };
    begins_word && ends_word && (closer.length > 1 || is_one_word())
}

/// Replaces each run by its parts.
fn replace(items: Vec<InlineToken>, mut parts: &[RunPart]) -> Vec<InlineToken> {
    // Most runs have one part.
    let runs = items.iter().filter(|item| item.is_delimiter()).count();
    let mut replaced = Vec::with_capacity(items.len() - runs + parts.len().max(runs));
    let mut items = items.into_iter().enumerate().peekable();
    while let Some((at, item)) = items.next() {
        let InlineToken::Delimiters { sign, length } = item else {
            replaced.push(item);
            continue;
        };
        let count = parts.iter().take_while(|part| part.at == at).count();
        let (run, rest) = parts.split_at(count);
        parts = rest;
        let closes = || run.iter().filter(|part| !part.is_opening);
        let opens = || run.iter().filter(|part| part.is_opening);
        let mut space = String::new();
        if closes().any(|part| part.moves_space)
            && let Some(InlineToken::Text(text)) = replaced.last_mut()
        {
            space = text.split_off(text.trim_end().len());
        }
        for part in closes() {
            replaced.extend(styles(sign, part.length).iter().map(|_| InlineToken::Close));
        }
        let used: usize = run.iter().map(|part| part.length).sum();
        space.extend(std::iter::repeat_n(sign, length.saturating_sub(used)));
        if opens().any(|part| part.moves_space)
            && let Some((_, InlineToken::Text(text))) = items.peek_mut()
        {
            let word = text.split_off(text.len() - text.trim_start().len());
            space.push_str(&std::mem::replace(text, word));
        }
        if !space.is_empty() {
            replaced.push(InlineToken::Text(space));
        }
        for part in opens().rev() {
            let spans = styles(sign, part.length).iter().copied().map(MarkdownSpan::Style);
            replaced.extend(spans.map(InlineToken::Open));
        }
    }
    replaced
}

fn styles(sign: char, length: usize) -> &'static [MarkStyle] {
    match (sign, length) {
        ('~', _) => &[MarkStyle::Strikethrough],
        (_, 1) => &[MarkStyle::Italic],
        (_, 2) => &[MarkStyle::Bold],
        _ => &[MarkStyle::Italic, MarkStyle::Bold],
    }
}
