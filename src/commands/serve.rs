//! `bindery serve`

use std::{io::Write, time::Duration};

use anyhow::Context;
use futures_util::FutureExt;
use openapi::error::ApiError;
use platform::{
    config::{Flags, MissingKey, Settings},
    jobs::Runner,
    mail::Mailer,
};
use secrecy::ExposeSecret;
use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    time::{MissedTickBehavior, interval},
};

use super::{backup::job::with_backups, connect::open_migrated, logs, service_manager};

use crate::{
    app::App,
    areas::{
        identity::system,
        integrations::{space_events, visitor_events},
    },
    commands::{
        background,
        first_run::{self, FirstRun},
    },
    http::{self, server},
};

/// How often what requests only note, such as when a token was used, is written down.
const NOTES_WRITTEN_EVERY: Duration = Duration::from_secs(10);

pub async fn run(flags: &Flags) -> anyhow::Result<()> {
    let mut settings = Settings::load(flags, MissingKey::Wait)?;
    logs::start_for_server(&settings).context("cannot start the log")?;
    let mailer = settings.mail().as_ref().map(Mailer::new).transpose()?;
    // Listening comes first: a first run whose token nobody could use would be a pity.
    let listener = match service_manager::listener(settings.listen)? {
        Some(listener) => listener,
        None => server::bind(settings.listen).await?,
    };
    settings.bound_to(listener.local_addr()?)?;
    let app = open_migrated(&mut settings).await?;
    if let Some(created) = first_run::first_run(&app, &settings).await.map_err(described)? {
        print_first_run(&created, &settings).context("cannot print the token")?;
    }
    tracing::info!(
        version = system::VERSION,
        address = %settings.listen,
        docs = settings.page("docs/"),
        database = settings.database_for_display(),
        "serving"
    );
    let stop = Stop::new()?
        .requested()
        .inspect(|()| service_manager::stopping())
        .shared();
    let notes = tokio::spawn(write_notes(app.clone()));
    let announcements = tokio::spawn(space_events::run(app.kernel.clone()));
    let visitor_events = tokio::spawn(visitor_events::run(app.kernel.clone()));
    // Before the jobs, whose scripts make requests to it.
    let service = http::service(app.clone(), &settings);
    let kinds = with_backups(background::kinds(&app, mailer), &app, &settings);
    let runner = Runner::new(app.kernel.jobs.clone(), kinds);
    let jobs = tokio::spawn(runner.run(stop.clone(), settings.shutdown_grace));
    let alive = tokio::spawn(service_manager::keep_alive());
    service_manager::ready();
    server::serve(listener, service, (&settings).into(), stop).await?;
    jobs.await.context("the runner of background jobs ended unexpectedly")?;
    notes.abort();
    announcements.abort();
    visitor_events.abort();
    alive.abort();
    if let Err(error) = app.access.store_token_uses().await {
        tracing::warn!(%error, "cannot store the last uses of tokens");
    }
    app.kernel
        .db
        .close()
        .await
        .context("cannot close the database cleanly")?;
    tracing::info!("stopped");
    Ok(())
}

/// Keeps the cause, which responses leave out.
fn described(error: ApiError) -> anyhow::Error {
    anyhow::Error::new(error).context("cannot create the first user")
}

async fn write_notes(app: App) {
    let mut ticks = interval(NOTES_WRITTEN_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut known_dropped = 0;
    loop {
        ticks.tick().await;
        let dropped = logs::dropped_lines();
        if dropped > known_dropped {
            let lines = dropped.saturating_sub(known_dropped);
            tracing::warn!(
                lines,
                "lines of the log were dropped, because they were not read fast enough"
            );
            known_dropped = dropped;
        }
        if let Err(error) = app.access.store_token_uses().await {
            tracing::warn!(%error, "cannot store the last uses of tokens; retrying");
        }
    }
}

/// The signals that stop the process. Handlers are installed at the start, so that no signal is missed.
struct Stop {
    terminate: Signal,
    interrupt: Signal,
}

impl Stop {
    fn new() -> anyhow::Result<Self> {
        let watch = |kind| signal(kind).context("cannot watch for signals");
        Ok(Self {
            terminate: watch(SignalKind::terminate())?,
            interrupt: watch(SignalKind::interrupt())?,
        })
    }

    async fn requested(mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

/// Prints the result of the first run. The token is not shown again.
fn print_first_run(created: &FirstRun, settings: &Settings) -> std::io::Result<()> {
    let FirstRun {
        email,
        organization,
        token,
        token_was_given,
    } = created;
    let token = if *token_was_given {
        "$BINDERY_ADMIN_TOKEN"
    } else {
        token.expose_secret()
    };
    let shown = if *token_was_given {
        "the one that was set"
    } else {
        token
    };
    let (user, docs) = (settings.page("v1/user"), settings.page("docs/"));
    let mut out = std::io::stdout().lock();
    write!(
        out,
        "\nWelcome to Bindery. This is the first run on this database; it created\n\n  \
         user          {email}\n  organization  {organization}\n  token         {shown}\n\n\
         The token is not stored and not shown again. Try it:\n\n  \
         curl -H 'Authorization: Bearer {token}' {user}\n\n\
         or with \"Authorize\" on {docs}\n\n"
    )?;
    out.flush()
}
