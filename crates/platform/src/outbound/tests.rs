//! Tests against local servers that speak a minimum of HTTP and break its rules.

use std::net::SocketAddr;

use bytes::Bytes;
use reqwest::{Method, header::HeaderMap};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    time::{Instant, sleep},
};

use super::*;

const LIMITS: FetchLimits = FetchLimits {
    bytes: 100_000,
    oversize: Oversize::Refuse,
    time: Duration::from_secs(10),
    on_behalf: OnBehalf {
        tenant: Uuid::nil(),
        user: None,
    },
};

/// A server that writes what the function says about the path it was asked for.
async fn server<F, Fut>(address: &str, answer: F) -> SocketAddr
where
    F: Fn(String, TcpStream) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = std::io::Result<()>> + Send,
{
    let listener = TcpListener::bind((address, 0)).await.unwrap();
    let bound = listener.local_addr().unwrap();
    let answer = Arc::new(answer);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let answer = Arc::clone(&answer);
            tokio::spawn(async move {
                let mut head = vec![0; 4096];
                let read = stream.read(&mut head).await.unwrap_or_default();
                let head = String::from_utf8_lossy(&head[..read]).into_owned();
                let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
                // The client may hang up in the middle.
                let _ = answer(path, stream).await;
            });
        }
    });
    bound
}

