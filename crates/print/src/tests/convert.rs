use std::collections::BTreeSet;

use openapi::document;
use serde_json::{Value, json};

use super::{EVERYTHING, book, convert, parse, print, texts};
use crate::{BookPage, Converter, TooLarge};

/// Parts of blocks, which come within their blocks.
const PARTS: [&str; 7] = [
    "list-item",
    "image",
    "code-line",
    "tabs-item",
    "stepper-step",
    "column",
    "update",
];

/// The types of blocks in the contract.
fn block_types() -> BTreeSet<String> {
    let schemas = document::contract()
        .pointer("/components/schemas")
        .unwrap()
        .as_object()
        .unwrap();
    let is_block = |schema: &&Value| schema.pointer("/properties/object/const") == Some(&json!("block"));
    let of = |schema: &Value| {
        schema
            .pointer("/properties/type/const")
            .unwrap()
            .as_str()
            .unwrap()
            .to_owned()
    };
    schemas.values().filter(is_block).map(of).collect()
}

#[test]
fn every_type_of_block_has_a_form() {
    let types = block_types();
    assert!(types.len() > 30, "{types:?}");
    for kind in types.iter().filter(|kind| !PARTS.contains(&kind.as_str())) {
        let converted = convert(&[json!({ "object": "block", "type": kind, "data": {}, "nodes": [] })]);
        let is_source = converted.iter().any(|node| node["lang"] == "json");
        assert!(!is_source, "{kind}");
    }
    // One of a later version.
    let later = convert(&[json!({ "object": "block", "type": "hologram", "data": { "depth": 3 } })]);
    assert!(texts(&later).contains("hologram"), "{later:?}");
}

#[test]
fn a_text_with_every_construct_is_printed() {
    let made = print(book(convert(&EVERYTHING)));
    assert!(made.file.starts_with(b"%PDF-"));
    assert!(made.pages > 3, "{}", made.pages);
}

#[test]
fn all_words_of_a_text_are_in_the_book() {
    let words = |it: &str| it.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let nodes = parse(
        "# One\n\ntwo **three** [four](https://five.example)\n\n* six\n  1. seven\n\n{% hint style=\"info\" %}\neight\n\
         {% endhint %}\n\n{% tabs %}\n{% tab title=\"nine\" %}\nten\n{% endtab %}\n{% endtabs %}\n\n| eleven | twelve |\n|---|---|\n\
         | thirteen | fourteen |\n\n```rust\nfifteen\n```\n\n<details>\n\n<summary>sixteen</summary>\n\nseventeen\n\n</details>\n\n$$\n\
         eighteen\n$$\n\n- [x] nineteen\n",
    );
    let found = texts(&convert(&nodes));
    for word in words(
        "One two three four six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen",
    ) {
        assert!(found.contains(&word), "{word}: {found}");
    }
}

#[test]
fn links_lead_into_the_book_or_out_of_it() {
    let nodes = parse("[a](/pages/p2#part) [b](/pages/p1) [c](https://out.example/) [d](#here)\n\n# Here\n");
    let converted = convert(&nodes);
    let links: Vec<&Value> = converted[0]["body"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["k"] == "link")
        .collect();
    assert_eq!(links[0]["anchor"], "page p2 part");
    assert_eq!(links[0]["page"], "page p2");
    assert_eq!(links[1]["page"], "page p1");
    assert_eq!(links[2]["to"], "https://out.example/");
    assert_eq!(links[3]["anchor"], "page p1 here");
    assert_eq!(converted[1]["label"], "page p1 here");
    // A page that the book does not have, and a heading that occurs twice.
    let mut book = book([converted.clone(), converted].concat());
    book.pages.push(BookPage {
        label: "page p9".to_owned(),
        title: "Again".to_owned(),
        ..book.pages[0].clone()
    });
    let made = print(book);
    let links = made.file.windows(6).filter(|bytes| bytes == b"/Dest ").count();
    assert!(
        links > 0 || made.file.windows(5).any(|bytes| bytes == b"/XYZ "),
        "no link within the book"
    );
}

