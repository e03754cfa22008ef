//! Hoisting: blocks that their container does not accept follow it.

use serde_json::{Value, json};

use super::{paragraph, parse_nodes};

fn code() -> Value {
    json!({ "type": "code", "nodes": [{ "type": "code-line", "nodes": ["c"] }] })
}

#[test]
fn quotes_and_hints_continue_after_it() {
    let quote = |words: &str| json!({ "type": "blockquote", "nodes": [paragraph(words)] });
    assert_eq!(
        parse_nodes("> A\n>\n> ```\n> c\n> ```\n>\n> B"),
        json!([quote("A"), code(), quote("B")])
    );
    let hint = |words: &str| json!({ "type": "hint", "data": { "style": "info" }, "nodes": [paragraph(words)] });
    assert_eq!(
        parse_nodes("{% hint style=\"info\" %}\nA\n\n```\nc\n```\n\nB\n{% endhint %}"),
        json!([hint("A"), code(), hint("B")])
    );
}

#[test]
fn items_and_tabs_end_with_it() {
    let embed = json!({ "type": "embed", "data": { "url": "e" } });
    let item = |words: &str| json!({ "type": "list-item", "nodes": [paragraph(words)] });
    let numbers = |start: Value, words: &str| match start.is_null() {
        true => json!({ "type": "list-ordered", "nodes": [item(words)] }),
        false => json!({ "type": "list-ordered", "data": { "start": start }, "nodes": [item(words)] }),
    };
    let list = parse_nodes("1. A\n\n   {% embed url=\"e\" %}\n\n2. B");
    assert_eq!(list, json!([numbers(json!(null), "A"), embed, numbers(json!(2), "B")]));
    let tab = |title: &str, words: &str| json!({ "type": "tabs", "nodes": [{ "type": "tabs-item", "data": { "title": title }, "nodes": [paragraph(words)] }] });
    let tabs = parse_nodes(
        "{% tabs %}\n{% tab title=\"1\" %}\nA\n\n{% hint style=\"info\" %}\n```\nc\n```\n{% endhint %}\n\n| t |\n|---|\n\nB\n{% endtab %}\n\n{% tab title=\"2\" %}\nC\n{% endtab %}\n{% endtabs %}",
    );
    assert_eq!(tabs[0]["nodes"][0]["nodes"], json!([paragraph("A"), code()]));
    assert_eq!(tabs[1]["type"], "table");
    assert_eq!(tabs[2], paragraph("B"));
    assert_eq!(tabs[3], tab("2", "C"));
}

#[test]
fn nested_containers_are_hoisted() {
    let inner = parse_nodes("> {% stepper %}\n> {% step %}\n> A\n> {% endstep %}\n> {% endstepper %}");
    assert_eq!(
        inner,
        json!([{ "type": "stepper", "nodes": [{ "type": "stepper-step", "nodes": [paragraph("A")] }] }])
    );
}
