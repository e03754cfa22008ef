//! Worst cases: linear time, bounded nesting, no loss.

use openapi::error::ErrorRule;
use openapi::models::Document;
use serde_json::Value;
use validator::Validate as _;

use super::render;
use crate::{DocumentLimits, LinkChange, ReferenceRole, extract_links, extract_sections, parse, rewrite_links};

/// All syntax, alone and in sequences that nest, stay open or almost match.
const UNITS: &[&str] = &[
    "*",
    "_",
    "~",
    "`",
    "[",
    "]",
    "!",
    "<",
    ">",
    "(",
    ")",
    "#",
    "+",
    "-",
    "=",
    "|",
    "$",
    ":",
    "&",
    "\\",
    "{",
    "%",
    "\"",
    "'",
    ".",
    " ",
    "\t",
    "\n",
    "\0",
    "a",
    "é",
    "🚀",
    "* ",
    "> ",
    "- ",
    "1. ",
    "    ",
    "[^",
    "![",
    "](",
    "[a](",
    "[[a]",
    "[a]: b\n",
    "[^1]: a\n",
    "[^1]",
    "a[^1]\n\n[^1]: [^1]\n\n",
    "**a ",
    "*a **b ",
    "_a*b",
    "~~a ",
    "`a ``b ",
    "<a ",
    "<a>",
    "</a>",
    "<kbd>",
    "</kbd>",
    "<b><i>",
    "<a href=\"",
    "<a b='\" ",
    "<!--",
    "<?",
    "<![CDATA[",
    "<details>\n",
    "<details>\n\n",
    "</details>\n\n",
    "<div>",
    "<figure>",
    "<table><thead><tr>",
    "<span class=\"math\">",
    "<pre><code>",
    "$$",
    "$$\n",
    "$a ",
    "$a$",
    "{% hint style=\"info\" %}\n",
    "{% endhint %}\n",
    "{% tabs %}\n",
    "{% tab title=\"a\" %}\n",
    "{% code %}\n",
    "{% if a %}\n",
    "{% embed url=\"a\" %}\n",
    "| a ",
    "|a|\n|-|\n",
    "| a |\n",
    "|-",
    "a|b\n-|-\n",
    "```\n",
    "~~~\n",
    ":rocket:",
    ":rocket",
    "&amp;",
    "&#",
    "\\\n",
    "  \n",
    "* a\n\n",
    "> a\n",
    ">> ",
    "- - ",
    "* * * ",
    "1) 2) ",
    "a\n",
    "a\n\n",
    "a\n===\n",
    "---\n",
    "# a\n",
    "[a][b] ",
    "[a]",
    "<a\n",
    "<x y=\"z\">\n\n",
    "</p>\n\n",
    "<?t0?>",
    "https://a。",
    "https://a.b/c、https://d",
    "www.a。",
    "**a **b",
    "a** b** ",
    "_**a**_** b**",
    "は**「a」",
    "は_「a",
    "***a ***b ",
    "<code>*",
    "</code>*",
    "<code>a*b</code>",
    "<kbd>*</kbd>",
    "<a b c>",
    "<d e>f</d>",
    "[*a](b)*",
    "```a b=\"c\" title=\"d\n",
    "{% hint style=\"info\" %}\n$$\na\n$$\n",
    "<?ttt",
];

/// Debug builds are slow; superlinear time shows at this length too.
const LENGTH: usize = 10_000;

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or_default(),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or_default(),
        _ => 0,
    }
}

/// Parsing returns a valid document that JSON parsers accept, in size proportional to the text, or an error: too many
/// nodes, or too many parser steps.
fn check(text: &str) {
    let document = match parse(text, &DocumentLimits::default()) {
        Ok(document) => document,
        Err(error) => {
            assert!(
                [ErrorRule::TooManyNodes, ErrorRule::TooComplex].contains(&error.code),
                "{:?}",
                text.get(..80)
            );
            return;
        }
    };
    let json = serde_json::to_string(&document).unwrap();
    assert!(
        json.len() <= 1000 * text.len() + 1000,
        "{} bytes of {:?}",
        json.len(),
        text.get(..40)
    );
    assert_eq!(serde_json::from_str::<Document>(&json).unwrap(), document);
    assert!(depth(&serde_json::from_str(&json).unwrap()) < 120);
    document.validate().unwrap();
    let words: usize = extract_sections(&document)
        .iter()
        .map(|section| section.title.len() + section.body.len())
        .sum();
    assert!(words <= 2 * text.len() + 1000, "{words} bytes of {:?}", text.get(..40));
    assert!(extract_links(&document).len() <= text.len());
    for change in [LinkChange::Replace("/b".to_owned()), LinkChange::Unlink] {
        let changed = rewrite_links(text, &mut |_: &str, _: ReferenceRole| change.clone()).unwrap();
        assert!(
            changed.len() <= 10 * text.len() + 1000,
            "{} bytes of {:?}",
            changed.len(),
            text.get(..40)
        );
    }
    match render(&document) {
        Ok(again) => assert!(
            again.len() <= 20 * text.len() + 1000,
            "{} bytes of {:?}",
            again.len(),
            text.get(..40)
        ),
        Err(error) => panic!("{error} for {:?}", text.get(..40)),
    }
}

