//! The language model of the operator: an endpoint of the OpenAI chat form.

use std::{fmt, time::Duration};

use platform::{
    config::{ConversationsSettings, Settings},
    outbound,
};
use secrecy::ExposeSecret;
use serde_json::Value;
use tokio::time::timeout;

/// The time of one request.
const TIME_LIMIT: Duration = Duration::from_secs(120);

/// The size of an answer in bytes.
const MAX_ANSWER: usize = 1024 * 1024;

/// The language model, if the operator has set one.
pub struct IssuesModel {
    settings: Option<ConversationsSettings>,
    pub tokens_per_day: u64,
}

/// The reason why the model gives no answer.
#[derive(Debug)]
pub enum ModelError {
    /// Another request may succeed later.
    Unavailable(String),
    /// The same request is refused again.
    Refused(String),
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unavailable(message) | Self::Refused(message) => f.write_str(message),
        }
    }
}

impl IssuesModel {
    pub fn new(settings: &Settings) -> Self {
        Self {
            settings: settings.conversations(),
            tokens_per_day: settings.conversations_tokens_per_day,
        }
    }

    /// The name of the model. `None`: the server has none.
    pub fn name(&self) -> Option<&str> {
        self.settings.as_ref().map(|settings| settings.model.as_str())
    }

    /// Sends a request, and returns the body of the answer.
    pub async fn ask(&self, request: &Value) -> Result<Vec<u8>, ModelError> {
        let Some(settings) = &self.settings else {
            return Err(ModelError::Refused("The server has no language model.".to_owned()));
        };
        let late = |_| ModelError::Unavailable("The language model takes too long to answer.".to_owned());
        timeout(TIME_LIMIT, send(settings, request)).await.map_err(late)?
    }
}

async fn send(settings: &ConversationsSettings, request: &Value) -> Result<Vec<u8>, ModelError> {
    let unavailable = |what: &str| ModelError::Unavailable(format!("The language model {what}."));
    let client = outbound::of_operator().map_err(|error| ModelError::Unavailable(format!("{error:#}")))?;
    let url = format!("{}/chat/completions", settings.url.as_str().trim_end_matches('/'));
    let post = client
        .post(url)
        .header("content-type", "application/json")
        .header("accept-encoding", "identity")
        .body(request.to_string());
    let post = match &settings.key {
        Some(key) => post.bearer_auth(key.expose_secret()),
        None => post,
    };
    // The error names the address, which may have secrets.
    let mut response = post.send().await.map_err(|_| unavailable("cannot be reached"))?;
    let status = response.status();
    if !status.is_success() {
        let message = format!("The language model responds with the status {}.", status.as_u16());
        return Err(match status.is_server_error() || status.as_u16() == 429 {
            true => ModelError::Unavailable(message),
            false => ModelError::Refused(message),
        });
    }
    let mut answer = Vec::new();
    while let Some(chunk) = response
        .chunk()
        .await
        .map_err(|_| unavailable("breaks off its answer"))?
    {
        if chunk.len() > MAX_ANSWER - answer.len() {
            return Err(unavailable("sends an answer that is too large"));
        }
        answer.extend_from_slice(&chunk);
    }
    Ok(answer)
}
