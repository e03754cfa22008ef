//! Scripts of integrations at work: what they reach, and what ends them.

use std::net::SocketAddr;

use reqwest::Method;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
    sync::mpsc,
};

use crate::support::{
    database::{TestDatabase, on_each_database},
    deliveries::world_with_receivers,
    receiver::Receiver,
    scripts::{Scripted, ask, get, publish, told},
    world::World,
};

on_each_database![
    the_own_api_is_reached_within_the_scopes,
    metrics_are_not_for_scripts,
    private_addresses_are_out_of_reach,
    redirects_lead_to_no_private_address,
    endless_scripts_end_while_others_go_on,
    looping_scripts_hold_up_no_request,
    regular_expressions_without_end_are_stopped,
    changes_of_a_script_stay_in_its_installation,
    scripts_without_measure_end,
    a_new_version_runs_at_once,
    events_go_to_the_tunnel_in_development,
];

/// A server that answers each request with this response, and passes on what it was sent.
async fn server(response: &'static str) -> (SocketAddr, mpsc::UnboundedReceiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (sender, receiver) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let (mut sent, mut chunk) = (Vec::new(), vec![0; 64 * 1024]);
            while !is_whole(&sent) {
                match stream.read(&mut chunk).await {
                    Ok(read) if read > 0 => sent.extend_from_slice(&chunk[..read]),
                    _ => break,
                }
            }
            sender.send(String::from_utf8(sent).unwrap()).unwrap();
            stream.write_all(response.as_bytes()).await.unwrap();
        }
    });
    (address, receiver)
}

/// Returns whether a request has the body that its head announces.
fn is_whole(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request);
    let Some((head, body)) = text.split_once("\r\n\r\n") else {
        return false;
    };
    let head = head.to_lowercase();
    let length = head.split("content-length: ").nth(1).unwrap_or("0");
    let length: usize = length.split("\r\n").next().unwrap().parse().unwrap();
    body.len() >= length
}

const HELLO: &str = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello";

async fn the_own_api_is_reached_within_the_scopes(database: TestDatabase) {
    let world = World::new(database).await;
    let gauge = Scripted::new(&world, "gauge", json!({})).await;
    let read = async |space: String| told(&world, &format!("{}/space?id={space}", gauge.of_installation())).await;
    let own = read(world.space.to_string()).await;
    assert_eq!(own["status"], 200);
    let space: Value = serde_json::from_str(own["text"].as_str().unwrap()).unwrap();
    assert_eq!(space["id"], world.space.to_string());
    assert_eq!(read(world.other_space.to_string()).await["status"], 404);
    publish(&world, "gauge", json!({ "scopes": ["space:content:read"] })).await;
    assert_eq!(read(world.space.to_string()).await["status"], 403);
}

async fn metrics_are_not_for_scripts(database: TestDatabase) {
    let world = World::new(database).await;
    let gauge = Scripted::new(&world, "gauge", json!({})).await;
    let own = async |path: &str| {
        let told = told(
            &world,
            &format!("{}/fetch?url={}{path}", gauge.endpoint(), world.service.base),
        )
        .await;
        told["status"].clone()
    };
    assert_eq!(own("/healthz").await, 200);
    assert_eq!(own("/metrics").await, 404);
    assert_eq!(get(&world, "/metrics").await.status(), 200);
}

async fn private_addresses_are_out_of_reach(database: TestDatabase) {
    let world = World::new(database).await;
    let gauge = Scripted::new(&world, "gauge", json!({})).await;
    let (address, mut requests) = server(HELLO).await;
    for host in ["127.0.0.1", "localhost", "[::1]", "2130706433"] {
        let target = format!("http://{host}:{}/", address.port());
        let told = told(&world, &format!("{}/fetch?url={target}", gauge.endpoint())).await;
        assert!(told["error"].is_string(), "{host}: {told}");
    }
    assert!(requests.try_recv().is_err());
}

