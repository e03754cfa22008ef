//! Front matter, title and body of Markdown files.

use openapi::error::ErrorRule;
use std::time::{Duration, Instant};

use crate::{
    front_matter::{FrontMatter, LayoutOptions, PageLayout, PageTag, Visibility},
    page_source::PageSource,
};

#[test]
fn files_are_split() {
    let page = PageSource::split("---\ndescription: a\n---\n\n# Title #\n\nText\n");
    assert_eq!(page.front_matter, Some("description: a\n"));
    assert_eq!(page.title, Some("Title"));
    assert_eq!(page.body, "\nText\n");
}

#[test]
fn parts_may_be_missing() {
    let parts = |text| {
        let page = PageSource::split(text);
        (page.front_matter, page.title, page.body)
    };
    assert_eq!(parts("Text\n"), (None, None, "Text\n"));
    assert_eq!(parts("\u{feff}# A"), (None, Some("A"), ""));
    assert_eq!(parts("\n\n# A#b\nc"), (None, Some("A#b"), "c"));
    assert_eq!(parts("## A\n"), (None, None, "## A\n"));
    assert_eq!(parts("#A\n"), (None, None, "#A\n"));
    assert_eq!(parts("#\n"), (None, Some(""), ""));
    assert_eq!(parts("---\na\n"), (None, None, "---\na\n"));
    assert_eq!(parts("---\r\na\r\n---\r\nb"), (Some("a\r\n"), None, "b"));
    assert_eq!(parts(""), (None, None, ""));
}

