//! Plain text of documents by section.

use super::parse_document;
use crate::{TextSection, extract_sections};

fn sections(markdown: &str) -> Vec<(Option<String>, String, String)> {
    let all = extract_sections(&parse_document(markdown)).into_iter();
    all.map(|TextSection { anchor, title, body }| (anchor, title, body))
        .collect()
}

fn section(anchor: &str, title: &str, body: &str) -> (Option<String>, String, String) {
    let anchor = Some(anchor.to_owned()).filter(|anchor| !anchor.is_empty());
    (anchor, title.to_owned(), body.to_owned())
}

#[test]
fn sections_begin_with_headings() {
    assert_eq!(
        sections(
            "Before **all** [that](x).\n\n## First *one*\n\nA\\\nB\n\nC\n\n### Second\n\n## First one\n\n* d\n  * e\n"
        ),
        [
            section("", "", "Before all that."),
            section("first-one", "First one", "A\nB\nC"),
            section("second", "Second", ""),
            section("first-one-1", "First one", "d\ne"),
        ]
    );
    assert_eq!(sections(""), []);
    assert_eq!(sections("---\n"), []);
    assert_eq!(sections("## <a href=\"#x\" id=\"x\"></a>\n"), [section("x", "", "")]);
}

#[test]
fn a_section_in_a_container_ends_with_it() {
    assert_eq!(
        sections("## A\n\n{% hint style=\"info\" %}\na\n\n### B\n\nb\n{% endhint %}\n\nc\n"),
        [section("a", "A", "a\nc"), section("b", "B", "b")]
    );
}

#[test]
fn text_of_all_node_types() {
    let all = "> Quote\n\n```rust title\nfn a() {\n    b\n}\n```\n\n{% code title=\"file.rs\" %}\n```rust\nc\n```\n{% endcode %}\n\n\
        {% tabs %}\n{% tab title=\"One\" %}\nd\n{% endtab %}\n{% endtabs %}\n\n{% stepper %}\n{% step %}\ne\n{% endstep %}\n{% endstepper %}\n\n\
        {% columns %}\n{% column %}\nf\n{% endcolumn %}\n{% endcolumns %}\n\n<details>\n\n<summary>More</summary>\n\ng\n\n</details>\n\n\
        | H1 | H2 |\n|---|---|\n| h | **i** j |\n\n![k](l.png \"m\")\n\n$$\nn\n$$\n\no[^1] :rocket: <code class=\"expression\">p.q</code>\n\n\
        {% if x %}\nr\n{% endif %}\n\n{% openapi src=\"s\" path=\"/t\" method=\"get\" %}\n{% endopenapi %}\n\n[^1]: u\n";
    let expected =
        "Quote\nfn a() {\nb\n}\nfile.rs\nc\nOne\nd\ne\nf\nMore\ng\nH1 H2\nh i j\nk\nm\nn\no1 🚀 p.q\nu\nr\nget /t";
    assert_eq!(sections(all), [section("", "", expected)]);
}

#[test]
fn cells_of_other_types() {
    let table = "<table><thead><tr><th>A</th><th data-type=\"select\" data-options='[{\"value\":\"x\",\"label\":\"Ex\",\"color\":\"blue\"}]'>B</th>\
        <th data-type=\"number\">C</th><th data-type=\"checkbox\">D</th><th data-type=\"content-ref\">E</th></tr></thead><tbody>\
        <tr><td><p>a</p><p>b</p></td><td><span data-option=\"x\">x</span></td><td>1.5</td><td>true</td><td><a href=\"y\">y</a></td></tr>\
        </tbody></table>\n";
    assert_eq!(sections(table), [section("", "", "A B C D E\na b Ex 1.5")]);
}

#[test]
fn neighbouring_inlines_are_separate_words() {
    let button = |label: &str| format!("<a href=\"https://example.com\" class=\"button primary\">{label}</a>");
    let (one, other) = (button("Quickstart"), button("Reference"));
    for (markdown, text) in [
        (format!("{one}{other}\n"), "Quickstart Reference"),
        (format!("{one} {other}\n"), "Quickstart Reference"),
        (format!("Press {one}.\n"), "Press Quickstart."),
        ("A **bold**face word.\n".to_owned(), "A boldface word."),
    ] {
        assert_eq!(sections(&markdown), [section("", "", text)], "{markdown}");
    }
}
