//! `bindery health`, which says whether the server on this machine is ready.

use std::process::Command;

use crate::support::{
    database::{TestDatabase, on_one_database},
    process::Server,
};

on_one_database![health_is_that_of_the_server];

/// The exit status of the command, and what it says.
async fn health(address: &str) -> (bool, String) {
    let home = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_bindery"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("BINDERY_")) {
        command.env_remove(name);
    }
    command.args(["health", "--listen", address]).current_dir(home.path());
    let output = tokio::task::spawn_blocking(move || command.output().unwrap())
        .await
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(text).unwrap())
}

async fn health_is_that_of_the_server(database: TestDatabase) {
    let home = tempfile::tempdir().unwrap();
    let mut server = Server::spawn(home.path(), &database);
    let client = server.ready().await;
    let address = client.base().strip_prefix("http://").unwrap().to_owned();
    let port = address.rsplit(':').next().unwrap();
    for listen in [address.clone(), format!("0.0.0.0:{port}")] {
        let (healthy, text) = health(&listen).await;
        assert!(healthy && text.contains("ready"), "{text}");
    }
    server.kill();
    let (healthy, text) = health(&address).await;
    assert!(!healthy && text.contains("does not answer"), "{text}");

    let busy = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let listen = busy.local_addr().unwrap().to_string();
    let answer = poem::endpoint::make_sync(|_| {
        poem::Response::builder()
            .status(poem::http::StatusCode::SERVICE_UNAVAILABLE)
            .body("{\"status\":\"database unavailable\"}")
    });
    let limits = bindery::http::server::ConnectionLimits::default();
    tokio::spawn(bindery::http::server::serve(
        busy,
        answer,
        limits,
        std::future::pending(),
    ));
    let (healthy, text) = health(&listen).await;
    assert!(
        !healthy && text.contains("is not ready") && text.contains("database unavailable"),
        "{text}"
    );
}
