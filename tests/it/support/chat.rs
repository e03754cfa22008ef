//! An endpoint of the OpenAI chat form on the loopback interface, which answers as it is told to.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

use super::receiver::{Received, read};

#[derive(Default)]
struct State {
    requests: Mutex<Vec<Received>>,
    answers: Mutex<VecDeque<(u16, String)>>,
}

pub struct ChatEndpoint {
    pub url: String,
    state: Arc<State>,
    task: JoinHandle<()>,
}

impl ChatEndpoint {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let state = Arc::new(State::default());
        let shared = Arc::clone(&state);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(answer(stream, Arc::clone(&shared)));
            }
        });
        Self { url, state, task }
    }

    /// The next answer is this one. Without an answer the status is 500.
    pub fn answer(&self, status: u16, body: impl ToString) {
        let answer = (status, body.to_string());
        self.state.answers.lock().unwrap().push_back(answer);
    }

    /// The next answer has these issues, and has taken so many tokens.
    pub fn answer_issues(&self, issues: &[[&str; 2]], tokens: u64) {
        let issues = issues
            .iter()
            .map(|[title, summary]| json!({ "title": title, "summary": summary }));
        let content = json!({ "issues": issues.collect::<Vec<Value>>() }).to_string();
        let body = json!({
            "choices": [{ "message": { "role": "assistant", "content": content }, "finish_reason": "stop" }],
            "usage": { "prompt_tokens": tokens, "completion_tokens": 0 },
        });
        self.answer(200, body);
    }

    /// The requests since the last call.
    pub fn take(&self) -> Vec<Received> {
        std::mem::take(&mut self.state.requests.lock().unwrap())
    }
}

impl Drop for ChatEndpoint {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn answer(stream: TcpStream, state: Arc<State>) -> Option<()> {
    let mut stream = BufReader::new(stream);
    let request = read(&mut stream).await?;
    state.requests.lock().unwrap().push(request);
    let next = state.answers.lock().unwrap().pop_front();
    let (status, body) = next.unwrap_or((500, String::new()));
    let head = format!(
        "HTTP/1.1 {status} Answer\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(format!("{head}{body}").as_bytes()).await.ok()?;
    stream.shutdown().await.ok()
}
