//! The rules of names and titles that do not come in a request.

use openapi::{
    models::texts::{DISPLAY_NAME, ORGANIZATION_NAME, PAGE_TITLE, SHORT_TITLE},
    rules::BrokenRule,
};

#[test]
fn a_broken_rule_is_named() {
    let longest = "\u{1f600}".repeat(64);
    for (name, broken) in [
        ("", BrokenRule::MinLength(1)),
        (&*format!("{longest}x"), BrokenRule::MaxLength(64)),
        ("a\nb", BrokenRule::Character('\n')),
        ("\u{202e}a", BrokenRule::Character('\u{202e}')),
        ("a\u{200b}", BrokenRule::Character('\u{200b}')),
        ("a\u{3164}", BrokenRule::Character('\u{3164}')),
        ("a\u{1d173}", BrokenRule::Character('\u{1d173}')),
        ("a\u{e0001}", BrokenRule::Character('\u{e0001}')),
        (" \u{a0}\u{2800}", BrokenRule::NothingVisible),
        ("\u{200d}\u{200e}\u{fe0f}", BrokenRule::NothingVisible),
        ("\u{e0100}", BrokenRule::NothingVisible),
        (" \u{e0067}\u{e007f}", BrokenRule::NothingVisible),
    ] {
        assert_eq!(DISPLAY_NAME.check(name), Err(broken), "{name:?}");
        assert!(!DISPLAY_NAME.accepts(name));
    }
    for name in [
        &*longest,
        " spaces around ",
        "\u{645}\u{6cc}\u{200c}\u{62e}",
        "\u{1f469}\u{200d}\u{1f52c}",
        "\u{2764}\u{fe0f}",
        "\u{1f3f4}\u{e0067}\u{e0062}\u{e007f}",
        "\u{845b}\u{e0100}",
    ] {
        assert_eq!(DISPLAY_NAME.check(name), Ok(()), "{name:?}");
    }
    assert_eq!(ORGANIZATION_NAME.check("a"), Err(BrokenRule::MinLength(2)));
    assert_eq!((SHORT_TITLE.check(""), SHORT_TITLE.check(" ")), (Ok(()), Ok(())));
    let texts: Vec<String> = [
        BrokenRule::MinLength(1),
        BrokenRule::MinLength(2),
        BrokenRule::MaxLength(64),
        BrokenRule::Character('\u{202e}'),
        BrokenRule::NothingVisible,
    ]
    .map(|broken| broken.to_string())
    .into();
    assert_eq!(
        texts,
        [
            "may not be empty",
            "must have at least 2 characters",
            "may have at most 64 characters",
            "may not contain the character U+202E",
            "must have a visible character",
        ]
    );
}

#[test]
fn texts_of_strangers_are_made_to_fit() {
    for (text, cleaned) in [
        ("Ines Okafor", Some("Ines Okafor")),
        (" Ines\r\n\u{a0} Okafor\t", Some("Ines Okafor")),
        (
            "\u{202e}Ines\u{200b} \u{3164}\u{7}Oka\u{ad}for\u{feff}",
            Some("Ines Okafor"),
        ),
        ("\u{645}\u{6cc}\u{200c}\u{62e}", Some("\u{645}\u{6cc}\u{200c}\u{62e}")),
        ("", None),
        (" \u{2800}\u{200d}", None),
        ("\u{202e}\u{3164}\n", None),
    ] {
        assert_eq!(DISPLAY_NAME.clean(text).as_deref(), cleaned, "{text:?}");
    }
    let long = "\u{1f600} ".repeat(1000);
    let cleaned = DISPLAY_NAME.clean(&long).unwrap();
    assert_eq!((cleaned.chars().count(), cleaned.ends_with(' ')), (63, false));
    let title = PAGE_TITLE.clean(&"\u{200b}ü".repeat(300)).unwrap();
    assert_eq!(title, "ü".repeat(255));
    assert_eq!(ORGANIZATION_NAME.clean("a\u{200b}"), None);
}