async fn plain(mut stream: TcpStream, head: &str, body: &[u8]) -> std::io::Result<()> {
    let head = format!("HTTP/1.1 {head}\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body).await?;
    stream.shutdown().await
}

async fn hello() -> SocketAddr {
    server("127.0.0.1", |_, stream| {
        plain(
            stream,
            "200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5",
            b"hello",
        )
    })
    .await
}

/// May reach 127.0.0.1, and nothing else of this machine.
fn allowed() -> Outbound {
    Outbound::new(vec!["127.0.0.1/32".parse().unwrap()])
}

#[tokio::test]
async fn allowed_addresses_are_fetched() {
    let port = hello().await.port();
    let outbound = allowed();
    for host in ["127.0.0.1", "[::ffff:127.0.0.1]", "localhost"] {
        let fetched = outbound.get(&format!("http://{host}:{port}/x"), LIMITS).await.unwrap();
        assert_eq!(fetched.bytes.as_ref(), b"hello", "{host}");
        assert_eq!(fetched.content_type.as_deref(), Some("text/plain"));
    }
}

#[tokio::test]
async fn private_addresses_are_refused_however_they_are_written() {
    let port = hello().await.port();
    let outbound = Outbound::new(Vec::new());
    for host in [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "10.0.0.1",
        "169.254.169.254",
        "[fd00:ec2::254]",
    ] {
        let error = outbound
            .get(&format!("http://{host}:{port}/"), LIMITS)
            .await
            .unwrap_err();
        assert!(matches!(error, FetchError::Refused), "{host}: {error:?}");
    }
}

#[tokio::test]
async fn names_of_private_networks_look_like_unknown_names() {
    let port = hello().await.port();
    let outbound = Outbound::new(Vec::new());
    for name in ["localhost", "nowhere.invalid"] {
        let url = format!("http://{name}:{port}/");
        let fetched = outbound.get(&url, LIMITS).await.unwrap_err();
        let sent = outbound.send(outgoing(Method::POST, url), LIMITS).await.unwrap_err();
        for error in [fetched, sent] {
            assert!(matches!(error, FetchError::Unreachable), "{name}: {error:?}");
        }
    }
}

#[test]
fn queries_are_left_out() {
    for url in [
        "https://example.com/a",
        "https://example.com/a?key=b",
        "https://example.com/a#b?c",
    ] {
        assert_eq!(without_query(url), "https://example.com/a", "{url}");
    }
}

#[tokio::test]
async fn addresses_outside_the_web_are_refused() {
    for url in [
        "",
        "x",
        "/etc/passwd",
        "file:///etc/passwd",
        "ftp://example.com/",
        "http://me:secret@example.com/",
    ] {
        let error = allowed().get(url, LIMITS).await.unwrap_err();
        assert!(matches!(error, FetchError::Invalid), "{url}: {error:?}");
    }
}

/// A server whose paths redirect to what stands behind the first slash.
async fn redirecting() -> SocketAddr {
    server("127.0.0.1", |path, stream| async move {
        let target = path.trim_start_matches('/').to_owned();
        plain(
            stream,
            &format!("302 Found\r\nLocation: {target}\r\nContent-Length: 0"),
            b"",
        )
        .await
    })
    .await
}

#[tokio::test]
async fn redirects_are_followed_under_the_same_rules() {
    let (from, to) = (redirecting().await, hello().await);
    let outbound = allowed();
    let by = |target: String| format!("http://{from}/{target}");
    let fetched = outbound.get(&by(format!("http://{to}/")), LIMITS).await.unwrap();
    assert_eq!(fetched.bytes.as_ref(), b"hello");

    let elsewhere = server("127.0.0.2", |_, stream| plain(stream, "200 OK", b"secret")).await;
    for target in [
        format!("http://{elsewhere}/"),
        "http://10.0.0.1/".to_owned(),
        "http://169.254.169.254/latest/meta-data".to_owned(),
        "http://[::ffff:10.0.0.1]/".to_owned(),
        "http://[::1]/".to_owned(),
        by(format!("http://{elsewhere}/")),
    ] {
        let error = outbound.get(&by(target.clone()), LIMITS).await.unwrap_err();
        assert!(matches!(error, FetchError::Refused), "{target}: {error:?}");
    }
    let error = outbound
        .get(&by("file:///etc/passwd".to_owned()), LIMITS)
        .await
        .unwrap_err();
    assert!(matches!(error, FetchError::Invalid), "{error:?}");
}

#[tokio::test]
async fn redirects_end() {
    let around = server("127.0.0.1", |_, stream| {
        plain(stream, "302 Found\r\nLocation: /again", b"")
    })
    .await;
    let error = allowed().get(&format!("http://{around}/"), LIMITS).await.unwrap_err();
    assert!(matches!(error, FetchError::TooManyRedirects), "{error:?}");
    let nowhere = server("127.0.0.1", |_, stream| plain(stream, "302 Found", b"")).await;
    let error = allowed().get(&format!("http://{nowhere}/"), LIMITS).await.unwrap_err();
    assert!(matches!(error, FetchError::Status(StatusCode::FOUND)), "{error:?}");
}

#[tokio::test]
async fn bodies_end_at_the_limit() {
    let announced = server("127.0.0.1", |_, stream| {
        plain(stream, "200 OK\r\nContent-Length: 100001", b"x")
    })
    .await;
    let endless = server("127.0.0.1", |_, mut stream| async move {
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await?;
        loop {
            stream.write_all(&[b'x'; 8192]).await?;
        }
    })
    .await;
    for server in [announced, endless] {
        let error = allowed().get(&format!("http://{server}/"), LIMITS).await.unwrap_err();
        assert!(matches!(error, FetchError::TooLarge(100_000)), "{error:?}");
    }
    let just = server("127.0.0.1", |_, stream| async move {
        plain(stream, "200 OK", &[b'x'; 100_000]).await
    })
    .await;
    let fetched = allowed().get(&format!("http://{just}/"), LIMITS).await.unwrap();
    assert_eq!(fetched.bytes.len(), 100_000);
}

#[tokio::test]
async fn the_beginning_of_a_body_can_be_enough() {
    let announced = server("127.0.0.1", |_, stream| async move {
        plain(stream, "200 OK\r\nContent-Length: 300000", &[b'x'; 300_000]).await
    })
    .await;
    let endless = server("127.0.0.1", |_, mut stream| async move {
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await?;
        loop {
            stream.write_all(&[b'x'; 8192]).await?;
        }
    })
    .await;
    let limits = FetchLimits {
        oversize: Oversize::Cut,
        ..LIMITS
    };
    for server in [announced, endless] {
        let fetched = allowed().get(&format!("http://{server}/"), limits).await.unwrap();
        assert_eq!(fetched.bytes.len(), 100_000);
    }
}

#[tokio::test]
async fn slow_servers_are_given_up() {
    let silent = server("127.0.0.1", |_, stream| async move {
        let _open = stream;
        sleep(Duration::from_secs(60)).await;
        Ok(())
    })
    .await;
    let dripping = dripping().await;
    let limits = FetchLimits {
        time: Duration::from_millis(300),
        ..LIMITS
    };
    for server in [silent, dripping] {
        let started = Instant::now();
        let error = allowed().get(&format!("http://{server}/"), limits).await.unwrap_err();
        assert!(matches!(error, FetchError::TooSlow), "{error:?}");
        assert!(started.elapsed() < Duration::from_secs(5));
    }
}

/// A server whose answers never end.
async fn dripping() -> SocketAddr {
    server("127.0.0.1", |_, mut stream| async move {
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await?;
        loop {
            stream.write_all(b"x").await?;
            sleep(Duration::from_millis(20)).await;
        }
    })
    .await
}

/// More servers than one tenant may ask at once, and more than all tenants once were.
#[tokio::test]
async fn servers_that_drip_hold_up_only_the_tenant_who_names_them() {
    let dripping = dripping().await;
    let quick = hello().await;
    let outbound = Arc::new(allowed());
    let mut drips = tokio::task::JoinSet::new();
    for _ in 0..40 {
        let outbound = Arc::clone(&outbound);
        drips.spawn(async move { outbound.get(&format!("http://{dripping}/"), LIMITS).await.map(drop) });
    }
    // As soon as the first are under way.
    while outbound.permits.available_permits() > CONCURRENCY - CONCURRENCY_OF_TENANT {
        tokio::task::yield_now().await;
    }
    let other = FetchLimits {
        on_behalf: OnBehalf {
            tenant: Uuid::from_u128(1),
            user: None,
        },
        ..LIMITS
    };
    let fetched = outbound.get(&format!("http://{quick}/"), other).await.unwrap();
    assert_eq!(fetched.bytes.as_ref(), b"hello");
    drips.shutdown().await;
    drop(outbound.tenants.of(Uuid::nil()));
    assert_eq!(outbound.tenants.count(), 1);
}

/// More tenants than there are permits for.
#[tokio::test]
async fn servers_that_drip_hold_up_only_the_user_who_names_them() {
    let (dripping, quick) = (dripping().await, hello().await);
    let outbound = Arc::new(allowed());
    let of_user = |user, tenant| FetchLimits {
        on_behalf: OnBehalf {
            tenant: Uuid::from_u128(tenant),
            user: Some(Uuid::from_u128(user)),
        },
        ..LIMITS
    };
    let mut drips = tokio::task::JoinSet::new();
    for number in 0..100 {
        let outbound = Arc::clone(&outbound);
        let limits = of_user(1, 1 + number % 20);
        drips.spawn(async move { outbound.get(&format!("http://{dripping}/"), limits).await.map(drop) });
    }
    // All wait, for their server or for a permit: the first are under way.
    while outbound.permits.available_permits() > CONCURRENCY - CONCURRENCY_OF_USER {
        tokio::task::yield_now().await;
    }
    // In an organization of the other user, and in one of their own.
    for tenant in [1, 100] {
        let fetched = outbound.get(&format!("http://{quick}/"), of_user(2, tenant)).await;
        assert_eq!(fetched.unwrap().bytes.as_ref(), b"hello");
    }
    assert_eq!(outbound.permits.available_permits(), CONCURRENCY - CONCURRENCY_OF_USER);
    drips.shutdown().await;
    drop(outbound.users.of(Uuid::nil()));
    assert_eq!(outbound.users.count(), 1);
}

#[tokio::test]
async fn bodies_share_the_memory() {
    let port = hello().await.port();
    let outbound = allowed();
    let all = outbound
        .memory
        .acquire_many(u32::try_from(MEMORY).unwrap())
        .await
        .unwrap();
    let url = format!("http://127.0.0.1:{port}/");
    let short = FetchLimits {
        time: Duration::from_secs(2),
        ..LIMITS
    };
    let error = outbound.get(&url, short).await.unwrap_err();
    assert!(matches!(error, FetchError::Busy), "{error:?}");
    let (fetched, ()) = tokio::join!(outbound.get(&url, LIMITS), async { drop(all) });
    // The memory is that of the body, as long as it is there.
    let fetched = fetched.unwrap();
    assert_eq!(fetched.bytes.len(), 5);
    assert_eq!(outbound.memory.available_permits(), MEMORY - 5);
    drop(fetched);
    assert_eq!(outbound.memory.available_permits(), MEMORY);
}

#[tokio::test]
async fn failures_are_told_apart_only_as_far_as_they_should() {
    let gone = server("127.0.0.1", |_, stream| {
        plain(stream, "404 Not Found\r\nContent-Length: 0", b"")
    })
    .await;
    let error = allowed().get(&format!("http://{gone}/"), LIMITS).await.unwrap_err();
    assert!(matches!(error, FetchError::Status(StatusCode::NOT_FOUND)), "{error:?}");

    let squeezed = server("127.0.0.1", |_, stream| {
        plain(stream, "200 OK\r\nContent-Encoding: gzip", b"x")
    })
    .await;
    let error = allowed().get(&format!("http://{squeezed}/"), LIMITS).await.unwrap_err();
    assert!(matches!(error, FetchError::Encoded), "{error:?}");

    let cut = server("127.0.0.1", |_, stream| {
        plain(stream, "200 OK\r\nContent-Length: 50", b"x")
    })
    .await;
    let nonsense = server("127.0.0.1", |_, mut stream| async move {
        stream.write_all(b"nonsense").await
    })
    .await;
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    for server in [cut, nonsense, closed] {
        let error = allowed().get(&format!("http://{server}/"), LIMITS).await.unwrap_err();
        assert!(matches!(error, FetchError::Unreachable), "{error:?}");
    }
}

fn outgoing(method: Method, url: String) -> OutgoingRequest {
    OutgoingRequest {
        method,
        url,
        headers: HeaderMap::new(),
        body: Bytes::new(),
    }
}

/// A server that answers with the first lines and the last one of what it was sent.
async fn mirror() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let bound = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let (mut sent, mut chunk) = (Vec::new(), [0; 1024]);
            while !sent.ends_with(b"the end") {
                match stream.read(&mut chunk).await {
                    Ok(read) if read > 0 => sent.extend_from_slice(&chunk[..read]),
                    _ => break,
                }
            }
            let head = format!("404 Not Found\r\nX-Kind: mirror\r\nContent-Length: {}", sent.len());
            // The client may hang up in the middle.
            let _ = plain(stream, &head, &sent).await;
        }
    });
    bound
}

