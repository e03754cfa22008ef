//! A translation engine, in this process, that speaks the protocols of engines and fails when it is told to. Its
//! translations are the words in upper case.

use std::{
    collections::VecDeque,
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    sync::{Notify, Semaphore, watch},
    task::JoinHandle,
};

/// What the engine does with a request instead of translating.
#[derive(Clone, Debug)]
pub enum Fault {
    /// This status and these headers.
    Status(u16, &'static str),
    /// This body.
    Body(&'static str),
    /// The connection ends.
    Disconnect,
    /// One translation too few.
    TooFew,
    /// Translations without tags.
    WithoutTags,
    /// Translations with characters that show nothing.
    Hidden,
    /// None: the request is answered.
    Answer,
    /// No answer follows.
    Wait,
    /// The answer follows when it is released.
    Hold,
}

/// A request, as it came.
#[derive(Clone, Debug)]
pub struct EngineRequest {
    pub path: String,
    pub authorization: String,
    pub body: Value,
    pub texts: Vec<String>,
}

struct State {
    requests: Mutex<Vec<EngineRequest>>,
    faults: Mutex<VecDeque<Fault>>,
    arrived: Notify,
    /// The number of requests so far whose answers were held.
    held: watch::Sender<usize>,
    released: Semaphore,
}

impl Default for State {
    fn default() -> Self {
        Self {
            requests: Mutex::default(),
            faults: Mutex::default(),
            arrived: Notify::default(),
            held: watch::Sender::default(),
            released: Semaphore::new(0),
        }
    }
}

pub struct TranslationEngine {
    pub url: String,
    state: Arc<State>,
    task: JoinHandle<()>,
}

impl TranslationEngine {
    pub async fn start() -> Self {
        let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::new(State::default());
        let shared = Arc::clone(&state);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(talk(stream, Arc::clone(&shared)));
            }
        });
        Self { url, state, task }
    }

    /// The next requests fail like this, one after the other.
    pub fn fail(&self, faults: impl IntoIterator<Item = Fault>) {
        self.state.faults.lock().unwrap().extend(faults);
    }

    /// The faults that no request has met.
    pub fn faults_left(&self) -> usize {
        self.state.faults.lock().unwrap().len()
    }

    /// The requests since the last call.
    pub fn take_requests(&self) -> Vec<EngineRequest> {
        std::mem::take(&mut self.state.requests.lock().unwrap())
    }

    /// The texts of all requests since the last call.
    pub fn take_texts(&self) -> Vec<String> {
        self.take_requests()
            .into_iter()
            .flat_map(|request| request.texts)
            .collect()
    }

    /// Releases an answer that is held.
    pub fn release(&self) {
        self.state.released.add_permits(1);
    }

    /// Waits until the answers to so many requests were held. Returns how many it were.
    pub async fn held(&self, count: usize) -> usize {
        let mut held = self.state.held.subscribe();
        *held.wait_for(|held| *held >= count).await.unwrap()
    }

    /// Waits for a request that gets no answer, or a late one.
    pub async fn waiting(&self) {
        self.state.arrived.notified().await;
    }
}

