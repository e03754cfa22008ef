//! How long it takes: `cargo test --release rich_text::tests::speed -- --nocapture --ignored`.

use std::time::{Duration, Instant};

use crate::rich_text::{Addresses, Limits, parse_keeping_with, parse_with, render_with};

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
    let read = |text: &str| parse_with(text, &limits, &Addresses).expect("parses");
    println!("{:>10} {:>10} {:>10} {:>10}", "bytes", "parse", "render", "keeping");
    for size in [10_000, 100_000, 1_000_000] {
        let text = SAMPLE.repeat(size / SAMPLE.len());
        let document = read(&text);
        let parsing = best(|| drop(read(&text)));
        let rendering = best(|| drop(render_with(&document, &limits, &Addresses).expect("renders")));
        let changed = format!("New.\n\n{text}");
        let keeping = best(|| drop(parse_keeping_with(&changed, &document, &limits, &Addresses).expect("parses")));
        println!(
            "{:>10} {parsing:>10.1?} {rendering:>10.1?} {keeping:>10.1?}",
            text.len()
        );
    }
}