#[tokio::test]
async fn requests_are_sent_as_they_are_made() {
    let mut request = outgoing(Method::PUT, format!("http://{}/a?b=c", mirror().await));
    request.headers.insert("x-note", "one".parse().unwrap());
    request.headers.append("x-note", "two".parse().unwrap());
    request.body = Bytes::from_static(b"up to the end");
    let response = allowed().send(request, LIMITS).await.unwrap();
    assert_eq!(response.status, StatusCode::NOT_FOUND);
    assert_eq!(response.headers["x-kind"], "mirror");
    let seen = String::from_utf8(response.body.to_vec()).unwrap();
    assert!(seen.starts_with("PUT /a?b=c HTTP/1.1\r\n"), "{seen}");
    for part in [
        "x-note: one\r\n",
        "x-note: two\r\n",
        "accept-encoding: identity\r\n",
        "\r\n\r\nup to the end",
    ] {
        assert!(seen.contains(part), "{part} in {seen}");
    }
}

#[tokio::test]
async fn requests_that_are_sent_follow_no_redirects() {
    let (from, to) = (redirecting().await, hello().await);
    let request = outgoing(Method::GET, format!("http://{from}/http://{to}/"));
    let response = allowed().send(request, LIMITS).await.unwrap();
    assert_eq!(response.status, StatusCode::FOUND);
    assert_eq!(response.headers["location"], format!("http://{to}/"));
}

#[tokio::test]
async fn requests_are_sent_within_the_same_limits() {
    let port = hello().await.port();
    let private = Outbound::new(Vec::new());
    for host in ["127.0.0.1", "169.254.169.254"] {
        let request = outgoing(Method::POST, format!("http://{host}:{port}/"));
        let error = private.send(request, LIMITS).await.unwrap_err();
        assert!(matches!(error, FetchError::Refused), "{host}: {error:?}");
    }
    let small = FetchLimits { bytes: 4, ..LIMITS };
    let request = outgoing(Method::GET, format!("http://127.0.0.1:{port}/"));
    let error = allowed().send(request, small).await.unwrap_err();
    assert!(matches!(error, FetchError::TooLarge(4)), "{error:?}");
}
