//! A text that is parsed in pieces has the same nodes as one that is parsed as a whole.

use openapi::models::DocumentBlock;
use proptest::{collection::vec, prelude::*};

use super::{cases, generated};
use crate::{DocumentLimits, UrlResolver, error::DocumentError, parse::BlockParser};

fn blocks(markdown: &str, least: usize) -> Result<Vec<DocumentBlock>, DocumentError> {
    let limits = DocumentLimits::default();
    let mut parser = BlockParser::new(markdown.into(), &limits, &UrlResolver)?.in_pieces_of(least)?;
    let mut blocks = Vec::new();
    while parser.next_piece(&mut |block| {
        blocks.push(block);
        Ok(())
    })? {}
    Ok(blocks)
}

#[track_caller]
fn assert_same(markdown: &str) {
    assert_eq!(blocks(markdown, 1), blocks(markdown, usize::MAX), "{markdown:?}");
}

#[test]
fn pieces_of_samples() {
    let everything = include_str!("samples/everything.md");
    assert_same(everything);
    let parts: Vec<&str> = everything.split("\n\n").collect();
    for (at, part) in parts.iter().enumerate() {
        for other in parts.iter().skip(at) {
            assert_same(&format!("{part}\n\n{other}\n\nend"));
        }
    }
}

#[test]
fn pieces_of_long_code() {
    let line = |at: usize| format!("line {}\n", at % 700);
    let code: String = (0..2500).map(line).collect();
    for text in [
        format!("before\n\n```js\n{code}```\n\nafter[^1]\n\n[^1]: a"),
        format!(
            "```\n{code}\n\n```\n```\n{code}```\nafter\n\n    {}\n\nend",
            code.replace('\n', "\n    ")
        ),
        format!("```{}\n{code}", "word ".repeat(30)),
        format!(
            "[a]: b\n\n{}[a]: c\n\n```\n{code}```\n\n[a] d[^1]\n\n[^1]: e\n\n```\n{code}```\n\n[a]\n",
            "word\n\n".repeat(3000)
        ),
        format!("{{% hint style=\"info\" %}}\n```\n{code}```\n{{% endhint %}}\n```\n{code}```"),
    ] {
        assert_same(&text);
    }
}

#[test]
fn definitions_apply_in_other_pieces() {
    for text in [
        "[a] and [b][A]\n\nc\n\n[a]: d\n\n[A]: e\n\n[f]: g\n\nend",
        "> [a\n> b]\n\nc\n\n> [a b]: d\n>\n> e\n\nend",
        "a[^b] and [^c]\n\n[^c]: d[^b] e[^f]\n\n[^b]: b\n\n    more\n\n[^f]: f\n\n[^u]: unused[^v]\n\n[^v]: v\n\nend[^b]",
        "a[^1]\n\nb\n\n[^1]: {% x %}\n\n    c\n\n    {% endx %}\n\nend",
        "a[^1]\n\nb\n\n{% x %}\n\n[^1]: c\n\n[d]: e\n\n{% endx %}\n\n[d]\n\nend",
        "* a[^1]\n\n  [^1]: c\n\nb[^1]\n\nend\n\n```\nopen",
        "<a data-footnote-ref href=\"#user-content-fn-1\">a</a>\n\nb\n\n[^1]: c\n\n[d]\n\n[d]: e \"title\"\nf\n\nend",
    ] {
        assert_same(text);
    }
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn pieces_of_generated_texts(parts in vec(vec(0..generated::PIECES.len(), 0..6), 1..8)) {
        let texts: Vec<String> = parts.iter().map(|part| generated::text(part).0).collect();
        assert_same(&texts.join("\n\n"));
    }
}
