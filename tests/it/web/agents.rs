//! Sites for agents.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{
    adaptive::{AdaptiveSpace, node},
    database::{TestDatabase, on_each_database},
    pages::{Opened, Reader},
    published::Published,
    texts::add,
    world::World,
};

on_each_database![
    agents_search_and_read_pages,
    earlier_revisions_of_the_protocol_shake_hands,
    bad_messages_are_refused,
    agents_see_what_the_visitor_sees,
];

const META: &str = "io.modelcontextprotocol/protocolVersion";

async fn post(reader: &mut Reader, published: &Published, body: &str) -> Opened {
    let address = format!("{}~/mcp", published.address);
    reader.send_body(Method::POST, &address, "application/json", body).await
}

async fn call(reader: &mut Reader, published: &Published, method: &str, params: Value) -> Value {
    let message = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
    let opened = post(reader, published, &message.to_string()).await;
    let answer: Value = serde_json::from_str(&opened.text).unwrap();
    assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &json!(7)));
    answer
}

async fn tool(reader: &mut Reader, published: &Published, name: &str, arguments: Value) -> String {
    let params = json!({ "name": name, "arguments": arguments, "_meta": { META: "2026-07-28" } });
    let answer = call(reader, published, "tools/call", params).await;
    assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
    answer["result"]["content"][0]["text"].as_str().unwrap().to_owned()
}

async fn agents_search_and_read_pages(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One", "Two"]).await;
    add(&world, node(&published), &[("Knots", "## Bowlines\n\nTie a capstan.")]).await;
    let mut reader = Reader::new(&world);
    let stateless = json!({ "_meta": { META: "2026-07-28" } });
    let discovered = call(&mut reader, &published, "server/discover", stateless.clone()).await;
    assert_eq!(discovered["result"]["supportedVersions"][0], "2026-07-28");
    assert_eq!(discovered["result"]["resultType"], "complete");
    let tools = call(&mut reader, &published, "tools/list", stateless).await;
    assert_eq!(tools["result"]["tools"][0]["name"], "searchDocumentation");
    assert_eq!(tools["result"]["tools"][1]["name"], "getPage");
    let found = tool(
        &mut reader,
        &published,
        "searchDocumentation",
        json!({ "query": "capstan" }),
    )
    .await;
    let address = format!("{}knots", published.address);
    assert!(found.starts_with(&format!("## Knots\n{address}\n")), "{found}");
    for url in [
        &*address,
        "knots",
        "/knots",
        &format!("{address}.md#bowlines"),
        &format!("{}two/start", published.address),
    ] {
        let page = tool(&mut reader, &published, "getPage", json!({ "url": url })).await;
        assert!(
            page.contains("Tie a capstan.") || page.contains("Of Two"),
            "{url}: {page}"
        );
    }
    let missing = tool(&mut reader, &published, "getPage", json!({ "url": "nowhere" })).await;
    assert_eq!(missing, "There is no such page.");
}

async fn earlier_revisions_of_the_protocol_shake_hands(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let mut reader = Reader::new(&world);
    for (asked, expected) in [
        ("2025-11-25", "2025-11-25"),
        ("2025-06-18", "2025-06-18"),
        ("1999-01-01", "2025-11-25"),
    ] {
        let params =
            json!({ "protocolVersion": asked, "capabilities": {}, "clientInfo": { "name": "x", "version": "1" } });
        let answer = call(&mut reader, &published, "initialize", params).await;
        assert_eq!(answer["result"]["protocolVersion"], expected);
        assert_eq!(answer["result"]["serverInfo"]["title"], "Manuals");
    }
    let opened = post(
        &mut reader,
        &published,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    )
    .await;
    assert_eq!((opened.status, opened.text.as_str()), (202, ""));
    let unsupported = json!({ "_meta": { META: "2030-01-01" } });
    let answer = call(&mut reader, &published, "tools/list", unsupported).await;
    assert_eq!(answer["error"]["data"]["supported"], json!(["2026-07-28"]));
}

async fn bad_messages_are_refused(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let mut reader = Reader::new(&world);
    let long = format!("\"{}\"", "a".repeat(70_000));
    for (body, status) in [
        ("", 400),
        ("{", 400),
        ("[]", 400),
        ("{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"x\"}", 400),
        (&long, 413),
    ] {
        assert_eq!(post(&mut reader, &published, body).await.status, status, "{body:.40}");
    }
    for (method, params, code) in [
        ("nothing", json!({}), -32601),
        ("tools/call", json!({ "name": "other" }), -32602),
        (
            "tools/call",
            json!({ "name": "getPage", "arguments": { "url": 3 } }),
            -32602,
        ),
        ("tools/call", json!(null), -32602),
    ] {
        let answer = call(&mut reader, &published, method, params).await;
        assert_eq!(answer["error"]["code"], code, "{answer}");
    }
    let opened = reader.get(&format!("{}~/mcp", published.address)).await;
    assert_eq!((opened.status, opened.header("allow")), (405, "POST"));
}

async fn agents_see_what_the_visitor_sees(database: TestDatabase) {
    let world = World::new(database).await;
    let space = AdaptiveSpace::new(&world).await;
    space
        .page(&world, "Otters", "visitor.claims.partner", "Signed capstans.")
        .await;
    let published = &space.published;
    published
        .set(&world, json!({ "adaptiveContent": { "enabled": true } }))
        .await;
    let mut reader = Reader::new(&world);
    let found = tool(
        &mut reader,
        published,
        "searchDocumentation",
        json!({ "query": "capstans" }),
    )
    .await;
    assert_eq!(found, "No page has these words.");
    let page = tool(&mut reader, published, "getPage", json!({ "url": "otters" })).await;
    assert_eq!(page, "There is no such page.");
    let token = published.token(&world, json!({ "partner": true })).await;
    reader.get(&format!("{}?jwt_token={token}", published.address)).await;
    let page = tool(&mut reader, published, "getPage", json!({ "url": "otters" })).await;
    assert!(page.contains("Signed capstans."), "{page}");
}
