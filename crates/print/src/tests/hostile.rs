use proptest::prelude::*;
use serde_json::{Value, json};
use typst::foundations::Bytes;

use super::{EVERYTHING, book, convert, parse, print};
use crate::{
    Book, BookPage, ImageSource,
    typeset::{typeset, without_time_for_images},
};

/// Texts that would be code, or leave it, if they came into the source of the typesetter.
pub const CODE: [&str; 12] = [
    "#panic(\"code\")",
    "#read(\"/etc/passwd\")",
    "#import \"@preview/cetz:0.3.0\"",
    "]#panic()[",
    "\")#panic(\"",
    "$ x + #panic() $",
    "`#panic()`",
    "<label> @label @page",
    "\\ #let x = 1; // /* ",
    "*/ = Heading\n- item",
    "\u{202e}\u{200f}#panic()\u{0}\u{7}\u{feff}",
    "#{while true {}}",
];

/// A text node for each place that the contract has for words.
fn everywhere(text: &str) -> Vec<Value> {
    let leaf = json!({ "object": "text", "leaves": [{ "object": "leaf", "text": text, "marks": [{ "type": "code" }, { "type": "color", "data": { "text": text, "background": text } }] }] });
    let paragraph = json!({ "type": "paragraph", "data": { "align": text }, "nodes": [leaf] });
    let reference = json!({ "kind": "url", "url": text, "page": text, "anchor": text });
    vec![
        json!({ "type": "heading-1", "data": { "id": text }, "nodes": [leaf] }),
        json!({ "type": "hint", "data": { "style": text, "icon": text }, "nodes": [paragraph] }),
        json!({ "type": "code", "data": { "syntax": text, "title": text, "lineNumbers": true }, "nodes": [{ "type": "code-line", "nodes": [leaf] }] }),
        json!({ "type": "math", "data": { "formula": text } }),
        json!({ "type": "embed", "data": { "url": text } }),
        json!({ "type": "content-ref", "data": { "ref": reference, "text": text } }),
        json!({ "type": "openapi-operation", "data": { "path": text, "method": text, "ref": reference }, "meta": { "id": text } }),
        json!({ "type": "tabs", "nodes": [{ "type": "tabs-item", "data": { "title": text }, "meta": { "id": text }, "nodes": [paragraph] }] }),
        json!({ "type": "images", "data": { "align": text }, "nodes": [{ "type": "image", "data": { "ref": { "file": text }, "alt": text }, "fragments": [] }] }),
        json!({ "type": "updates", "nodes": [{ "type": "update", "data": { "date": text, "tags": [{ "tag": text }] }, "nodes": [paragraph] }] }),
        json!({ "type": text, "data": {} }),
        json!({ "type": "paragraph", "nodes": [
            { "type": "link", "data": { "ref": reference }, "nodes": [leaf] },
            { "type": "emoji", "data": { "code": text } },
            { "type": "icon", "data": { "icon": text } },
            { "type": "expression", "data": { "expression": text } },
            { "type": "inline-math", "data": { "formula": text } },
            { "type": "inline-image", "data": { "ref": { "file": text }, "alt": text } },
            { "type": "mention", "data": { "ref": reference, "text": text } },
            { "type": "button", "data": { "label": text, "ref": reference } },
            { "type": "annotation", "nodes": [leaf], "fragments": [{ "nodes": [paragraph] }] },
        ] }),
    ]
}

#[test]
fn texts_are_never_code() {
    let nodes: Vec<Value> = CODE.iter().flat_map(|text| everywhere(text)).collect();
    let mut book = book(convert(&nodes));
    for text in CODE {
        book.pages.push(BookPage {
            level: 2,
            label: text.to_owned(),
            title: text.to_owned(),
            description: Some(text.to_owned()),
            nodes: Vec::new(),
        });
    }
    book.title = CODE.concat();
    book.author = CODE.concat();
    book.subtitles = CODE.map(str::to_owned).into();
    print(book);
}

