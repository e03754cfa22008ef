//! What systemd gives the server and is told by it, here without systemd: a socket, and a place for states.

use std::{net::TcpListener, os::fd::OwnedFd, path::Path, process::Command, process::Stdio};

use rustix::process::{Pid, Signal, kill_process};
use tokio::net::UnixDatagram;

use crate::support::{
    database::{TestDatabase, on_one_database},
    process::{Server, patiently},
};

on_one_database![systemd_learns_the_state, socket_of_systemd_is_used];

/// Moves the socket from standard input to the descriptor that systemd uses, and names the process, which stays the same.
const GIVE_SOCKET: &str = "exec 3<&0 0</dev/null; LISTEN_FDS=1 LISTEN_PID=$$ exec \"$0\" \"$@\"";

/// Waits for a state among those that are told.
async fn told(states: &UnixDatagram, wanted: &str) {
    let waiting = async {
        let mut bytes = [0; 4096];
        loop {
            let size = states.recv(&mut bytes).await.unwrap();
            if std::str::from_utf8(&bytes[..size])
                .unwrap()
                .lines()
                .any(|line| line == wanted)
            {
                return;
            }
        }
    };
    patiently(wanted, waiting).await;
}

async fn systemd_learns_the_state(database: TestDatabase) {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("notify");
    let states = UnixDatagram::bind(&path).unwrap();
    let mut server = Server::spawn_with(home.path(), &database, |command| {
        command.env("NOTIFY_SOCKET", &path).env("WATCHDOG_USEC", "100000");
    });
    told(&states, "READY=1").await;
    server.ready().await;
    for _ in 0..3 {
        told(&states, "WATCHDOG=1").await;
    }
    let process = Pid::from_raw(server.process().cast_signed()).unwrap();
    kill_process(process, Signal::TERM).unwrap();
    told(&states, "STOPPING=1").await;
}

fn spawn_with_socket(home: &Path, database: &TestDatabase, listener: &TcpListener) -> Server {
    let mut command = Command::new("sh");
    command.args(["-c", GIVE_SOCKET, env!("CARGO_BIN_EXE_bindery")]);
    Server::prepare(&mut command, home, database);
    command.stdin(Stdio::from(OwnedFd::from(listener.try_clone().unwrap())));
    Server::run(command)
}

/// A client that connects while no server runs is answered by the next one.
async fn socket_of_systemd_is_used(database: TestDatabase) {
    let home = tempfile::tempdir().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let mut server = spawn_with_socket(home.path(), &database, &listener);
    let client = server.ready().await;
    assert_eq!(client.base(), format!("http://{address}"));
    server.kill();

    let waiting = tokio::spawn(async move { client.get("/healthz").await.status() });
    let mut server = spawn_with_socket(home.path(), &database, &listener);
    server.ready().await;
    assert_eq!(patiently("an answer", waiting).await.unwrap(), 200);
}
