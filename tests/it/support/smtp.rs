//! A mail server, in this process, that keeps what it gets.

use std::{
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use platform::{config::MailSettings, mail::Mailer};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    sync::Notify,
    task::JoinHandle,
};

/// What a client said between two mails, the mail included.
#[derive(Clone, Debug, Default)]
pub struct Received {
    /// `EHLO`, `AUTH`, `MAIL` and `RCPT` as they came.
    pub commands: Vec<String>,
    pub mail: String,
}

#[derive(Default)]
struct State {
    received: Mutex<Vec<Received>>,
    arrived: Notify,
    connected: Notify,
    refuses: AtomicBool,
    hangs: AtomicBool,
}

pub struct MailServer {
    address: SocketAddr,
    state: Arc<State>,
    task: JoinHandle<()>,
}

impl MailServer {
    pub async fn start() -> Self {
        let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
        let (address, state) = (listener.local_addr().unwrap(), Arc::new(State::default()));
        let shared = Arc::clone(&state);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(talk(stream, Arc::clone(&shared)));
            }
        });
        Self { address, state, task }
    }

    /// Its address; `user` is nothing, or a name and a password with an `@`.
    pub fn url(&self, user: &str) -> String {
        format!("smtp://{user}{}", self.address)
    }

    pub fn mailer(&self) -> Mailer {
        self.mailer_of("")
    }

    pub fn mailer_of(&self, user: &str) -> Mailer {
        let from = "Bindery <docs@tidewater.example>".parse().unwrap();
        let smtp_url = self.url(user).into();
        Mailer::new(&MailSettings { smtp_url, from }).unwrap()
    }

    /// Whether mails are turned away from now on.
    pub fn refuse(&self, refuses: bool) {
        self.state.refuses.store(refuses, Ordering::SeqCst);
    }

    /// Whether clients wait for an answer for ever from now on.
    pub fn hang(&self, hangs: bool) {
        self.state.hangs.store(hangs, Ordering::SeqCst);
    }

    /// Waits for the next connection.
    pub async fn connected(&self) {
        self.state.connected.notified().await;
    }

    /// Waits until there is a mail that was not waited for.
    pub async fn arrived(&self) {
        self.state.arrived.notified().await;
    }

    pub fn received(&self) -> Vec<Received> {
        self.state.received.lock().unwrap().clone()
    }
}

impl Drop for MailServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn talk(stream: TcpStream, state: Arc<State>) {
    state.connected.notify_one();
    if state.hangs.load(Ordering::SeqCst) {
        return std::future::pending().await;
    }
    let mut stream = BufReader::new(stream);
    let (mut current, mut in_mail, mut answer) = (Received::default(), false, "220 ready");
    loop {
        if !answer.is_empty() && stream.write_all(format!("{answer}\r\n").as_bytes()).await.is_err() {
            return;
        }
        let mut line = String::new();
        if stream.read_line(&mut line).await.unwrap_or(0) == 0 {
            return;
        }
        let verb = line.split_ascii_whitespace().next().unwrap_or_default();
        answer = match verb {
            "." if in_mail => {
                in_mail = false;
                if state.refuses.load(Ordering::SeqCst) {
                    "451 not now"
                } else {
                    state.received.lock().unwrap().push(std::mem::take(&mut current));
                    state.arrived.notify_one();
                    "250 taken"
                }
            }
            _ if in_mail => {
                current.mail.push_str(&line);
                ""
            }
            "DATA" => {
                in_mail = true;
                "354 go on"
            }
            "QUIT" => "221 bye",
            _ => {
                current.commands.push(line.trim_end().to_owned());
                match verb {
                    "EHLO" => "250-here\r\n250 AUTH PLAIN",
                    "AUTH" => "235 known",
                    _ => "250 fine",
                }
            }
        };
    }
}
