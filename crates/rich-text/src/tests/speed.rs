//! How long it takes: `cargo test --release rich_text::tests::speed -- --nocapture --ignored`.

use std::time::{Duration, Instant};

use crate::{
    Limits, LinkChange, ReferenceRole, UrlResolver, extract_links, extract_sections, parse_keeping_with, parse_with,
    render_with, rewrite_links,
};

/// Rows made to cost much: what they cost for each byte may not grow with their length.
const ROWS: &[&str] = &[
    "[",
    "![",
    "](",
    "[a](b",
    "[a](b)",
    "[a](\nb) ",
    "![a](",
    "*a **b ",
    "<a href=\"",
    "<a href=\"b\">",
    "<img src=\"b\">",
    "[a]: b\n",
    "[a] ",
    "a [b][c] ",
    "| [a](b) \\| ",
    "`[a](b) ",
    "<div><figure><img src=\"b\">",
    "{% file src=\"a\" %}\n",
    "<picture><source srcset=\"a\">",
    "[a](b \"](",
    "> ",
    "<td><a href=\"b\">",
    "&#9;",
    "\\",
    "a[^1]\n\n[^1]: [^1]\n\n",
];

/// A page with something of everything.
const SAMPLE: &str = "## Heading\n\nSome **bold** and _italic_ words with `code`, a [link](page.md) and 2 \\* 3 in a paragraph that goes on for a \
while, as paragraphs do, until it ends.\n\n* One item\n  * an inner one\n* another with [a link](#anchor)\n\n{% hint style=\"info\" %}\nMind the gap.\n\
{% endhint %}\n\n```rust\nfn main() {\n    println!(\"hello\");\n}\n```\n\n| Name | Value |\n| --- | --- |\n| a | **b** |\n\n> Quoted words.\n\n\
{% tabs %}\n{% tab title=\"One\" %}\nIn a tab.\n{% endtab %}\n{% endtabs %}\n\n<details>\n\n<summary>More</summary>\n\nHidden words.\n\n</details>\n\n";

fn best(mut work: impl FnMut()) -> Duration {
    let runs = (0..5).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed()
    });
    runs.min().unwrap_or_default()
}

#[test]
#[ignore = "measures"]
fn times() {
    // A megabyte has more blocks than the contract allows in one document.
    let limits = Limits {
        children: usize::MAX,
        ..Limits::default()
    };
    let read = |text: &str| parse_with(text, &limits, &UrlResolver).expect("parses");
    println!(
        "{:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}",
        "bytes", "parse", "render", "keeping", "rewrite_links", "text", "links"
    );
    for size in [10_000, 100_000, 1_000_000] {
        let text = SAMPLE.repeat(size / SAMPLE.len());
        let document = read(&text);
        let parsing = best(|| drop(read(&text)));
        let rendering = best(|| drop(render_with(&document, &limits, &UrlResolver).expect("renders")));
        let changed = format!("New.\n\n{text}");
        let keeping = best(|| drop(parse_keeping_with(&changed, &document, &limits, &UrlResolver).expect("parses")));
        let mut change = |_: &str, _: ReferenceRole| LinkChange::Replace("/pages/p".to_owned());
        let changing = best(|| drop(rewrite_links(&text, &mut change).expect("parses")));
        let words = best(|| drop(extract_sections(&document)));
        let linking = best(|| drop(extract_links(&document)));
        println!(
            "{:>10} {parsing:>10.1?} {rendering:>10.1?} {keeping:>10.1?} {changing:>10.1?} {words:>10.1?} {linking:>10.1?}",
            text.len()
        );
    }
}

#[test]
#[ignore = "measures"]
fn times_of_rows() {
    let limits = Limits {
        children: usize::MAX,
        ..Limits::default()
    };
    println!(
        "{:>30} {:>10} {:>10} {:>10}",
        "parse, rewrite_links", "10 KB", "100 KB", "1000 KB"
    );
    for row in ROWS {
        let times = [10_000, 100_000, 1_000_000].map(|size| {
            let text = row.repeat(size / row.len());
            let parsing = best(|| drop(parse_with(&text, &limits, &UrlResolver)));
            let mut change = |_: &str, _: ReferenceRole| LinkChange::Unlink;
            (parsing, best(|| drop(rewrite_links(&text, &mut change))))
        });
        let shown = times.map(|(parsing, changing)| format!("{parsing:.1?}, {changing:.1?}"));
        println!("{row:>30?} {}", shown.join("   "));
    }
}
