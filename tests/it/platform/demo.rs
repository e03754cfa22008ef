//! `bindery demo`

use std::{
    path::Path,
    process::{Command, Output, Stdio},
};

use bindery::commands::background;
use platform::{db::Clock, jobs::Runner};
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{
    client::Client,
    database::{TestDatabase, on_each_database},
    process::{Server, first_organization, send},
    service::Service,
};

on_each_database![
    the_demo_fills_a_new_installation,
    the_demo_fills_the_installation_of_a_first_start_and_no_other,
];

fn bindery(home: &Path, database: &TestDatabase, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bindery"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("BINDERY_")) {
        command.env_remove(name);
    }
    command
        .args(arguments)
        .args(["--database-url", database.url(), "--log-format", "text", "--data-dir"])
        .arg(home)
        .current_dir(home)
        .stdin(Stdio::null());
    command.output().unwrap()
}

/// Runs the command, and returns what it prints.
fn demo(home: &Path, database: &TestDatabase) -> String {
    let output = bindery(home, database, &["demo"]);
    assert!(output.status.success(), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn refusal(home: &Path, database: &TestDatabase) -> String {
    let output = bindery(home, database, &["demo"]);
    assert!(!output.status.success() && output.stdout.is_empty(), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

/// The word after a name in what the command prints.
fn printed<'a>(text: &'a str, name: &str) -> &'a str {
    let (_, rest) = text
        .split_once(&format!("\n  {name} "))
        .unwrap_or_else(|| panic!("{name}: {text}"));
    rest.split_whitespace().next().unwrap()
}

async fn items(client: &Client, path: &str) -> Vec<Value> {
    let answer = client.get(path).await;
    assert_eq!(answer.status(), 200, "{path}");
    let mut list: Value = serde_json::from_str(&answer.text().await.unwrap()).unwrap();
    let Value::Array(items) = list["items"].take() else {
        panic!("{path}: {list}");
    };
    items
}

fn texts<'a>(items: &'a [Value], member: &str) -> Vec<&'a str> {
    let mut texts: Vec<&str> = items.iter().filter_map(|item| item[member].as_str()).collect();
    texts.sort_unstable();
    texts
}

/// A server on the installation, which has run its jobs.
async fn serve(home: &Path, database: &TestDatabase) -> Service {
    let service = Service::start_in(home, database.reopened(), Clock::system().now(), |_| {}).await;
    Runner::new(service.app.kernel.jobs.clone(), background::kinds(&service.app, None))
        .run_due()
        .await
        .unwrap();
    service
}

async fn the_demo_fills_a_new_installation(database: TestDatabase) {
    let home = tempfile::tempdir().unwrap();
    database.create().await;
    let report = demo(home.path(), &database);
    assert_eq!(printed(&report, "user"), "admin@localhost");
    let refused = refusal(home.path(), &database);
    assert!(
        refused.contains("this installation is in use") && refused.contains("bindery demo --data-dir demo"),
        "{refused}"
    );

    let service = serve(home.path(), &database).await;
    let client = Client::new(&service.base).with_token(printed(&report, "token"));
    let organization = format!("/v1/orgs/{}", printed(&report, "organization"));
    assert_eq!(texts(&items(&client, "/v1/orgs").await, "title"), ["Kestrel Weather"]);
    assert_eq!(items(&client, &format!("{organization}/members")).await.len(), 4);
    let spaces = items(&client, &format!("{organization}/spaces")).await;
    assert_eq!(
        texts(&spaces, "title"),
        [
            "API reference",
            "Anleitung der Station",
            "Station guide",
            "Team handbook"
        ]
    );
    assert_eq!(texts(&spaces, "language"), ["de", "en", "en", "en"]);
    let requests = items(
        &client,
        &format!("{organization}/change-requests?status=draft&status=open&status=merged"),
    )
    .await;
    assert_eq!(texts(&requests, "status"), ["draft", "merged", "open"]);
    let open = requests.iter().find(|request| request["status"] == "open").unwrap();
    assert_eq!(open["createdBy"]["displayName"], "Tomás Arce");
    assert_eq!(open["comments"], 1);
    assert_eq!(
        open["urls"]["app"].as_str().map(path),
        Some(path(printed(&report, "change request")))
    );

    let space = |title: &str| {
        spaces.iter().find(|space| space["title"] == title).unwrap()["id"]
            .as_str()
            .unwrap()
    };
    let pages = client
        .get(&format!("/v1/spaces/{}/content/pages", space("API reference")))
        .await;
    let pages = pages.text().await.unwrap();
    assert!(
        pages.contains("List the stations") && pages.contains("List the readings of a station"),
        "{pages}"
    );
    let broken = items(
        &client,
        &format!("/v1/spaces/{}/links?status=broken", space("Station guide")),
    )
    .await;
    assert_eq!(broken, Vec::<Value>::new());
    let found = items(&client, &format!("{organization}/search?query=mast")).await;
    assert_eq!(texts(&found, "title"), ["Anleitung der Station", "Station guide"]);

    let sites = items(&client, &format!("{organization}/sites")).await;
    assert_eq!(texts(&sites, "title"), ["Kestrel Weather"]);
    assert_eq!(
        sites[0]["urls"]["published"].as_str().map(path),
        Some(path(printed(&report, "site")))
    );
    let sections = format!("{organization}/sites/{}/sections", sites[0]["id"].as_str().unwrap());
    assert_eq!(texts(&items(&client, &sections).await, "title"), ["API", "Guide"]);
}

/// What follows the origin, which the server of the test has of its own.
fn path(url: &str) -> &str {
    url.splitn(4, '/').last().unwrap()
}

async fn the_demo_fills_the_installation_of_a_first_start_and_no_other(database: TestDatabase) {
    let home = tempfile::tempdir().unwrap();
    database.create().await;
    let mut server = Server::spawn(home.path(), &database);
    let admin = server.ready().await;
    let organization = first_organization(&admin).await.unwrap();
    let rename = async |title: &str| {
        let path = format!("/v1/orgs/{organization}");
        send(&admin, Method::PATCH, &path, Some(json!({ "title": title })))
            .await
            .unwrap()
    };
    let created = rename("Tidewater").await;
    let refused = refusal(home.path(), &database);
    assert!(refused.contains("this installation is in use"), "{refused}");
    assert_eq!(created["title"], "Tidewater");
    rename("My organization").await;

    // Beside the running server.
    let report = demo(home.path(), &database);
    assert_eq!(printed(&report, "organization"), organization);
    let client = Client::new(admin.base()).with_token(printed(&report, "token"));
    assert_eq!(texts(&items(&client, "/v1/orgs").await, "title"), ["Kestrel Weather"]);
}
