//! Rewriting of link targets.

use std::collections::HashMap;

use proptest::prelude::*;

use super::{generated, parse_document};
use crate::{
    DocumentLimits, LinkChange, LinkResolver as _, ReferenceRole, UrlResolver, extract_links, parse, rewrite,
    rewrite_links, syntax::pieces::Pieces,
};

/// `a.md` and equal targets become ids, `gone` is unlinked, everything else stays.
fn change(target: &str, role: ReferenceRole) -> LinkChange {
    match (target, role) {
        ("a.md", ReferenceRole::Link) => LinkChange::Replace("/pages/p1".to_owned()),
        ("a b.md", ReferenceRole::Link) => LinkChange::Replace("/pages/p 2".to_owned()),
        ("a.png", ReferenceRole::Media) => LinkChange::Replace("/files/f1".to_owned()),
        ("a.pdf", ReferenceRole::File) => LinkChange::Replace("/files/f2".to_owned()),
        ("a.txt", ReferenceRole::ReusableContent) => LinkChange::Replace("/reusable-contents/r1".to_owned()),
        ("gone", _) => LinkChange::Unlink,
        _ => LinkChange::Keep,
    }
}

#[track_caller]
fn assert_rewritten(text: &str, expected: &str) {
    assert_eq!(rewrite_links(text, &mut change).unwrap(), expected, "{text}");
}

#[test]
fn links_and_images() {
    assert_rewritten("[a](a.md) [b](b.md)\n", "[a](/pages/p1) [b](b.md)\n");
    assert_rewritten(
        "*  [a](  <a.md>  'b (c)' )  \n\tx",
        "*  [a](  /pages/p1  'b (c)' )  \n\tx",
    );
    assert_rewritten("[**a** `](b`](a.md \"](\")", "[**a** `](b`](/pages/p1 \"](\")");
    assert_rewritten("[a](a%20b.md) [a](<a b.md>)", "[a](a%20b.md) [a](</pages/p 2>)");
    assert_rewritten(
        "[![x](a.png)](a.md)![y [z](a.md)](a.png)",
        "[![x](/files/f1)](/pages/p1)![y [z](/pages/p1)](/files/f1)",
    );
    assert_rewritten(
        "# [a](a.md) #\n\n[a](a.md)\n===\n",
        "# [a](/pages/p1) #\n\n[a](/pages/p1)\n===\n",
    );
    assert_rewritten(
        "> - [a](a.md)\n>   b [c\n>   d](a.md)\n",
        "> - [a](/pages/p1)\n>   b [c\n>   d](/pages/p1)\n",
    );
    assert_rewritten(
        "[a](\n  a.md\n  'b') [c](a.md)",
        "[a](\n  /pages/p1\n  'b') [c](/pages/p1)",
    );
    assert_rewritten("> [a](\n> a.md\n> )", "> [a](\n> /pages/p1\n> )");
    assert_rewritten("a[^1]\n\n[^1]: b [c](a.md)\n", "a[^1]\n\n[^1]: b [c](/pages/p1)\n");
    assert_rewritten(
        "[a](#user-content-fn-1)[^1]\n\n[^1]: b",
        "[a](#user-content-fn-1)[^1]\n\n[^1]: b",
    );
    assert_rewritten(
        "\u{feff}[a](a.md)\r\n[b](a.md)\r[c](a.md)\n",
        "\u{feff}[a](/pages/p1)\r\n[b](/pages/p1)\r[c](/pages/p1)\n",
    );
    assert_rewritten("é中🚀 [a](a.md)\0[a](a.md)", "é中🚀 [a](/pages/p1)\0[a](/pages/p1)");
}

#[test]
fn text_that_only_looks_like_links() {
    for text in [
        "`[a](a.md)` \\[a](a.md)\n\n    [a](a.md)\n\n```\n[a](a.md)\n```\n",
        "$$[a](a.md)$$ <!-- [a](a.md) -->\n\n$$\n[a](a.md)\n$$\n",
        "```html\n<a href=\"a.md\">a</a>\n{% content-ref url=\"a.md\" %}\n```\n",
        "<div>\n[a](a.md)\n</div>\n",
        "text {% content-ref url=\"a.md\" %}\n",
        "[a]: a.md\n",
    ] {
        assert_rewritten(text, text);
    }
    assert_rewritten("`[a](a.md)` [a](a.md)", "`[a](a.md)` [a](/pages/p1)");
}

