//! Snippets: the part of a text with the best matches.

use std::ops::Range;

use crate::normalize::is_mark;

/// Approximate characters of a snippet.
const LENGTH: usize = 200;

/// The divisor for the context before the matches: a third of the remaining length.
const CONTEXT_BEFORE_DIVISOR: usize = 3;

/// The most hits that are compared to find the best window.
const MAX_HITS: usize = 2000;

/// A match of a query term in a text.
#[derive(Debug, Clone)]
pub struct SnippetHit {
    pub range: Range<usize>,
    /// The index of the term in the query.
    pub term: usize,
    pub weight: f64,
}

/// Returns the text around the hits with the greatest total weight, or the beginning if there are no hits.
pub fn snippet(text: &str, hits: &[SnippetHit]) -> String {
    let best = best_window(text, hits.get(..MAX_HITS).unwrap_or(hits)).unwrap_or(0..0);
    let room = LENGTH.saturating_sub(characters(text, &best));
    let start = start_before(text, best.start, room / CONTEXT_BEFORE_DIVISOR);
    let before = characters(text, &(start..best.start));
    let end = end_after(text, best.end, room.saturating_sub(before));
    let shown = text.get(start..end).unwrap_or_default();
    let mut snippet = String::with_capacity(shown.len() + 6);
    if !text.get(..start).unwrap_or_default().trim().is_empty() {
        snippet.push('…');
    }
    for (number, word) in shown.split_whitespace().enumerate() {
        if number > 0 {
            snippet.push(' ');
        }
        snippet.push_str(word);
    }
    if !text.get(end..).unwrap_or_default().trim().is_empty() {
        snippet.push('…');
    }
    snippet
}

fn characters(text: &str, range: &Range<usize>) -> usize {
    text.get(range.clone()).map_or(0, |part| part.chars().count())
}

/// Returns the best window of hits. Each term counts fully once; its repetitions count a tenth.
fn best_window(text: &str, hits: &[SnippetHit]) -> Option<Range<usize>> {
    let mut best: Option<(f64, Range<usize>)> = None;
    for (number, first) in hits.iter().enumerate() {
        let (mut weight, mut seen, mut end) = (0.0, Vec::new(), first.range.end);
        for hit in hits.iter().skip(number) {
            let window = first.range.start..hit.range.end.max(end);
            // A text has at least as many bytes as characters, so counting is rarely necessary.
            if window.len() > LENGTH && (window.len() > 4 * LENGTH || characters(text, &window) > LENGTH) {
                break;
            }
            end = window.end;
            if seen.contains(&hit.term) {
                weight += hit.weight * 0.1;
            } else {
                weight += hit.weight;
                seen.push(hit.term);
            }
        }
        if best.as_ref().is_none_or(|(known, _)| weight > *known) {
            best = Some((weight, first.range.start..end));
        }
    }
    best.map(|(_, window)| window)
}

/// Returns the beginning of the first word within `characters` before `from`.
fn start_before(text: &str, from: usize, characters: usize) -> usize {
    let before = text.get(..from).unwrap_or_default();
    let Some((start, _)) = before.char_indices().rev().take(characters + 1).last() else {
        return from;
    };
    if before.chars().rev().nth(characters).is_none() {
        return 0;
    }
    let part = before.get(start..).unwrap_or_default();
    let mut after_space = part
        .char_indices()
        .skip_while(|(_, character)| !character.is_whitespace());
    let word = after_space.find(|(_, character)| !character.is_whitespace());
    let unmarked = || part.char_indices().skip(1).find(|(_, character)| !is_mark(*character));
    word.or_else(unmarked).map_or(from, |(offset, _)| start + offset)
}

/// Returns the end of the last word within `characters` after `from`.
fn end_after(text: &str, from: usize, characters: usize) -> usize {
    let after = text.get(from..).unwrap_or_default();
    let Some((limit, _)) = after.char_indices().nth(characters) else {
        return text.len();
    };
    let part = after.get(..limit).unwrap_or_default();
    let space = part.rfind(char::is_whitespace);
    let unmarked = || {
        let next = after.char_indices().take_while(|(offset, _)| *offset <= limit);
        next.filter(|(_, character)| !is_mark(*character))
            .last()
            .map(|(offset, _)| offset)
    };
    from + space.or_else(unmarked).unwrap_or(limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hits(text: &str, words: &[&str]) -> Vec<SnippetHit> {
        let mut hits: Vec<SnippetHit> = words
            .iter()
            .enumerate()
            .flat_map(|(term, pattern)| {
                text.match_indices(pattern).map(move |(start, matched)| SnippetHit {
                    range: start..start + matched.len(),
                    term,
                    weight: 1.0,
                })
            })
            .collect();
        hits.sort_by_key(|hit| hit.range.start);
        hits
    }

    #[test]
    fn the_best_place_is_shown_at_word_boundaries() {
        let filler = "lorem ipsum dolor ".repeat(30);
        let text = format!("cookie {filler} the cookie\n\n  jar is here {filler}");
        let shown = snippet(&text, &hits(&text, &["cookie", "jar"]));
        assert!(shown.contains("the cookie jar is here"), "{shown}");
        assert!(shown.starts_with('…') && shown.ends_with('…'), "{shown}");
        assert!((150..=210).contains(&shown.chars().count()), "{shown}");
        let words = ["lorem", "ipsum", "dolor", "the", "cookie", "jar", "is", "here"];
        assert!(
            shown.trim_matches('…').split(' ').all(|word| words.contains(&word)),
            "{shown}"
        );
    }

    #[test]
    fn short_texts_are_shown_whole() {
        assert_eq!(
            snippet("A  cookie\tjar.", &hits("A  cookie\tjar.", &["jar"])),
            "A cookie jar."
        );
        assert_eq!(snippet("", &[]), "");
        assert_eq!(snippet(" \n ", &[]), "");
    }

    #[test]
    fn without_hits_the_beginning_is_shown() {
        let shown = snippet(&"word ".repeat(100), &[]);
        assert!(shown.starts_with("word word") && shown.ends_with("word…"), "{shown}");
    }

    #[test]
    fn text_without_spaces_is_cut_between_characters() {
        for text in ["東京都".repeat(300), "ที่".repeat(300), "x".repeat(900)] {
            let hits = hits(&text, &["都", "ที่", "xxx"]);
            let middle = hits.len() / 2;
            let shown = snippet(&text, &hits[middle..]);
            assert!(shown.starts_with('…') && shown.ends_with('…'), "{shown}");
            assert!((180..=205).contains(&shown.chars().count()), "{shown}");
            assert!(!is_mark(shown.chars().nth(1).unwrap()), "{shown}");
        }
    }
}
