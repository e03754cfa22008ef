//! Descriptions as HTML for renderers, which put it into their pages as it is.

use serde_json::json;

use super::*;

const HTML: &str = "x-gitbook-description-html";

/// The document with HTML.
fn content(text: &str) -> Value {
    let finished = Bundle::open(text.as_bytes(), None).and_then(Bundle::finish).unwrap();
    serde_json::from_slice(&finished.content).unwrap()
}

fn with_schemas(schemas: Value) -> Value {
    json!({ "openapi": "3.1.0", "info": { "title": "T", "version": "1" }, "components": { "schemas": schemas } })
}

/// The HTML of a description.
fn html(description: &str) -> String {
    let document = with_schemas(json!({ "A": { "description": description } }));
    let content = content(&document.to_string());
    let html = content["components"]["schemas"]["A"][HTML].as_str();
    html.unwrap_or_else(|| panic!("no HTML: {content}")).to_owned()
}

/// Places of objects whose description has no HTML, and of HTML without a description.
fn without_html(value: &Value, place: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            let is_described = members.get("description").is_some_and(Value::is_string);
            if is_described != members.get(HTML).is_some_and(Value::is_string) {
                found.push(place.to_owned());
            }
            members
                .iter()
                .for_each(|(name, value)| without_html(value, &format!("{place}/{name}"), found));
        }
        Value::Array(items) => items
            .iter()
            .enumerate()
            .for_each(|(index, item)| without_html(item, &format!("{place}/{index}"), found)),
        _ => {}
    }
}

#[test]
fn markdown_becomes_html() {
    for (markdown, expected) in [
        ("A *pet*.\n\n- one", "<p>A <em>pet</em>.</p>\n<ul>\n<li>one</li>\n</ul>"),
        ("<p>A <b>pet</b><br></p>", "<p>A <b>pet</b><br></p>"),
        ("`a < b`", "<p><code>a &lt; b</code></p>"),
        (
            "[b](https://b.example)",
            "<p><a href=\"https://b.example\" rel=\"noopener noreferrer\">b</a></p>",
        ),
        (
            "|a|\n|-|\n|1|",
            "<table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n</tr>\n</tbody>\n</table>",
        ),
    ] {
        assert_eq!(html(markdown), expected);
    }
}

#[test]
fn html_runs_no_scripts() {
    for hostile in [
        "<img src=x onerror=alert(1)>",
        "<script>alert(1)</script>",
        "a <script src=//evil.example></script> b",
        "[a](javascript:alert(1))",
        "[a](JaVaScRiPt:alert(1))",
        "[a](java&#10;script:alert(1))",
        "<a href=\"&#106;avascript:alert(1)\">a</a>",
        "<javascript:alert(1)>",
        "![a](data:text/html;base64,PHNjcmlwdD4=)",
        "<a href='data:text/html,<script>alert(1)</script>'>a</a>",
        "<svg onload=alert(1)><script>alert(1)</script></svg>",
        "<svg><style><img src=x onerror=alert(1)></style></svg>",
        "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
        "<style>@import '//evil.example'</style>",
        "<p style=\"background: url(javascript:alert(1))\">a</p>",
        "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
        "<form action=//evil.example><input name=password></form>",
        "<a href=\"vbscript:x\">a</a>",
        "```html\n<script>alert(1)</script>\n```",
        "<details open ontoggle=alert(1)>a</details>",
        "<base href=//evil.example><meta http-equiv=refresh content=0>",
        "<!-- --!><img src=x onerror=alert(1)> -->",
        "\"><img src=x onerror=alert(1)>",
    ] {
        let html = html(hostile);
        let tags: Vec<&str> = html
            .split('<')
            .skip(1)
            .filter_map(|tag| tag.split('>').next())
            .collect();
        for tag in tags {
            let tag = tag.to_lowercase();
            let name = tag.trim_start_matches('/').split([' ', '>']).next().unwrap_or_default();
            let is_harmless = ["p", "a", "img", "code", "pre", "details", "table"].contains(&name);
            assert!(is_harmless, "{hostile}: {html}");
            for wrong in [" on", "\"javascript:", "\"vbscript:", "\"data:", "style=", "srcdoc"] {
                assert!(!tag.contains(wrong), "{hostile}: {html}");
            }
        }
    }
    assert_eq!(html("<script>alert(1)</script>"), "");
}