#[test]
fn cells() {
    assert_rewritten(
        "| a [b](a.md) | c |\n|---|---|\n| `x\\|y` \\| [a](a.md) [b](a.md) | [c](a.md) | [d](a.md)\n",
        "| a [b](/pages/p1) | c |\n|---|---|\n| `x\\|y` \\| [a](/pages/p1) [b](/pages/p1) | [c](/pages/p1) | [d](a.md)\n",
    );
}

#[test]
fn definitions() {
    assert_rewritten("[a][b], [b]\n\n[b]: a.md 'c'\n", "[a][b], [b]\n\n[b]: /pages/p1 'c'\n");
    assert_rewritten("[b]: <a b.md>\n[c]: x\n[a][b]\n", "[b]: </pages/p 2>\n[c]: x\n[a][b]\n");
    assert_rewritten("![a][b]\n\n> [b]:\n> a.png\n", "![a][b]\n\n> [b]:\n> /files/f1\n");
    assert_rewritten(
        "[a][b] x ![c][] y [c]\n\n[b]: gone\n\n[c]: gone 'd'\nz",
        "a x c y c\n\n\n\n\nz",
    );
    assert_rewritten(
        "> [b]: gone\n>   x [1. a][b]\n> [1. a][b] [b][]",
        "> \n>   x 1. a\n> 1\\. a b",
    );
    assert_rewritten(
        "[a][b] [a](a.md)\n\n[b]: a.md",
        "[a][b] [a](/pages/p1)\n\n[b]: /pages/p1",
    );
    assert_rewritten(
        "```\n[b]: a.md\n```\n\n[a](a.md)",
        "```\n[b]: a.md\n```\n\n[a](/pages/p1)",
    );
}

#[test]
fn plain_text() {
    assert_rewritten("a [**b** c](gone \"d\") ![e](gone)", "a **b** c e");
    assert_rewritten("[# a](gone)\n[12. b](gone)\n[+](gone)", "\\# a\n12\\. b\n\\+");
    assert_rewritten(
        "[![x](a.png)](gone) [![x](gone)](a.md)",
        "![x](/files/f1) [x](/pages/p1)",
    );
    assert_rewritten(
        "<a href=\"gone\">b *c*</a> <img src=\"gone\" alt=\"*d*\">",
        "b *c* \\*d\\*",
    );
    assert_rewritten("<data:x>", "data\\:x");
    let mut all = |_: &str, _: ReferenceRole| LinkChange::Unlink;
    assert_eq!(
        rewrite_links("<https://a.b/c*d*> <a@b.c>", &mut all).unwrap(),
        "https\\://a.b/c\\*d\\* a\\@b.c"
    );
    let mut all = |_: &str, _: ReferenceRole| LinkChange::Replace("x y".to_owned());
    assert_eq!(
        rewrite_links("<https://a.b/c>", &mut all).unwrap(),
        "[https\\://a.b/c](<x y>)"
    );
}

#[test]
fn html_elements() {
    assert_rewritten(
        "a <a\nhref='a.md' class=x>b</a>",
        "a <a\nhref=\"/pages/p1\" class=x>b</a>",
    );
    assert_rewritten("<A HREF=a.md>b</A>", "<A HREF=\"/pages/p1\">b</A>");
    assert_rewritten(
        "> <figure><img src=\"a.png\" alt=\"b\">\n> <figcaption><p><a href=\"a.md\">c</a></p></figcaption></figure>\n",
        "> <figure><img src=\"/files/f1\" alt=\"b\">\n> <figcaption><p><a href=\"/pages/p1\">c</a></p></figcaption></figure>\n",
    );
    assert_rewritten(
        "<div align=\"left\"><figure><img src=\"gone\" alt=\"b &amp;\"><figcaption><p>c</p></figcaption></figure> \
         <figure><img src=\"a.png\"></figure></div>\n",
        "<p>b &amp;  c  </p> <figure><img src=\"/files/f1\"></figure>\n",
    );
    assert_rewritten(
        "<picture><source srcset=\"a.png\" media=\"(prefers-color-scheme: dark)\"><img src=\"a.png\" alt=\"\"></picture>",
        "<picture><source srcset=\"/files/f1\" media=\"(prefers-color-scheme: dark)\"><img src=\"/files/f1\" alt=\"\"></picture>",
    );
    assert_rewritten(
        "x <picture><source srcset=\"gone\" media=\"(prefers-color-scheme: dark)\"><img src=\"a.png\" alt=\"\"></picture>",
        "x <img src=\"/files/f1\" alt=\"\">",
    );
    assert_rewritten(
        "x <picture><source srcset=\"a.png\" media=\"(prefers-color-scheme: dark)\"><img src=\"gone\" alt=\"y\"></picture>",
        "x y",
    );
    assert_rewritten(
        "<img src=\"a.pdf\" alt=\"\" class=\"drawing\">",
        "<img src=\"/files/f2\" alt=\"\" class=\"drawing\">",
    );
    assert_rewritten("## A <a href=\"#a\" id=\"a\"></a>", "## A <a href=\"#a\" id=\"a\"></a>");
    assert_rewritten(
        "<a href=\"a.md\" class=\"button primary\">a.md</a>",
        "<a href=\"/pages/p1\" class=\"button primary\">a.md</a>",
    );
}

