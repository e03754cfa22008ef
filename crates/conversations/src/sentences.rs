//! Sentences of texts.

/// The most characters of a sentence that are looked at.
pub const MAX_SENTENCE: usize = 600;

/// A sentence, and the number of its paragraph in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sentence<'t> {
    pub text: &'t str,
    pub paragraph: usize,
}

/// Returns the sentences of a text in their order.
pub fn sentences(text: &str) -> Sentences<'_> {
    Sentences {
        rest: text,
        paragraph: 0,
    }
}

pub struct Sentences<'t> {
    rest: &'t str,
    paragraph: usize,
}

impl<'t> Iterator for Sentences<'t> {
    type Item = Sentence<'t>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.rest.trim_start();
        let space = self.rest.get(..self.rest.len() - rest.len()).unwrap_or_default();
        self.paragraph += usize::from(space.bytes().filter(|byte| *byte == b'\n').count() > 1);
        if rest.is_empty() {
            return None;
        }
        let (sentence, after) = rest.split_at_checked(end_of_sentence(rest)).unwrap_or((rest, ""));
        self.rest = after;
        Some(Sentence {
            text: cut(sentence.trim_end()),
            paragraph: self.paragraph,
        })
    }
}

fn end_of_sentence(text: &str) -> usize {
    let mut characters = text.char_indices().peekable();
    let mut word_start = 0;
    while let Some((start, character)) = characters.next() {
        let end = start + character.len_utf8();
        let next = characters.peek().map(|(_, next)| *next);
        let ends = match character {
            '。' | '！' | '？' | '।' | '؟' => true,
            '!' | '?' | '…' => next.is_none_or(char::is_whitespace),
            '.' => {
                let word = text.get(word_start..start).unwrap_or_default();
                next.is_none_or(char::is_whitespace) && !(word.contains('.') && begins_small(text, end))
            }
            // The line break stays, because two of them separate paragraphs.
            '\n' if !begins_small(text, end) => return start,
            _ => false,
        };
        if ends {
            return end;
        }
        if character.is_whitespace() {
            word_start = end;
        }
    }
    text.len()
}

/// Returns whether the text goes on with a small letter: behind "e.g.", or in the next line of a mail with a fixed width.
fn begins_small(text: &str, from: usize) -> bool {
    let rest = text.get(from..).unwrap_or_default();
    let word = rest.trim_start_matches([' ', '\t', '\r']);
    word.chars().next().is_some_and(char::is_lowercase)
}

fn cut(sentence: &str) -> &str {
    let end = sentence.char_indices().nth(MAX_SENTENCE);
    end.and_then(|(end, _)| sentence.get(..end)).unwrap_or(sentence)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        sentences(text).map(|sentence| sentence.text).collect()
    }

    #[test]
    fn sentences_are_split() {
        let text =
            "Hi! I use v2.1, e.g. on a Mac. it fails?! Why…\nThe next\nline\nEnd\n\nツールが動きません。助けて\n";
        let expected = [
            "Hi!",
            "I use v2.1, e.g. on a Mac.",
            "it fails?!",
            "Why…",
            "The next\nline",
            "End",
            "ツールが動きません。",
            "助けて",
        ];
        assert_eq!(texts(text), expected);
    }

    #[test]
    fn paragraphs_are_counted() {
        let paragraphs = |text| -> Vec<usize> { sentences(text).map(|sentence| sentence.paragraph).collect() };
        assert_eq!(paragraphs("A\nB\n\nC"), [0, 0, 1]);
        assert_eq!(paragraphs("A\r\n\r\n\r\nB. C"), [0, 1, 1]);
    }

    #[test]
    fn long_sentences_are_cut() {
        assert_eq!(texts(&"ä".repeat(10_000))[0].chars().count(), MAX_SENTENCE);
        assert_eq!(texts(" \n\n").len(), 0);
    }
}
