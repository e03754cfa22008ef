//! The real program, killed: what it answered is there afterwards, and what it did not finish is not there by halves.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::Instant,
};

use platform::db::{Db, DbOptions};
use reqwest::Method;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::mpsc;

use crate::support::{
    client::Client,
    database::{TestDatabase, on_each_database},
    paths::texts,
    process::{Server, count_rows, first_organization, patiently, send},
    recount::counters_are_right,
};

on_each_database![
    answered_writes_survive_a_kill,
    a_first_run_that_is_killed_leaves_nothing_or_everything,
    processes_that_start_together_share_one_first_run,
];

/// How often the server is killed under load, by how many clients, and after how many answers.
const KILLS: usize = 3;
const CLIENTS: usize = 6;
const ANSWERS: usize = 120;

/// In how many moments of its first run the server is killed.
const MOMENTS: u32 = 12;

/// What answers have promised of a team.
struct Promised {
    title: String,
    member: bool,
}

type Promises = Arc<Mutex<HashMap<String, Promised>>>;

/// Creates a team, renames it and adds somebody, again and again.
async fn write_until_the_end(
    client: Client,
    number: String,
    user: String,
    promises: Promises,
    answered: mpsc::UnboundedSender<()>,
) -> Option<()> {
    let organization = first_organization(&client).await?;
    let teams = format!("/v1/orgs/{organization}/teams");
    for step in 0.. {
        let title = format!("Team {number}-{step}");
        let made = send(&client, Method::PUT, &teams, Some(json!({ "title": title }))).await?;
        let id = made["id"].as_str().unwrap().to_owned();
        let team = format!("{teams}/{id}");
        promises.lock().unwrap().insert(
            id.clone(),
            Promised {
                title: title.clone(),
                member: false,
            },
        );
        answered.send(()).ok();
        let renamed = format!("{title} renamed");
        send(&client, Method::PATCH, &team, Some(json!({ "title": renamed }))).await?;
        promises.lock().unwrap().get_mut(&id).unwrap().title = renamed;
        answered.send(()).ok();
        send(&client, Method::PUT, &format!("{team}/members/{user}"), None).await?;
        promises.lock().unwrap().get_mut(&id).unwrap().member = true;
        answered.send(()).ok();
    }
    None
}

async fn all_teams(client: &Client) -> HashMap<String, Value> {
    let organization = first_organization(client).await.unwrap();
    let (mut teams, mut page) = (HashMap::new(), None::<String>);
    loop {
        let mut call = client
            .call("listTeamsInOrganizationById")
            .path("organizationId", &organization);
        call = call.query("limit", 1000);
        if let Some(page) = &page {
            call = call.query("page", page);
        }
        let answer = call.expect(200).await;
        let items = answer["items"].as_array().unwrap().clone();
        teams.extend(texts(&answer, "/id").into_iter().zip(items));
        match answer["next"]["page"].as_str() {
            Some(next) => page = Some(next.to_owned()),
            None => return teams,
        }
    }
}

async fn answered_writes_survive_a_kill(database: TestDatabase) {
    database.create().await;
    let home = TempDir::new().unwrap();
    let promises = Promises::default();
    for kill in 0..KILLS {
        let mut server = Server::spawn(home.path(), &database);
        let client = server.ready().await;
        let user = client.call("getAuthenticatedUser").expect(200).await["id"]
            .as_str()
            .unwrap()
            .to_owned();
        let (sender, mut answered) = mpsc::unbounded_channel();
        let writers: Vec<_> = (0..CLIENTS)
            .map(|writer| {
                let (promises, number) = (Arc::clone(&promises), format!("{kill}-{writer}"));
                let work = write_until_the_end(client.clone(), number, user.clone(), promises, sender.clone());
                tokio::spawn(work)
            })
            .collect();
        // So that there is an end when no writer is left.
        drop(sender);
        let answers = async {
            for _ in 0..ANSWERS {
                let Some(()) = answered.recv().await else {
                    panic!("all writers have stopped");
                };
            }
        };
        patiently("answers", answers).await;
        server.kill();
        for writer in writers {
            patiently("the end of a writer", writer).await.unwrap();
        }
        let recount = async {
            let db = Db::connect(database.url(), &DbOptions::default()).await.unwrap();
            counters_are_right(&db, &format!("after kill {kill}")).await;
            db.close().await.unwrap();
        };
        patiently("the recount", recount).await;
    }
    let mut server = Server::spawn(home.path(), &database);
    let stored = all_teams(&server.ready().await).await;
    let promises = promises.lock().unwrap();
    assert!(promises.len() >= KILLS * ANSWERS / 3);
    for (id, promised) in promises.iter() {
        let team = stored.get(id).unwrap_or_else(|| panic!("{} is lost", promised.title));
        // A change whose answer did not come through may have happened.
        let title = team["title"].as_str().unwrap();
        assert!(
            title == promised.title || title == format!("{} renamed", promised.title),
            "{title}"
        );
        assert!(!promised.member || team["members"] == 1, "{title} has lost its member");
    }
}

/// How many rows the first run has made, in each of the tables that it fills.
async fn rows(database: &TestDatabase) -> [i64; 5] {
    count_rows(
        database,
        ["users", "organizations", "members", "api_tokens", "agent_instructions"],
    )
    .await
}

async fn a_first_run_that_is_killed_leaves_nothing_or_everything(database: TestDatabase) {
    database.create().await;
    let home = TempDir::new().unwrap();
    let began = Instant::now();
    let mut server = Server::spawn(home.path(), &database);
    server.ready().await;
    let whole = began.elapsed();
    server.kill();
    assert_eq!(rows(&database).await, [1; 5]);
    let mut outcomes = Vec::new();
    for moment in 0..MOMENTS {
        let (home, database) = (TempDir::new().unwrap(), TestDatabase::new(database.backend()));
        database.create().await;
        let mut server = Server::spawn(home.path(), &database);
        // Not to wait for anything: to hit another moment each time.
        tokio::time::sleep(whole * moment / (MOMENTS - 1)).await;
        server.kill();
        let left = rows(&database).await;
        assert!(
            left == [0; 5] || left == [1; 5],
            "killed at moment {moment}, it left {left:?}"
        );
        outcomes.push(left[0]);
        let mut server = Server::spawn(home.path(), &database);
        let client = server.ready().await;
        let list = client.call("listOrganizationsForAuthenticatedUser").expect(200).await;
        assert_eq!(
            (&list["count"], &list["items"][0]["permissions"]["admin"]),
            (&json!(1), &json!(true))
        );
        server.kill();
        assert_eq!(rows(&database).await, [1; 5], "after moment {moment}");
    }
    println!("users left behind, by moment: {outcomes:?}");
}

async fn processes_that_start_together_share_one_first_run(database: TestDatabase) {
    database.create().await;
    let homes: Vec<TempDir> = (0..3).map(|_| TempDir::new().unwrap()).collect();
    let mut servers: Vec<Server> = homes.iter().map(|home| Server::spawn(home.path(), &database)).collect();
    let mut seen = Vec::new();
    for server in &mut servers {
        let client = server.ready().await;
        seen.push(client.call("listOrganizationsForAuthenticatedUser").expect(200).await["items"][0]["id"].clone());
    }
    assert!(seen.iter().all(|organization| *organization == seen[0]), "{seen:?}");
    assert_eq!(rows(&database).await, [1; 5]);
}
