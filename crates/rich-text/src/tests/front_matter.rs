//! Front matter, title and body of Markdown files.

use openapi::error::ErrorRule;
use proptest::prelude::*;
use std::time::{Duration, Instant};

use crate::{
    front_matter::{FrontMatter, LayoutOptions, PageLayout, PageTag, Visibility},
    page_source::{PageSource, title_line, title_text},
};

use super::cases;

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
    assert_eq!(parts("---\r\na: 1\r\n---\r\nb"), (Some("a: 1\r\n"), None, "b"));
    assert_eq!(parts(""), (None, None, ""));
}

#[test]
fn only_a_mapping_is_front_matter() {
    for yaml in [
        "",
        "a: 1\n",
        "# b\na:\n",
        "{a: 1}\n",
        "\"a b\": 1\n",
        "a b: 1\n",
        "a: b: c\n",
        "a: [\n",
        "a:\n- 1\n",
        "a: 1\nb\n",
    ] {
        let text = format!("---\n{yaml}---\nText\n");
        assert_eq!(PageSource::split(&text).front_matter, Some(yaml));
    }
    for text in [
        "---\n\n# Under a rule\n\nWords that must stay.\n\n---\n\nEnd.\n",
        "---\n# Heading\n---\n",
        "---\n\n---\n",
        "---\nWords\n---\n",
        "---\nWords, and more: something: else\n---\n",
        "---\n- one\n- two\n---\n",
        "---\nhttps://example.com/a: b: c\n\n[a]: b\n---\n",
        "---\n## [Link](a): text: more\n---\n",
        "---\n\na: 1\n---\n",
    ] {
        let page = PageSource::split(text);
        assert_eq!((page.front_matter, page.body), (None, text));
    }
}

#[test]
fn underlined_headings_are_titles() {
    let parts = |text| {
        let page = PageSource::split(text);
        (page.title, page.body)
    };
    assert_eq!(
        parts("Pump manual\n===========\n\nText.\n"),
        (Some("Pump manual"), "\nText.\n")
    );
    assert_eq!(parts("\n  *A* & b \r\n ==\r\n"), (Some("*A* & b"), ""));
    for text in [
        "A\n-\n",
        "A\n=b\n",
        "A\n\n===\n",
        "* A\n===\n",
        "> A\n===\n",
        "    A\n===\n",
        "```\n===\n```\n",
        "A #\n===\n",
        "[a]: b\n===\n",
        "A\nb\n===\n",
    ] {
        assert_eq!(parts(text), (None, text));
    }
}

fn title_of(markdown: &str) -> Option<String> {
    PageSource::split(markdown).title.map(title_text)
}

#[test]
fn titles_are_the_text_of_the_heading() {
    for (line, title) in [
        ("# 1. Intro", "1. Intro"),
        ("# - item", "- item"),
        ("# > quote", "> quote"),
        ("# Guides, *all* of [them](a.md)", "Guides, all of them"),
        ("# `code` and :smile:", "code and 😄"),
        ("# Install {#setup}", "Install"),
        ("   # Three blanks", "Three blanks"),
        ("# C\\#", "C#"),
        ("# A \u{a0}&nbsp;", "A \u{a0}\u{a0}"),
        ("# # #", "#"),
    ] {
        assert_eq!(title_of(line).as_deref(), Some(title), "{line}");
    }
    assert_eq!(title_of("    # Code"), None);
}

#[test]
fn titles_are_written_as_they_are_where_they_can_be() {
    for title in [
        "Manual",
        "1. Intro",
        "A & B: c's \"d\" (e)",
        "- a",
        "snake_case_name",
        "50% | 20",
        "C++",
        "Über 快速 😄",
    ] {
        assert_eq!(title_line(title), format!("# {title}"));
    }
    assert_eq!(title_line("C #"), "# C \\#");
    assert_eq!(title_line("A {#b}"), "# A {\\#b}");
    assert_eq!(title_line("<a> **b**"), "# \\<a> \\*\\*b\\*\\*");
}

proptest! {
    #![proptest_config(cases(1000))]

    #[test]
    fn titles_are_read_as_they_are_written(
        parts in prop::collection::vec(
            prop_oneof![
                "[ -~]{0,8}", "\\PC{0,4}",
                Just("#".to_owned()), Just(" ".to_owned()), Just("\u{a0}".to_owned()), Just("\u{3000}".to_owned()),
                Just("{% if a %}".to_owned()), Just("{#a}".to_owned()), Just("<p>".to_owned()), Just("</a>".to_owned()),
                Just("&amp;".to_owned()), Just(":smile:".to_owned()), Just("$$a$$".to_owned()), Just("[^1]".to_owned()),
                Just("https://example.com".to_owned()), Just("---".to_owned()), Just("\\".to_owned()), Just("**".to_owned()),
            ],
            1..6,
        ),
    ) {
        let title = parts.concat();
        // The contract wants a letter or a sign that shows.
        prop_assume!(!title.trim().is_empty());
        let text = format!("{}\n\n---\n\nText\n", title_line(&title));
        let page = PageSource::split(&text);
        prop_assert_eq!(page.title.map(title_text), Some(title));
        prop_assert_eq!(page.body, "\n---\n\nText\n");
    }
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
    assert_eq!(front.description.as_deref(), Some("one: two"));
    assert!(errors[0].message.contains("`hidden`"), "{errors:?}");
    let (front, errors) = FrontMatter::parse_valid_members("title: [\nicon: bolt\n");
    assert_eq!((front.icon.as_deref(), errors.len()), (Some("bolt"), 1));
}

#[test]
fn a_text_that_is_no_yaml_is_kept_as_it_is_written() {
    let read = |yaml: &str| FrontMatter::parse_valid_members(yaml);
    let (front, errors) = read("icon: bolt\ndescription: Two parts: the second\nother: a: b\n");
    assert_eq!(front.description.as_deref(), Some("Two parts: the second"));
    assert_eq!(front.other["other"], "a: b");
    assert_eq!(front.icon.as_deref(), Some("bolt"));
    assert_eq!(errors.iter().map(|error| error.line).collect::<Vec<_>>(), [2, 3]);
    assert!(errors[0].message.contains("taken as text"), "{errors:?}");
    for (yaml, text) in [
        ("description: @all, read this\n", "@all, read this"),
        ("description: 50% off `now`: \"yes\"\n", "50% off `now`: \"yes\""),
        ("description: \"Quoted\" and more\n", "\"Quoted\" and more"),
        ("description: {{ name }} is here\n", "{{ name }} is here"),
        ("description: *bold* words\n", "*bold* words"),
        ("description: first\nsecond line\n# a comment\n", "first second line"),
        ("description: - a: b: c\n  d\n", "- a: b: c d"),
    ] {
        let (front, errors) = read(yaml);
        assert_eq!(
            (front.description.as_deref(), errors.len()),
            (Some(text), 1),
            "{yaml:?}"
        );
    }
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