/// Text that repeats a target changes with it: in mentions, block tags and card cells.
#[test]
fn words_stay_when_targets_change() {
    assert_rewritten(
        "[a.md](a.md \"mention\") [a.md](a.md)",
        "[a.md](/pages/p1 \"mention\") [a.md](/pages/p1)",
    );
    assert_rewritten(
        "<a href=\"a.md\" class=\"mention\">a.md</a>",
        "<a href=\"/pages/p1\" class=\"mention\">a.md</a>",
    );
    assert_rewritten(
        "{% content-ref url=\"a.md\" %}\n[a.md](a.md)\n{% endcontent-ref %}\n",
        "{% content-ref url=\"/pages/p1\" %}\n[a.md](/pages/p1)\n{% endcontent-ref %}\n",
    );
    let table = |target: &str, file: &str, picture: &str| {
        format!(
            "<table data-view=\"cards\"><thead><tr><th>a</th><th data-card-target data-type=\"content-ref\">b</th>\
             <th data-type=\"files\">c</th><th data-type=\"image\">d</th><th data-type=\"users\">e</th></tr></thead><tbody>\
             <tr><td>x</td><td>{target}</td><td>{file}</td><td>{picture}</td><td><a href=\"a.md\">a.md</a></td></tr></tbody></table>\n"
        )
    };
    let link = |target: &str| format!("<a href=\"{target}\">words</a>");
    assert_rewritten(
        &table(&link("a.md"), &link("a.pdf"), &link("a.png")),
        &table(&link("/pages/p1"), &link("/files/f2"), &link("/files/f1")),
    );
    assert_rewritten(
        &table(&link("gone"), &link("gone"), "<img src=\"gone\" alt=\"y\">"),
        &table("", "", ""),
    );
    assert_rewritten(
        &table(&link("a.md"), "", "<img src=\"a.png\">"),
        &table(&link("/pages/p1"), "", "<img src=\"/files/f1\">"),
    );
}

#[test]
fn tags() {
    assert_rewritten(
        "* a\n\n  {% file src='a.pdf' %}\n  b\n  {% endfile %}\n\n{% include \"a.txt\" %}\n",
        "* a\n\n  {% file src=\"/files/f2\" %}\n  b\n  {% endfile %}\n\n{% include \"/reusable-contents/r1\" %}\n",
    );
    assert_rewritten(
        "{% swagger src=\"a.png\" path=\"/a\" method=\"get\" %}\n[a.png](a.png)\n{% endswagger %}\n",
        "{% swagger src=\"/files/f1\" path=\"/a\" method=\"get\" %}\n[a.png](a.png)\n{% endswagger %}\n",
    );
    assert_rewritten(
        "{% content-ref url=\"gone\" %}\n[gone](gone)\n{% endcontent-ref %}\n",
        "\ngone\n\n",
    );
    assert_rewritten("{% file src=\"gone\" %}\na\n{% endfile %}\n\nb", "gone\na\n\n\nb");
    assert_rewritten("{% include \"gone\" %}\n", "gone\n");
    assert_rewritten(
        "{% embed url=\"a.md\" %}\n[a.md](a.md)\n{% endembed %}\n\n$$\na\n\nb\n$$\n\n[a](a.md)\n",
        "{% embed url=\"a.md\" %}\n[a.md](a.md)\n{% endembed %}\n\n$$\na\n\nb\n$$\n\n[a](/pages/p1)\n",
    );
    assert_rewritten(
        "> $$\n> a\n> $$\n> {% file src=\"a.pdf\" %} \n",
        "> $$\n> a\n> $$\n> {% file src=\"/files/f2\" %} \n",
    );
}

#[test]
fn each_target_is_asked_for_once_in_each_role() {
    let mut asked = Vec::new();
    let text = "[a](x) [b](x) ![c](x)\n\n[d][e]\n\n[e]: x\n";
    let mut ask = |target: &str, role: ReferenceRole| {
        asked.push((target.to_owned(), role));
        LinkChange::Replace("y".to_owned())
    };
    assert_eq!(
        rewrite_links(text, &mut ask).unwrap(),
        "[a](y) [b](y) ![c](y)\n\n[d][e]\n\n[e]: y\n"
    );
    assert_eq!(
        asked,
        [
            ("x".to_owned(), ReferenceRole::Link),
            ("x".to_owned(), ReferenceRole::Media)
        ]
    );
}

