//! Blocks of integrations as blocks of code.

use openapi::models::Document;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{BlockLanguage, BlockLanguages, DocumentLimits, parse, render};

fn language(language: &str, integration: &str) -> BlockLanguage {
    BlockLanguage {
        language: language.to_owned(),
        integration: integration.to_owned(),
        block: "level".to_owned(),
        property: "content".to_owned(),
    }
}

fn languages() -> BlockLanguages {
    [language("tide", "gauge")].into_iter().collect()
}

fn read(markdown: &str, languages: &BlockLanguages) -> Document {
    let mut document = parse(markdown, &DocumentLimits::default()).expect("parses");
    for block in &mut document.nodes {
        languages.read_in(block);
    }
    document
}

fn written(mut document: Document, languages: &BlockLanguages) -> String {
    languages.write_in(&mut document);
    render(&document).expect("can be written")
}

/// The data of the blocks of integrations in a document, in any depth.
fn blocks(document: &Document) -> Vec<Value> {
    fn collect(value: &Value, found: &mut Vec<Value>) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
            Value::Object(members) if members.get("type") == Some(&json!("integration")) => {
                found.extend(members.get("data").cloned());
            }
            Value::Object(members) => members.values().for_each(|member| collect(member, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    collect(&serde_json::to_value(document).expect("JSON"), &mut found);
    found
}

fn data(content: &str) -> Value {
    json!({ "integration": "gauge", "block": "level", "props": { "content": content } })
}

fn assert_read_and_written(markdown: &str, content: &str) {
    let document = read(markdown, &languages());
    assert_eq!(blocks(&document), [data(content)], "{markdown}");
    assert_eq!(written(document, &languages()), markdown);
}

#[test]
fn code_in_a_language_is_a_block() {
    assert_read_and_written("```tide\nnorth\n\n  low\n```\n", "north\n\n  low");
    assert_read_and_written("```tide\n```\n", "");
    assert_read_and_written("````tide\n```\n````\n", "```");
    assert_read_and_written("Before\n\n```tide\na\n\n```\n\nAfter\n", "a\n");
}

#[test]
fn containers_have_blocks() {
    for (before, after) in [
        ("{% tabs %}\n{% tab title=\"A\" %}\n", "{% endtab %}\n{% endtabs %}\n"),
        ("{% stepper %}\n{% step %}\n", "{% endstep %}\n{% endstepper %}\n"),
        ("{% columns %}\n{% column %}\n", "{% endcolumn %}\n{% endcolumns %}\n"),
        ("{% if visitor.claims.a %}\n", "{% endif %}\n"),
        ("<details>\n\n<summary>A</summary>\n\n", "\n</details>\n"),
    ] {
        assert_read_and_written(&format!("{before}```tide\nnorth\n```\n{after}"), "north");
    }
    // Lists and quotations have none, so the code stays.
    let list = "* a\n\n  ```tide\n  north\n  ```\n";
    assert_eq!(blocks(&read(list, &languages())), [] as [Value; 0]);
}

#[test]
fn full_width_is_kept() {
    let markdown = "{% code fullWidth=\"true\" %}\n```tide\nnorth\n```\n{% endcode %}\n";
    let document = read(markdown, &languages());
    assert_eq!(blocks(&document)[0]["fullWidth"], true);
    assert_eq!(written(document, &languages()), markdown);
}

#[test]
fn other_code_stays() {
    for markdown in [
        "```rust\nnorth\n```\n",
        "```Tide\nnorth\n```\n",
        "```tide low\nnorth\n```\n",
        "```\nnorth\n```\n",
        "{% code title=\"A\" %}\n```tide\nnorth\n```\n{% endcode %}\n",
        "<pre class=\"language-tide\"><code class=\"lang-tide\"><strong>north\n</strong></code></pre>\n",
    ] {
        let document = read(markdown, &languages());
        assert_eq!(blocks(&document), [] as [Value; 0], "{markdown}");
        assert_eq!(written(document, &languages()), markdown);
    }
    let none = read("```tide\nnorth\n```\n", &BlockLanguages::default());
    assert_eq!(blocks(&none), [] as [Value; 0]);
}

#[test]
fn blocks_with_more_than_code_are_tags() {
    for tag in [
        "{% @gauge/level url=\"https://a.b\" content=\"north\" %}\n",
        "{% @gauge/level content=\"north\" height=2 %}\n",
        "{% @gauge/level content=2 %}\n",
        "{% @gauge/level height=2 %}\n",
        "{% @gauge/other content=\"north\" %}\n",
        "{% @other/level content=\"north\" %}\n",
    ] {
        let document = read(tag, &languages());
        assert_eq!(blocks(&document).len(), 1, "{tag}");
        assert_eq!(written(document, &languages()), tag);
    }
    // One with nothing but the code has the shorter form.
    let document = read("{% @gauge/level content=\"north\" %}\n", &languages());
    assert_eq!(written(document, &languages()), "```tide\nnorth\n```\n");
}

#[test]
fn a_language_belongs_to_the_first_block() {
    let languages: BlockLanguages = [language("tide", "gauge"), language("tide", "other")]
        .into_iter()
        .collect();
    assert_eq!(blocks(&read("```tide\nnorth\n```\n", &languages)), [data("north")]);
    let other = "{% @other/level content=\"north\" %}\n";
    assert_eq!(written(read(other, &languages), &languages), other);
}

proptest! {
    #[test]
    fn any_text_of_a_block_is_kept(content in "(?s)([`~ \t\r\n{}%<>a#*-]|.){0,40}") {
        let tide = languages();
        let mut document = read("```tide\n```\n", &tide);
        let mut nodes = serde_json::to_value(&document).expect("JSON");
        nodes["nodes"][0]["data"]["props"]["content"] = json!(content);
        document = serde_json::from_value(nodes).expect("a document");
        if let Ok(markdown) = render(&document) {
            languages().write_in(&mut document);
            let fenced = render(&document).expect("can be written");
            prop_assert_eq!(blocks(&read(&fenced, &tide)), [data(&content)], "{}", markdown);
        }
    }
}
