//! The real program, in a process of its own.

use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Output, Stdio},
    time::Duration,
};

use platform::db::{Db, DbOptions};
use reqwest::{Method, StatusCode};
use sea_orm::{ConnectionTrait, Statement};
use serde_json::Value;
use tokio::sync::mpsc;

use super::{client::Client, database::TestDatabase};

const TOKEN: &str = "a-token-for-tests-of-forty-characters-xx";

/// What a process has in memory now (`VmRSS:`), or the most that it ever had (`VmHWM:`), in bytes.
pub fn memory(process: u32, member: &str) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with(member)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() * 1024
}

/// More than any start takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// Says what is waited for in vain, where a test would only be ended.
pub async fn patiently<F: Future>(what: &str, awaited: F) -> F::Output {
    let Ok(done) = tokio::time::timeout(PATIENCE, awaited).await else {
        panic!("{what}: waited for in vain");
    };
    done
}

/// The program, running; killed at the latest when this goes.
pub struct Server {
    child: Child,
    lines: mpsc::UnboundedReceiver<String>,
}

impl Server {
    pub fn spawn(home: &Path, database: &TestDatabase) -> Self {
        Self::spawn_with(home, database, |_| {})
    }

    /// With more than the usual settings.
    pub fn spawn_with(home: &Path, database: &TestDatabase, adjust: impl FnOnce(&mut Command)) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bindery"));
        Self::prepare(&mut command, home, database);
        adjust(&mut command);
        Self::run(command)
    }

    /// Gives the usual settings to a command that runs the program.
    pub fn prepare(command: &mut Command, home: &Path, database: &TestDatabase) {
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("BINDERY_")) {
            command.env_remove(name);
        }
        command
            .args([
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--rate-limit",
                "off",
                "--log-format",
                "json",
            ])
            .args(["--database-url", database.url()])
            .arg("--data-dir")
            .arg(home)
            .current_dir(home)
            .env("BINDERY_ADMIN_TOKEN", TOKEN)
            .env("RUST_LOG", "info")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
    }

    pub fn run(mut command: Command) -> Self {
        let mut child = command.spawn().unwrap();
        let log = BufReader::new(child.stderr.take().unwrap());
        let (sender, lines) = mpsc::unbounded_channel();
        // Reads on when nobody listens any more, so that the program never waits for a full pipe.
        std::thread::spawn(move || {
            log.lines()
                .map_while(Result::ok)
                .for_each(|line| drop(sender.send(line)))
        });
        Self { child, lines }
    }

    /// Waits until the server says that it serves, and returns a client of its first user.
    pub async fn ready(&mut self) -> Client {
        let address = async {
            loop {
                let Some(line) = self.lines.recv().await else {
                    panic!("the server ended before it served");
                };
                let line: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}"));
                if let Some(address) = line["address"].as_str() {
                    return address.to_owned();
                }
            }
        };
        let address = patiently("the start of the server", address).await;
        let client = Client::new(&format!("http://{address}")).with_token(TOKEN);
        assert_eq!(client.get("/readyz").await.status(), StatusCode::OK);
        client
    }

    /// Waits for a line of the log.
    pub async fn line(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let found = async {
            loop {
                let line = self.lines.recv().await.unwrap();
                let line = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}"));
                if wanted(&line) {
                    return line;
                }
            }
        };
        patiently(what, found).await
    }

    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// As the kernel does it: nothing is flushed, nobody is told.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs a command of the program on the database of a service of this process.
pub fn command(home: &Path, database_url: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bindery"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("BINDERY_")) {
        command.env_remove(name);
    }
    command
        .args(arguments)
        .args(["--database-url", database_url])
        .arg("--data-dir")
        .arg(home)
        .env("BINDERY_SECRET_KEY", "5a".repeat(32))
        .current_dir(home);
    command.output().unwrap()
}

/// Returns the answer; `None`: the server was gone before the whole answer came.
pub async fn send(client: &Client, method: Method, path: &str, body: Option<Value>) -> Option<Value> {
    let mut request = client.request(method, path);
    if let Some(body) = body {
        request = request.json(&body);
    }
    let response = request.send().await.ok()?;
    assert!(response.status().is_success(), "{path}: {}", response.status());
    let text = response.text().await.ok()?;
    Some(serde_json::from_str(&text).unwrap_or(Value::Null))
}

/// `None`: the server is gone.
pub async fn first_organization(client: &Client) -> Option<String> {
    let list = send(client, Method::GET, "/v1/orgs", None).await?;
    Some(list["items"][0]["id"].as_str().unwrap().to_owned())
}

/// How many rows are in each of these tables.
pub async fn count_rows<const N: usize>(database: &TestDatabase, tables: [&str; N]) -> [i64; N] {
    let db = Db::connect(database.url(), &DbOptions::default()).await.unwrap();
    let rows = if db.pending_migrations().await.unwrap().is_empty() {
        // One statement, so that all are counted at one moment.
        let counts = tables.map(|table| format!("(SELECT count(*) FROM {table}) AS {table}"));
        let sql = format!("SELECT {}", counts.join(", "));
        let statement = Statement::from_string(db.read().get_database_backend(), sql);
        let row = db.read().query_one_raw(statement).await.unwrap().unwrap();
        tables.map(|table| row.try_get("", table).unwrap())
    } else {
        [0; N]
    };
    db.close().await.unwrap();
    rows
}
