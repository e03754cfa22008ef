//! The disk is full, the database has become read-only, or others write to it: writes are refused, and reads go on.

use std::process::Command;

use chrono::TimeDelta;
use platform::db::{Backend, Tx};
use reqwest::{Method, Response};
use sea_orm::{ConnectionTrait, Database, DatabaseTransaction, DbErr, TransactionTrait};
use serde_json::{Value, json};

use crate::support::{
    client::Client,
    database::{TestDatabase, administer, on_each_database, on_one_database, server},
    service::Service,
};

on_each_database!(
    a_read_only_database_refuses_writes,
    a_full_disk_refuses_writes,
    a_database_that_others_write_to_refuses_writes,
);

on_one_database!(damaged_database_is_not_ready);

/// More tokens than fit into a page of SQLite.
const MANY: usize = 500;

struct Setting {
    service: Service,
    client: Client,
    backend: Backend,
    /// The database of PostgreSQL.
    name: Option<String>,
    url: String,
}

impl Setting {
    async fn new(database: TestDatabase) -> Self {
        let (backend, name) = (database.backend(), database.name().map(str::to_owned));
        let url = database.url().to_owned();
        let service = Service::start(database).await;
        let token = service.new_token("someone@tidewater.example").await;
        let client = Client::new(&service.base).with_token(&token);
        Self {
            service,
            client,
            backend,
            name,
            url,
        }
    }

    async fn write(&self) -> Response {
        let request = self.client.request(Method::POST, "/v1/user/tokens");
        request.json(&json!({ "label": "more" })).send().await.unwrap()
    }

    async fn tokens(&self) -> usize {
        let answer = self.client.get("/v1/user/tokens?limit=1000").await;
        assert_eq!(answer.status(), 200);
        let list: Value = serde_json::from_str(&answer.text().await.unwrap()).unwrap();
        list["items"].as_array().unwrap().len()
    }

    async fn readiness(&self) -> u16 {
        // The last answer counts for a while.
        self.service.advance(TimeDelta::seconds(6));
        self.client.get("/readyz").await.status().as_u16()
    }

    /// What `bindery doctor` says of the database.
    async fn examine(&self) -> (bool, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bindery"));
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("BINDERY_")) {
            command.env_remove(name);
        }
        command.args(["doctor", "--json", "--database-url", &self.url, "--data-dir"]);
        command.arg(self.service.data()).current_dir(self.service.data());
        let output = tokio::task::spawn_blocking(move || command.output().unwrap());
        let checks: Vec<Value> = serde_json::from_slice(&output.await.unwrap().stdout).unwrap();
        let check = checks.iter().find(|check| check["check"] == "database").unwrap();
        (check["ok"] == true, check["found"].as_str().unwrap().to_owned())
    }

    /// Runs a statement on a connection that writes.
    async fn execute(&self, sql: impl Into<String>) {
        let sql = sql.into();
        let execute = move |tx: Tx| async move { tx.execute_unprepared(&sql).await.map(drop) };
        self.service
            .app
            .kernel
            .db
            .write::<_, _, _, DbErr>(execute)
            .await
            .unwrap();
    }

    /// Runs a statement on PostgreSQL that names the database as `{}`.
    async fn administer(&self, sql: &str) {
        administer(&server(), &sql.replace("{}", self.name.as_deref().unwrap())).await;
    }

    /// SQLite stays so until a write has failed, after which its connection is replaced.
    async fn set_read_only(&self) {
        if self.backend == Backend::Sqlite {
            return self.execute("PRAGMA query_only = ON").await;
        }
        self.administer("ALTER DATABASE {} SET default_transaction_read_only = on")
            .await;
        self.administer("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{}'")
            .await;
    }

    /// Connections of PostgreSQL that were made before stay read-only, as those to a former primary server.
    async fn set_writable(&self) {
        self.administer("ALTER DATABASE {} RESET default_transaction_read_only")
            .await;
    }

    /// Lets inserts of tokens fail on PostgreSQL with this code.
    async fn refuse_tokens(&self, code: &str) {
        let function = "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS";
        self.execute(format!(
            "{function} $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '{code}'; END $$"
        ))
        .await;
        self.execute("CREATE TRIGGER refuse BEFORE INSERT ON api_tokens EXECUTE FUNCTION refuse()")
            .await;
    }

    async fn accept_tokens(&self) {
        self.execute("DROP TRIGGER refuse ON api_tokens").await;
    }

    /// As a full disk is, for what is inserted.
    async fn fill(&self) {
        match self.backend {
            Backend::Sqlite => {
                // Takes the pages that migrations left free.
                self.execute("CREATE TABLE ballast AS SELECT zeroblob(4000000) AS bytes")
                    .await;
                // As many as there are.
                self.execute("PRAGMA max_page_count = 1").await;
            }
            Backend::Postgres => self.refuse_tokens("53100").await,
        }
    }

    /// Lets other writers be first: another program that holds the lock of the file of SQLite, which is returned, or conflicts of
    /// serializable transactions.
    async fn compete(&self) -> Option<DatabaseTransaction> {
        match self.backend {
            Backend::Sqlite => {
                self.execute("PRAGMA busy_timeout = 50").await;
                let other = Database::connect(&self.url).await.unwrap().begin().await.unwrap();
                other.execute_unprepared("DELETE FROM jobs WHERE false").await.unwrap();
                Some(other)
            }
            Backend::Postgres => {
                self.refuse_tokens("40001").await;
                None
            }
        }
    }

    async fn give_way(&self, other: Option<DatabaseTransaction>) {
        match other {
            Some(other) => other.rollback().await.unwrap(),
            None => self.accept_tokens().await,
        }
    }

    async fn make_room(&self) {
        match self.backend {
            Backend::Sqlite => self.execute("PRAGMA max_page_count = 1073741823").await,
            Backend::Postgres => self.accept_tokens().await,
        }
    }
}

