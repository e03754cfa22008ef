//! Terms in texts, compared with a search for one term after the other.

use proptest::prelude::*;

use super::*;

fn term(source: &str, target: &str) -> Term {
    Term {
        source: source.to_owned(),
        target: target.to_owned(),
    }
}

fn terms(sources: &[&str]) -> Vec<Term> {
    sources.iter().map(|source| term(source, "x")).collect()
}

/// The rule for one term: the first occurrences that do not overlap, of which one is a word.
fn occurs(term: &str, words: &str) -> bool {
    if term.trim().is_empty() {
        return false;
    }
    let joins = |outer: Option<char>, edge: Option<char>| {
        let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() && !is_ideograph(c));
        is_letter(outer) && is_letter(edge)
    };
    words.match_indices(term).any(|(at, found)| {
        let before = words[..at].chars().next_back();
        let after = words[at + found.len()..].chars().next();
        !joins(before, term.chars().next()) && !joins(after, term.chars().next_back())
    })
}

fn one_by_one<'t>(terms: &'t [Term], text: &str) -> Vec<&'t Term> {
    let words = words_only(text).to_lowercase();
    let mut found: Vec<&Term> = terms
        .iter()
        .filter(|term| occurs(&term.source.to_lowercase(), &words))
        .collect();
    found.sort();
    found.dedup();
    found
}

#[test]
fn prepared_terms_occur_where_each_of_them_does() {
    let cases: [(&[&str], &str, &[&str]); 16] = [
        (&["Finger", "art"], "The fInGeR of a part", &["Finger"]),
        // Terms within terms, and terms that overlap.
        (
            &["brake", "brake disc", "disc", "disc brake"],
            "a brake disc brake",
            &["brake", "brake disc", "disc", "disc brake"],
        ),
        (&["disc", "discs"], "Two discs", &["discs"]),
        // An occurrence that is a part of a word hides one that overlaps it.
        (&["a a"], "ba a a", &[]),
        (&["a a"], "ba a, a a", &["a a"]),
        // The first occurrence is a part of a word, a later one is not.
        (&["cap"], "escape cap", &["cap"]),
        // Case beyond ASCII: final sigma, dotted I, sharp s.
        (&["ΟΔΟΣ"], "η οδος", &["ΟΔΟΣ"]),
        (&["οδοσ"], "ΟΔΟΣ", &[]),
        (&["İstanbul"], "İSTANBUL", &["İstanbul"]),
        (&["istanbul"], "İstanbul", &[]),
        (&["straße"], "STRASSE STRAẞE", &["straße"]),
        (&["ÄÖ"], "äöü", &[]),
        // Ideographs join no words; signs have no boundary.
        (&["交換", "c++", "C"], "指を交換するC++だ", &["C", "c++", "交換"]),
        // Tags and entities are no words.
        (
            &["over tighten", "a & b", "g"],
            "<g id=\"1\">Over</g> tighten<x id=\"2\"/>A &amp; B",
            &["a & b", "over tighten"],
        ),
        (&["", "  ", "\u{3000}"], "a    b \u{3000} c", &[]),
        (&["same", "same"], "The same", &["same"]),
    ];
    for (sources, text, expected) in cases {
        let all = terms(sources);
        let glossary = Glossary::new(all.clone()).unwrap();
        let found = glossary.occurring(text);
        assert_eq!(found, one_by_one(&all, text), "{sources:?} in {text}");
        let found: Vec<&str> = found.into_iter().map(|term| term.source.as_str()).collect();
        assert_eq!(found, expected, "{sources:?} in {text}");
    }
}

#[test]
fn a_word_with_two_translations_is_two_terms() {
    let all = [term("Cap", "Kappe"), term("cap", "Deckel"), term("cap", "Deckel")];
    let glossary = Glossary::new(all.to_vec()).unwrap();
    assert_eq!(glossary.occurring("CAP"), [&all[0], &all[1]]);
}

proptest! {
    #[test]
    fn any_terms_occur_where_each_of_them_does(
        sources in prop::collection::vec("[aAbΣσςİiı ß交ア&.-]{0,4}", 0..12),
        text in "[aAbΣσςİiı ß交ア&.-]{0,24}",
    ) {
        let all: Vec<Term> = sources.iter().map(|source| term(source, "x")).collect();
        let glossary = Glossary::new(all.clone()).unwrap();
        prop_assert_eq!(glossary.occurring(&text), one_by_one(&all, &text));
    }
}
