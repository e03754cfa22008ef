//! Errors of rendering, with their pointers.

use openapi::models::Document;
use openapi::{enums::Enumeration as _, error::ErrorRule};
use serde_json::{Value, json};

use super::render;
use crate::{DocumentLimits, parse};

#[track_caller]
fn assert_error(nodes: Value, code: &str, pointer: &str) {
    let document: Document =
        serde_json::from_value(json!({ "object": "document", "data": {}, "nodes": nodes })).unwrap();
    let error = render(&document).unwrap_err();
    assert_eq!(
        (error.code.as_str(), error.pointer.as_str()),
        (code, pointer),
        "{error}"
    );
}

fn text(words: &str) -> Value {
    json!({ "object": "text", "leaves": [{ "object": "leaf", "text": words, "marks": [] }] })
}

fn block(name: &str, more: Value) -> Value {
    let mut block = json!({ "object": "block", "type": name });
    for (name, value) in more.as_object().unwrap() {
        block[name] = value.clone();
    }
    block
}

#[test]
fn blocks() {
    assert_error(json!([block("list-unordered", json!({}))]), "empty-list", "/nodes/0");
    let item = json!({ "object": "block", "type": "list-item", "nodes": [] });
    assert_error(
        json!([block(
            "list-ordered",
            json!({ "data": { "start": 2_000_000_000 }, "nodes": [item] })
        )]),
        "list-number",
        "/nodes/0",
    );
    assert_error(
        json!([block("images", json!({ "isVoid": false, "data": {} }))]),
        "no-image",
        "/nodes/0",
    );
    let bold = json!({ "object": "text", "leaves": [{ "object": "leaf", "text": "a", "marks": [{ "object": "mark", "type": "bold" }] }] });
    let line = json!({ "object": "block", "type": "code-line", "data": {}, "nodes": [bold] });
    assert_error(
        json!([block("code", json!({ "data": {}, "nodes": [line] }))]),
        "marks-in-code",
        "/nodes/0/nodes/0",
    );
    assert_error(
        json!([block(
            "math",
            json!({ "isVoid": true, "data": { "formula": "a\n$$\nb" } })
        )]),
        "not-expressible",
        "/nodes/0",
    );
}

#[test]
fn integrations() {
    let integration = |more: Value| {
        let mut data = json!({ "integration": "a", "block": "b", "props": {} });
        for (name, value) in more.as_object().unwrap() {
            data[name] = value.clone();
        }
        json!([block("integration", json!({ "isVoid": true, "data": data }))])
    };
    assert_error(
        integration(json!({ "action": { "action": "@link.unfurl" } })),
        "integration-action",
        "/nodes/0",
    );
    assert_error(
        integration(json!({ "props": { "a": { "b": 1 } } })),
        "integration-props",
        "/nodes/0",
    );
}

#[test]
fn text_that_would_parse_differently() {
    let line = |words: &str| json!({ "object": "block", "type": "code-line", "data": {}, "nodes": [text(words)] });
    let code = block("code", json!({ "data": {}, "nodes": [line("fine"), line("a\rb")] }));
    assert_error(
        json!([block("divider", json!({ "isVoid": true, "data": {} })), code]),
        "not-expressible",
        "/nodes/1/nodes/1/nodes/0",
    );
    let aligned =
        json!({ "object": "block", "type": "paragraph", "data": { "align": "center" }, "nodes": [text("a")] });
    let expandable = json!([
        { "object": "fragment", "fragment": "expandable-title", "type": "expandable-title", "nodes": [aligned] },
        { "object": "fragment", "fragment": "expandable-body", "type": "expandable-body", "nodes": [block("paragraph", json!({}))] },
    ]);
    let expandable = block(
        "expandable",
        json!({ "isVoid": true, "data": {}, "fragments": expandable }),
    );
    assert_error(json!([expandable]), "not-expressible", "/nodes/0/fragments/0/nodes/0");
}

#[test]
fn cells() {
    let definition = json!({ "a": { "id": "a", "title": "A", "type": "text", "textAlignment": "left" } });
    let table = |values: Value, nodes: Value| {
        json!([block(
            "table",
            json!({
                "isVoid": true,
                "data": {
                    "view": { "type": "grid", "columns": ["a"], "hideHeader": false },
                    "records": { "r": { "orderIndex": "1", "values": values } },
                    "definition": definition,
                },
                "fragments": [{ "object": "fragment", "fragment": "f", "nodes": nodes }],
            })
        )])
    };
    let list = block(
        "hint",
        json!({ "data": { "style": "info" }, "nodes": [block("paragraph", json!({ "nodes": [text("a")] }))] }),
    );
    assert_error(
        table(json!({ "a": "f" }), json!([list])),
        "table-cell",
        "/nodes/0/fragments/0/nodes/0",
    );
    assert_error(table(json!({ "a": "g" }), json!([])), "no-fragment", "/nodes/0");
    assert_error(table(json!({ "a": 5 }), json!([])), "cell-type", "/nodes/0");
    let words = json!([block("paragraph", json!({ "nodes": [text("lost")] }))]);
    assert_error(table(json!({}), words), "not-expressible", "/nodes/0/fragments/0");
}

#[test]
fn documents() {
    let mut document = super::parse_document("a");
    document.data.additional.insert("more".to_owned(), json!(1));
    assert_eq!(render(&document).unwrap_err().code, ErrorRule::DocumentData);
}

#[test]
fn depth() {
    let mut nodes = json!([block("paragraph", json!({ "nodes": [text("a")] }))]);
    for _ in 0..40 {
        nodes = json!([block("blockquote", json!({ "nodes": nodes }))]);
    }
    let document: Document =
        serde_json::from_value(json!({ "object": "document", "data": {}, "nodes": nodes })).unwrap();
    assert_eq!(render(&document).unwrap_err().code, ErrorRule::TooDeep);
}

