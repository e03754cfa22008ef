//! Blocks that their container does not accept stay in it, as their source.

use serde_json::json;

use super::{paragraph, parse_nodes, source};

#[test]
fn code_in_quotes_and_hints_is_code() {
    let kept = json!({ "type": "paragraph", "nodes": [{ "source": "```\nc\n```", "text": "c" }] });
    let quote = json!({ "type": "blockquote", "nodes": [paragraph("A"), kept, paragraph("B")] });
    assert_eq!(parse_nodes("> A\n>\n> ```\n> c\n> ```\n>\n> B"), json!([quote]));
    let data = json!({ "style": "info" });
    let hint = json!({ "type": "hint", "data": data, "nodes": [paragraph("A"), kept, paragraph("B")] });
    assert_eq!(
        parse_nodes("{% hint style=\"info\" %}\nA\n\n```\nc\n```\n\nB\n{% endhint %}"),
        json!([hint])
    );
}

#[test]
fn items_go_on_after_it() {
    let embed = json!({ "type": "paragraph", "nodes": [{ "source": "{% embed url=\"e\" %}", "text": "e" }] });
    let item = |nodes| json!({ "type": "list-item", "nodes": nodes });
    let items = json!([item(json!([paragraph("A"), embed])), item(json!([paragraph("B")]))]);
    assert_eq!(
        parse_nodes("1. A\n\n   {% embed url=\"e\" %}\n\n2. B"),
        json!([{ "type": "list-ordered", "nodes": items }])
    );
}

#[test]
fn containers_in_quotes_keep_their_tags() {
    let tags = ["{% stepper %}", "{% step %}", "{% endstep %}", "{% endstepper %}"].map(source);
    let [stepper, step, endstep, endstepper] = tags;
    assert_eq!(
        parse_nodes("> {% stepper %}\n> {% step %}\n> A\n> {% endstep %}\n> {% endstepper %}"),
        json!([{ "type": "blockquote", "nodes": [stepper, step, paragraph("A"), endstep, endstepper] }])
    );
}
