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
    shape("links to many targets", "", "[](N)", 9900, "\n\n"),
    shape(
        "references to many definitions",
        "",
        "[N]: N\n",
        500,
        "\n[a] [b] [c] [aa] [bb]\n\n",
    ),
    shape("links in a text", "", "[](b) ", 4900, "\n\n"),
    shape("links to many targets in a text", "", "[](N) ", 4900, "\n\n"),
    shape("comment of empty lines", "<!--\n", "\n", 90_000, "-->\n\n"),
    shape("one comment of empty lines", "<!--\n", "\n", 9_000_000, "-->\n\n"),
    shape("one block of code of empty lines", "```\n", "\n", 9_000_000, "```\n\n"),
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
    shape("code of one empty line", "", "```\n\n```\n", 9000, "\n"),
    shape("code of empty lines in a quote", "> ```\n", ">\n", 90_000, "> ```\n\n"),
    shape("code without end", "```\n", "\n", 90_000, ""),
    shape("code of tildes", "~~~\n", "N\n\n", 45_000, "~~~\n\n"),
    shape(
        "code of empty lines and a definition",
        "[a]: b\n\n```\n",
        "\n",
        90_000,
        "```\n\n",
    ),
    shape("code of spaces", "```\n", " \n", 90_000, "```\n\n"),
    shape("empty lines", "a", "\n", 90_000, "a\n\n"),
    shape("comments", "", "<!-- N -->\n\n", 9000, "\n"),
    shape("one html block", "<div>\n", "<b>N</b>\n", 4000, "</div>\n\n"),
    shape("table of one column", "|a|\n|-|\n", "|N|\n", 4000, "\n\n"),
    shape(
        "long html table of one column",
        "<table>",
        "<tr><td>N",
        9900,
        "</table>\n\n",
    ),
    shape("short lists", "", "* N\n", 4500, "\na\n\n"),
    shape("short lists of tasks", "", "- [ ] N\n", 4500, "\na\n\n"),
    shape(
        "short paragraphs in hints",
        "{% hint style=\"info\" %}\n",
        "N\n\n",
        9900,
        "{% endhint %}\n\n",
    ),
    shape("rows without bars", "|a|\n|-|\n", "N\n", 6500, "\n\n"),
    shape("longest table of one column", "|a|\n|-|\n", "|N|\n", 9900, "\n\n"),
    shape("long table of one column", "|a|\n|-|\n", "|N|\n", 6500, "\n\n"),
    shape(
        "table of many columns",
        "|a|b|c|d|e|f|g|h|i|j|k|l|m|n|o|p|\n|-|-|-|-|-|-|-|-|-|-|-|-|-|-|-|-|\n",
        "|a|b|c|d|e|f|g|h|i|j|k|l|m|n|o|p|\n",
        500,
        "\n\n",
    ),
    shape(
        "short rows",
        "|a|b|c|d|e|f|g|h|i|j|k|l|m|n|o|p|\n|-|-|-|-|-|-|-|-|-|-|-|-|-|-|-|-|\n",
        "||\n",
        1000,
        "\n\n",
    ),
    shape(
        "marks in cells",
        "|a|b|c|d|\n|-|-|-|-|\n",
        "|*a*|**b**|`c`|~~d~~|\n",
        800,
        "\n\n",
    ),
    shape("links in cells", "|a|b|\n|-|-|\n", "|[N](b)|![N](c)|\n", 1200, "\n\n"),
    shape(
        "deep list",
        "",
        "* a\n  * b\n    * c\n      * d\n        * e\n          * f\n            * g\n              * h\n",
        1100,
        "\na\n\n",
    ),
    shape("list of code", "", "* ```\n  N\n  ```\n", 4000, "\na\n\n"),
    shape("list of marks", "", "* *a* **b**\n", 2500, "\na\n\n"),
    shape("short paragraphs", "", "N\n\n", 9000, "---\n\n"),
    shape("deep quotes", "", "> a\n> > b\n> > > c\n> > > > d\n\n", 2000, "\n"),
    shape("references", "[n]: b\n\n", "[N][n] ", 4900, "\n\n"),
    shape("references to one footnote", "[^n]: b\n\n", "N[^n] ", 4900, "\n\n"),
    shape("one word of marks", "", "***~~`a`~~*** ", 1900, "\n\n"),
    shape("numeric entities", "", "&#1;", 900_000, "\n\n"),
    shape("expressions", "", "<code class=\"expression\">N</code> ", 4900, "\n\n"),
    shape("carriage returns", "", "N\r\n\r\n", 9000, "---\r\n\r\n"),
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
