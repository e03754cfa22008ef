//! Segments out of documents and back, and translations that break them.

use openapi::models::Document;
use proptest::prelude::*;
use rich_text::{DocumentLimits, IdPathResolver};

use crate::{
    Glossary, Segment, SpaceMove, Term, glossary, memory_key, segment::count_words, segments_of, translate_document,
};

const TEXT: &str = r##"# Changing the *fingers*

Read [the manual](https://tidewater.example/manual "All of it") **before** you `unscrew` the <kbd>Stop</kbd> key & so on.\
A second line with $$x^2$$ and :wrench:.

* First, loosen the screws.
* Then [**lift** the cover](/pages/06dkt2v8c4q1ojm7e90b5hfr3k).

{% hint style="info" %}
Mind your hands.
{% endhint %}

| Part | Torque |
| ---- | ------ |
| Left finger | 2 Nm |
| Right finger | *3* Nm |

```python
print("Not for translation")
```

{% tabs %}
{% tab title="By hand" %}
Turn it.
{% endtab %}
{% endtabs %}

<figure><img src="https://tidewater.example/a.png" alt="A finger"><figcaption><p>The left finger</p></figcaption></figure>

## Afterwards

123 456
"##;

fn parse(markdown: &str) -> Document {
    rich_text::parse_with(markdown, &DocumentLimits::default(), &IdPathResolver).unwrap()
}

fn render(document: &Document) -> String {
    rich_text::render_with(document, &DocumentLimits::default(), &IdPathResolver).unwrap()
}

fn nowhere() -> SpaceMove {
    SpaceMove {
        from: "none".to_owned(),
        to: "none".to_owned(),
    }
}

fn translated(markdown: &str, mut by: impl FnMut(&str) -> Option<String>) -> (String, usize) {
    let done = translate_document(&parse(markdown), &nowhere(), &mut |segment| by(segment.text())).unwrap();
    (render(&done.document), done.untranslated)
}

/// Upper case for everything but tags and entities.
fn shout(text: &str) -> String {
    let mut in_tag = false;
    let shouted = text.chars().map(|c| {
        in_tag = in_tag && c != '>' && c != ';' || matches!(c, '<' | '&');
        if in_tag { c } else { c.to_ascii_uppercase() }
    });
    shouted.collect()
}

#[test]
fn the_words_of_all_blocks_are_segments_and_nothing_else() {
    let segments = segments_of(&parse(TEXT)).unwrap();
    let texts: Vec<&str> = segments.iter().map(Segment::text).collect();
    assert!(texts.contains(&"Changing the <g id=\"1\">fingers</g>"), "{texts:#?}");
    for words in [
        "All of it",
        "First, loosen the screws.",
        "Mind your hands.",
        "Part",
        "Left finger",
        "By hand",
        "Turn it.",
        "A finger",
        "The left finger",
    ] {
        assert!(texts.contains(&words), "{words}: {texts:#?}");
    }
    assert!(
        !texts
            .iter()
            .any(|text| text.contains("Not for") || text.contains("unscrew") || text.contains("123"))
    );
    let long = texts.iter().find(|text| text.starts_with("Read")).unwrap();
    assert!(
        long.contains("<g id=\"2\">before</g> you <x id=\"3\"/>") && long.contains("key &amp; so on."),
        "{long}"
    );
}

#[test]
fn the_same_words_give_the_same_document() {
    let before = render(&parse(TEXT));
    assert_eq!(translated(TEXT, |text| Some(text.to_owned())), (before, 0));
}

#[test]
fn translations_keep_everything_but_words() {
    let (text, untranslated) = translated(TEXT, |text| Some(shout(text)));
    assert_eq!(untranslated, 0, "{text}");
    for kept in [
        "`unscrew`",
        "https://tidewater.example/manual",
        "**BEFORE**",
        "$$x^2$$",
        "print(\"Not for translation\")",
        "/pages/06dkt2v8c4q1ojm7e90b5hfr3k",
        "title=\"BY HAND\"",
        "A FINGER",
        "LEFT FINGER",
        "123 456",
        "style=\"info\"",
    ] {
        assert!(text.contains(kept), "{kept} is not in\n{text}");
    }
    // The anchor of the heading is that of the source.
    assert!(
        text.contains("id=\"changing-the-fingers\"") && text.contains("id=\"afterwards\""),
        "{text}"
    );
}

#[test]
fn tags_may_change_their_order_within_their_group() {
    let (text, _) = translated("See `a` and **b**.", |_| {
        Some("<g id=\"2\">B</g> und <x id=\"1\"></x>.".to_owned())
    });
    assert_eq!(text.trim_end(), "**B** und `a`.");
    let (text, _) = translated("Some **bold** words", |_| {
        Some("Ein<g id='1'> fettes </g>Wort".to_owned())
    });
    assert_eq!(text.trim_end(), "Ein **fettes** Wort");
}

#[test]
fn translations_that_break_a_segment_are_left_out() {
    let source = "See `a` and [the **b** part](https://b.example).";
    let broken = [
        "",
        "  ",
        "Siehe `a`.",
        "Siehe <x id=\"1\"/>.",
        "<x id=\"1\"/> <x id=\"1\"/> <g id=\"2\">der <g id=\"3\">b</g> Teil</g>",
        "<x id=\"1\"/> <g id=\"2\">der Teil</g> <g id=\"3\">b</g>",
        "<x id=\"1\"/> <g id=\"2\">der <g id=\"3\">b</g> Teil",
        "<x id=\"1\"/> <g id=\"2\">der <g id=\"3\"></g> Teil</g>",
        "<x id=\"1\"/> <g id=\"2\">der <g id=\"3\">b</g> Teil</g></g>",
        "<x id=\"1\"/> <g id=\"2\">der <g id=\"3\">b</g> Teil</g><x id=\"4\"/>",
        "<x id=\"1\"/> <g id=\"2\">der <g id=\"3\">b</g> Teil</g><b>!</b>",
        "<x id=\"18446744073709551616\"/> <g id=\"2\">der <g id=\"3\">b</g> Teil</g>",
        "<x id=\"1\"/> <g id=\"2\">der <g id=\"3\">b</g> Teil</g> <",
    ];
    for answer in broken {
        assert_eq!(
            translated(source, |_| Some(answer.to_owned())),
            (render(&parse(source)), 1),
            "{answer}"
        );
    }
    let fitting = "<x id=\"1\"/>: <g id=\"2\">der <g id=\"3\">b</g> Teil</g> &lt;b&gt; &#8230;";
    assert_eq!(translated(source, |_| Some(fitting.to_owned())).1, 0);
}

#[test]
fn references_to_the_space_lead_to_the_result() {
    let spaces = SpaceMove {
        from: "06dkt2v8c4q1ojm7e90b5hfr3k".to_owned(),
        to: "06dktd9p2u6b0i4l8o1t5f7g3k".to_owned(),
    };
    let source = "[Here](/spaces/06dkt2v8c4q1ojm7e90b5hfr3k/pages/06dk5hs2n6r0v4a8e1i5m9q3uc)";
    let done = translate_document(&parse(source), &spaces, &mut |_| None).unwrap();
    assert!(
        render(&done.document).contains("/spaces/06dktd9p2u6b0i4l8o1t5f7g3k/"),
        "{}",
        render(&done.document)
    );
}

#[test]
fn words_are_counted_in_all_scripts() {
    assert_eq!(count_words("Don't over-tighten the 4 screws."), 5);
    assert_eq!(count_words("指を交換する"), 6);
    assert_eq!(Segment::plain("A & B").words(), 2);
}

#[test]
fn glossary_terms_are_words_of_any_case() {
    let term = |source: &str, target: &str| Term {
        source: source.to_owned(),
        target: target.to_owned(),
    };
    let terms = [
        term("Finger", "Greiffinger"),
        term("art", "Kunst"),
        term("交換", "exchange"),
    ];
    let glossary = Glossary::new(terms.to_vec()).unwrap();
    let found = glossary.occurring("The <g id=\"1\">fInGeR</g> of a part 指を交換する");
    assert_eq!(found, [&terms[0], &terms[2]]);
    assert!(glossary::is_followed(&found[..1], "Der <g id=\"1\">GREIFFINGERS</g>"));
    assert!(!glossary::is_followed(&found, "Der Finger"));
    let keys = ["a", "b"].map(|instructions| memory_key("text", ("en", "de"), instructions, &[]));
    assert_ne!(keys[0], keys[1]);
    assert_ne!(memory_key("text", ("en", "de"), "a", &[&terms[0]]), keys[0]);
}

proptest! {
    /// No answer makes a document that cannot be written, or one with other links.
    #[test]
    fn any_answer_is_survived(parts in prop::collection::vec(prop::sample::select(vec![
        "<g id=\"1\">", "</g>", "<x id=\"2\"/>", "<x id=\"3\">", "</x>", "wort", " ", "*", "**", "`", "&lt;b&gt;", "&", "<", ">", "\n", "# ", "1. ", "[", "](x)", "{% hint %}", "\u{0}", "<x id=\"0\"/>",
    ]), 0..14)) {
        let answer: String = parts.concat();
        let source = "See [the part](https://b.example) and `a` or `b`.";
        let segments = segments_of(&parse(source)).unwrap();
        let done = translate_document(&parse(source), &nowhere(), &mut |segment| {
            segment.accepts(&answer).then(|| answer.clone())
        }).unwrap();
        let text = render(&done.document);
        prop_assert!(text.contains("](https://b.example)") && text.contains("`a`") && text.contains("`b`"), "{}", text);
        prop_assert_eq!(segments.len(), 1);
    }
}
