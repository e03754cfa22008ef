//! Times of parsing, rendering, link rewriting and extraction: `cargo bench -p rich-text`.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use rich_text::{
    DocumentError, DocumentLimits, LinkChange, ReferenceRole, UrlResolver, extract_links, extract_sections,
    parse_keeping_with, parse_with, render_with, rewrite_links,
};

const SIZES: [usize; 3] = [10_000, 100_000, 1_000_000];
const ROUNDS: usize = 5;

/// A page with most kinds of blocks.
const SAMPLE: &str = "## Heading\n\nSome **bold** and _italic_ words with `code`, a [link](page.md) and 2 \\* 3 in a paragraph that goes on for a \
while, as paragraphs do, until it ends.\n\n* One item\n  * an inner one\n* another with [a link](#anchor)\n\n{% hint style=\"info\" %}\nMind the gap.\n\
{% endhint %}\n\n```rust\nfn main() {\n    println!(\"hello\");\n}\n```\n\n| Name | Value |\n| --- | --- |\n| a | **b** |\n\n> Quoted words.\n\n\
{% tabs %}\n{% tab title=\"One\" %}\nIn a tab.\n{% endtab %}\n{% endtabs %}\n\n<details>\n\n<summary>More</summary>\n\nHidden words.\n\n</details>\n\n";

/// Worst cases: the time for each byte must not grow with the length.
const WORST_CASES: &[&str] = &[
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

fn main() -> Result<(), DocumentError> {
    // A megabyte has more blocks than the contract allows in one document.
    let limits = DocumentLimits {
        children: usize::MAX,
        ..DocumentLimits::default()
    };
    measure_sample(&limits)?;
    measure_worst_cases(&limits);
    Ok(())
}

fn measure_sample(limits: &DocumentLimits) -> Result<(), DocumentError> {
    println!(
        "{:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}",
        "bytes", "parse", "render", "keep keys", "rewrite", "sections", "links"
    );
    for size in SIZES {
        let text = SAMPLE.repeat(size / SAMPLE.len());
        let document = parse_with(&text, limits, &UrlResolver)?;
        let edited = format!("New.\n\n{text}");
        let times = [
            fastest(|| parse_with(&text, limits, &UrlResolver)),
            fastest(|| render_with(&document, limits, &UrlResolver)),
            fastest(|| parse_keeping_with(&edited, &document, limits, &UrlResolver)),
            fastest(|| rewrite_links(&text, &mut replace)),
            fastest(|| extract_sections(&document)),
            fastest(|| extract_links(&document)),
        ];
        let columns = times.map(|time| format!("{time:>10.1?}"));
        println!("{:>10} {}", text.len(), columns.join(" "));
    }
    Ok(())
}

fn measure_worst_cases(limits: &DocumentLimits) {
    println!(
        "\n{:>30} {:>10} {:>10} {:>10}",
        "parse, rewrite", "10 KB", "100 KB", "1000 KB"
    );
    for case in WORST_CASES {
        let columns = SIZES.map(|size| {
            let text = case.repeat(size / case.len());
            let parsing = fastest(|| parse_with(&text, limits, &UrlResolver));
            let rewriting = fastest(|| rewrite_links(&text, &mut unlink));
            format!("{parsing:.1?}, {rewriting:.1?}")
        });
        println!("{case:>30?} {}", columns.join("   "));
    }
}

fn replace(_: &str, _: ReferenceRole) -> LinkChange {
    LinkChange::Replace("/pages/p".to_owned())
}

fn unlink(_: &str, _: ReferenceRole) -> LinkChange {
    LinkChange::Unlink
}

/// Returns the shortest time of several rounds.
fn fastest<T>(mut work: impl FnMut() -> T) -> Duration {
    let times = (0..ROUNDS).map(|_| {
        let start = Instant::now();
        black_box(work());
        start.elapsed()
    });
    times.min().unwrap_or_default()
}
