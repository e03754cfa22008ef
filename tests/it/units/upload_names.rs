//! The names of uploads.

use bindery::areas::authoring::editor::uploads::names::check;

#[test]
fn ordinary_names_are_taken() {
    for name in [
        "a.b",
        "Grüße & Co (2).PNG",
        "archive.tar.gz",
        "図.png",
        ".config.yaml",
        "a b.7z",
        "\u{645}\u{6cc}\u{200c}\u{62e}.png",
    ] {
        assert_eq!(check(name), Ok(()), "{name}");
    }
    assert_eq!(check(&format!("{}.png", "ü".repeat(252))), Ok(()));
}

#[test]
fn names_that_mislead_are_refused() {
    let long = format!("{}.png", "ü".repeat(253));
    for name in [
        "",
        ".",
        "..",
        "...",
        ".png",
        "..png",
        "a",
        "a.",
        "a.p-g",
        "a.abcdefghijklmnopq",
        "a/b.png",
        "..\\b.png",
        "a\n.png",
        "a\0.png",
        "a\u{7f}.png",
        "a\u{202e}gnp.exe",
        "a\u{200b}.png",
        "a\u{61c}.png",
        "a\u{3164}.png",
        "a\u{e0001}.png",
        " a.png",
        "a.png ",
        "a.\u{ff50}ng",
        &long,
    ] {
        assert!(check(name).is_err(), "{name:?}");
    }
}
