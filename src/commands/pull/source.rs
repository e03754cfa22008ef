//! The other server, read within limits and as fast as it allows.

use std::{fmt, time::Duration};

use anyhow::{Context, bail, ensure};
use futures_util::StreamExt;
use platform::db::Clock;
use reqwest::{Client, Response, StatusCode, Url, header};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use tokio::time::{sleep, timeout};
use url::form_urlencoded;

/// The most bytes of an answer.
const MAX_ANSWER: usize = 64 * 1024 * 1024;
/// The time of one attempt.
const TIME_LIMIT: Duration = Duration::from_secs(120);
/// Attempts that fail one after the other.
const ATTEMPTS: u32 = 8;
/// How often the source may ask to wait before one answer.
const MAX_WAITS: u32 = 30;
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
const LONGEST_WAIT: Duration = Duration::from_secs(15 * 60);
const PAGE: usize = 100;
/// The most objects and the most pages of one list.
const MAX_ITEMS: usize = 200_000;
const MAX_PAGES: usize = 20_000;

pub struct Source {
    client: Client,
    /// Without a slash at the end.
    base: Url,
    token: SecretString,
    clock: Clock,
}

/// What the source does not give. Everything else that goes wrong ends the pull.
#[derive(Debug)]
pub struct Refused {
    pub status: StatusCode,
    pub message: String,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the source answers {}", self.status)?;
        match self.message.is_empty() {
            true => Ok(()),
            false => write!(f, ": {}", self.message),
        }
    }
}

pub type Read<T> = anyhow::Result<Result<T, Refused>>;

impl Source {
    pub fn new(address: &str, token: SecretString, clock: Clock) -> anyhow::Result<Self> {
        let base = Url::parse(address.trim_end_matches('/')).context("the address of the source is not a URL")?;
        ensure!(
            matches!(base.scheme(), "http" | "https") && base.username().is_empty() && base.password().is_none(),
            "the address of the source has to begin with https:// or http://, without credentials"
        );
        Ok(Self {
            client: platform::outbound::of_operator()?,
            base,
            token,
            clock,
        })
    }

    pub fn address(&self) -> String {
        self.base.as_str().trim_end_matches('/').to_owned()
    }

    /// Whether an address belongs to the source, which the operator trusts to be reached.
    pub fn is_own(&self, url: &Url) -> bool {
        url.origin() == self.base.origin()
    }

    /// Reads an object at a path below `/v1/`.
    pub async fn get(&self, path: &str) -> Read<Value> {
        let url = Url::parse(&format!("{}/v1/{path}", self.address()))?;
        let bytes = match self.read(url, true, MAX_ANSWER).await? {
            Ok(bytes) => bytes,
            Err(refused) => return Ok(Err(refused)),
        };
        let refused = |message: String| Refused {
            status: StatusCode::OK,
            message,
        };
        Ok(serde_json::from_slice(&bytes)
            .map_err(|error| refused(format!("with something that is not JSON ({error})"))))
    }

    /// Reads all pages of a list.
    pub async fn list(&self, path: &str) -> Read<Vec<Value>> {
        let separator = if path.contains('?') { '&' } else { '?' };
        let (mut items, mut page) = (Vec::new(), String::new());
        for _ in 0..MAX_PAGES {
            let mut answer = match self.get(&format!("{path}{separator}limit={PAGE}{page}")).await? {
                Ok(answer) => answer,
                Err(refused) => return Ok(Err(refused)),
            };
            if let Some(Value::Array(more)) = answer.get_mut("items").map(Value::take) {
                items.extend(more);
            }
            let Some(next) = answer.pointer("/next/page").and_then(Value::as_str) else {
                return Ok(Ok(items));
            };
            let next: String = form_urlencoded::byte_serialize(next.as_bytes()).collect();
            page = format!("&page={next}");
            if items.len() > MAX_ITEMS {
                break;
            }
        }
        bail!("the list {path} of the source does not end")
    }

    /// Fetches a file of the source, whose address needs no token.
    pub async fn download(&self, url: Url, limit: usize) -> Read<Vec<u8>> {
        self.read(url, false, limit).await
    }

