//! The part of a text that shows best what was found.

use std::ops::Range;

use crate::normalize::is_mark;

/// Characters of a snippet, about.
const LENGTH: usize = 200;

/// Of the room that the words leave, what goes before them.
const BEFORE: usize = 3;

/// Words that are looked at to find the best place.
const MAX_HITS: usize = 2000;

/// A word that was found in a text.
#[derive(Debug, Clone)]
pub struct Hit {
    pub range: Range<usize>,
    /// The number of the word in the question.
    pub word: usize,
    pub weight: f64,
}

/// The text around the hits that are worth most together, at the beginning if there are none.
pub fn snippet(text: &str, hits: &[Hit]) -> String {
    let best = best_window(text, hits.get(..MAX_HITS).unwrap_or(hits)).unwrap_or(0..0);
    let room = LENGTH.saturating_sub(characters(text, &best));
    let start = back(text, best.start, room / BEFORE);
    let before = characters(text, &(start..best.start));
    let end = forth(text, best.end, room.saturating_sub(before));
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

/// Each word counts once; the same again is worth a little.
fn best_window(text: &str, hits: &[Hit]) -> Option<Range<usize>> {
    let mut best: Option<(f64, Range<usize>)> = None;
    for (number, first) in hits.iter().enumerate() {
        let (mut worth, mut seen, mut end) = (0.0, Vec::new(), first.range.end);
        for hit in hits.iter().skip(number) {
            let window = first.range.start..hit.range.end.max(end);
            // Bytes are never fewer than characters: nothing to count in most cases.
            if window.len() > LENGTH && (window.len() > 4 * LENGTH || characters(text, &window) > LENGTH) {
                break;
            }
            end = window.end;
            if seen.contains(&hit.word) {
                worth += hit.weight * 0.1;
            } else {
                worth += hit.weight;
                seen.push(hit.word);
            }
        }
        if best.as_ref().is_none_or(|(known, _)| worth > *known) {
            best = Some((worth, first.range.start..end));
        }
    }
    best.map(|(_, window)| window)
}

/// Goes back so many characters, and forth again to the beginning of a word.
fn back(text: &str, from: usize, characters: usize) -> usize {
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

/// Goes on for so many characters, and back to the end of a word.
fn forth(text: &str, from: usize, characters: usize) -> usize {
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

    fn hits(text: &str, words: &[&str]) -> Vec<Hit> {
        let mut hits: Vec<Hit> = words
            .iter()
            .enumerate()
            .flat_map(|(word, pattern)| {
                text.match_indices(pattern).map(move |(start, found)| Hit {
                    range: start..start + found.len(),
                    word,
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
