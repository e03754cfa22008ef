//! Values in the places of expressions.

use serde_json::{Value, json};

use super::without_common_members;
use crate::{
    DocumentLimits, DocumentStream, ExpressionSources, ExpressionValue, ExpressionValues, IdPathResolver,
    evaluate_block, evaluate_markdown,
};

const TEXT: &str = r##"# A <code class="expression">space.vars.a</code>

{% if visitor.claims.yes %}
One

{% if visitor.claims.no %}
Never
{% endif %}

- Two <code class="expression">bad</code>
{% endif %}

{% if visitor.claims.no %}
Never <code class="expression">space.vars.hidden</code>
{% endif %}

| a | b |
|---|---|
| <code class="expression">space.vars.a</code> | <code class="expression">visitor.claims.name</code> |

<pre><code>x=<code class="expression">space.vars.a</code>
</code></pre>

{% tabs %}
{% tab title="T" %}
<code class="expression">space.vars.lines</code>
{% endtab %}
{% endtabs %}
"##;

fn values() -> ExpressionValues {
    let text = |text: &str| ExpressionValue::Text(text.to_owned());
    let values = [
        ("space.vars.a", text("*v1*")),
        ("space.vars.lines", text(" a\nb ")),
        ("visitor.claims.name", ExpressionValue::Unevaluated),
        ("bad", ExpressionValue::Failed),
    ];
    let holding = ["visitor.claims.yes".to_owned()];
    let values = values.map(|(source, value)| (source.to_owned(), value));
    ExpressionValues::new(holding.into(), values.into())
}

fn nodes(markdown: &str, values: &mut ExpressionValues) -> Value {
    let mut blocks = Vec::new();
    let mut stream = DocumentStream::new(markdown, &DocumentLimits::default(), &IdPathResolver).expect("parses");
    let mut evaluate = |block| evaluate_block(block, values, &mut |block| blocks.push(block));
    stream.for_each(&mut evaluate).expect("parses");
    serde_json::to_value(blocks).expect("JSON")
}

#[test]
fn the_sources_are_found_once() {
    let found = ExpressionSources::of(TEXT, &DocumentLimits::default()).expect("parses");
    assert_eq!(
        Vec::from_iter(&found.conditions),
        ["visitor.claims.no", "visitor.claims.yes"]
    );
    let expected = [
        "bad",
        "space.vars.a",
        "space.vars.hidden",
        "space.vars.lines",
        "visitor.claims.name",
    ];
    assert_eq!(Vec::from_iter(&found.expressions), expected);
    let none = ExpressionSources::of("# A\n\n`b`", &DocumentLimits::default()).expect("parses");
    assert!(none.conditions.is_empty() && none.expressions.is_empty());
}

#[test]
fn readers_see_values() {
    let all = without_common_members(nodes(TEXT, &mut values()));
    let heading = json!({ "type": "heading-1", "nodes": ["A ", "*v1*"] });
    assert_eq!(all[0], heading);
    assert_eq!(all[1], json!({ "type": "paragraph", "nodes": ["One"] }));
    let item = json!({ "type": "list-item", "nodes": [{ "type": "paragraph", "nodes": ["Two ", "{{bad}}"] }] });
    assert_eq!(all[2], json!({ "type": "list-unordered", "nodes": [item] }));
    let text = all.to_string();
    assert!(!text.contains("Never") && !text.contains("\"if\""), "{text}");
    let table = all[3].to_string();
    assert!(
        table.contains("*v1*") && table.contains("visitor.claims.name"),
        "{table}"
    );
    assert!(all[4].to_string().contains("\"x=\",\"*v1*\""), "{text}");
    assert!(all[5].to_string().contains(" a b "), "{text}");
    // Nodes keep their keys.
    let key = |nodes: &Value| nodes[0]["nodes"][1]["key"].clone();
    assert_eq!(
        key(&nodes(TEXT, &mut values())),
        key(&nodes(TEXT, &mut ExpressionValues::default()))
    );
}

#[test]
fn values_are_characters_in_markdown() {
    let limits = DocumentLimits::default();
    let markdown = evaluate_markdown(TEXT, &mut values(), &limits).expect("is written");
    assert!(markdown.starts_with("## A \\*v1\\*"), "{markdown}");
    assert!(!markdown.contains("{% if") && !markdown.contains("Never"), "{markdown}");
    assert!(markdown.contains("{{bad}}"), "{markdown}");
    assert!(
        markdown.contains("<code class=\"expression\">visitor.claims.name</code>"),
        "{markdown}"
    );
    // A value does not become syntax.
    let attack = |value: &str| {
        let values = [("a".to_owned(), ExpressionValue::Text(value.to_owned()))];
        let mut values = ExpressionValues::new(Default::default(), values.into());
        evaluate_markdown("<code class=\"expression\">a</code>", &mut values, &limits).expect("is written")
    };
    for value in [
        "",
        " ",
        "{% if a %}",
        "# a",
        "- a",
        "<script>",
        "[a](b)",
        "a\n\nb",
        "    a",
        "```",
        "|a|",
    ] {
        let nodes = without_common_members(nodes(&attack(value), &mut ExpressionValues::default()));
        let shown = value.replace(char::is_control, " ");
        let expected = match shown.as_str() {
            "" => json!([{ "type": "paragraph" }]),
            shown => json!([{ "type": "paragraph", "nodes": [shown] }]),
        };
        assert_eq!(nodes, expected, "{value:?}: {}", attack(value));
    }
    assert_eq!(
        evaluate_markdown("a  \n*b*", &mut values(), &limits).expect("is kept"),
        "a  \n*b*"
    );
}

#[test]
fn values_add_a_limited_number_of_characters() {
    let text = "<code class=\"expression\">a</code> ".repeat(2000);
    let values = [("a".to_owned(), ExpressionValue::Text("x".repeat(1000)))];
    let mut values = ExpressionValues::new(Default::default(), values.into());
    let length = nodes(&text, &mut values).to_string().len();
    assert!((1_000_000..1_500_000).contains(&length), "{length}");
}
