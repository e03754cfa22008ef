//! What systemd gives the server and is told by it. Without systemd, nothing.

use std::{io::ErrorKind, net::SocketAddr};

use anyhow::Context;
use listenfd::ListenFd;
use sd_notify::NotifyState;
use tokio::{
    net::TcpListener,
    time::{MissedTickBehavior, interval},
};

/// The socket on which systemd listens for the server. Clients wait in its queue while the server is started again.
pub fn listener(configured: SocketAddr) -> anyhow::Result<Option<TcpListener>> {
    let given = ListenFd::from_env().take_tcp_listener(0);
    let Some(listener) = given.context("cannot use the socket of systemd")? else {
        return Ok(None);
    };
    listener
        .set_nonblocking(true)
        .context("cannot use the socket of systemd")?;
    let address = listener.local_addr()?;
    if address != configured {
        tracing::warn!(%address, %configured, "listening on the socket of systemd; BINDERY_LISTEN has no effect");
    }
    Ok(Some(TcpListener::from_std(listener)?))
}

/// Tells systemd that the server serves.
pub fn ready() {
    notify(NotifyState::Ready);
}

/// Tells systemd that the server ends.
pub fn stopping() {
    notify(NotifyState::Stopping);
}

/// Tells systemd again and again that tasks still run, twice in each period that it asks for.
pub async fn keep_alive() {
    let Some(period) = sd_notify::watchdog_enabled().filter(|period| !period.is_zero()) else {
        return;
    };
    let mut ticks = interval(period / 2);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        notify(NotifyState::Watchdog);
    }
}

fn notify(state: NotifyState<'_>) {
    match sd_notify::notify(&[state]) {
        Err(error) if error.kind() != ErrorKind::WouldBlock => {
            tracing::warn!(%error, "cannot tell systemd the state of the server");
        }
        _ => {}
    }
}
