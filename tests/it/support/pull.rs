//! A source of pulls, which answers as others do, and the command that pulls from it.

use std::{
    collections::VecDeque,
    path::Path,
    process::{Child, Command, Output, Stdio},
    sync::{Arc, Mutex},
};

use reqwest::Method;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    sync::Notify,
    task::spawn_blocking,
};

use super::{client::Client, database::TestDatabase, process, service::Service, world::World};

/// What goes wrong with one answer.
#[derive(Clone, Copy)]
pub enum Fault {
    /// A status, and when to ask again.
    Status(u16, Option<&'static str>),
    /// The connection ends within the body.
    Cut,
}

#[derive(Default)]
struct State {
    base: String,
    target: String,
    faults: Mutex<VecDeque<Fault>>,
    /// The paths that were asked for.
    asked: Mutex<Vec<String>>,
    /// Further requests that are answered before one is never answered.
    left: Mutex<Option<usize>>,
    stuck: Notify,
    is_strange: Mutex<bool>,
}

/// Stands before a service, and answers as the public product does: shorter pages of lists, more members and fewer.
pub struct Proxy {
    pub base: String,
    state: Arc<State>,
}

impl Proxy {
    pub async fn before(world: &World) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::new(State {
            base: base.clone(),
            target: world.service.base.clone(),
            ..State::default()
        });
        let shared = Arc::clone(&state);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(answer(stream, Arc::clone(&shared)));
            }
        });
        Self { base, state }
    }

    pub fn is_strange(&self) {
        *self.state.is_strange.lock().unwrap() = true;
    }

    pub fn fail(&self, faults: impl IntoIterator<Item = Fault>) {
        self.state.faults.lock().unwrap().extend(faults);
    }

    /// Answers so many requests, and then none until it is released.
    pub fn stop_after(&self, requests: Option<usize>) {
        *self.state.left.lock().unwrap() = requests;
    }

    pub async fn stuck(&self) {
        process::patiently("a request that is not answered", self.state.stuck.notified()).await;
    }

    /// What was asked for since the last call.
    pub fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.state.asked.lock().unwrap())
    }
}

async fn answer(stream: TcpStream, state: Arc<State>) -> Option<()> {
    let mut stream = BufReader::new(stream);
    let mut head = String::new();
    let mut authorization = String::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("authorization")
        {
            authorization = value.trim().to_owned();
        }
        if line.trim().is_empty() {
            break;
        }
        if head.is_empty() {
            head = line;
        }
    }
    let path = head.split_whitespace().nth(1)?.to_owned();
    state.asked.lock().unwrap().push(path.clone());
    let is_stuck = match &mut *state.left.lock().unwrap() {
        Some(0) => true,
        Some(left) => {
            *left -= 1;
            false
        }
        None => false,
    };
    if is_stuck {
        state.stuck.notify_one();
        // Until the client is gone.
        return stream.read_u8().await.ok().map(drop);
    }
    let fault = state.faults.lock().unwrap().pop_front();
    if let Some(Fault::Status(status, after)) = fault {
        let after = after
            .map(|after| format!("Retry-After: {after}\r\n"))
            .unwrap_or_default();
        let text = format!("HTTP/1.1 {status} Fault\r\nContent-Length: 0\r\nConnection: close\r\n{after}\r\n");
        return stream.write_all(text.as_bytes()).await.ok();
    }
    let is_strange = *state.is_strange.lock().unwrap();
    let asked = if is_strange {
        path.replace("limit=100", "limit=2")
    } else {
        path.clone()
    };
    let client = Client::new(&state.target).unrecorded();
    let mut request = client.request(Method::GET, &asked);
    if !authorization.is_empty() {
        request = request.header("Authorization", authorization);
    }
    let response = request.send().await.unwrap();
    let status = response.status().as_u16();
    let mut body = response.bytes().await.unwrap().to_vec();
    if let Ok(mut read) = serde_json::from_slice::<Value>(&body) {
        if is_strange && status == 200 {
            estrange(&mut read);
        }
        body = read.to_string().replace(&state.target, &state.base).into_bytes();
    }
    let length = body.len();
    if let Some(Fault::Cut) = fault {
        body.truncate(length / 2);
    }
    let head = format!("HTTP/1.1 {status} Answer\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).await.ok()?;
    stream.write_all(&body).await.ok()
}