impl Drop for TranslationEngine {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn talk(stream: TcpStream, state: Arc<State>) -> Option<()> {
    let mut stream = BufReader::new(stream);
    loop {
        let request = read(&mut stream).await?;
        state.requests.lock().unwrap().push(request.clone());
        let fault = state.faults.lock().unwrap().pop_front();
        let (status, headers, body) = match fault {
            Some(Fault::Disconnect) => return None,
            Some(Fault::Status(status, headers)) => (status, headers, "{}".to_owned()),
            Some(Fault::Body(body)) => (200, "", body.to_owned()),
            Some(Fault::Wait) => {
                state.arrived.notify_one();
                std::future::pending::<()>().await;
                return None;
            }
            Some(Fault::Hold) => {
                state.held.send_modify(|held| *held += 1);
                state.arrived.notify_one();
                state.released.acquire().await.unwrap().forget();
                (200, "", answer(&request, |_| {}))
            }
            Some(Fault::TooFew) => (200, "", answer(&request, |texts| drop(texts.pop()))),
            Some(Fault::WithoutTags) => (
                200,
                "",
                answer(&request, |texts| texts.iter_mut().for_each(remove_tags)),
            ),
            Some(Fault::Hidden) => (
                200,
                "",
                answer(&request, |texts| {
                    texts.iter_mut().for_each(|text| text.push_str("\u{200b}\u{202e}"))
                }),
            ),
            Some(Fault::Answer) | None => (200, "", answer(&request, |_| {})),
        };
        let head = format!(
            "HTTP/1.1 {status} Answer\r\nContent-Length: {}\r\n{headers}\r\n",
            body.len()
        );
        stream.write_all(format!("{head}{body}").as_bytes()).await.ok()?;
    }
}

async fn read(stream: &mut BufReader<TcpStream>) -> Option<EngineRequest> {
    let mut line = String::new();
    stream.read_line(&mut line).await.ok().filter(|length| *length > 0)?;
    let path = line.split(' ').nth(1)?.to_owned();
    let (mut length, mut authorization) = (0, String::new());
    loop {
        let mut header = String::new();
        stream.read_line(&mut header).await.ok()?;
        let Some((name, value)) = header.trim().split_once(':') else {
            break;
        };
        match name.to_lowercase().as_str() {
            "content-length" => length = value.trim().parse().ok()?,
            "authorization" => authorization = value.trim().to_owned(),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    let body: Value = serde_json::from_slice(&body).ok()?;
    let strings = |list: &Value| {
        let texts = list.as_array().cloned().unwrap_or_default();
        texts.iter().map(|text| text.as_str().unwrap().to_owned()).collect()
    };
    let texts = match path.as_str() {
        "/chat/completions" => {
            let asked: Value = serde_json::from_str(body["messages"][1]["content"].as_str()?).ok()?;
            let texts = asked["texts"].as_array()?.iter();
            texts.map(|text| text["text"].as_str().unwrap().to_owned()).collect()
        }
        "/translate" => strings(&body["q"]),
        _ => strings(&body["text"]),
    };
    Some(EngineRequest {
        path,
        authorization,
        body,
        texts,
    })
}

fn answer(request: &EngineRequest, change: impl FnOnce(&mut Vec<String>)) -> String {
    let mut texts: Vec<String> = request.texts.iter().map(|text| shout(text)).collect();
    change(&mut texts);
    let answer = match request.path.as_str() {
        "/chat/completions" => {
            let texts = texts.iter().enumerate();
            let texts: Vec<Value> = texts
                .map(|(index, text)| json!({ "id": index + 1, "text": text }))
                .collect();
            let content = json!({ "translations": texts }).to_string();
            json!({ "choices": [{ "message": { "content": content }, "finish_reason": "stop" }] })
        }
        "/translate" => json!({ "translatedText": texts }),
        _ => {
            let texts: Vec<Value> = texts.iter().map(|text| json!({ "text": text })).collect();
            json!({ "translations": texts })
        }
    };
    answer.to_string()
}

/// Upper case for everything but tags and entities.
pub fn shout(text: &str) -> String {
    let mut end = None;
    let shouted = text.chars().map(|c| {
        match (end, c) {
            (None, '<') => end = Some('>'),
            (None, '&') => end = Some(';'),
            (Some(last), c) if last == c => end = None,
            (None, c) => return c.to_ascii_uppercase(),
            _ => {}
        }
        c
    });
    shouted.collect()
}

fn remove_tags(text: &mut String) {
    let mut in_tag = false;
    text.retain(|c| {
        let was_in_tag = in_tag;
        in_tag = (in_tag || c == '<') && c != '>';
        !(in_tag || was_in_tag && c == '>')
    });
}