#[test]
fn every_description_has_html() {
    let described = |mut value: Value| {
        value["description"] = json!("A *text*.");
        value
    };
    let schema = |value| described(json!({ "type": "object", "properties": value, "items": described(json!({})) }));
    let properties = json!({
        "example": schema(json!({})), "default": schema(json!({})), "x-a": schema(json!({})),
        "properties": schema(json!({ "enum": schema(json!({})) })), "description": described(json!({})),
    });
    let parameter = described(json!({ "name": "a", "in": "query", "schema": schema(json!({})) }));
    let media = json!({ "application/json": { "schema": schema(properties) } });
    let responses = json!({ "default": described(json!({ "content": media, "headers": { "X-A": described(json!({})) },
        "links": { "a": described(json!({ "operationId": "a" })) } })) });
    let operation = described(json!({
        "tags": ["a"], "parameters": [parameter], "responses": responses, "requestBody": described(json!({ "content": media })),
        "externalDocs": described(json!({ "url": "https://a.example" })),
        "callbacks": { "a": { "{$url}": { "post": described(json!({ "responses": responses })) } } },
    }));
    let document = json!({
        "openapi": "3.1.0", "info": described(json!({ "title": "T", "version": "1" })),
        "servers": [described(json!({ "url": "/{a}", "variables": { "a": described(json!({ "default": "b" })) } }))],
        "tags": [described(json!({ "name": "a" }))],
        "paths": { "/a": described(json!({ "get": operation, "parameters": [{ "$ref": "#/components/parameters/default" }] })) },
        "webhooks": { "example": { "post": operation } },
        "components": {
            "schemas": { "example": schema(json!({})), "A": { "$ref": "#/components/schemas/example", "description": "B" } },
            "parameters": { "default": parameter }, "responses": responses,
            "securitySchemes": { "example": described(json!({ "type": "http", "scheme": "basic" })) },
        },
    });
    let content = content(&document.to_string());
    let mut found = Vec::new();
    without_html(&content, "", &mut found);
    assert!(found.is_empty(), "{found:?}");
    assert_eq!(content["tags"][0][HTML], "<p>A <em>text</em>.</p>");
    let plain = finish(&document.to_string());
    assert_eq!(plain, document);
}

#[test]
fn values_of_the_api_stay_as_they_are() {
    let value = json!({ "description": "a", "b": [{ "description": "c" }] });
    let schema = json!({ "type": "object", "example": value, "examples": [value], "default": value, "enum": [value],
        "const": value, "x-a": value, "description": "" });
    let document = with_schemas(json!({ "A": schema, "B": { "$ref": "#/components/schemas/A" } }));
    assert_eq!(content(&document.to_string()), document);
}

#[test]
fn html_of_the_source_is_replaced() {
    let evil = json!("<img src=x onerror=alert(1)>");
    let value = json!({ "description": "a", HTML: evil, "x-gitbook-description-document": {} });
    let schema = json!({ HTML: evil, "example": value, "x-a": [value], "properties": { "a": value, HTML: value } });
    let document = with_schemas(json!({ "A": schema, "B": { "$ref": "#/components/schemas/A", HTML: evil } }));
    let finished = Bundle::open(document.to_string().as_bytes(), None)
        .and_then(Bundle::finish)
        .unwrap();
    for bytes in [finished.document, finished.content] {
        assert!(!String::from_utf8(bytes).unwrap().contains("onerror"));
    }
}

