//! References of documents.

use super::parse_document;
use crate::{LinkResolver as _, ReferenceRole, UrlResolver, extract_links};

/// Returns the targets of a text with their roles and anchors.
fn all(markdown: &str) -> Vec<(ReferenceRole, String, Option<String>)> {
    let document = parse_document(markdown);
    let found = extract_links(&document).into_iter();
    found
        .map(|link| {
            assert!(link.key.is_some());
            let target = UrlResolver
                .format_target(link.role, &link.reference)
                .unwrap_or_default();
            (link.role, target, link.anchor)
        })
        .collect()
}

fn link(role: ReferenceRole, target: &str, anchor: &str) -> (ReferenceRole, String, Option<String>) {
    let anchor = Some(anchor.to_owned()).filter(|anchor| !anchor.is_empty());
    (role, target.to_owned(), anchor)
}

#[test]
fn all_node_types() {
    let text = "[a](b) ![c](d) <a href=\"e\" class=\"button primary\">f</a> [g](g \"mention\") x[^1]\n\n![h](i)\n\n\
        {% content-ref url=\"j\" %}\n{% endcontent-ref %}\n\n{% file src=\"k\" %}\n{% endfile %}\n\n{% include \"l\" %}\n\n\
        {% swagger src=\"m\" path=\"/\" method=\"get\" %}\n{% endswagger %}\n\n\
        {% openapi-operation spec=\"n\" path=\"/\" method=\"get\" %}\n{% endopenapi-operation %}\n\n\
        <img src=\"o\" alt=\"\" class=\"drawing\">\n\n| [p](q) |\n|---|\n| [r](s) |\n\n{% embed url=\"t\" %}\n\n[^1]: [u](#v)\n";
    let roles = all(text).into_iter().map(|(role, target, _)| (role, target));
    let expected = [
        (ReferenceRole::Link, "b"),
        (ReferenceRole::Media, "d"),
        (ReferenceRole::Link, "e"),
        (ReferenceRole::Link, "g"),
        (ReferenceRole::Link, "#v"),
        (ReferenceRole::Media, "i"),
        (ReferenceRole::Link, "j"),
        (ReferenceRole::File, "k"),
        (ReferenceRole::ReusableContent, "l"),
        (ReferenceRole::Media, "m"),
        (ReferenceRole::Specification, "n"),
        (ReferenceRole::File, "o"),
        (ReferenceRole::Link, "s"),
    ];
    assert_eq!(
        roles.collect::<Vec<_>>(),
        expected.map(|(role, target)| (role, target.to_owned()))
    );
}

#[test]
fn cells_and_dark_variants() {
    let text = "<table data-view=\"cards\"><thead><tr><th data-type=\"content-ref\">a</th><th data-type=\"files\">b</th>\
        <th data-type=\"image\">c</th></tr></thead><tbody><tr><td><a href=\"d\">d</a></td>\
        <td><a href=\"e\">e</a> <a href=\"f\">f</a></td><td><img src=\"g\"></td></tr></tbody></table>\n\n\
        <figure><picture><source srcset=\"h\" media=\"(prefers-color-scheme: dark)\"><img src=\"i\" alt=\"\"></picture></figure>\n";
    assert_eq!(
        all(text),
        [
            link(ReferenceRole::Link, "d", ""),
            link(ReferenceRole::File, "e", ""),
            link(ReferenceRole::File, "f", ""),
            link(ReferenceRole::Media, "g", ""),
            link(ReferenceRole::Media, "i", ""),
            link(ReferenceRole::Media, "h", ""),
        ]
    );
}

#[test]
fn the_nearest_anchor() {
    assert_eq!(
        all(
            "[a](1)\n\n## B [b](2)\n\n[c](3)\n\n{% hint style=\"info\" %}\n### D\n\n[d](4)\n{% endhint %}\n\n[e](5)\n\n\
             {% tabs %}\n{% tab title=\"F\" %}\n[f](6)\n{% endtab %}\n{% endtabs %}\n\n[g](7)\n"
        ),
        [
            link(ReferenceRole::Link, "1", ""),
            link(ReferenceRole::Link, "2", "b-b"),
            link(ReferenceRole::Link, "3", "b-b"),
            link(ReferenceRole::Link, "4", "d"),
            link(ReferenceRole::Link, "5", "b-b"),
            link(ReferenceRole::Link, "6", "f"),
            link(ReferenceRole::Link, "7", "b-b"),
        ]
    );
}

#[test]
fn the_key_of_the_containing_block() {
    let document = parse_document("* a\n  * [b](c)\n");
    let key = extract_links(&document).remove(0).key.unwrap();
    let json = serde_json::to_value(&document).unwrap();
    let paragraph = &json["nodes"][0]["nodes"][0]["nodes"][1]["nodes"][0]["nodes"][0];
    assert_eq!(paragraph["type"], "paragraph");
    assert_eq!(paragraph["key"], key);
}
