//! `bindery health`

use std::{net::Ipv4Addr, net::SocketAddr, time::Duration};

use anyhow::{Context, ensure};
use platform::{
    config::{Flags, MissingKey, Settings},
    outbound,
};

use super::output::print;

/// The server answers within five seconds, whatever its state.
const TIME_LIMIT: Duration = Duration::from_secs(6);

/// Asks the server on this machine whether it is ready.
pub async fn run(flags: &Flags) -> anyhow::Result<()> {
    let settings = Settings::load(flags, MissingKey::Pretend)?;
    let address = reachable(settings.listen);
    let request = outbound::of_operator()?
        .get(format!("http://{address}/readyz"))
        .timeout(TIME_LIMIT);
    let asking = || format!("the server at {address} does not answer");
    let response = request.send().await.with_context(asking)?;
    let status = response.status();
    let state = response.text().await.with_context(asking)?;
    ensure!(
        status.is_success(),
        "the server at {address} is not ready: {}",
        state.trim()
    );
    print(&format!("{}\n", state.trim()))
}

/// The address at which this machine reaches a server that listens there.
fn reachable(listen: SocketAddr) -> SocketAddr {
    match listen.ip().is_unspecified() {
        true => (Ipv4Addr::LOCALHOST, listen.port()).into(),
        false => listen,
    }
}
