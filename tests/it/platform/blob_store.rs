//! Where the bytes of files may be, as `bindery doctor` sees it: a directory, or a bucket.

use std::{
    collections::HashMap,
    path::Path,
    process::{Command, Output},
    sync::{Arc, Mutex},
    time::Duration,
};

use bindery::http::server;
use poem::{
    Request, Response,
    endpoint::make,
    http::{Method, StatusCode, header},
};
use serde_json::Value;
use tokio::net::TcpListener;

/// What the command finds of the store.
async fn examine(home: &Path, adjust: impl FnOnce(&mut Command)) -> (bool, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bindery"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("BINDERY_") || name.starts_with("AWS_")) {
        command.env_remove(name);
    }
    command
        .args(["doctor", "--json", "--data-dir"])
        .arg(home)
        .current_dir(home);
    adjust(&mut command);
    // Not on this thread: the bucket answers on it.
    let Output { stdout, .. } = tokio::task::spawn_blocking(move || command.output().unwrap())
        .await
        .unwrap();
    let checks: Vec<Value> = serde_json::from_slice(&stdout).unwrap();
    let check = checks.iter().find(|check| check["check"] == "blobs").unwrap();
    (check["ok"] == true, check["found"].as_str().unwrap().to_owned())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_directory_is_tried() {
    let home = tempfile::tempdir().unwrap();
    let blobs = home.path().join("blobs");
    let (ok, found) = examine(home.path(), |_| {}).await;
    assert!(ok && found.contains("does not exist yet") && !blobs.exists(), "{found}");

    std::fs::create_dir(&blobs).unwrap();
    let (ok, found) = examine(home.path(), |_| {}).await;
    assert!(ok && found.ends_with("is readable and writable"), "{found}");
    let left = std::fs::read_dir(&blobs)
        .unwrap()
        .flat_map(|entry| std::fs::read_dir(entry.unwrap().path()).unwrap());
    assert_eq!(left.count(), 0);

    std::fs::remove_dir_all(&blobs).unwrap();
    std::fs::write(&blobs, "in the way").unwrap();
    let (ok, found) = examine(home.path(), |_| {}).await;
    assert!(!ok && found.contains("cannot use the file store"), "{found}");
}

type Objects = Arc<Mutex<HashMap<String, Vec<u8>>>>;

/// As much of a bucket as a store needs.
async fn bucket(objects: Objects, seen: Arc<Mutex<Vec<String>>>) -> String {
    let endpoint = make(move |mut request: Request| {
        let (objects, seen) = (Arc::clone(&objects), Arc::clone(&seen));
        async move {
            let path = request.uri().path().to_owned();
            let signed = request.header("authorization").unwrap_or_default().to_owned();
            seen.lock()
                .unwrap()
                .push(format!("{} {path} {signed}", request.method()));
            let ranged = request.header("range").is_some();
            let body = request.take_body().into_vec().await?;
            let answer = Response::builder()
                .header(header::ETAG, "\"tag\"")
                .header(header::LAST_MODIFIED, "Sat, 21 Nov 2026 12:00:00 GMT");
            let mut objects = objects.lock().unwrap();
            Ok::<_, poem::Error>(match *request.method() {
                Method::PUT => {
                    objects.insert(path, body);
                    answer.finish()
                }
                Method::DELETE => {
                    objects.remove(&path);
                    answer.status(StatusCode::NO_CONTENT).finish()
                }
                _ => match objects.get(&path).cloned() {
                    Some(bytes) if ranged => answer
                        .status(StatusCode::PARTIAL_CONTENT)
                        .header(
                            header::CONTENT_RANGE,
                            format!("bytes 0-{}/{}", bytes.len() - 1, bytes.len()),
                        )
                        .body(bytes),
                    Some(bytes) => answer.body(bytes),
                    None => answer.status(StatusCode::NOT_FOUND).finish(),
                },
            })
        }
    });
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let limits = server::ConnectionLimits {
        connections: 10,
        grace: Duration::from_secs(1),
        ..server::ConnectionLimits::default()
    };
    tokio::spawn(server::serve(listener, endpoint, limits, std::future::pending()));
    format!("http://{address}")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bucket_is_tried_with_the_keys_of_the_environment() {
    let home = tempfile::tempdir().unwrap();
    let (objects, seen) = (Objects::default(), Arc::default());
    let endpoint = bucket(Arc::clone(&objects), Arc::clone(&seen)).await;
    let (ok, found) = examine(home.path(), |command| {
        command
            .env("BINDERY_BLOB_STORE", "s3://docs/of/bindery")
            .env("AWS_ENDPOINT_URL", endpoint)
            .env("AWS_ALLOW_HTTP", "true")
            .env("AWS_REGION", "eu-central-1")
            .env("AWS_ACCESS_KEY_ID", "a-key")
            .env("AWS_SECRET_ACCESS_KEY", "a-secret");
    })
    .await;
    assert!(ok, "{found}");
    assert_eq!(found, "s3://docs/of/bindery is readable and writable");
    assert!(objects.lock().unwrap().is_empty());
    let seen = seen.lock().unwrap();
    let methods: Vec<_> = seen.iter().map(|request| request.split(' ').next().unwrap()).collect();
    assert_eq!(methods, ["PUT", "GET", "DELETE"]);
    for request in seen.iter() {
        assert!(request.contains(" /docs/of/bindery/"), "{request}");
        assert!(request.contains("AWS4-HMAC-SHA256 Credential=a-key/"), "{request}");
    }
}
