//! The service, in this process, on a port of its own.

use std::{net::SocketAddr, path::Path};

use bindery::{
    app::App,
    http::{self, server},
};
use chrono::TimeDelta;
use entity::timestamp::Timestamp;
use platform::{
    config::{Flags, Settings},
    db::{Clock, Db, ManualClock},
};
use tempfile::TempDir;
use tokio::{net::TcpListener, task::JoinHandle};

use super::database::TestDatabase;

/// 2026-11-21, 12:00 UTC: tests start at a known time.
const START: Timestamp = Timestamp::from_millis(1_795_262_400_000);

pub struct Service {
    pub base: String,
    pub app: App,
    pub clock: ManualClock,
    pub body_limit: usize,
    server: JoinHandle<()>,
    // Kept until the service is gone.
    data: TempDir,
    _database: TestDatabase,
}

impl Service {
    pub async fn start(database: TestDatabase) -> Self {
        Self::start_with(database, |_| {}).await
    }

    /// With settings other than the defaults.
    pub async fn start_with(database: TestDatabase, adjust: impl FnOnce(&mut Flags)) -> Self {
        let data = tempfile::tempdir().unwrap();
        let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut flags = Flags {
            listen: Some(address.to_string()),
            data_dir: Some(data.path().display().to_string()),
            // Small enough for tests to go over it.
            body_limit: Some("64KiB".to_owned()),
            rate_limit: Some("off".to_owned()),
            ..Flags::default()
        };
        adjust(&mut flags);
        let settings = Settings::of_flags(&flags).unwrap();
        let db: Db = database.migrated().await;
        let (clock, manual) = Clock::manual(START);
        let app = App::with_clock(db, &settings, clock);
        let service = http::service(app.clone(), &settings);
        let limits = server::Limits::from(&settings);
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
            server,
            data,
            _database: database,
        }
    }

    /// Where the service keeps files.
    pub fn data(&self) -> &Path {
        self.data.path()
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
