//! Templates applied by the real program, killed in the middle of the transaction: all of a template is there or nothing of it.

use reqwest::Method;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{
    client::{Call, Client},
    database::{TestDatabase, on_each_database},
    held_write::HeldWrite,
    paths::texts,
    process::{Server, count_rows, first_organization},
    published::id,
};

on_each_database![
    a_space_of_a_template_whose_server_is_killed_is_not_there,
    a_template_whose_server_is_killed_leaves_the_space_as_it_was,
];

/// What the content of spaces consists of.
const TABLES: [&str; 9] = [
    "nodes",
    "node_ancestors",
    "spaces",
    "revisions",
    "content_objects",
    "page_links",
    "search_spaces",
    "search_pages",
    "audit_events",
];

fn template() -> Value {
    json!({ "id": "builtin:runbook", "params": { "contentRefs": {
        "escalation": { "kind": "url", "url": "https://help.example/" },
    } } })
}

/// Sends a request, and kills the server when the audit event of its action is written: the last statement before the commit.
async fn kill_in(server: &mut Server, database: &TestDatabase, client: &Client, action: &str, path: &str, body: Value) {
    let before = count_rows(database, TABLES).await;
    let condition = format!("NEW.action = '{action}'");
    let write = HeldWrite::on(database, ("INSERT", "audit_events", &condition)).await;
    let request = client.request(Method::POST, path).json(&body);
    let answer = tokio::spawn(request.send());
    write.reached().await;
    server.kill();
    assert!(answer.await.unwrap().is_err(), "the request was answered");
    write.release().await;
    assert_eq!(count_rows(database, TABLES).await, before, "rows of {TABLES:?}");
}

fn in_space<'c>(client: &'c Client, operation: &str, space: &str) -> Call<'c> {
    client.call(operation).path("spaceId", space)
}

async fn spaces(client: &Client, organization: &str) -> Vec<String> {
    let list = client.call("listSpacesInOrganizationById");
    texts(&list.path("organizationId", organization).expect(200).await, "/title")
}

/// The titles of the top pages of a space.
async fn pages(client: &Client, space: &str) -> Vec<String> {
    let tree = in_space(client, "listPages", space).expect(200).await;
    let pages = tree["pages"].as_array().unwrap().iter();
    pages.map(|page| page["title"].as_str().unwrap().to_owned()).collect()
}

async fn is_found(client: &Client, space: &str) -> bool {
    let search = in_space(client, "searchSpaceContent", space).query("query", "incident");
    search.expect(200).await["count"] != 0
}

async fn a_space_of_a_template_whose_server_is_killed_is_not_there(database: TestDatabase) {
    let home = TempDir::new().unwrap();
    database.create().await;
    let mut server = Server::spawn(home.path(), &database);
    let client = server.ready().await;
    let organization = first_organization(&client).await.unwrap();
    let create = async |client: &Client, title: &str| {
        let call = client.call("createSpace").path("organizationId", &organization);
        let body = json!({ "title": title, "template": template() });
        id(&call.json(body).expect(201).await).to_owned()
    };
    let whole = create(&client, "Whole").await;
    let whole = pages(&client, &whole).await;
    let path = format!("/v1/orgs/{organization}/spaces");
    let body = json!({ "title": "Killed", "template": template() });
    kill_in(&mut server, &database, &client, "spaces.createSpace", &path, body).await;

    server = Server::spawn(home.path(), &database);
    let client = server.ready().await;
    assert_eq!(spaces(&client, &organization).await, ["Whole"]);
    let again = create(&client, "Killed").await;
    assert_eq!(spaces(&client, &organization).await.len(), 2);
    assert_eq!(pages(&client, &again).await, whole);
    assert!(is_found(&client, &again).await);
}

async fn a_template_whose_server_is_killed_leaves_the_space_as_it_was(database: TestDatabase) {
    let home = TempDir::new().unwrap();
    database.create().await;
    let mut server = Server::spawn(home.path(), &database);
    let client = server.ready().await;
    let organization = first_organization(&client).await.unwrap();
    let create = client.call("createSpace").path("organizationId", &organization);
    let space = create.json(json!({ "title": "Killed" })).expect(201).await;
    let space = id(&space);
    let first = pages(&client, space).await;
    let path = format!("/v1/spaces/{space}/content/template");
    let action = "content.applyTemplateToSpace";
    kill_in(&mut server, &database, &client, action, &path, template()).await;

    server = Server::spawn(home.path(), &database);
    let client = server.ready().await;
    assert_eq!(pages(&client, space).await, first);
    assert!(!is_found(&client, space).await);
    let apply = in_space(&client, "applyTemplateToSpace", space);
    apply.json(template()).expect(204).await;
    let revisions = in_space(&client, "listRevisions", space).expect(200).await;
    assert_eq!(revisions["count"], 2);
    let after = pages(&client, space).await;
    assert!(after.len() > first.len() && after.starts_with(&first), "{after:?}");
    assert!(is_found(&client, space).await);
}