async fn redirects_lead_to_no_private_address(database: TestDatabase) {
    // The first of both servers may be reached, and nothing else.
    let (outer, _requests) =
        server("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.2:1/\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            .await;
    let allow = |flags: &mut platform::config::Flags| flags.allow_private_addresses = Some("127.0.0.1/32".to_owned());
    let world = World::with(database, allow).await;
    let gauge = Scripted::new(&world, "gauge", json!({})).await;
    let (inner, mut requests) = server(HELLO).await;
    let fetch = async |target: String| told(&world, &format!("{}/fetch?url={target}", gauge.endpoint())).await;
    assert_eq!(
        fetch(format!("http://{inner}/")).await,
        json!({ "status": 200, "text": "hello" })
    );
    assert!(requests.recv().await.unwrap().starts_with("GET / HTTP/1.1\r\n"));
    let redirected = fetch(format!("http://{outer}/")).await;
    let error = redirected["error"].as_str().unwrap();
    assert!(error.contains("not public"), "{error}");
}

async fn endless_scripts_end_while_others_go_on(database: TestDatabase) {
    let world = World::new(database).await;
    let (gauge, other) = (
        Scripted::new(&world, "gauge", json!({})).await,
        Scripted::new(&world, "other", json!({})).await,
    );
    let (endless, whole) = (
        format!("{}/loop", gauge.endpoint()),
        format!("{}/echo", other.endpoint()),
    );
    let (endless, whole) = tokio::join!(get(&world, &endless), get(&world, &whole));
    assert_eq!(endless.status(), 502);
    assert_eq!(whole.status(), 200);
    assert_eq!(get(&world, &format!("{}/echo", gauge.endpoint())).await.status(), 200);
}

async fn looping_scripts_hold_up_no_request(database: TestDatabase) {
    let world = world_with_receivers(database).await;
    let began = Receiver::start().await;
    let mut loops = Vec::new();
    for name in ["one", "two", "three", "four"] {
        let gauge = Scripted::new(&world, name, json!({})).await;
        let path = format!("{}/spin?url={}", gauge.endpoint(), began.url);
        loops.push(tokio::spawn(ask(&world, Method::GET, &path).send()));
    }
    let mut spinning = 0;
    while spinning < loops.len() {
        began.arrived().await;
        spinning += began.take().len();
    }
    for _ in 0..5 {
        world.admin.client.call("getAuthenticatedUser").expect(200).await;
    }
    assert!(loops.iter().all(|ended| !ended.is_finished()));
    for ended in loops {
        assert_eq!(ended.await.unwrap().unwrap().status(), 502);
    }
}

async fn regular_expressions_without_end_are_stopped(database: TestDatabase) {
    let world = World::new(database).await;
    let gauge = Scripted::new(&world, "gauge", json!({})).await;
    assert_eq!(get(&world, &format!("{}/regexp", gauge.endpoint())).await.status(), 502);
    assert_eq!(get(&world, &format!("{}/echo", gauge.endpoint())).await.status(), 200);
}

async fn changes_of_a_script_stay_in_its_installation(database: TestDatabase) {
    let world = World::new(database).await;
    let gauge = Scripted::new(&world, "gauge", json!({})).await;
    let other = Scripted::new(&world, "other", json!({})).await;
    let own = gauge.of_installation();
    assert_eq!(get(&world, &format!("{own}/pollute")).await.status(), 200);
    // The integration itself, and another one, have runtimes of their own.
    for path in [gauge.endpoint(), other.of_installation()] {
        let told = told(&world, &format!("{path}/echo")).await;
        assert_eq!(told["polluted"], Value::Null, "{path}");
        assert_eq!(told["secrets"], json!({ "GAUGE_KEY": "tide-3417" }), "{path}");
    }
    // A version has runtimes of its own, too.
    publish(&world, "gauge", json!({})).await;
    assert_eq!(told(&world, &format!("{own}/echo")).await["polluted"], Value::Null);
}

async fn scripts_without_measure_end(database: TestDatabase) {
    let world = World::new(database).await;
    let gauge = Scripted::new(&world, "gauge", json!({})).await;
    assert_eq!(get(&world, &format!("{}/memory", gauge.endpoint())).await.status(), 502);
    assert_eq!(get(&world, &format!("{}/echo", gauge.endpoint())).await.status(), 200);
}

async fn a_new_version_runs_at_once(database: TestDatabase) {
    let world = World::new(database).await;
    let gauge = Scripted::new(&world, "gauge", json!({})).await;
    let path = format!("{}/echo", gauge.of_installation());
    assert_eq!(get(&world, &path).await.status(), 200);
    let script = "addEventListener('fetch', (event) => event.respondWith(new Response('second', { status: 201 })));";
    publish(&world, "gauge", json!({ "runtime": "v1", "script": script })).await;
    let response = get(&world, &path).await;
    assert_eq!(response.status(), 201);
    assert_eq!(response.text().await.unwrap(), "second");
}

async fn events_go_to_the_tunnel_in_development(database: TestDatabase) {
    let allow = |flags: &mut platform::config::Flags| flags.allow_private_addresses = Some("127.0.0.1/32".to_owned());
    let world = World::with(database, allow).await;
    let gauge = Scripted::new(&world, "gauge", json!({})).await;
    let (tunnel, mut requests) = server(HELLO).await;
    let develop = world.admin.client.call("setIntegrationDevelopmentMode");
    let develop = develop.path("integrationName", "gauge");
    develop
        .json(json!({ "tunnelUrl": format!("http://{tunnel}") }))
        .expect(204)
        .await;
    let path = format!("{}/echo", gauge.of_installation());
    assert_eq!(get(&world, &path).await.text().await.unwrap(), "hello");
    let sent = requests.recv().await.unwrap();
    assert!(sent.starts_with("POST /v1 HTTP/1.1\r\n"), "{sent}");
    for part in [
        "name=\"event\"\r\n\r\n{\"type\":\"fetch\"",
        "name=\"environment\"\r\n\r\n{\"integration\":{",
        &gauge.installation,
    ] {
        assert!(sent.contains(part), "{part} in {sent}");
    }
    let end = world.admin.client.call("disableIntegrationDevelopmentMode");
    end.path("integrationName", "gauge").send().await;
    assert!(told(&world, &path).await["event"].is_object());
}
