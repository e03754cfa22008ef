//! Texts of every shape.

/// A shape: `before`, as many of `unit` as fit into one node, `after`, and so on. `N` is a different word in each unit.
pub struct Shape {
    pub name: &'static str,
    before: &'static str,
    unit: &'static str,
    times: usize,
    after: &'static str,
}

const fn shape(
    name: &'static str,
    before: &'static str,
    unit: &'static str,
    times: usize,
    after: &'static str,
) -> Shape {
    Shape {
        name,
        before,
        unit,
        times,
        after,
    }
}

const PROSE: &str = "Some **bold** and _italic_ words with `code`, a [link](page.md) and 2 \\* 3 in a paragraph N that goes on for a while, as paragraphs do, until it ends.\n\n";

const PLAIN_PROSE: &str = "The server keeps every revision of a page, so that people can look at an earlier one (see [the guide](guide.md)) and restore it: nothing is lost. Set `history` to the number of revisions that the server keeps; without it the server keeps all of them, which takes about as much space as the pages themselves, N.\n\n";

pub const SHAPES: &[Shape] = &[
    shape("plain prose", "", PLAIN_PROSE, 9000, "\n"),
    shape("prose", "", PROSE, 9000, "\n"),
    shape("prose with a definition", "", PROSE, 9000, "[a]: b\n\n"),
    shape("prose with a footnote", "", PROSE, 9000, "End[^n].\n\n[^n]: b\n\n"),
    shape("footnotes", "", "Word[^N].\n\n[^N]: Note N.\n\n", 4000, "\n"),
    shape("definitions", "", "[N]\n\n[N]: b\n\n", 4000, "\n"),
    shape("unused definitions", "", "[N]: b\n\n", 9000, "\n"),
    shape("html blocks", "", "<p>N</p>\n\n", 9000, "\n"),
    shape("headings", "", "## N\n\n", 9000, "\n"),
    shape("headings without a line between", "", "## N\n", 9000, "\n"),
    shape("dividers", "", "---\n\n", 9000, "\n"),
    shape("hints", "", "{% hint style=\"info\" %}\nN\n{% endhint %}\n", 9000, "\n"),
    shape(
        "paragraphs in hints",
        "{% hint style=\"info\" %}\n",
        "N\n\n",
        9000,
        "{% endhint %}\n\n",
    ),
    shape(
        "tabs",
        "{% tabs %}\n",
        "{% tab title=\"N\" %}\nN\n{% endtab %}\n",
        9000,
        "{% endtabs %}\n\n",
    ),
    shape(
        "steps",
        "{% stepper %}\n",
        "{% step %}\nN\n{% endstep %}\n",
        9000,
        "{% endstepper %}\n\n",
    ),
    shape(
        "columns",
        "{% columns %}\n",
        "{% column %}\nN\n{% endcolumn %}\n",
        9000,
        "{% endcolumns %}\n\n",
    ),
    shape(
        "details",
        "",
        "<details>\n\n<summary>N</summary>\n\nN\n\n</details>\n\n",
        9000,
        "\n",
    ),
    shape("code", "```\n", "  let N = b;\n", 90_000, "```\n\n"),
    shape("code of short lines", "```\n", "N\n", 90_000, "```\n\n"),
    shape("code of empty lines", "```\n", "\n", 90_000, "```\n\n"),
    shape(
        "code in tabs",
        "{% tabs %}\n{% tab %}\n```\n",
        "N\n",
        90_000,
        "```\n{% endtab %}\n{% endtabs %}\n\n",
    ),
    shape(
        "code of empty lines in tabs",
        "{% tabs %}\n{% tab %}\n```\n",
        "\n",
        90_000,
        "```\n{% endtab %}\n{% endtabs %}\n\n",
    ),
    shape(
        "code of short lines in items",
        "* a\n\n  ```\n",
        "  N\n",
        90_000,
        "  ```\n\n",
    ),
    shape("code with footnotes", "```\n", "\n", 990, "```\n\n[^n]: b\n\n"),
    shape("code of html", "<pre><code>", "N\n", 9000, "</code></pre>\n\n"),
    shape(
        "code of html of empty lines",
        "<pre><code>",
        "\n",
        90_000,
        "</code></pre>\n\n",
    ),
    shape(
        "html tables in a hint",
        "{% hint style=\"info\" %}\n",
        "<table><tbody><tr><td>N</td><td>N</td><td>N</td><td>N</td></tr></tbody></table>\n\n",
        9000,
        "{% endhint %}\n\n",
    ),
    shape(
        "html lists in a hint",
        "{% hint style=\"info\" %}\n",
        "<ul><li>N</li><li>N</li><li>N</li><li>N</li><li>N</li><li>N</li></ul>\n\n",
        9000,
        "{% endhint %}\n\n",
    ),
    shape("indented code", "a\n\n", "    N\n", 90_000, "\n"),
    shape("math", "", "$$\nN\n$$\n\n", 9000, "\n"),
    shape("line breaks", "", "some words in a line\\\n", 9000, "\n\n"),
    shape("short line breaks", "", "N\\\n", 9000, "\n\n"),
    shape("lines", "", "N\n", 9000, "\n\n"),
    shape("one paragraph", "", "words N, ", 900_000, "\n\n"),
    shape("emphasis", "", "*a*b", 4900, "\n\n"),
    shape("strong", "", "**N** ", 4900, "\n\n"),
    shape("nested marks", "", "**a _b ~~c~~_** ", 1600, "\n\n"),
    shape("links", "", "[N](b)", 9900, "\n\n"),
    shape("images", "", "![N](b)", 9900, "\n\n"),
    shape("addresses", "", "<http://N> ", 4900, "\n\n"),
    shape("plain addresses", "", "www.N.b ", 4900, "\n\n"),
    shape("mail addresses", "", "a@N.b ", 4900, "\n\n"),
    shape("inline code", "", "`a`b", 4900, "\n\n"),
    shape("formulas", "", "$$a$$ ", 4900, "\n\n"),
    shape("entities", "", "&lt;", 900_000, "\n\n"),
    shape("escapes", "", "\\*", 900_000, "\n\n"),
    shape("emoji", "", ":+1: ", 4900, "\n\n"),
    shape("html elements", "", "<b>", 9000, "\n\n"),
    shape("html marks", "", "<kbd>N</kbd> ", 4900, "\n\n"),
    shape("brackets", "", "[", 900_000, "\n\n"),
    shape("stars", "", "*a ", 900_000, "\n\n"),
    shape("list", "", "* N\n", 9000, "\na\n\n"),
    shape(
        "list of links",
        "",
        "* [name N](https://example.com/N) - a description\n",
        9000,
        "\na\n\n",
    ),
    shape("numbers", "", "1. a\n", 9000, "\na\n\n"),
    shape("tasks", "", "- [ ] N\n", 9000, "\na\n\n"),
    shape("nested lists", "", "* a\n  * b\n    * c\n", 9000, "\na\n\n"),
    shape("lists in items", "", "* * * * * a\n", 3000, "\na\n\n"),
    shape("numbers in items", "", "1. 1. 1. 1. a\n", 3000, "\na\n\n"),
    shape("empty items", "", "*\n", 9000, "\na\n\n"),
    shape("quotes", "", "> N\n>\n", 9000, "\n\n"),
    shape("quotes in quotes", "", "> > > > N\n\n", 9000, "\n\n"),
    shape(
        "pipe table",
        "| a | b | c | d |\n|---|---|---|---|\n",
        "| N | 2 | 3 | 4 |\n",
        2000,
        "\n\n",
    ),
    shape(
        "empty cells",
        "|a|b|c|d|e|f|g|h|\n|-|-|-|-|-|-|-|-|\n",
        "|||||||||\n",
        1000,
        "\n\n",
    ),
    shape(
        "html table",
        "<table><tbody>",
        "<tr><td>N</td><td>b</td></tr>",
        1000,
        "</tbody></table>\n\n",
    ),
    shape("tags in text", "", "{% x %}N ", 9000, "\n\n"),
];

impl Shape {
    pub fn text(&self, length: usize) -> String {
        let (mut text, mut count) = (String::new(), 0);
        while text.len() < length {
            text.push_str(self.before);
            for _ in 0..self.times {
                if text.len() > length {
                    break;
                }
                count += 1;
                text.push_str(&self.unit.replace('N', &word(count)));
            }
            text.push_str(self.after);
        }
        text
    }
}

fn word(mut number: usize) -> String {
    const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789";
    let mut word = String::new();
    loop {
        word.extend(LETTERS.get(number % LETTERS.len()).map(|letter| char::from(*letter)));
        number /= LETTERS.len();
        if number == 0 {
            return word;
        }
    }
}