#[test]
fn full_front_matter() {
    let read = FrontMatter::parse(
        "title: 2024\ndescription: >-\n  Two\n  lines\nicon: rocket\nemoji: 1f600\nhidden: true\nnoIndex: true\n\
         noRobotsIndex: false\nif: visitor.claims.beta\ncover: ../a b.png\ncoverY: -12.5\ncoverHeight: 300\nlayout:\n  \
         width: wide\n  cover:\n    visible: true\n    size: full\n    other: 1\n  title:\n    visible: false\n  \
         tableOfContents: true\n  outline:\ntags: [a, 2]\nvars:\n  version: 1.10\n  name: a b\n  empty:\nother:\n  - 1\n",
    );
    let shown = |visible| Visibility {
        visible: Some(visible),
        ..Visibility::default()
    };
    let text = |text: &str| Some(text.to_owned());
    let expected = FrontMatter {
        title: text("2024"),
        description: text("Two lines"),
        icon: text("rocket"),
        emoji: text("1f600"),
        hidden: Some(true),
        no_index: Some(true),
        no_robots_index: Some(false),
        condition: text("visitor.claims.beta"),
        layout: Some(PageLayout::Options(Box::new(LayoutOptions {
            width: text("wide"),
            cover: Visibility {
                visible: Some(true),
                size: text("full"),
                mask: None,
            },
            title: shown(false),
            table_of_contents: shown(true),
            ..LayoutOptions::default()
        }))),
        cover: text("../a b.png"),
        cover_y: Some(-12.5),
        cover_height: Some(300.0),
        variables: [("version", "1.10"), ("name", "a b"), ("empty", "")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into(),
        tags: Some(
            ["a", "2"]
                .map(|tag| PageTag {
                    tag: tag.to_owned(),
                    primary: false,
                })
                .into(),
        ),
        other: [("other".to_owned(), serde_json::json!([1]))].into_iter().collect(),
    };
    assert_eq!(read.unwrap(), expected);
}

#[test]
fn empty_front_matter() {
    let nothing = Ok(FrontMatter::default());
    for yaml in [
        "",
        "\n",
        "# Only this\n",
        "other:\n",
        "title:\nvars:\nlayout:\nhidden:\n",
        "{}",
        "~",
    ] {
        assert_eq!(FrontMatter::parse(yaml), nothing, "{yaml:?}");
    }
    let preset = FrontMatter::parse("layout: landing\ncondition: a\nvariables: { a: b }\n").unwrap();
    assert_eq!(preset.layout, Some(PageLayout::Preset("landing".to_owned())));
    assert_eq!(preset.condition.as_deref(), Some("a"));
    assert_eq!(preset.variables["a"], "b");
}

#[test]
fn invalid_front_matter_is_an_error() {
    let code = |yaml: &str| FrontMatter::parse(yaml).unwrap_err().code;
    for yaml in [
        "title: [a]\n",
        "hidden: maybe\n",
        "a: b: c\n",
        "text",
        "- a\n",
        "title: a\ntitle: b\n",
        "\ttitle: a",
        "title: \"a",
        "vars: [a]\n",
        "vars:\n  a: [b]\n",
        "layout: [a]\n",
        "title: *a\n",
        "title: a\n---\ntitle: b\n",
        "\0",
        "title: !x {}",
    ] {
        assert_eq!(code(yaml), ErrorRule::FrontMatter, "{yaml:?}");
    }
    assert_eq!(code(&"a".repeat(64 * 1024 + 1)), ErrorRule::FrontMatterTooLong);
    let where_ = FrontMatter::parse("icon: a\nhidden: maybe\n").unwrap_err().message;
    assert!(where_.contains("line 2"), "{where_}");
}

#[test]
fn front_matter_is_rendered() {
    for yaml in [
        "",
        "description: 'One: two'\nicon: bolt\nhidden: true\n",
        "cover: a.png\ncoverY: 0\ncoverHeight: 12.5\nlayout:\n  width: wide\n  cover:\n    visible: true\n    size: \
         background\n    mask: radial\n  anchors:\n    visible: false\n",
        "layout: landing\ntags:\n- a\n- tag: b\n  primary: true\nvars:\n  version: '1.10'\n",
        "metadata:\n  version: '1.0'\n  number: 3\nowners:\n- a\n- b\n",
    ] {
        let front = FrontMatter::parse(yaml).unwrap();
        let rendered = front.render();
        match yaml {
            "" => assert_eq!(rendered, ""),
            yaml => assert_eq!(rendered, format!("---\n{yaml}---\n\n")),
        }
        let again = PageSource::split(&rendered).front_matter.unwrap_or_default();
        assert_eq!(FrontMatter::parse(again), Ok(front));
    }
    let hostile = FrontMatter {
        description: Some("a\n---\n# b\n\u{1}\t".to_owned()),
        ..FrontMatter::default()
    };
    let rendered = hostile.render();
    assert_eq!(
        FrontMatter::parse(PageSource::split(&rendered).front_matter.unwrap()),
        Ok(hostile)
    );
}

#[test]
fn an_invalid_member_costs_only_itself() {
    let (front, errors) = FrontMatter::parse_valid_members(
        "title: A\nhidden: maybe\nvars:\n  a: b\n\ndescription: one: two\nlist:\n- 1\ntitle: B\n# end\n",
    );
    assert_eq!(front.title.as_deref(), Some("A"));
    assert_eq!(front.variables["a"], "b");
    assert_eq!(front.other["list"], serde_json::json!([1]));
    let lines: Vec<usize> = errors.iter().map(|error| error.line).collect();
    assert_eq!(lines, [2, 6, 9], "{errors:?}");
    assert!(errors[0].message.contains("`hidden`"), "{errors:?}");
    let (front, errors) = FrontMatter::parse_valid_members("title: [\nicon: bolt\n");
    assert_eq!((front.icon.as_deref(), errors.len()), (Some("bolt"), 1));
}

/// Aliases that would expand beyond memory, and many unclosed brackets.
#[test]
fn front_matter_is_bounded() {
    let long = "a".repeat(30_000);
    let many: String = (0..3000).map(|at| format!("  v{at}: *a\n")).collect();
    assert_eq!(
        FrontMatter::parse(&format!("a: &a {long}\nvars:\n{many}"))
            .unwrap_err()
            .code,
        ErrorRule::FrontMatter
    );
    let nested: String = (1..40)
        .map(|at| format!("a{at}: &a{at} [*a{0}, *a{0}, *a{0}]\n", at - 1))
        .collect();
    assert_eq!(
        FrontMatter::parse(&format!("a0: &a0 x\n{nested}")).unwrap_err().code,
        ErrorRule::FrontMatter
    );
    for unit in [
        "[", "{", "- ", "? ", "a: ", "&a ", "!a ", "*a ", "'", "\"", "|\n", "{a: ", "[a, ", "- - ", "\t", "%", ": ",
        "a:\n", "#", "\n ",
    ] {
        for text in [
            unit.repeat(60_000 / unit.len()),
            format!("vars: {}", unit.repeat(60_000 / unit.len())),
        ] {
            let start = Instant::now();
            let _ = FrontMatter::parse_valid_members(&text);
            assert!(start.elapsed() < Duration::from_secs(5), "{unit:?}");
        }
    }
}
