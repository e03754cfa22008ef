//! A receiver of events on the loopback interface, which answers as it is told to.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex},
};

use base64::{Engine, engine::general_purpose::STANDARD};
use platform::secrets::signature;
use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    sync::{Notify, Semaphore},
    task::JoinHandle,
};

/// A request, as it came.
#[derive(Clone, Debug)]
pub struct Received {
    pub path: String,
    /// By their names in lower case.
    pub headers: HashMap<String, String>,
    pub body: String,
}

impl Received {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// Returns whether the request of a webhook has a signature by this secret.
    pub fn is_signed(&self, secret: &Value) -> bool {
        let key = secret.as_str().unwrap().strip_prefix("whsec_").unwrap();
        let key = STANDARD.decode(key).unwrap().try_into().unwrap();
        let [id, timestamp, signatures] =
            ["webhook-id", "webhook-timestamp", "webhook-signature"].map(|name| self.headers[name].as_str());
        let expected = signature(key, &format!("{id}.{timestamp}.{}", self.body));
        let expected = format!("v1,{}", STANDARD.encode(expected));
        signatures.split(' ').any(|signature| signature == expected)
    }

    /// A text part of a multipart form, as JSON.
    pub fn part(&self, name: &str) -> Value {
        let (_, rest) = self.body.split_once(&format!("name=\"{name}\"")).unwrap();
        let (_, text) = rest.split_once("\r\n\r\n").unwrap();
        let (text, _) = text.split_once("\r\n--").unwrap();
        serde_json::from_str(text).unwrap()
    }
}

#[derive(Default)]
struct State {
    requests: Mutex<Vec<Received>>,
    statuses: Mutex<VecDeque<u16>>,
    holds: Mutex<bool>,
    arrived: Notify,
}

pub struct Receiver {
    pub url: String,
    state: Arc<State>,
    released: Arc<Semaphore>,
    task: JoinHandle<()>,
}

impl Receiver {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/events", listener.local_addr().unwrap());
        let (state, released) = (Arc::new(State::default()), Arc::new(Semaphore::new(0)));
        let shared = (Arc::clone(&state), Arc::clone(&released));
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(answer(stream, shared.clone()));
            }
        });
        Self {
            url,
            state,
            released,
            task,
        }
    }

    /// The statuses of the next responses. Further ones are 200.
    pub fn answer(&self, statuses: impl IntoIterator<Item = u16>) {
        self.state.statuses.lock().unwrap().extend(statuses);
    }

    /// The next requests are not answered before they are released.
    pub fn hold(&self) {
        *self.state.holds.lock().unwrap() = true;
    }

    /// Answers all requests, those that are held and those that follow.
    pub fn release(&self) {
        *self.state.holds.lock().unwrap() = false;
        self.released.add_permits(1000);
    }

    /// Waits for a request.
    pub async fn arrived(&self) {
        self.state.arrived.notified().await;
    }

    /// The requests since the last call.
    pub fn take(&self) -> Vec<Received> {
        std::mem::take(&mut self.state.requests.lock().unwrap())
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn answer(stream: TcpStream, (state, released): (Arc<State>, Arc<Semaphore>)) -> Option<()> {
    let mut stream = BufReader::new(stream);
    let request = read(&mut stream).await?;
    state.requests.lock().unwrap().push(request);
    let status = state.statuses.lock().unwrap().pop_front().unwrap_or(200);
    let holds = *state.holds.lock().unwrap();
    state.arrived.notify_one();
    if holds {
        released.acquire().await.unwrap().forget();
    }
    let head = match status {
        300..400 => "Location: http://127.0.0.1:1/\r\n",
        _ => "",
    };
    let text = format!("HTTP/1.1 {status} Answer\r\nContent-Length: 7\r\nConnection: close\r\n{head}\r\nA body.");
    stream.write_all(text.as_bytes()).await.ok()?;
    stream.shutdown().await.ok()
}

pub(super) async fn read(stream: &mut BufReader<TcpStream>) -> Option<Received> {
    let mut line = String::new();
    stream.read_line(&mut line).await.ok().filter(|length| *length > 0)?;
    let path = line.split(' ').nth(1)?.to_owned();
    let mut headers = HashMap::new();
    loop {
        let mut header = String::new();
        stream.read_line(&mut header).await.ok()?;
        let Some((name, value)) = header.trim().split_once(':') else {
            break;
        };
        headers.insert(name.to_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").and_then(|length| length.parse().ok());
    let mut body = vec![0; length.unwrap_or_default()];
    stream.read_exact(&mut body).await.ok()?;
    let body = String::from_utf8(body).ok()?;
    Some(Received { path, headers, body })
}
