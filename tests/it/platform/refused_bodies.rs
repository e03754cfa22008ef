//! Bodies that are refused: the answer says what is wrong, however much of it there is, and is short.

use std::{
    net::{IpAddr, Ipv4Addr},
    time::Duration,
};

use bindery::http::client::network_of;
use futures_util::future::try_join_all;
use openapi::work::RequestPermits;
use platform::db::Backend;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::{io::AsyncWriteExt, net::TcpStream, task::yield_now, time::timeout};

use crate::support::{client::Client, database::TestDatabase, service::Service, world::World};

/// The most bytes of an answer with a hundred violations, each with a pointer and a message.
const MAX_ANSWER: usize = 150_000;

struct Setting(World);

impl Setting {
    async fn new() -> Self {
        let large = World::with(TestDatabase::new(Backend::Sqlite), |flags| {
            flags.body_limit = Some("10MiB".to_owned());
        });
        Self(large.await)
    }

    /// The details of the refusal of a body, and the length of the answer.
    async fn refused(&self, body: &Value) -> Vec<Value> {
        let answer = self
            .0
            .admin
            .client
            .call("createOpenAPISpec")
            .here(&self.0)
            .json(body.clone())
            .send()
            .await;
        assert!(answer.text.len() < MAX_ANSWER, "{}", answer.text.len());
        let body = answer.expect(400);
        let details = body["error"]["details"].as_array().unwrap().clone();
        assert!((1..=100).contains(&details.len()), "{}", details.len());
        for detail in &details {
            for member in ["pointer", "message"] {
                assert!(detail[member].as_str().unwrap().chars().count() <= 501);
            }
        }
        details
    }
}

#[tokio::test]
async fn many_violations_below_a_long_name_are_reported_in_short() {
    let setting = Setting::new().await;
    let nuls = vec!["\0"; 20_000];
    let found = setting.refused(&json!({ "n".repeat(50_000): nuls })).await;
    assert!(found.iter().all(|detail| detail["code"] == "nul-character"));
    let found = setting
        .refused(&json!({ "slug": "x", "n".repeat(900): vec!["\0"; 20_000] }))
        .await;
    assert_eq!(found.len(), 100);
    let unknown = (0..5_000).map(|number| (format!("{number}{}", "n".repeat(900)), Value::Null));
    let found = setting.refused(&unknown.collect()).await;
    assert!(
        found
            .iter()
            .all(|detail| detail["code"] == "unknown-member" || detail["code"] == "required")
    );
}

#[tokio::test]
async fn a_long_text_is_not_repeated() {
    let setting = Setting::new().await;
    for text in [
        "\u{7f}".repeat(2_000_000),
        "a\u{200b}".repeat(500_000),
        "x".repeat(3_000_000),
    ] {
        let found = setting
            .refused(&json!({ "slug": text, "source": { "text": "x" } }))
            .await;
        assert!(found.iter().all(|detail| detail["pointer"] == "/body/slug"));
        assert!(found.iter().any(|detail| detail["code"] == "max-length"));
    }
    let found = setting.refused(&json!({ "x".repeat(3_000_000): 1 })).await;
    assert!(found[0]["pointer"].as_str().unwrap().starts_with("/body"));
}

#[tokio::test]
async fn forms_of_one_address_leave_room_for_others() {
    let setting = Setting::new().await;
    let post = async |address: IpAddr| {
        let client = reqwest::Client::builder().local_address(address).build().unwrap();
        let form = client.post(format!("{}/saml/unknown/acs", setting.0.service.base));
        let form = form.header("content-type", "application/x-www-form-urlencoded");
        form.body("a".repeat(760_000)).send().await.unwrap().status().as_u16()
    };
    let one: IpAddr = Ipv4Addr::LOCALHOST.into();
    let other = Ipv4Addr::new(127, 0, 0, 2).into();
    // Half of what there is for the bytes of requests.
    let share = RequestPermits::new(setting.0.app().kernel.work.clone(), network_of(one));
    share.acquire_body(64 << 20).await.unwrap();
    assert_eq!(tokio::join!(post(one), post(other)), (503, 404));
    drop(share);
    assert_eq!(post(one).await, 404);
}

/// Each of them counts as much as may come.
#[tokio::test]
async fn slow_bodies_of_one_user_leave_room_for_others() {
    let database = TestDatabase::new(Backend::Sqlite);
    let service = Service::start_with(database, |flags| flags.body_limit = Some("10MiB".to_owned())).await;
    let (slow, other) = (
        service.new_token("slow@tidewater.example").await,
        service.new_token("other@tidewater.example").await,
    );
    let head = format!(
        "POST /v1/user/tokens HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {slow}\r\nContent-Type: application/json\r\n\
         Transfer-Encoding: chunked\r\n\r\n9C40\r\n{}",
        " ".repeat(40_000)
    );
    let mut open = Vec::new();
    for _ in 0..8 {
        let mut stream = TcpStream::connect(service.base.strip_prefix("http://").unwrap())
            .await
            .unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        open.push(stream);
    }
    // They have what one user may have: two others cannot have as much each.
    let others = || [0, 1].map(|sender| RequestPermits::new(service.app.kernel.work.clone(), sender));
    let free = async || {
        let others = others();
        let taken = others.each_ref().map(|other| other.acquire_body(64 << 20));
        let both = timeout(Duration::from_millis(1), try_join_all(taken)).await;
        both.is_ok_and(|both| both.is_ok())
    };
    while free().await {
        yield_now().await;
    }
    let client = Client::new(&service.base).with_token(&other);
    let request = client
        .request(Method::POST, "/v1/user/tokens")
        .body(format!("{:<60000}", json!({ "label": "x" })));
    let answer = request.header("content-type", "application/json").send().await.unwrap();
    assert_eq!(answer.status(), 201);
}
