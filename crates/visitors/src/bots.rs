//! Programs among user agents.

use std::sync::LazyLock;

use regex::bytes::{RegexSet, RegexSetBuilder};

/// A published list of patterns. See the head of the file.
static PATTERNS: &str = include_str!("../data/isbot.txt");

/// Texts in the user agents of bots, in lower case, and the names of the bots.
const NAMES: [(&str, &str); 15] = [
    ("googlebot", "googlebot"),
    ("google-inspectiontool", "googlebot"),
    ("bingbot", "bingbot"),
    ("bingpreview", "bingbot"),
    ("duckduckbot", "duckduckbot"),
    ("duckassistbot", "duckduckbot"),
    ("facebookexternalhit", "facebookbot"),
    ("facebookbot", "facebookbot"),
    ("meta-externalagent", "facebookbot"),
    ("applebot", "applebot"),
    ("gptbot", "chatgpt"),
    ("chatgpt-user", "chatgpt"),
    ("oai-searchbot", "chatgpt"),
    ("claude", "anthropic"),
    ("anthropic-ai", "anthropic"),
];

/// Texts in the user agents of programs that the list does not have, in lower case.
const FURTHER_PROGRAMS: [&str; 1] = ["gtmetrix"];

/// Names of phones that contain the word of bots, in lower case.
const PHONES: [&str; 2] = ["cubot", " m bot "];

/// The patterns of the list: regular expressions by the engine that they need.
struct Patterns {
    regular: RegexSet,
    /// Patterns with lookaround.
    irregular: Vec<fancy_regex::Regex>,
}

static COMPILED: LazyLock<Patterns> = LazyLock::new(|| {
    let patterns = PATTERNS.lines().filter(|line| !line.starts_with('#'));
    let (irregular, regular): (Vec<_>, Vec<_>) =
        patterns.partition(|pattern| pattern.contains("(?!") || pattern.contains("(?<!"));
    Patterns {
        regular: RegexSetBuilder::new(regular)
            .case_insensitive(true)
            .unicode(false)
            .build()
            .unwrap_or_default(),
        irregular: irregular
            .into_iter()
            .filter_map(|pattern| fancy_regex::Regex::new(&format!("(?i){pattern}")).ok())
            .collect(),
    }
});

impl Patterns {
    fn is_match(&self, text: &str) -> bool {
        self.regular.is_match(text.as_bytes())
            // A pattern that takes too many steps does not match.
            || self.irregular.iter().any(|pattern| pattern.is_match(text).unwrap_or_default())
    }
}

/// The name of the bot with a user agent in lower case, `unknown` for other programs. `None`: a browser of people.
pub fn find(lower: &str) -> Option<&'static str> {
    if let Some((_, name)) = NAMES.iter().find(|(text, _)| lower.contains(text)) {
        return Some(name);
    }
    is_program(lower).then_some("unknown")
}

fn is_program(lower: &str) -> bool {
    if FURTHER_PROGRAMS.iter().any(|text| lower.contains(text)) {
        return true;
    }
    match PHONES.iter().find(|phone| lower.contains(*phone)) {
        Some(phone) => COMPILED.is_match(&lower.replace(phone, " ")),
        None => COMPILED.is_match(lower),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agents(text: &str) -> impl Iterator<Item = &str> {
        text.lines().filter(|line| !line.starts_with('#'))
    }

    fn is_bot(agent: &str) -> bool {
        crate::read(agent).bot.is_some()
    }

    #[test]
    fn all_patterns_are_compiled() {
        let patterns = PATTERNS.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(COMPILED.regular.len() + COMPILED.irregular.len(), patterns);
    }

    #[test]
    fn programs_of_public_lists_are_bots() {
        let mut people: Vec<&str> = agents(include_str!("../tests/data/programs.txt")).collect();
        people.retain(|agent| !is_bot(agent));
        // Two that the lists do not agree on.
        assert!(people.len() <= 2, "{people:#?}");
    }

    #[test]
    fn people_of_public_lists_are_no_bots() {
        let mut bots: Vec<&str> = agents(include_str!("../tests/data/people.txt")).collect();
        bots.retain(|agent| is_bot(agent));
        assert_eq!(bots, [""; 0]);
    }
}