#[test]
fn the_nodes_of_a_book_are_counted() {
    let mut resolver = super::Fixed {
        reusable: parse("a\n\nb\n\nc\n"),
    };
    let block = json!({ "object": "block", "type": "reusable-content", "data": { "ref": { "reusableContent": "r" } } });
    resolver.reusable = vec![block.clone(); 50];
    // Contents that include themselves, fifty times each.
    let converted = Converter::new(&mut resolver, 10_000).page("p", 1, &[block]);
    assert_eq!(converted, Err(TooLarge));
}

#[test]
fn merged_cells_stay_within_the_table() {
    let merge = |record: &str, column: &str, rows: u32, columns: u32| json!({ "anchor": { "record": record, "column": column }, "rowSpan": rows, "colSpan": columns });
    let definition = json!({ "id": "a", "title": "A", "type": "number" });
    let record = |order: &str| json!({ "orderIndex": order, "values": { "a": 1, "b": 2 } });
    let table = json!({ "object": "block", "type": "table", "data": {
        "view": { "type": "grid", "columns": ["a", "b"], "hideHeader": false },
        "records": { "r1": record("a"), "r2": record("b") },
        "definition": { "a": definition, "b": definition },
        "cellMerges": [merge("r1", "b", 99, 99), merge("r1", "a", 1, 2), merge("r9", "a", 2, 2), merge("r2", "a", 1, 1)],
    }, "fragments": [] });
    let converted = convert(&[table]);
    let cells = converted[0]["cells"].as_array().unwrap();
    let spans: Vec<_> = cells
        .iter()
        .map(|cell| (cell["rows"].clone(), cell["columns"].clone()))
        .collect();
    assert_eq!(
        spans,
        [(json!(1), json!(1)), (json!(2), json!(1)), (json!(1), json!(1))]
    );
    print(book(converted));
}

#[test]
fn lists_in_aligned_cells_stay_beside_their_marks() {
    let printed = |rule: &str| {
        let table = format!("| |\n| {rule} |\n| <ul><li>One</li></ul><ol><li>Two</li></ol> |");
        print(book(convert(&parse(&table)))).file
    };
    let at_the_start = printed("---");
    for rule in [":-:", "--:"] {
        assert!(printed(rule) == at_the_start, "{rule}");
    }
}

#[test]
fn references_are_called_by_the_titles_of_pages() {
    let nodes = parse(
        "{% content-ref url=\"/pages/p2\" %}\n[p2.md](/pages/p2)\n{% endcontent-ref %}\n\n\
         {% content-ref url=\"https://out.example/\" %}\n[Elsewhere](https://out.example/)\n{% endcontent-ref %}\n\n\
         <table><thead><tr><th data-type=\"content-ref\">a</th><th data-type=\"files\">b</th><th data-type=\"image\">c</th></tr></thead>\
         <tbody><tr><td><a href=\"/pages/p2\">p2.md</a></td><td><a href=\"/files/f1\">The plan</a></td>\
         <td><a href=\"/files/f2\">card.png</a></td></tr></tbody></table>\n",
    );
    let converted = convert(&nodes);
    let [page, other, table] = converted.as_slice() else {
        panic!("{converted:?}")
    };
    assert_eq!(texts(std::slice::from_ref(page)).trim(), "p2");
    assert_eq!(texts(std::slice::from_ref(other)).trim(), "Elsewhere");
    let [target, file, image] = [0, 1, 2].map(|number| &table["cells"][number]["body"]);
    assert_eq!(target[0]["body"][0]["page"], page["page"]);
    assert_eq!(texts(target.as_array().unwrap()).trim(), "p2");
    assert_eq!(texts(file.as_array().unwrap()).trim(), "The plan");
    assert_eq!(image[0]["k"], "image", "{image}");
}