    /// Asks until there is an answer.
    async fn read(&self, url: Url, with_token: bool, limit: usize) -> Read<Vec<u8>> {
        let (mut failures, mut waits) = (0, 0);
        loop {
            let attempt = timeout(TIME_LIMIT, self.attempt(url.clone(), with_token, limit)).await;
            let attempt = attempt.unwrap_or_else(|_| Attempt::Failed("it took too long".to_owned()));
            match attempt {
                Attempt::Done(bytes) => return Ok(Ok(bytes)),
                Attempt::Refused(refused) if refused.status == StatusCode::UNAUTHORIZED && with_token => {
                    bail!("the source does not accept the token: {}", refused.message)
                }
                Attempt::Refused(refused) => return Ok(Err(refused)),
                Attempt::Wait(time) => {
                    waits += 1;
                    ensure!(
                        waits <= MAX_WAITS,
                        "the source asks to wait again and again; try later, the pull goes on then"
                    );
                    sleep(time.min(LONGEST_WAIT)).await;
                }
                Attempt::Failed(why) => {
                    failures += 1;
                    ensure!(
                        failures < ATTEMPTS,
                        "cannot read {}: {why}; try later, the pull goes on then",
                        url.path()
                    );
                    sleep(FIRST_PAUSE.saturating_mul(1 << failures.min(8)).min(LONGEST_PAUSE)).await;
                }
            }
        }
    }

    /// The time that `Retry-After` names, in seconds or as a date.
    fn wait(&self, response: &Response) -> Option<Duration> {
        let text = response.headers().get(header::RETRY_AFTER)?.to_str().ok()?;
        if let Ok(seconds) = text.trim().parse() {
            return Some(Duration::from_secs(seconds));
        }
        let until = chrono::DateTime::parse_from_rfc2822(text).ok()?.to_utc();
        let wait = until.signed_duration_since(self.clock.now().to_utc());
        Some(wait.to_std().unwrap_or_default())
    }

    async fn attempt(&self, url: Url, with_token: bool, limit: usize) -> Attempt {
        let mut request = self.client.get(url).header(header::ACCEPT_ENCODING, "identity");
        if with_token {
            request = request.bearer_auth(self.token.expose_secret());
        }
        let response = match request.send().await {
            Ok(response) => response,
            Err(error) => return Attempt::Failed(error.without_url().to_string()),
        };
        let status = response.status();
        let wait = self.wait(&response);
        let body = body(response, limit).await;
        match status {
            StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => match wait {
                Some(wait) => Attempt::Wait(wait),
                None => Attempt::Failed(format!("it answers {status}")),
            },
            StatusCode::REQUEST_TIMEOUT => Attempt::Failed(format!("it answers {status}")),
            status if status.is_server_error() => Attempt::Failed(format!("it answers {status}")),
            status if status.is_success() => match body {
                Ok(bytes) => Attempt::Done(bytes),
                Err(Cut::TooLarge) => Attempt::Refused(Refused {
                    status,
                    message: format!("with more than {limit} bytes"),
                }),
                Err(Cut::Broken(why)) => Attempt::Failed(why),
            },
            status => Attempt::Refused(Refused {
                status,
                message: message(&body.unwrap_or_default()),
            }),
        }
    }
}

enum Attempt {
    Done(Vec<u8>),
    Refused(Refused),
    Wait(Duration),
    Failed(String),
}

enum Cut {
    TooLarge,
    Broken(String),
}

async fn body(response: Response, limit: usize) -> Result<Vec<u8>, Cut> {
    let mut bytes = Vec::new();
    let mut chunks = response.bytes_stream();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|error| Cut::Broken(error.without_url().to_string()))?;
        if bytes.len().saturating_add(chunk.len()) > limit {
            return Err(Cut::TooLarge);
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

/// The beginning of what the source says of an error.
fn message(body: &[u8]) -> String {
    let answer: Value = serde_json::from_slice(body).unwrap_or_default();
    let text = answer
        .pointer("/error/message")
        .and_then(Value::as_str)
        .unwrap_or_default();
    text.chars().filter(|c| !c.is_control()).take(200).collect()
}
