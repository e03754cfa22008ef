//! Peak memory of parsing, by the shape of the text.

use peak_alloc::PeakAlloc;
use rich_text::{DocumentLimits, parse};

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
fn peak(work: impl FnOnce() -> usize) -> (usize, usize) {
    MEMORY.reset_peak_usage();
    let before = MEMORY.current_usage();
    let result = work();
    (MEMORY.peak_usage() - before, result)
}

#[test]
fn table() {
    let limits = DocumentLimits::default();
    println!("document block {}", size_of::<openapi::models::DocumentBlock>());
    println!("inline node {}", size_of::<openapi::models::InlineNode>());
    println!("list item block {}", size_of::<openapi::models::ListItemBlock>());
    println!("list item {}", size_of::<openapi::models::BlockListItem>());
    println!("paragraph {}", size_of::<openapi::models::BlockParagraph>());
    println!("mark {}", size_of::<openapi::models::Mark>());
    println!("leaf {}", size_of::<openapi::models::TextLeaf>());
    println!("code line {}", size_of::<openapi::models::BlockCodeLine>());
    println!("code line node {}", size_of::<openapi::models::CodeLineNode>());
    println!("link node {}", size_of::<openapi::models::LinkNode>());
    println!("inline link {}", size_of::<openapi::models::InlineLink>());
    println!("inline annotation {}", size_of::<openapi::models::InlineAnnotation>());
    println!("inline {}", size_of::<openapi::models::Inline>());
    println!("table {}", size_of::<openapi::models::BlockTable>());
    println!("value {}", size_of::<serde_json::Value>());
    for shape in SHAPES {
        let text = text(*shape);
        let (parse_peak, error) = peak(|| match parse(&text, &limits) {
            Ok(_) => 0,
            Err(error) => {
                println!("{error}");
                1
            }
        });
        let (read_peak, length) = peak(|| match parse(&text, &limits) {
            Ok(document) => serde_json::to_vec(&document).unwrap().len(),
            Err(_) => 0,
        });
        println!(
            "{:>20} parse {:>6.1}x, read {:>6.1}x, JSON {:>6.1}x, {error}",
            shape.0,
            parse_peak as f64 / text.len() as f64,
            read_peak as f64 / text.len() as f64,
            length as f64 / text.len() as f64
        );
    }
}