/// Adds members that nobody knows, and removes some that are not needed.
fn estrange(answer: &mut Value) {
    let strange = |object: &mut Value| {
        if let Some(members) = object.as_object_mut() {
            members.insert(
                "internal_flags".to_owned(),
                json!({ "kind": "page", "deep": [[{ "id": 7 }]] }),
            );
            for name in ["permissions", "createdAt", "urls", "count"] {
                members.remove(name);
            }
        }
    };
    strange(answer);
    for item in answer
        .get_mut("items")
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
    {
        strange(item);
    }
}

/// The installation that pulls.
pub struct Target {
    pub client: Client,
    home: TempDir,
    url: String,
    // Kept until the target is gone.
    _service: Service,
}

impl Target {
    pub async fn new(database: TestDatabase) -> Self {
        let url = database.url().to_owned();
        let home = tempfile::tempdir().unwrap();
        let service = Service::start_in(home.path(), database, super::service::START, |_| {}).await;
        let token = service.new_token("operator@tidewater.example").await;
        let client = Client::new(&service.base).with_token(&token);
        Self {
            client,
            home,
            url,
            _service: service,
        }
    }

    fn arguments(&self, proxy: &Proxy, world: &World, more: &[&str]) -> Vec<String> {
        let token = self.home.path().join("source-token");
        std::fs::write(&token, format!("{}\n", world.admin.token)).unwrap();
        let organization = world.organization.to_string();
        let arguments = [
            "pull",
            &proxy.base,
            "--org",
            &organization,
            "--token-file",
            token.to_str().unwrap(),
        ];
        arguments.iter().chain(more).map(|it| (*it).to_owned()).collect()
    }

    pub async fn pull(&self, proxy: &Proxy, world: &World, more: &[&str]) -> Output {
        let (home, url) = (self.home.path().to_owned(), self.url.clone());
        let arguments = self.arguments(proxy, world, more);
        let run = spawn_blocking(move || {
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            process::command(&home, &url, &arguments)
        });
        run.await.unwrap()
    }

    /// Pulls, and returns what the report says.
    pub async fn pulled(&self, proxy: &Proxy, world: &World, more: &[&str]) -> String {
        let output = self.pull(proxy, world, more).await;
        let (out, error) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success(), "{out}\n{error}");
        out
    }

    /// Starts a pull, to be killed.
    pub fn start(&self, proxy: &Proxy, world: &World) -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bindery"));
        prepare(&mut command, self.home.path());
        command
            .args(self.arguments(proxy, world, &[]))
            .args(["--database-url", &self.url])
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.spawn().unwrap()
    }

    pub async fn get(&self, path: &str) -> Value {
        let response = self.client.get(&format!("/v1/{path}")).await;
        let status = response.status();
        let text = response.text().await.unwrap();
        assert!(status.is_success(), "{path}: {text}");
        serde_json::from_str(&text).unwrap()
    }

    /// The id of the organization with the copies.
    pub async fn organization(&self) -> String {
        let all = self.get("orgs").await;
        all["items"][0]["id"].as_str().unwrap().to_owned()
    }
}

fn prepare(command: &mut Command, home: &Path) {
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("BINDERY_")) {
        command.env_remove(name);
    }
    command
        .arg("--data-dir")
        .arg(home)
        .env("BINDERY_SECRET_KEY", "5a".repeat(32))
        .current_dir(home);
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A row of the table of a report: new, changed, unchanged, not copied.
pub fn row(report: &str, kind: &str) -> [usize; 4] {
    let line = report.lines().find_map(|line| line.strip_prefix(&format!("{kind} ")));
    let numbers: Vec<usize> = line
        .unwrap_or_else(|| panic!("{kind} is not in {report}"))
        .split_whitespace()
        .map(|number| number.parse().unwrap())
        .collect();
    numbers.try_into().unwrap()
}

/// How many objects a pull wrote.
pub fn written(report: &str) -> usize {
    let line = report.lines().find_map(|line| line.strip_prefix("written "));
    line.unwrap().split_whitespace().next().unwrap().parse().unwrap()
}