#[test]
fn text_over_the_limits() {
    let limits = DocumentLimits {
        bytes: 10,
        ..DocumentLimits::default()
    };
    assert_eq!(parse("01234567890", &limits).unwrap_err().code, ErrorRule::TooLong);
    let limits = DocumentLimits {
        children: 2,
        ..DocumentLimits::default()
    };
    assert!(parse("a\n\nb", &limits).is_ok());
    assert_eq!(parse("a\n\nb\n\nc", &limits).unwrap_err().code, ErrorRule::TooManyNodes);
}

#[test]
fn contents_of_containers_count_as_nodes() {
    let limits = DocumentLimits {
        nodes: 40,
        children: 20,
        counts_contents: true,
        ..DocumentLimits::default()
    };
    let lines = "a\n".repeat(50);
    let table = format!("<table><tr>{}</tr></table>\n\n", "<td>a</td>".repeat(10));
    for text in [
        format!("{{% code title=\"a\" %}}\n```\n{lines}```\n{{% endcode %}}"),
        format!("{{% tabs %}}\n{{% tab title=\"a\" %}}\n```\n{lines}```\n{{% endtab %}}\n{{% endtabs %}}"),
        format!("{{% hint style=\"info\" %}}\n```\n{lines}```\n{{% endhint %}}"),
        format!(
            "{{% prompt description=\"a\" %}}\nb\n{}c\n{{% endprompt %}}",
            "\n".repeat(50)
        ),
        format!("* ```\n{}  ```", "  a\n".repeat(50)),
        format!("<pre><code>{lines}</code></pre>"),
        format!("{{% hint style=\"info\" %}}\n{table}{table}{{% endhint %}}"),
    ] {
        let code = crate::check(&text, &limits).err().map(|error| error.code);
        assert_eq!(code, Some(ErrorRule::TooManyNodes), "{text}");
        // Texts that are stored already stay readable.
        let stored = DocumentLimits {
            counts_contents: false,
            ..limits
        };
        assert_eq!(crate::check(&text, &stored), Ok(()), "{text}");
    }
}

#[test]
fn contents_of_a_block_count_in_that_block_only() {
    let limits = DocumentLimits {
        nodes: 60,
        counts_contents: true,
        ..DocumentLimits::default()
    };
    let (code, list) = (format!("```\n{}```\n\n", "a\n".repeat(40)), "* a\n".repeat(17));
    assert_eq!(crate::check(&format!("{code}{list}\n{code}"), &limits), Ok(()));
    assert_eq!(
        crate::check(
            &format!("{code}{{% hint style=\"info\" %}}\n{list}{{% endhint %}}\n"),
            &limits
        ),
        Ok(())
    );
    let in_hint = format!("{{% hint style=\"info\" %}}\n{list}\n{code}{{% endhint %}}\n");
    let code = crate::check(&in_hint, &limits).err().map(|error| error.code);
    assert_eq!(code, Some(ErrorRule::TooManyNodes));
}

#[test]
fn the_lines_of_code_and_of_comments_in_new_texts_are_limited() {
    for (begin, line, end) in [
        ("```\n", "\n", "```"),
        ("<!--\n", "\n", "-->"),
        ("> ~~~~\n", ">\n", "> ~~~~"),
        ("<pre>\n", "\n", "</pre>"),
    ] {
        let check = |lines: usize| {
            let text = format!("{begin}{}{end}\n\n{begin}{}{end}", line.repeat(lines), line.repeat(100));
            let checked = crate::check(&text, &DocumentLimits::of_new_texts());
            (
                checked.map_err(|error| error.code),
                crate::check(&text, &DocumentLimits::default()),
            )
        };
        let is_in_quote = begin.starts_with('>');
        let (checked, stored) = check(if is_in_quote { 20_000 } else { 99_999 });
        assert_eq!((checked, stored), (Ok(()), Ok(())), "{begin}");
        assert_eq!(check(100_001).0, Err(ErrorRule::TooManyNodes), "{begin}");
    }
}

#[test]
fn long_lists_and_tables_are_within_the_limits_of_new_texts() {
    let item = "* [Max\\_valves\\_1](valves.md#max_valves_1)\n";
    for text in [
        item.repeat(10_000),
        format!("> {item}").repeat(10_000),
        "- [ ] [a](b) c\n".repeat(10_000),
        format!("|a|b|\n|-|-|\n{}", "| [a](b) | **c** |\n".repeat(4_900)),
    ] {
        assert_eq!(crate::check(&text, &DocumentLimits::of_new_texts()), Ok(()));
    }
    assert!(crate::check(&"* a\n".repeat(10_001), &DocumentLimits::of_new_texts()).is_err());
    assert!(crate::check(&"*a* ".repeat(80_000), &DocumentLimits::of_new_texts()).is_err());
}

#[test]
fn long_code_is_within_the_limits_of_new_texts() {
    let code: String = (0..24_000).map(|line| format!("    let x{line} = y;\n")).collect();
    for text in [
        format!("```\n{}```", "a\n".repeat(90_000)),
        format!("{{% code title=\"a\" %}}\n```\n{code}```\n{{% endcode %}}"),
        format!("{{% tabs %}}\n{{% tab title=\"a\" %}}\n```\n{code}```\n{{% endtab %}}\n{{% endtabs %}}"),
    ] {
        assert_eq!(crate::check(&text, &DocumentLimits::of_new_texts()), Ok(()));
    }
}
