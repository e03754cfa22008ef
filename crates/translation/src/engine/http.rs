//! Requests to engines, repeated where that may help.

use std::time::Duration;

use reqwest::{
    Client, RequestBuilder, Response, StatusCode,
    header::{ACCEPT_ENCODING, CONTENT_TYPE, RETRY_AFTER},
};
use serde_json::Value;
use tokio::time::{sleep, timeout};

use super::{EngineError, malformed};

/// The limits of one request.
#[derive(Clone, Copy, Debug)]
pub struct HttpLimits {
    /// The time of one attempt.
    pub time: Duration,
    pub attempts: u32,
    /// The wait after the first failure; each further wait is twice as long.
    pub first_wait: Duration,
    /// The longest wait, whatever `Retry-After` says.
    pub longest_wait: Duration,
    /// The size of an answer.
    pub bytes: usize,
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            time: Duration::from_secs(120),
            attempts: 5,
            first_wait: Duration::from_millis(500),
            longest_wait: Duration::from_secs(60),
            bytes: 8 * 1024 * 1024,
        }
    }
}

pub struct Http {
    pub client: Client,
    pub limits: HttpLimits,
}

/// The result of one attempt.
enum Attempt {
    Done(Value),
    Failed(EngineError),
    /// Another attempt may succeed, after this time if the engine says one.
    Again(EngineError, Option<Duration>),
}

impl Http {
    /// Sends JSON and returns the JSON of the answer. `authorize` adds the key.
    pub async fn post(
        &self,
        url: &str,
        body: &Value,
        authorize: impl Fn(RequestBuilder) -> RequestBuilder,
    ) -> Result<Value, EngineError> {
        let bytes = body.to_string();
        let mut wait = self.limits.first_wait;
        for attempt in 1.. {
            let request = self.client.post(url).header(CONTENT_TYPE, "application/json");
            let request = authorize(request.header(ACCEPT_ENCODING, "identity").body(bytes.clone()));
            let outcome = timeout(self.limits.time, self.attempt(request)).await;
            let slow = || Attempt::Again(unavailable("takes too long to answer"), None);
            match outcome.unwrap_or_else(|_| slow()) {
                Attempt::Done(answer) => return Ok(answer),
                Attempt::Failed(error) => return Err(error),
                Attempt::Again(error, _) if attempt >= self.limits.attempts => return Err(error),
                Attempt::Again(_, told) => sleep(told.unwrap_or(wait).min(self.limits.longest_wait)).await,
            }
            wait *= 2;
        }
        Err(unavailable("was not asked"))
    }

    async fn attempt(&self, request: RequestBuilder) -> Attempt {
        let response = match request.send().await {
            Ok(response) => response,
            // The error names the address, which may have secrets.
            Err(_) => return Attempt::Again(unavailable("cannot be reached"), None),
        };
        let status = response.status();
        if status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error() {
            let told = retry_after(&response);
            return Attempt::Again(
                unavailable(format_args!("responds with the status {}", status.as_u16())),
                told,
            );
        }
        if !status.is_success() {
            return Attempt::Failed(refusal(status));
        }
        match self.read(response).await {
            Ok(bytes) => match serde_json::from_slice(&bytes) {
                Ok(answer) => Attempt::Done(answer),
                Err(_) => Attempt::Failed(malformed("it is not JSON.")),
            },
            Err(error) => error,
        }
    }

    async fn read(&self, mut response: Response) -> Result<Vec<u8>, Attempt> {
        let mut bytes = Vec::new();
        loop {
            match response.chunk().await {
                Ok(Some(chunk)) if chunk.len() > self.limits.bytes.saturating_sub(bytes.len()) => {
                    return Err(Attempt::Failed(malformed("it is too large.")));
                }
                Ok(Some(chunk)) => bytes.extend_from_slice(&chunk),
                Ok(None) => return Ok(bytes),
                Err(_) => return Err(Attempt::Again(unavailable("breaks off its answer"), None)),
            }
        }
    }
}

fn unavailable(what: impl std::fmt::Display) -> EngineError {
    EngineError::Unavailable(format!("The translation engine {what}."))
}

/// The error of a status that no other attempt changes. Engines respond with 400, 413 or 422 to texts that are too long for
/// them or that their filter stops, so that other texts may be taken; any other status concerns the key or the settings.
fn refusal(status: StatusCode) -> EngineError {
    let code = status.as_u16();
    let message = format!("The translation engine refuses the request with the status {code}.");
    match status {
        StatusCode::BAD_REQUEST | StatusCode::PAYLOAD_TOO_LARGE | StatusCode::UNPROCESSABLE_ENTITY => {
            EngineError::Rejected(message)
        }
        _ => EngineError::Refused(message),
    }
}

/// The seconds of the header; its other form, a date, counts as absent.
fn retry_after(response: &Response) -> Option<Duration> {
    let text = response.headers().get(RETRY_AFTER)?.to_str().ok()?;
    text.trim().parse().ok().map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_some_statuses_are_about_the_texts() {
        let of = |code| refusal(StatusCode::from_u16(code).unwrap());
        for code in [400, 413, 422] {
            assert!(matches!(of(code), EngineError::Rejected(message) if message.contains(&code.to_string())));
        }
        for code in [302, 401, 402, 403, 404, 405, 415, 456] {
            assert!(matches!(of(code), EngineError::Refused(message) if message.contains(&code.to_string())));
        }
    }
}