/// Renderers follow references wherever they lead, and show what is there.
#[test]
fn targets_of_references_have_html() {
    let evil = json!({ "description": "<img src=x onerror=alert(1)>" });
    for (name, schema) in [
        ("an extension", json!({ "$ref": "#/x-evil/example" })),
        ("an example", json!({ "$ref": "#/components/schemas/Value/example" })),
        ("names", json!({ "properties": { "$ref": "#/components/other" } })),
        ("names of an extension", json!({ "properties": { "$ref": "#/x-evil" } })),
        (
            "the file of renderers",
            json!({ "$ref": "openapi.json#/x-evil/example" }),
        ),
        ("behind a reference", json!({ "$ref": "#/components/schemas/Behind/a" })),
        ("twice encoded", json!({ "$ref": "#/x-evil/a%252Fb" })),
        ("a map of schemas", json!({ "$ref": "#/components/schemas" })),
        ("encoded", json!({ "$ref": "#/%78-evil/example" })),
    ] {
        let mut document =
            with_schemas(json!({ "A": schema, "Value": { "example": evil }, "Behind": { "$ref": "#/x-evil" } }));
        document["x-evil"] = json!({ "example": evil, "x-b": evil, "a%2Fb": evil, "a": evil });
        document["components"]["other"] = json!({ "example": evil, "x-b": evil });
        document["components"]["schemas"]["description"] = evil["description"].clone();
        let content = content(&document.to_string());
        let mut found = Vec::new();
        without_html(&content, "", &mut found);
        assert!(found.is_empty(), "{name}: {found:?}");
    }
}

/// Texts for which a parser of Markdown or HTML takes long, or makes much.
#[test]
fn hostile_descriptions_are_bounded() {
    let repeated = |text: &str, bytes: usize| text.repeat(bytes / text.len());
    let numbered = |bytes: usize, part: fn(usize) -> String| {
        let mut text = String::new();
        for number in 0.. {
            if text.len() > bytes {
                break;
            }
            text.push_str(&part(number));
        }
        text
    };
    const LONG: usize = 200_000;
    let rows = format!(
        "|{}\n|{}\n{}",
        "a|".repeat(3_000),
        "-|".repeat(3_000),
        "|a\n".repeat(3_000)
    );
    for (name, text) in [
        ("quotes", repeated("> ", LONG)),
        ("brackets", repeated("[", LONG)),
        ("images", repeated("![a](", LONG)),
        ("emphasis", repeated("*a_ ", LONG)),
        (
            "backticks",
            numbered(LONG, |number| format!("{} ", "`".repeat(number % 500))),
        ),
        ("elements", repeated("<div>", LONG)),
        (
            "formatting",
            numbered(LONG, |number| format!("<p><b id={number}></p>\n\n")),
        ),
        (
            "hidden formatting",
            numbered(LONG, |number| {
                format!("<p><b id={number}></p><object></b></object>\n\n")
            }),
        ),
        (
            "attributes",
            format!("<p {}>", numbered(LONG, |number| format!("a{number} "))),
        ),
        ("columns", rows),
        (
            "references",
            format!("[a]: /{}\n\n{}", "b".repeat(10_000), "[a] ".repeat(10_000)),
        ),
        ("long", repeated("word ", 1_000_000)),
        ("entities", repeated("&lt;", LONG)),
        ("misnested", repeated("<a><b><i></a></b></i><table><td>", LONG)),
    ] {
        let document = with_schemas(json!({ "A": { "description": text }, "B": { "description": text } }));
        let Ok(finished) = Bundle::open(document.to_string().as_bytes(), None).and_then(Bundle::finish) else {
            panic!("{name} is refused");
        };
        assert!(finished.content.len() < 8_000_000, "{name}: {}", finished.content.len());
        println!("{name}: {} bytes", finished.content.len());
    }
}

/// The work for all descriptions is limited, not only that for each.
#[test]
fn many_descriptions_are_bounded() {
    let table = format!("|{}\n|{}\n{}", "a|".repeat(400), "-|".repeat(400), "|a\n".repeat(400));
    let formatting: String = (0..400).map(|number| format!("<p><b id={number}></p>")).collect();
    for (name, text, count) in [
        ("short", "A *short* text.".to_owned(), 5_000),
        ("tables", table, 1_000),
        ("formatting", formatting, 500),
    ] {
        let schemas: serde_json::Map<_, _> = (0..count)
            .map(|number| {
                (
                    format!("S{number}"),
                    json!({ "description": format!("{number} {text}") }),
                )
            })
            .collect();
        let document = with_schemas(Value::Object(schemas));
        let content = content(&document.to_string());
        println!("{name}");
        let mut found = Vec::new();
        without_html(&content, "", &mut found);
        assert!(found.is_empty(), "{name}: {found:?}");
    }
}
