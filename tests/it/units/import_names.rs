//! Titles and paths from the names of files.

use bindery::areas::exchange::import::names::{for_slug, normalize_title, parse_target, title_from_path};

#[test]
fn targets_stay_in_the_directory() {
    let of = |directory, target| parse_target(directory, target).map(|local| (local.path, local.anchor));
    let to = |path: &str| Some((path.to_owned(), None));
    assert_eq!(of("a/b", "c.md"), to("a/b/c.md"));
    assert_eq!(of("a/b", "../c%20d.md?x"), to("a/c d.md"));
    assert_eq!(of("a/b", "/c.md#"), to("c.md"));
    assert_eq!(of("a", "../b/"), to("b"));
    assert_eq!(of("a", ".."), to(""));
    assert_eq!(
        of("a", "b.md#%C3%BC"),
        Some(("a/b.md".to_owned(), Some("ü".to_owned())))
    );
    for out in [
        "../../b.md",
        "/../etc/passwd",
        "%2e%2e/%2e%2e/etc/passwd",
        "..%2f..%2fb.md",
        "%ff.md",
    ] {
        assert_eq!(of("a", out), None, "{out}");
    }
}

#[test]
fn titles_and_slugs_come_from_paths() {
    for (path, title, slug) in [
        ("a/getting-started.md", "Getting started", "getting-started"),
        ("a/how_to/README.md", "How to", "how_to"),
        ("readme.MD", "Readme", "readme"),
        ("a.b.md", "A.b", "a.b"),
        (".md", ".md", ".md"),
    ] {
        assert_eq!(
            (title_from_path(path).as_str(), for_slug(path)),
            (title, slug),
            "{path}"
        );
    }
    assert_eq!(normalize_title(" a\u{1b}[31m\n b "), "a [31m b");
    assert_eq!(normalize_title(&"ü".repeat(300)).chars().count(), 255);
    assert_eq!(normalize_title("\u{202e}a\u{200b}b\u{ad}\u{3164} c"), "ab c");
    assert_eq!(normalize_title("\u{2800}\u{200d}"), "");
    assert_eq!(title_from_path("a/\u{202e}dne\u{200b}.md"), "Dne");
    assert_eq!(
        title_from_path(&format!("a/{}.md", "ü".repeat(300))).chars().count(),
        255
    );
}
