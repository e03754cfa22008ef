//! Lists.

use serde_json::{Value, json};

use super::{assert_canonical, assert_round_trip, paragraph};

fn item(nodes: Value) -> Value {
    match nodes == json!([]) {
        true => json!({ "type": "list-item" }),
        false => json!({ "type": "list-item", "nodes": nodes }),
    }
}

fn bullets(items: &[Value]) -> Value {
    json!({ "type": "list-unordered", "nodes": items })
}

#[test]
fn bullets_and_numbers() {
    let two = [item(json!([paragraph("A")])), item(json!([paragraph("B")]))];
    assert_canonical("* A\n* B\n", json!([bullets(&two)]));
    assert_round_trip("- A\n\n- B\n", json!([bullets(&two)]), "* A\n* B\n");
    assert_round_trip("+ A\n+ B\n", json!([bullets(&two)]), "* A\n* B\n");
    assert_canonical("1. A\n2. B\n", json!([{ "type": "list-ordered", "nodes": two }]));
    assert_canonical(
        "7. A\n8. B\n",
        json!([{ "type": "list-ordered", "data": { "start": 7 }, "nodes": two }]),
    );
    assert_round_trip(
        "1) A\n1) B\n",
        json!([{ "type": "list-ordered", "nodes": two }]),
        "1. A\n2. B\n",
    );
}

#[test]
fn tasks() {
    let task = |words: &str, checked: bool| json!({ "type": "list-item", "data": { "checked": checked }, "nodes": [paragraph(words)] });
    let tasks = json!([{ "type": "list-tasks", "nodes": [task("A", false), task("B", true)] }]);
    assert_canonical("* [ ] A\n* [x] B\n", tasks.clone());
    assert_round_trip("1. [ ] A\n2. [X] B\n", tasks, "* [ ] A\n* [x] B\n");
    // A list with tasks and other items becomes two lists.
    let both =
        json!([{ "type": "list-tasks", "nodes": [task("A", false)] }, bullets(&[item(json!([paragraph("B")]))])]);
    assert_round_trip("* [ ] A\n* B\n", both, "* [ ] A\n\n- B\n");
    assert_canonical(
        "* <p>[ ] A</p>\n",
        json!([bullets(&[item(json!([paragraph("[ ] A")]))])]),
    );
}

#[test]
fn lists_in_lists() {
    let inner = bullets(&[item(json!([paragraph("B")]))]);
    assert_canonical(
        "* A\n  - B\n* C\n",
        json!([bullets(&[
            item(json!([paragraph("A"), inner])),
            item(json!([paragraph("C")]))
        ])]),
    );
    let numbers = json!({ "type": "list-ordered", "nodes": [item(json!([paragraph("B")]))] });
    assert_canonical(
        "* A\n  1. B\n",
        json!([bullets(&[item(json!([paragraph("A"), numbers]))])]),
    );
    let first = bullets(&[item(json!([bullets(&[item(json!([bullets(&[item(json!([]))])]))])]))]);
    assert_canonical("* - *\n", json!([first]));
}

#[test]
fn lists_side_by_side() {
    let list = bullets(&[item(json!([paragraph("A")]))]);
    assert_canonical("* A\n\n- A\n\n* A\n", json!([list, list, list]));
    let numbers = json!({ "type": "list-ordered", "nodes": [item(json!([paragraph("A")]))] });
    assert_canonical("1. A\n\n1) A\n", json!([numbers, numbers]));
}

#[test]
fn blocks_in_items() {
    let code =
        json!({ "type": "code", "data": { "syntax": "sh" }, "nodes": [{ "type": "code-line", "nodes": ["ls"] }] });
    let hint = json!({ "type": "hint", "data": { "style": "info" }, "nodes": [paragraph("B")] });
    let quote = json!({ "type": "blockquote", "nodes": [paragraph("C")] });
    let blocks = item(json!([paragraph("A"), code, hint, quote, paragraph("D")]));
    let text = "* A\n\n  ```sh\n  ls\n  ```\n\n  {% hint style=\"info\" %}\n  B\n  {% endhint %}\n\n  > C\n\n  D\n";
    assert_canonical(text, json!([bullets(&[blocks])]));
    assert_canonical(
        "* {% hint style=\"info\" %}\n  B\n  {% endhint %}\n",
        json!([bullets(&[item(json!([hint]))])]),
    );
    assert_canonical("* ___\n", json!([bullets(&[item(json!([{ "type": "divider" }]))])]));
    assert_canonical(
        "* ![a](b.png)\n",
        json!([bullets(&[item(json!([{ "type": "paragraph", "nodes": [
        { "type": "inline-image", "data": { "alt": "a", "ref": { "kind": "url", "url": "b.png" } } },
    ] }]))])]),
    );
}
