use crate::{Heading, map_addresses, words};

use super::{html, rendered};

#[test]
fn paragraphs_have_their_marks_and_links() {
    let html = html("A **bold** [link](https://example.com/?a=1&b=2 \"Title\") and `code`.");
    assert_eq!(
        html,
        "<p dir=\"auto\">A <strong>bold</strong> <a href=\"https://example.com/?a=1&amp;b=2\" title=\"Title\" \
         rel=\"noopener\">link</a> and <code>code</code>.</p>"
    );
}

#[test]
fn headings_are_in_the_outline_except_those_in_containers() {
    let content =
        rendered("# One\n\n### Two & three\n\n{% hint style=\"info\" %}\n### Within\n{% endhint %}\n\n# One\n");
    let heading = |level, id: &str, title: &str| Heading {
        level,
        id: id.to_owned(),
        title: title.to_owned(),
    };
    assert_eq!(
        content.headings,
        [
            heading(1, "one", "One"),
            heading(2, "two-and-three", "Two & three"),
            heading(1, "one-1", "One")
        ]
    );
    assert!(content.html.as_str().contains("<h3 dir=\"auto\" id=\"within\">"));
}

#[test]
fn first_tab_is_chosen() {
    let html = html(
        "{% tabs %}\n{% tab title=\"A\" %}\none\n{% endtab %}\n\n{% tab title=\"B\" %}\ntwo\n{% endtab %}\n{% endtabs %}\n",
    );
    assert_eq!(html.matches(" checked").count(), 1);
    assert!(
        html.contains("id=\"~1-0\" checked><label for=\"~1-0\">A</label>"),
        "{html}"
    );
    assert!(html.contains("<label for=\"~1-1\">B</label>"), "{html}");
}

#[test]
fn code_is_highlighted_by_classes() {
    let html = html("```rust\nfn main() {} // <end>\n```\n");
    assert!(html.contains("<span class=\"k\">fn</span>"), "{html}");
    assert!(html.contains("&lt;end&gt;"), "{html}");
    assert!(!html.contains("style="), "{html}");
}

#[test]
fn lines_of_code_keep_their_text() {
    let source = "a  = \"<b>\"\n\n\tc\n";
    for language in ["", "python", "unknown-language"] {
        let html = html(&format!("```{language}\n{source}```\n"));
        let text: String = html
            .split('<')
            .skip(1)
            .filter_map(|part| part.split_once('>'))
            .map(|(_, text)| text)
            .collect();
        let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
        assert_eq!(text, source, "{language}: {html}");
    }
}

#[test]
fn formulas_are_mathml_or_their_source() {
    assert!(html("$$\\frac{1}{2}$$\n").contains("<mfrac>"));
    assert!(html("$$\\def\\a{\\a\\a}\\a$$\n").contains("<code class=\"formula\">\\def"));
    let deep = format!("$${}x{}$$\n", "{".repeat(200), "}".repeat(200));
    assert!(html(&deep).contains("<code class=\"formula\">"));
}

#[test]
fn merged_cells_of_tables_have_spans() {
    let html = html(
        "<table><thead><tr><th>A</th><th>B</th></tr></thead><tbody><tr><td colspan=\"2\">x</td></tr>\
         <tr><td>1</td><td>2</td></tr></tbody></table>\n",
    );
    assert!(html.contains("<td dir=\"auto\" colspan=\"2\">"), "{html}");
    assert_eq!(html.matches("<td").count(), 3, "{html}");
}

#[test]
fn lists_of_tasks_say_what_is_done() {
    let html = html("* [x] one\n* [ ] two\n");
    assert!(
        html.contains("class=\"box done\" role=\"img\" aria-label=\"Done\""),
        "{html}"
    );
    assert!(
        html.contains("class=\"box\" role=\"img\" aria-label=\"To do\""),
        "{html}"
    );
}

#[test]
fn footnotes_are_shown_beside_their_block() {
    let html = html("A word[^1] here.\n\n[^1]: The note.\n");
    let (line, note) = html.split_once("</p>").unwrap_or_default();
    assert!(line.contains("popovertarget=\"~1\""), "{html}");
    assert!(note.starts_with("<div popover=\"auto\" id=\"~1\""), "{html}");
}

#[test]
fn each_footnote_of_a_paragraph_is_shown() {
    let html = html("One[^1] two[^2].\n\n[^1]: First.\n\n[^2]: Second.\n");
    let (_, notes) = html.split_once("</p>").unwrap_or_default();
    let notes: Vec<&str> = notes.split("</div>").collect();
    assert!(notes[0].contains("First.") && !notes[0].contains("Second."), "{html}");
    assert!(notes[1].contains("Second."), "{html}");
}

#[test]
fn embeds_are_links_with_what_is_known_of_them() {
    let embed = |path: &str| html(&format!("{{% embed url=\"https://example.com/{path}\" %}}\n"));
    assert!(embed("known").contains("<strong>A known page</strong><small>Example</small>"));
    assert!(embed("other").contains("<strong>example.com</strong><small>https://example.com/other</small>"));
}

#[test]
fn first_paragraphs_are_summaries() {
    let summary = |markdown: &str| rendered(markdown).summary;
    assert_eq!(
        summary("# Title\n\nOne *two*\nthree.\n\nFour.\n").as_deref(),
        Some("One two three.")
    );
    assert_eq!(summary("# Title\n"), None);
    let long = summary(&"ü ".repeat(200)).unwrap_or_default();
    assert!(long.ends_with('…') && long.chars().count() == 156, "{long}");
}

#[test]
fn languages_have_their_words() {
    assert_eq!(words("de-AT").search, "Suche");
    assert_eq!(words("pt-br").search, "Pesquisar");
    assert_eq!(words("nb").search, "Søk");
    assert_eq!(words("tlh").search, "Search");
}

#[test]
fn addresses_of_pages_are_replaced_and_texts_are_not() {
    let html = html("[one](/a) ` href=\"/b\"` [two](https://example.com/?x=1&y=\"2\") <loc>/c</loc>");
    let mut seen = Vec::new();
    let replaced = map_addresses(&html, |address| {
        seen.push(address.to_owned());
        address.starts_with('/').then(|| "../a\"b&c".to_owned())
    });
    assert_eq!(seen, ["/a", "https://example.com/?x=1&y=\"2\""], "{html}");
    assert_eq!(replaced, html.replace("href=\"/a\"", "href=\"../a&quot;b&amp;c\""));
    let sitemap = map_addresses("<url><loc>/a&amp;b</loc></url>", |address| Some(format!(".{address}")));
    assert_eq!(sitemap, "<url><loc>./a&amp;b</loc></url>");
    assert_eq!(
        map_addresses("<a href=\"/cut", |_| Some(String::new())),
        "<a href=\"/cut"
    );
}