#[test]
fn sequences_of_every_unit() {
    for unit in UNITS {
        check(&unit.repeat(LENGTH / unit.len()));
    }
}

/// Ten times as much of each unit.
#[test]
fn long_sequences_of_delimiters() {
    for unit in UNITS.iter().filter(|unit| unit.chars().count() == 1) {
        let text = unit.repeat(10 * LENGTH / unit.len());
        let parsed = parse(&text, &DocumentLimits::default());
        let code = parsed.err().map(|error| error.code);
        assert!(
            matches!(code, None | Some(ErrorRule::TooManyNodes)),
            "{unit:?}: {code:?}"
        );
    }
}

/// Closed sequences, and sequences of two kinds.
#[test]
fn nested() {
    let pairs = [
        ("[", "](a)"),
        ("**", "**"),
        ("<kbd>", "</kbd>"),
        ("<details>\n\n", "\n\n</details>"),
        ("{% if a %}\n", "\n{% endif %}"),
        ("<span>", "</span>"),
        ("{% hint style=\"info\" %}\n", "\n{% endhint %}"),
        ("<div><figure>", "</figure></div>"),
        ("* ", "\n"),
        ("> ", "\n\n"),
        ("<a href=\"b\">", "</a>"),
        ("{% tabs %}\n{% tab title=\"a\" %}\n", "\n{% endtab %}\n{% endtabs %}"),
        ("<table><tbody><tr><td>", "</td></tr></tbody></table>"),
    ];
    for (open, close) in pairs {
        let times = LENGTH / (open.len() + close.len());
        check(&format!("{}a{}", open.repeat(times), close.repeat(times)));
    }
    // Each line one level deeper.
    for unit in ["* ", "> ", "1. ", "- > "] {
        let indent = |at: usize| {
            if unit == "> " {
                "> ".repeat(at)
            } else {
                " ".repeat(at * unit.len())
            }
        };
        let lines: Vec<String> = (0..120).map(|at| format!("{}{unit}a", indent(at))).collect();
        check(&lines.join("\n"));
        check(&format!("{}{}", lines.join("\n"), "\n".repeat(LENGTH)));
    }
}

#[test]
fn many_references() {
    check(&format!("{}\n\n[^1]: {}", "a[^1] ".repeat(4000), "b ".repeat(20_000)));
    check(&format!("{}\n\n[^1]: b", "a[^1]\n\n".repeat(1000)));
    check(&format!(
        "{}\n\n[^1]: {}",
        "a[^1]\n\n".repeat(1000),
        "> b\n".repeat(2000)
    ));
    check(&format!("{}\n\n[a]: {}", "[a] ".repeat(4000), "b".repeat(2000)));
    let notes: String = (0..2000).map(|at| format!("[^{at}]: a[^{}]\n\n", at + 1)).collect();
    check(&format!("a[^0]\n\n{notes}"));
    // Each note refers to the next one twice.
    let notes: String = (0..30)
        .map(|at| format!("[^{at}]: a[^{0}] b[^{0}]\n\n", at + 1))
        .collect();
    let text = format!("a[^0]\n\n{notes}[^30]: c");
    let document = parse(&text, &DocumentLimits::default()).unwrap();
    assert!(serde_json::to_string(&document).unwrap().len() < 2_000_000);
    assert_eq!(
        parse(&render(&document).unwrap(), &DocumentLimits::default()),
        Ok(document)
    );
}

/// Text, references and delimiters that are read again and again have to end.
#[test]
fn long_lines_of_marks_and_addresses() {
    for unit in [
        "**a **b ",
        "は**「a」",
        "https://a。",
        "a** b",
        "<code>*</code>",
        "[*a **b](c) ",
        "*a _b **c __d ",
    ] {
        let text = unit.repeat(100_000 / unit.len());
        let parsed = parse(&text, &DocumentLimits::default());
        let code = parsed.err().map(|error| error.code);
        assert!(
            matches!(code, None | Some(ErrorRule::TooManyNodes)),
            "{unit:?}: {code:?}"
        );
    }
}