#[test]
fn deep_nesting_is_printed() {
    let deep = |open: &str, close: &str| format!("{}\n\ndeep\n\n{}", open.repeat(30), close.repeat(30));
    let quotes = format!("{}deep", "> ".repeat(30));
    let lists: String = (0..30).map(|depth| format!("{}* item\n", "  ".repeat(depth))).collect();
    let hints = deep("{% if true %}\n\n", "{% endif %}\n\n");
    let mixed: String = (0..15)
        .map(|depth| format!("{}* > item\n", "    ".repeat(depth)))
        .collect();
    for text in [quotes, lists, hints, mixed] {
        print(book(convert(&parse(&text))));
    }
}

#[test]
fn images_that_cannot_be_read_are_words() {
    let sources = [
        ("cut.png", &b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x10\x08\x02\0\0\0"[..]),
        ("huge.png", &b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\xff\xff\xff\0\xff\xff\xff\x08\x02\0\0\0\x2b\x1e\x02\x97"[..]),
        ("text.png", b"no image"),
        ("linked.svg", br#"<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="9" height="9"><image width="9" height="9" xlink:href="/etc/passwd"/><image xlink:href="http://127.0.0.1/"/></svg>"#),
        ("entities.svg", br#"<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text>&x;</text></svg>"#),
        ("good.svg", br##"<svg xmlns="http://www.w3.org/2000/svg" width="90" height="9000"><rect width="9" height="9" fill="#f00"/></svg>"##),
    ];
    let image = |name: &str| json!({ "type": "image", "data": { "ref": { "file": name }, "alt": "a picture" }, "fragments": [] });
    let images: Vec<Value> = sources.iter().map(|(name, _)| image(name)).collect();
    let mut book = book(convert(&[json!({ "type": "images", "data": {}, "nodes": images })]));
    book.images = sources
        .iter()
        .map(|(name, bytes)| ImageSource {
            name: (*name).to_owned(),
            size: bytes.len() as u64,
        })
        .collect();
    let bytes = sources.iter().map(|(_, bytes)| Bytes::new(bytes.to_vec())).collect();
    typeset(book, bytes, &[]).unwrap();
}

#[test]
fn images_beyond_their_time_are_words() {
    let image = json!({ "type": "image", "data": { "ref": { "file": "a.svg" }, "alt": "a picture" }, "fragments": [] });
    let with = |bytes: &[u8]| {
        let nodes = convert(&[json!({ "type": "images", "data": {}, "nodes": [image] })]);
        let source = ImageSource {
            name: "a.svg".to_owned(),
            size: bytes.len() as u64,
        };
        let images = vec![source];
        (Book { images, ..book(nodes) }, vec![Bytes::new(bytes.to_vec())])
    };
    let good = br##"<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90"><rect width="9" height="9" fill="#f00"/></svg>"##;
    let [(book, bytes), (late_book, late_bytes), (other_book, other_bytes)] =
        [with(good), with(good), with(b"no image")];
    let late = without_time_for_images(late_book, late_bytes).unwrap().file;
    assert_eq!(late, typeset(other_book, other_bytes, &[]).unwrap().file);
    assert_ne!(late, typeset(book, bytes, &[]).unwrap().file);
}

#[test]
fn a_broad_table_is_printed() {
    let columns: Vec<String> = (0..40).map(|column| format!("c{column}")).collect();
    let head = columns.join(" | ");
    let text = format!("| {head} |\n|{}\n| {head} |\n", "---|".repeat(40));
    print(book(convert(&parse(&text))));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn any_text_is_printed(text in "\\PC{0,60}", lines in "(?s).{0,200}") {
        let mut nodes = everywhere(&text);
        nodes.extend(parse(&lines));
        print(book(convert(&nodes)));
    }
}

#[test]
fn every_construct_can_be_in_every_language() {
    for (language, region) in [
        ("ar", None),
        ("he", None),
        ("ja", None),
        ("zh", Some("TW")),
        ("ko", None),
        ("el", None),
    ] {
        let mut book = book(convert(&EVERYTHING));
        book.language = language.to_owned();
        book.region = region.map(str::to_owned);
        print(book);
    }
}
