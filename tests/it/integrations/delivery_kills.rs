//! Events of an integration, while the real program or the process of its script is killed: nothing is lost, and the order stays.

use std::{fs, path::Path, process::Command, time::Duration};

use platform::db::{Db, DbOptions};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::interval;

use crate::support::{
    client::{Call, Client},
    database::{TestDatabase, on_each_database},
    integrations::{manifest, publish, with},
    jobs::end_leases,
    process::{Server, patiently},
    receiver::Receiver,
};

on_each_database![a_killed_server_loses_no_event, a_killed_script_loses_no_event,];

/// Sends the number of each event of its installation: that of the configuration before, and one more.
const SCRIPT: &str = "export default {
    async fetch(request) {
        const form = await request.formData();
        const event = JSON.parse(form.get('event'));
        const { secrets } = JSON.parse(form.get('environment'));
        const { previous } = event;
        const number = previous ? (previous.configuration.number ?? 0) + 1 : 0;
        await fetch(secrets.URL, { method: 'POST', body: String(number) });
        return new Response('OK');
    },
};";

fn start(home: &Path, database: &TestDatabase) -> Server {
    Server::spawn_with(home, database, |command| {
        command.env("BINDERY_ALLOW_PRIVATE_ADDRESSES", "127.0.0.1");
    })
}

fn call<'c>(client: &'c Client, operation: &str, installation: &str) -> Call<'c> {
    let call = client.call(operation).path("integrationName", "gauge");
    call.path("installationId", installation)
}

/// Publishes and installs the integration, and changes the installation so often. The first event does not end.
async fn record(client: &Client, receiver: &Receiver, changes: u32) {
    receiver.hold();
    let organizations = client.call("listOrganizationsForAuthenticatedUser").expect(200).await;
    let organization = organizations["items"][0]["id"].as_str().unwrap();
    let members = json!({ "script": SCRIPT, "secrets": { "URL": receiver.url } });
    publish(client, "gauge", with(manifest(organization), members)).await;
    let install = client.call("installIntegration").path("integrationName", "gauge");
    let installation = install.json(json!({ "organization": organization })).expect(201).await;
    let installation = installation["id"].as_str().unwrap();
    patiently("the first event", receiver.arrived()).await;
    for number in 1..=changes {
        let update = call(client, "updateIntegrationInstallation", installation);
        let configuration = json!({ "configuration": { "number": number } });
        update.json(configuration).expect(200).await;
    }
}

/// The numbers of the events that have arrived, as soon as the last one is among them, without those that came again.
async fn arrived(receiver: &Receiver, last: u32) -> Vec<u32> {
    let mut numbers = Vec::new();
    let all = async {
        loop {
            numbers.extend(
                receiver
                    .take()
                    .iter()
                    .map(|request| request.body.parse::<u32>().unwrap()),
            );
            if numbers.last() == Some(&last) {
                return;
            }
            receiver.arrived().await;
        }
    };
    patiently("the last event", all).await;
    numbers.dedup();
    numbers
}

async fn a_killed_server_loses_no_event(database: TestDatabase) {
    let home = TempDir::new().unwrap();
    database.create().await;
    let receiver = Receiver::start().await;
    let mut server = start(home.path(), &database);
    let client = server.ready().await;
    record(&client, &receiver, 5).await;
    server.kill();
    receiver.release();
    let db = Db::connect(database.url(), &DbOptions::default()).await.unwrap();
    end_leases(&db).await;
    db.close().await.unwrap();
    assert_eq!(receiver.take().len(), 1);

    server = start(home.path(), &database);
    server.ready().await;
    assert_eq!(arrived(&receiver, 5).await, [0, 1, 2, 3, 4, 5]);
}

/// Kills the processes of a server that run scripts.
fn kill_scripts(server: u32) {
    let mut killed = 0;
    for entry in fs::read_dir("/proc").unwrap() {
        let path = entry.unwrap().path();
        // Other entries are no processes, or have ended by now.
        let (Ok(stat), Ok(command)) = (fs::read_to_string(path.join("stat")), fs::read(path.join("cmdline"))) else {
            continue;
        };
        // The state and the parent follow the name, which is in parentheses.
        let parent = stat
            .rsplit_once(')')
            .and_then(|(_, rest)| rest.split_whitespace().nth(1));
        let runs_scripts = String::from_utf8_lossy(&command).contains("run-scripts");
        if runs_scripts && parent == Some(server.to_string().as_str()) {
            let id = path.file_name().unwrap();
            assert!(Command::new("kill").arg("-9").arg(id).status().unwrap().success());
            killed += 1;
        }
    }
    assert!(killed > 0);
}

async fn a_killed_script_loses_no_event(database: TestDatabase) {
    let home = TempDir::new().unwrap();
    database.create().await;
    let receiver = Receiver::start().await;
    let mut server = start(home.path(), &database);
    let client = server.ready().await;
    record(&client, &receiver, 3).await;
    kill_scripts(server.process());
    receiver.release();

    // The first attempt has failed, and the others wait with it until somebody asks for it.
    let list = client.call("listIntegrationEvents").path("integrationName", "gauge");
    let list = list.query("status", "pending").expect(200).await;
    let first = list["items"].as_array().unwrap().last().unwrap()["id"].clone();
    let on_first = |operation: &str| {
        let call = client.call(operation).path("integrationName", "gauge");
        call.path("eventId", first.as_str().unwrap())
    };
    let failed = async {
        let mut pauses = interval(Duration::from_millis(50));
        loop {
            pauses.tick().await;
            let read = on_first("getIntegrationEvent").expect(200).await;
            if read["trace"]["logs"]
                .as_array()
                .is_some_and(|lines: &Vec<Value>| !lines.is_empty())
            {
                return read;
            }
        }
    };
    let read = patiently("the end of the first attempt", failed).await;
    assert_eq!(read["event"]["status"], "failed");
    on_first("resendIntegrationEvent").expect(204).await;
    assert_eq!(arrived(&receiver, 3).await, [0, 1, 2, 3]);
}