#[test]
fn html_after_a_tab_is_rewritten() {
    assert_rewritten(">\t<img src=\"a.png\">\n>\t<p>", ">\t<img src=\"/files/f1\">\n>\t<p>");
}

#[test]
fn targets_with_tags_are_asked_for_as_they_are_written() {
    let mut asked = Vec::new();
    let mut ask = |target: &str, _: ReferenceRole| {
        asked.push(target.to_owned());
        LinkChange::Replace(format!("{target}/y"))
    };
    let rewritten = rewrite_links("[a](b{%c%}d \"{% e %}\") [f][g]\n\n[g]: h{%i%}\n", &mut ask).unwrap();
    assert_eq!(
        rewritten,
        "[a](<b&#123;%c%}d/y> \"{% e %}\") [f][g]\n\n[g]: <h&#123;%i%}/y>\n"
    );
    assert_eq!(asked, ["b{%c%}d", "h{%i%}"]);
}

/// Counts the references of a text.
pub fn targets(text: &str) -> HashMap<(ReferenceRole, String), usize> {
    let mut found = HashMap::new();
    for link in extract_links(&parse_document(text)) {
        if let Some(target) = UrlResolver.format_target(link.role, &link.reference) {
            *found.entry((link.role, target)).or_default() += 1;
        }
    }
    found
}

/// Some characters of the target need escapes everywhere.
pub fn other(target: &str) -> String {
    format!("/é x/({target}|&\\\"<y")
}

/// Returns the references that the rewritten text should have.
pub fn others(text: &str) -> HashMap<(ReferenceRole, String), usize> {
    let all = targets(text).into_iter();
    all.map(|((role, target), times)| {
        let kept = target.is_empty() || target.starts_with("#user-content-fn-");
        ((role, if kept { target } else { other(&target) }), times)
    })
    .collect()
}

/// Rewrites a text in pieces that are as short as possible.
fn rewrite_pieces(text: &str, change: &mut dyn FnMut(&str, ReferenceRole) -> LinkChange) -> String {
    rewrite::in_pieces(text, change, &|| Pieces::of_at_least(1)).unwrap()
}

#[track_caller]
fn assert_same_in_pieces(text: &str) {
    let changes: [fn(&str, ReferenceRole) -> LinkChange; 3] = [
        change,
        |target, _| LinkChange::Replace(other(target)),
        |_, _| LinkChange::Unlink,
    ];
    for mut change in changes {
        let one = || Pieces::of_at_least(usize::MAX);
        let whole = rewrite::in_pieces(text, &mut change, &one).unwrap();
        assert_eq!(rewrite_pieces(text, &mut change), whole, "{text:?}");
    }
}

/// In a text that others read, an included text stands in its place, and links have words.
#[test]
fn tags_and_words_have_changes_of_their_own() {
    let markdown = "[a](/pages/1) [/pages/1](/pages/1) [\\/pages/1](/pages/1 \"mention\") <a href=\"/pages/1\">/pages/1</a> <a data-mention href=\"/pages/1\">/pages/1</a>\n\n\
        <img src=\"/files/1\">\n\n![/files/1](/files/1)\n\n\
        {% content-ref url=\"/pages/1\" %}\n[/pages/1](/pages/1)\n{% endcontent-ref %}\n\n\
        <table><thead><tr><th data-type=\"content-ref\"></th></tr></thead><tbody><tr><td><a href=\"/pages/1\">/pages/1</a></td></tr></tbody></table>\n\n\
        {% include \"/reusable-contents/1\" %}\n\n> {% include \"/reusable-contents/1\" %}\n\n* A\n\n  {% include '/reusable-contents/1' %}\n\n\
        ```\n{% include \"/reusable-contents/1\" %}\n[/pages/1](/pages/1)\n```\n";
    let mut change = |target: &str, role: ReferenceRole| match role {
        ReferenceRole::ReusableContent => LinkChange::ReplaceTag("One\n\ntwo".to_owned()),
        ReferenceRole::Link => LinkChange::ReplaceNamed {
            target: format!("..{target}.md"),
            from: target.to_owned(),
            to: "R&D *1*".to_owned(),
        },
        _ => LinkChange::Keep,
    };
    let link = "[R\\&D \\*1\\*](../pages/1.md";
    let expected = format!(
        "[a](../pages/1.md) [/pages/1](../pages/1.md) {link} \"mention\") <a href=\"../pages/1.md\">/pages/1</a> \
        <a data-mention href=\"../pages/1.md\">R\\&D \\*1\\*</a>\n\n\
        <img src=\"/files/1\">\n\n![/files/1](/files/1)\n\n\
        {{% content-ref url=\"../pages/1.md\" %}}\n{link})\n{{% endcontent-ref %}}\n\n\
        <table><thead><tr><th data-type=\"content-ref\"></th></tr></thead><tbody><tr><td><a href=\"../pages/1.md\">R&amp;D *1*</a></td></tr></tbody></table>\n\n\
        One\n\ntwo\n\n> One\n>\n> two\n\n* A\n\n  One\n\n  two\n\n\
        ```\n{{% include \"/reusable-contents/1\" %}}\n[/pages/1](/pages/1)\n```\n"
    );
    assert_eq!(rewrite_links(markdown, &mut change).unwrap(), expected);
}

