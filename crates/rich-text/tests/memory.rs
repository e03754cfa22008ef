//! Peak memory of a text that is parsed and written as JSON block by block, by the shape of the text:
//! `cargo bench -p rich-text --bench memory`. Prints bytes for each byte of a megabyte.

use peak_alloc::PeakAlloc;
use rich_text::{DocumentLimits, DocumentStream, UrlResolver};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const LENGTH: usize = 1_000_000;

const PROSE: &str = "Some **bold** and _italic_ words with `code`, a [link](page.md) and 2 \\* 3 in a paragraph that goes on for a while, as paragraphs do, until it ends.\n\n";

/// One unit of each shape, and the text between a number of them that fits into one node.
const SHAPES: &[(&str, &str, usize, &str)] = &[
    ("prose", PROSE, 9000, "\n"),
    ("list items", "* a\n", 9000, "\n---\n\n"),
    ("links in a list", "* [a](b)\n", 9000, "\n---\n\n"),
    ("nested lists", "* a\n  * b\n    * c\n", 3000, "\n---\n\n"),
    ("quotes", "> a\n\n", 9000, "\n"),
    ("emphasis", "*a* ", 4000, "\n\n"),
    ("marks of a word", "*a*b", 4000, "\n\n"),
    ("links", "[a](b)", 4000, "\n\n"),
    ("code spans", "`a` ", 4000, "\n\n"),
    ("math", "$$a$$ ", 4000, "\n\n"),
    ("emoji", ":a:", 4000, "\n\n"),
    ("images", "![](b)", 4000, "\n\n"),
    ("line breaks", "a\\\n", 4000, "\n\n"),
    ("paragraphs", "a\n\n", 9000, "\n"),
    ("headings", "# a\n\n", 9000, "\n"),
    ("table cells", "|a|b|c|d|\n", 9000, "\n---\n\n"),
    ("html table", "<tr><td>a</td><td>b</td></tr>", 9000, ""),
    ("html blocks", "<p>a</p>\n\n", 9000, "\n"),
    ("code lines", "a\n", 90_000, "```\n```\n"),
    ("hints", "{% hint style=\"info\" %}\na\n{% endhint %}\n", 9000, "\n"),
];

fn text((name, unit, times, separator): (&str, &str, usize, &str)) -> String {
    let mut text = String::new();
    while text.len() < LENGTH {
        match name {
            "table cells" => text.push_str("|a|b|c|d|\n|-|-|-|-|\n"),
            "html table" => text.push_str("<table><tbody>"),
            "code lines" => text.push_str("```\n"),
            _ => {}
        }
        text.push_str(&unit.repeat(times));
        text.push_str(if name == "code lines" { "```\n\n" } else { separator });
        if name == "html table" {
            text.push_str("</tbody></table>\n\n");
        }
    }
    text
}

/// Returns the peak of allocated bytes during `work`, beyond those before it.
fn peak<T>(work: impl FnOnce() -> T) -> (usize, T) {
    MEMORY.reset_peak_usage();
    let before = MEMORY.current_usage();
    let result = work();
    (MEMORY.peak_usage() - before, result)
}

fn main() {
    let limits = DocumentLimits::default();
    for shape in SHAPES {
        let text = text(*shape);
        let (peak, (length, error)) = peak(|| {
            let mut length = 0;
            let mut json = Vec::new();
            let mut write = |block| {
                json.clear();
                // Writing to memory cannot fail.
                let _ = serde_json::to_writer(&mut json, &block);
                length += json.len();
            };
            let stream = DocumentStream::new(text.as_str(), &limits, &UrlResolver);
            let error = stream.and_then(|mut stream| stream.for_each(&mut write)).err();
            (length, error)
        });
        let factor = |bytes: usize| bytes as f64 / text.len() as f64;
        let error = error.map(|error| error.message).unwrap_or_default();
        println!(
            "{:>20} {:>6.1}x, JSON {:>6.1}x, {error}",
            shape.0,
            factor(peak),
            factor(length)
        );
    }
}
