use serde_json::{Value, json};

use crate::{Content, render, words};

use super::{Space, parse};

/// A document with one operation.
fn document(servers: &[&str]) -> Value {
    let servers: Vec<Value> = servers.iter().map(|url| json!({ "url": url })).collect();
    let parameter = |place: &str, name: &str, required: bool| json!({ "in": place, "name": name, "required": required, "schema": { "type": "string", "default": "\"<b>" } });
    json!({
        "openapi": "3.1.0",
        "servers": servers,
        "security": [{}, { "token": [], "key": [], "session": [] }],
        "paths": { "/tides/{id}": { "put": {
            "parameters": [parameter("path", "id", true), parameter("query", "dry", false), parameter("cookie", "c", true)],
            "requestBody": { "content": { "text/csv": {}, "application/json": { "example": { "height": 1.5 } } } },
        } } },
        "components": { "securitySchemes": {
            "token": { "type": "http", "scheme": "Bearer" },
            "key": { "type": "apiKey", "in": "header", "name": "X-Key" },
            "session": { "type": "apiKey", "in": "cookie", "name": "session" },
        } }
    })
}

fn rendered(document: Value) -> Content {
    let mut space = Space::new();
    space.specification = Some(document);
    let block =
        "{% openapi-operation spec=\"tides\" path=\"/tides/{id}\" method=\"put\" %}\n{% endopenapi-operation %}\n";
    render(&parse(block).nodes, &space, words("en"))
}

#[test]
fn operations_have_a_form_that_scripts_show() {
    let content = rendered(document(&[
        "https://api.tidewater.example/v1/",
        "http://localhost:8080",
    ]));
    assert_eq!(
        content.connects,
        ["https://api.tidewater.example", "http://localhost:8080"]
    );
    let html = content.html.as_str();
    for part in [
        "<details class=\"expandable try\" hidden><summary>Try it</summary>",
        "<form autocomplete=\"off\" data-method=\"PUT\" data-path=\"/tides/{id}\"",
        "<option>https://api.tidewater.example/v1/</option><option>http://localhost:8080</option>",
        "data-in=\"path\" data-name=\"id\" value=\"&quot;&lt;b&gt;\" required>",
        "data-in=\"query\" data-name=\"dry\" placeholder=\"&quot;&lt;b&gt;\">",
        "class=\"secret\" spellcheck=\"false\" data-in=\"header\" data-name=\"Authorization\" data-prefix=\"Bearer \">",
        "data-in=\"header\" data-name=\"X-Key\">",
        "data-in=\"body\" data-name=\"application/json\">{\n  &quot;height&quot;: 1.5\n}</textarea>",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
    for part in ["data-in=\"cookie\"", "data-name=\"session\""] {
        assert!(!html.contains(part), "{part}: {html}");
    }
}

#[test]
fn variables_of_servers_have_their_defaults() {
    let mut document = document(&["https://{region}.tidewater.example:{port}/{other}"]);
    document["servers"][0]["variables"] = json!({ "region": { "default": "eu" }, "port": { "default": "8443" } });
    let content = rendered(document);
    assert_eq!(content.connects, ["https://eu.tidewater.example:8443"]);
    assert!(
        content
            .html
            .as_str()
            .contains("<option>https://eu.tidewater.example:8443/{other}</option>")
    );
}

#[test]
fn policies_name_plain_origins_only() {
    for address in [
        "javascript:alert(1)",
        "/v1",
        "",
        "data:text/html,x",
        "ftp://tidewater.example",
        "https://*",
        "https://*.tidewater.example",
        "https://x;script-src/",
        "https://x,y/",
        "https://'unsafe-inline'/",
        "https://x 'unsafe-inline'/",
        "https://x%20y/",
        "https://\r\nx y/",
    ] {
        let content = rendered(document(&[address]));
        assert!(content.connects.is_empty(), "{address}: {:?}", content.connects);
        assert!(!content.html.as_str().contains("<form"), "{address}");
    }
    let hostile = rendered(document(&["https://user:word@tidewater.example/;script-src *?a b#'c'"]));
    assert_eq!(hostile.connects, ["https://tidewater.example"]);
}

#[test]
fn pages_call_few_servers() {
    let many: Vec<String> = (0..30).map(|number| format!("https://s{number}.example")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let content = rendered(document(&many));
    assert_eq!(content.connects.len(), 10);
    assert_eq!(content.html.as_str().matches("<option>").count(), 10);
    // The defaults of variables repeat.
    let mut long = document(&[&"{x}".repeat(600)]);
    long["servers"][0]["variables"] = json!({ "x": { "default": "y".repeat(1_900) } });
    assert!(rendered(long).html.as_str().len() < 20_000);
}

#[test]
fn documents_hide_the_form() {
    let servers = ["https://api.tidewater.example"];
    let mut whole = document(&servers);
    whole["x-hideTryItPanel"] = json!(true);
    let mut one = document(&servers);
    one["paths"]["/tides/{id}"]["put"]["x-hideTryItPanel"] = json!(true);
    for hidden in [whole, one] {
        let content = rendered(hidden);
        assert!(content.connects.is_empty() && !content.html.as_str().contains("<form"));
    }
}
