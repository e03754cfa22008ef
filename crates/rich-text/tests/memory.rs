//! Peak memory of a text that is parsed block by block, by the shape of the text.

use peak_alloc::PeakAlloc;
use rich_text::{DocumentLimits, DocumentStream, UrlResolver};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const LENGTH: usize = 300_000;

const PROSE: &str = "Some **bold** and _italic_ words with `code`, a [link](page.md) and 2 \\* 3 in a paragraph that goes on for a while, as paragraphs do, until it ends.\n\n";

/// The name of each shape, the most bytes for each of its bytes, one unit, and the text between a number of them that fits
/// into one node.
const SHAPES: &[(&str, f64, &str, usize, &str)] = &[
    ("prose", 2.0, PROSE, 9000, "\n"),
    ("html blocks", 3.0, "<p>a</p>\n\n", 9000, "\n"),
    (
        "hints",
        2.0,
        "{% hint style=\"info\" %}\na\n{% endhint %}\n",
        9000,
        "\n",
    ),
    ("line breaks", 14.0, "some words in a line\\\n", 60_000, "\n\n"),
    ("code lines", 22.0, "    let a = b;\n", 90_000, "```\n```\n"),
    ("definitions", 8.0, "[a]: b\n\n", 9000, "\n"),
    ("prose with a definition", 2.0, PROSE, 9000, "[a]: b\n\n"),
    ("prose with a footnote", 2.0, PROSE, 9000, "End[^n].\n\n[^n]: b\n\n"),
];

fn text(name: &str, unit: &str, times: usize, separator: &str) -> String {
    let mut text = String::new();
    while text.len() < LENGTH {
        if name == "code lines" {
            text.push_str("```\n");
        }
        text.push_str(&unit.repeat(times.min(LENGTH / unit.len())));
        text.push_str(if name == "code lines" { "```\n\n" } else { separator });
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

#[test]
fn memory_is_bounded_by_the_text() {
    let limits = DocumentLimits::default();
    for (name, most, unit, times, separator) in SHAPES {
        let text = text(name, unit, *times, separator);
        let (peak, _) = peak(|| {
            let stream = DocumentStream::new(text.as_str(), &limits, &UrlResolver);
            stream.and_then(|mut stream| stream.for_each(&mut drop)).err()
        });
        let factor = peak as f64 / text.len() as f64;
        println!("{name:>25} {factor:>6.1}x");
        assert!(factor < *most, "{name}: {factor:.1} bytes for each byte of the text");
    }
}
