//! The service, in this process, on a port of its own.

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
};

use bindery::{
    app::App,
    areas::identity::{tokens, users},
    http::{
        self,
        server::{self, ConnectionLimits},
    },
};
use chrono::TimeDelta;
use entity::timestamp::Timestamp;
use platform::{
    config::{Flags, Settings},
    db::{Clock, Db, ManualClock},
};
use tempfile::TempDir;
use tokio::{net::TcpListener, task::JoinHandle};

use super::{database::TestDatabase, dns::NameServer};

/// 2026-11-21, 12:00 UTC: tests start at a known time.
pub const START: Timestamp = Timestamp::from_millis(1_795_262_400_000);

pub struct Service {
    pub base: String,
    pub app: App,
    pub clock: ManualClock,
    pub body_limit: usize,
    /// What the service asks for DNS records, if the test names no other server.
    pub names: NameServer,
    server: JoinHandle<()>,
    data: PathBuf,
    // Kept until the service is gone.
    _temporary: Option<TempDir>,
    database: TestDatabase,
}

impl Service {
    /// Creates a user with this address. Returns a token of theirs.
    pub async fn new_token(&self, email: &str) -> String {
        let user = users::create(&self.app.identity, email, "Someone").await.unwrap();
        let token = tokens::create(&self.app.kernel, user.id, "test", None).await;
        token.unwrap().secret
    }

    pub async fn start(database: TestDatabase) -> Self {
        Self::start_with(database, |_| {}).await
    }

    /// With limits of connections other than the defaults.
    pub async fn start_limited(database: TestDatabase, limit: impl FnOnce(&mut ConnectionLimits)) -> Self {
        let data = tempfile::tempdir().unwrap();
        let mut service = Self::start_adjusted(data.path(), database, START, |_| {}, limit).await;
        service._temporary = Some(data);
        service
    }

    /// With settings other than the defaults.
    pub async fn start_with(database: TestDatabase, adjust: impl FnOnce(&mut Flags)) -> Self {
        let data = tempfile::tempdir().unwrap();
        Self::start_in_temporary(data, database, START, adjust).await
    }

    /// With a folder of files that is removed with the service.
    pub async fn start_in_temporary(
        data: TempDir,
        database: TestDatabase,
        start: Timestamp,
        adjust: impl FnOnce(&mut Flags),
    ) -> Self {
        let mut service = Self::start_in(data.path(), database, start, adjust).await;
        service._temporary = Some(data);
        service
    }

    /// With its files in a folder that may already have some.
    pub async fn start_in(
        data: &Path,
        database: TestDatabase,
        start: Timestamp,
        adjust: impl FnOnce(&mut Flags),
    ) -> Self {
        Self::start_adjusted(data, database, start, adjust, |_| {}).await
    }

    async fn start_adjusted(
        data: &Path,
        database: TestDatabase,
        start: Timestamp,
        adjust: impl FnOnce(&mut Flags),
        limit: impl FnOnce(&mut ConnectionLimits),
    ) -> Self {
        let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
        let address = listener.local_addr().unwrap();
        let names = NameServer::start().await;
        let mut flags = Flags {
            dns_server: Some(names.address.to_string()),
            listen: Some(address.to_string()),
            data_dir: Some(data.display().to_string()),
            // Small enough for tests to go over it.
            body_limit: Some("64KiB".to_owned()),
            rate_limit: Some("off".to_owned()),
            // This process is not the server, and tests run its jobs themselves.
            pdf_program: Some(env!("CARGO_BIN_EXE_bindery").to_owned()),
            git_program: Some(env!("CARGO_BIN_EXE_bindery").to_owned()),
            git_allow: Some("http,file".to_owned()),
            integration_program: Some(env!("CARGO_BIN_EXE_bindery").to_owned()),
            pdf_wait: Some("1ms".to_owned()),
            ..Flags::default()
        };
        adjust(&mut flags);
        let mut settings = Settings::of_flags(&flags).unwrap();
        if settings.mail_from.is_some() {
            // Nothing listens there: tests look at the jobs of mails.
            settings.smtp_url = Some("smtp://127.0.0.1:1".to_owned().into());
        }
        let db: Db = database.migrated().await;
        let (clock, manual) = Clock::manual(start);
        let app = App::with_clock(db, &settings, clock);
        app.kernel.continue_ids().await.unwrap();
        let service = http::service(app.clone(), &settings);
        let mut limits = ConnectionLimits::from(&settings);
        limit(&mut limits);
        let server = tokio::spawn(async move {
            server::serve(listener, service, limits, std::future::pending())
                .await
                .unwrap();
        });
        Self {
            base: format!("http://{address}"),
            app,
            clock: manual,
            body_limit: settings.body_limit,
            names,
            server,
            data: data.to_owned(),
            _temporary: None,
            database,
        }
    }

    /// Another process that serves the same database, under the public address of this one.
    pub async fn second_node(&self) -> Self {
        let publish = |flags: &mut Flags| flags.public_url = Some(self.base.clone());
        Self::start_in(&self.data, self.database.shared(), START, publish).await
    }

    /// Stops this process, and starts the next one on the same database at a time that may be earlier.
    pub async fn restart(&self, start: Timestamp) -> Self {
        self.server.abort();
        self.app.kernel.db.close().await.unwrap();
        Self::start_in(&self.data, self.database.reopened(), start, |_| {}).await
    }

    pub fn database(&self) -> &TestDatabase {
        &self.database
    }

    /// Where the service keeps files.
    pub fn data(&self) -> &Path {
        &self.data
    }

    /// Moves the clock on.
    pub fn advance(&self, by: TimeDelta) {
        self.clock.advance(by);
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.server.abort();
    }
}
