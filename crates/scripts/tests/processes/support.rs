//! What the tests share.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    path::PathBuf,
    sync::{Arc, Mutex},
    time::Duration,
};

use scripts::{
    Answer, Event, Failure, Fetch, FetchFuture, FetchRequest, FetchResponse, Finished, Rest, ScriptRuntime, Scripts,
    Settings,
};

/// Settings with the program of this crate.
pub fn settings() -> Settings {
    Settings::new(PathBuf::from(env!("CARGO_BIN_EXE_run-scripts")), Vec::new())
}

/// A pool with limits for builds that are not optimized, on machines at work.
pub fn scripts() -> Scripts {
    let mut settings = settings();
    settings.limits.slice = Duration::from_secs(5);
    settings.limits.cpu = Duration::from_secs(5);
    settings.limits.load = Duration::from_secs(5);
    Scripts::new(settings)
}

/// An event for a module. The version is that of the script.
pub fn event(script: &str) -> Event {
    let mut version = DefaultHasher::new();
    script.hash(&mut version);
    Event {
        owner: "owner".into(),
        integration: "integration".into(),
        installation: "installation".into(),
        version: version.finish(),
        script: script.into(),
        runtime: ScriptRuntime::V2,
        event: r#"{"type":"fetch","eventId":"e"}"#.into(),
        environment: r#"{"secrets":{"KEY":"secret"}}"#.into(),
        fetch_body: None,
        parse_only: false,
        wall_time: Duration::from_secs(30),
    }
}

/// A module, the function `fetch` of which has this body.
pub fn module(body: &str) -> String {
    format!("export default {{ async fetch(request, env, ctx) {{ {body} }} }};")
}

/// Answers each request with its own description.
#[derive(Default)]
pub struct Echo {
    pub requests: Mutex<Vec<FetchRequest>>,
}

impl Fetch for Echo {
    fn fetch(&self, request: FetchRequest, _max_body: usize) -> FetchFuture<'_> {
        self.requests.lock().unwrap().push(request.clone());
        Box::pin(async move {
            if request.url.ends_with("/never") {
                std::future::pending::<()>().await;
            }
            if request.url.ends_with("/fails") {
                return Err("the address is not allowed".to_owned());
            }
            if request.url.ends_with("/redirect") {
                return Ok(FetchResponse {
                    status: 302,
                    headers: vec![("location".to_owned(), "https://other.example/target".to_owned())],
                    body: Vec::new(),
                });
            }
            Ok(FetchResponse {
                status: 201,
                headers: vec![
                    ("content-type".to_owned(), "text/plain".to_owned()),
                    ("set-cookie".to_owned(), "a=1".to_owned()),
                    ("set-cookie".to_owned(), "b=2".to_owned()),
                ],
                body: format!("{} {} ", request.method, request.url)
                    .into_bytes()
                    .into_iter()
                    .chain(request.body)
                    .collect(),
            })
        })
    }
}

pub async fn run(scripts: &Scripts, event: Event) -> Result<(Answer, Rest), Failure> {
    scripts.run(event, Arc::new(Echo::default())).await
}

/// Runs an event to its end.
pub async fn complete(scripts: &Scripts, event: Event) -> (Answer, Finished) {
    let (answer, rest) = run(scripts, event).await.unwrap();
    (answer, rest.finish().await)
}

/// The text that the body of `fetch` answers in a new pool.
pub async fn answer_of(body: &str) -> String {
    let (answer, finished) = complete(&scripts(), event(&module(body))).await;
    assert_eq!(finished.failure, None);
    String::from_utf8(answer.body).unwrap()
}

/// Why an event fails.
pub async fn failure(scripts: &Scripts, event: Event) -> Failure {
    run(scripts, event).await.expect_err("the event is answered")
}
