//! A server of repositories over HTTP: `git http-backend`.

use std::{
    convert::Infallible,
    fs,
    path::PathBuf,
    process::Stdio,
    sync::{Arc, Mutex},
};

use base64::{Engine, prelude::BASE64_STANDARD};
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::{Request, Response, StatusCode, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use tokio::{io::AsyncWriteExt, net::TcpListener, process::Command};

pub struct Server {
    pub port: u16,
    pub seen: Arc<Mutex<Seen>>,
}

/// What the server saw.
#[derive(Debug, Default)]
pub struct Seen {
    /// Methods and paths.
    pub requests: Vec<String>,
    /// Processes with the password in their command line or environment while a request was at work.
    pub leaks: Vec<String>,
}

#[derive(Clone, Default)]
pub struct Rules {
    pub root: PathBuf,
    /// `user:password`.
    pub credentials: Option<String>,
    /// The answer to pushes, with its text.
    pub push: Option<(StatusCode, &'static str)>,
}

impl Server {
    pub async fn start(rules: Rules) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = Self {
            port: listener.local_addr().unwrap().port(),
            seen: Arc::default(),
        };
        let seen = Arc::clone(&server.seen);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (rules, seen) = (rules.clone(), Arc::clone(&seen));
                let service = service_fn(move |request| {
                    let (rules, seen) = (rules.clone(), Arc::clone(&seen));
                    async move { Ok::<_, Infallible>(answer(request, &rules, &seen).await) }
                });
                tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
            }
        });
        server
    }

    pub fn url(&self, host: &str) -> String {
        format!("http://{host}:{}/origin.git", self.port)
    }

    pub fn requests(&self) -> Vec<String> {
        self.seen.lock().unwrap().requests.clone()
    }
}

async fn answer(request: Request<Incoming>, rules: &Rules, seen: &Mutex<Seen>) -> Response<Full<Bytes>> {
    let (path, query) = (
        request.uri().path().to_owned(),
        request.uri().query().unwrap_or_default().to_owned(),
    );
    seen.lock()
        .unwrap()
        .requests
        .push(format!("{} {path}", request.method()));
    if let Some(path) = path.strip_prefix("/moved") {
        let location = format!("{path}?{query}");
        let moved = Response::builder()
            .status(StatusCode::FOUND)
            .header("Location", location);
        return moved.body(Full::default()).unwrap();
    }
    if let Some(credentials) = &rules.credentials {
        let expected = format!("Basic {}", BASE64_STANDARD.encode(credentials));
        if request
            .headers()
            .get("Authorization")
            .is_none_or(|found| *found != expected)
        {
            let refused = Response::builder().status(StatusCode::UNAUTHORIZED);
            return refused
                .header("WWW-Authenticate", "Basic realm=\"test\"")
                .body(Full::default())
                .unwrap();
        }
        let secret = credentials.split_once(':').unwrap().1;
        seen.lock().unwrap().leaks.extend(processes_with(secret));
    }
    match rules.push {
        Some((status, text)) if query.contains("git-receive-pack") => {
            let refused = Response::builder().status(status).header("Content-Type", "text/plain");
            refused.body(text.into()).unwrap()
        }
        _ => run(request, &path, &query, rules).await,
    }
}

async fn run(request: Request<Incoming>, path: &str, query: &str, rules: &Rules) -> Response<Full<Bytes>> {
    let header = |name: &str| {
        request
            .headers()
            .get(name)
            .map_or("", |value| value.to_str().unwrap())
            .to_owned()
    };
    let mut child = Command::new("git")
        .arg("http-backend")
        .env("GIT_PROJECT_ROOT", &rules.root)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("REQUEST_METHOD", request.method().as_str())
        .env("PATH_INFO", path)
        .env("QUERY_STRING", query)
        .env("CONTENT_TYPE", header("Content-Type"))
        .env("HTTP_CONTENT_ENCODING", header("Content-Encoding"))
        .env("GIT_PROTOCOL", header("Git-Protocol"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let body = request.into_body().collect().await.unwrap().to_bytes();
    let mut stdin = child.stdin.take().unwrap();
    let write = tokio::spawn(async move {
        // The program need not read all.
        let _ = stdin.write_all(&body).await;
    });
    let output = child.wait_with_output().await.unwrap().stdout;
    write.await.unwrap();
    let end = output.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap();
    let mut response = Response::builder();
    for line in String::from_utf8_lossy(&output[..end]).lines() {
        let (name, value) = line.split_once(": ").unwrap();
        response = match name {
            "Status" => response.status(value[..3].parse::<u16>().unwrap()),
            _ => response.header(name, value),
        };
    }
    response
        .body(Bytes::copy_from_slice(&output[end + 4..]).into())
        .unwrap()
}

/// Processes that show a text to others.
fn processes_with(secret: &str) -> Vec<String> {
    let files = fs::read_dir("/proc").unwrap().flatten().flat_map(|process| {
        let path = process.path();
        [path.join("cmdline"), path.join("environ")]
    });
    let texts = files.filter_map(|file| Some(String::from_utf8_lossy(&fs::read(file).ok()?).into_owned()));
    texts.filter(|text| text.contains(secret)).collect()
}