#[test]
fn definitions_and_references_are_rewritten_in_different_pieces() {
    for text in [
        "[b][x] ![c][x]\n\n[x]: a.md\n\n[d][x]\n\nend",
        "[x]: gone\n\n[b][x]\n\n![1. c][x]\n\n[y]: gone \"title\"\n\n[y]\n\nend",
        "![c][x]\n\n[d]\n\n[x]: a.png\n\n[e]: a.md\n\nend[^1]\n\n[^1]: [c](a.md) [d]\n\n[d]: a.md\n\nend",
        "> [b][x]\n\na\n\n* c\n\n  [x]: gone\n\nend [x]\n\n{% content-ref url=\"a.md\" %}\n[a](a.md)\n{% endcontent-ref %}\n\n[x]",
        "a[^1](a.md)\n\n[^1]: b\n\n[^2][x]\n\n[x]: a.md\n\n[X]: gone\n\nend",
    ] {
        assert_same_in_pieces(text);
    }
}

#[test]
fn a_closing_tag_is_removed_with_its_opening_tag() {
    for text in [
        "{% content-ref url=\"a.md\" %}\nb\n\n{% endcontent-ref %}\n\nend",
        "{% content-ref url=\"a.md\" %}\n[a](a.md)\n\n{% endcontent-ref %}\n",
        "{% swagger src=\"a.yaml\" path=\"/b\" method=\"get\" %}\n> b\n\n{% endswagger %}\n",
        "{% content-ref url=\"a.md\" %}\n* b\n\n{% endcontent-ref %}\n",
    ] {
        assert_same_in_pieces(text);
    }
}

#[test]
fn many_targets_beside_a_definition_are_rewritten() {
    let paragraphs = |unit: &str| format!("{}\n\n", unit.repeat(1000)).repeat(20);
    let text = format!("[x]: javascript:a\n\n{}", paragraphs("[b](a.md) [c][x] "));
    assert_eq!(crate::check(&text, &DocumentLimits::of_new_texts()), Ok(()));
    let expected = format!("\n\n{}", paragraphs("[b](/pages/p1) c "));
    assert!(rewrite_links(&text, &mut change).unwrap() == expected);
}

proptest! {
    #![proptest_config(super::cases(2000))]

    #[test]
    fn targets_are_rewritten_in_pieces(parts in prop::collection::vec(prop::collection::vec(0..generated::PIECES.len(), 0..6), 1..8)) {
        let texts: Vec<String> = parts.iter().map(|part| generated::text(part).0).collect();
        assert_same_in_pieces(&texts.join("\n\n"));
    }
}

proptest! {
    #![proptest_config(super::cases(512))]

    #[test]
    fn every_target_is_found(pieces in prop::collection::vec(0..generated::PIECES.len(), 0..24)) {
        let (text, _) = generated::text(&pieces);
        prop_assert_eq!(&rewrite_links(&text, &mut |_: &str, _: ReferenceRole| LinkChange::Keep).unwrap(), &text);
        // HTML blocks with display math are not rewritten.
        if text.contains("$$\n") {
            return Ok(());
        }
        let changed = rewrite_links(&text, &mut |target: &str, _: ReferenceRole| LinkChange::Replace(other(target))).unwrap();
        prop_assert_eq!(targets(&changed), others(&text), "{:?} became {:?}", text, changed);
        let plain = rewrite_links(&text, &mut |_: &str, _: ReferenceRole| LinkChange::Unlink).unwrap();
        prop_assert!(parse(&plain, &DocumentLimits::default()).is_ok());
    }
}