async fn check_refusal(answer: Response, retry_after: &str, text: &str) {
    assert_eq!(answer.status(), 503);
    assert_eq!(answer.headers()["retry-after"], retry_after);
    let body: Value = serde_json::from_str(&answer.text().await.unwrap()).unwrap();
    assert_eq!(body["error"]["type"], "unavailable");
    let message = body["error"]["message"].as_str().unwrap();
    assert!(message.contains(text), "{message}");
}

async fn a_read_only_database_refuses_writes(database: TestDatabase) {
    let setting = Setting::new(database).await;
    let before = setting.tokens().await;
    for number in 0..2 {
        if number == 0 || setting.backend == Backend::Sqlite {
            setting.set_read_only().await;
        }
        check_refusal(setting.write().await, "10", "cannot be written").await;
        assert_eq!(setting.tokens().await, before);
    }
    if setting.backend == Backend::Sqlite {
        setting.set_read_only().await;
        assert_eq!(setting.readiness().await, 503);
        assert_eq!(setting.write().await.status(), 201);
        return;
    }
    assert_eq!(setting.readiness().await, 503);
    let (ok, found) = setting.examine().await;
    assert!(!ok && found.starts_with("cannot write to"), "{found}");
    setting.set_writable().await;
    let (ok, found) = setting.examine().await;
    assert!(ok && found.ends_with("is up to date"), "{found}");
    assert_eq!(setting.write().await.status(), 201);
    assert_eq!(setting.tokens().await, before + 1);
    assert_eq!(setting.readiness().await, 200);
}

async fn a_full_disk_refuses_writes(database: TestDatabase) {
    let setting = Setting::new(database).await;
    let before = setting.tokens().await;
    setting.fill().await;
    let mut made = 0;
    // What is there of the last pages of SQLite is used up.
    let refused = loop {
        let answer = setting.write().await;
        if answer.status() != 201 {
            break answer;
        }
        made += 1;
        assert!(made < MANY);
    };
    check_refusal(refused, "10", "cannot be written").await;
    assert_eq!(setting.tokens().await, before + made);
    setting.make_room().await;
    assert_eq!(setting.write().await.status(), 201);
    assert_eq!(setting.tokens().await, before + made + 1);
}

async fn a_database_that_others_write_to_refuses_writes(database: TestDatabase) {
    let setting = Setting::new(database).await;
    let before = setting.tokens().await;
    let other = setting.compete().await;
    check_refusal(setting.write().await, "1", "saved first each time").await;
    assert_eq!(setting.tokens().await, before);
    setting.give_way(other).await;
    assert_eq!(setting.write().await.status(), 201);
    assert_eq!(setting.tokens().await, before + 1);
}

async fn damaged_database_is_not_ready(database: TestDatabase) {
    let setting = Setting::new(database).await;
    let label = "a label by which the pages of the tokens are found";
    for _ in 0..MANY {
        let request = setting.client.request(Method::POST, "/v1/user/tokens");
        let answer = request.json(&json!({ "label": label })).send().await.unwrap();
        assert_eq!(answer.status(), 201);
    }
    let other = Database::connect(&setting.url).await.unwrap();
    other
        .execute_unprepared("PRAGMA wal_checkpoint(TRUNCATE)")
        .await
        .unwrap();
    other.close().await.unwrap();
    assert_eq!(setting.readiness().await, 200);
    // Other programs damage files, and so do disks.
    let path = setting.url.trim_start_matches("sqlite://").to_owned();
    let mut bytes = std::fs::read(&path).unwrap();
    for page in bytes.chunks_mut(4096) {
        if page.windows(label.len()).any(|part| part == label.as_bytes()) {
            page.fill(0xff);
        }
    }
    std::fs::write(&path, bytes).unwrap();
    let list = setting.client.get("/v1/user/tokens?limit=1000").await;
    assert_eq!(list.status(), 500);
    assert_eq!(setting.readiness().await, 503);
}
