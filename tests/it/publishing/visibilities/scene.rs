//! A site with everything that visitors may prove to it, and what they read of it.

use std::collections::BTreeSet;

use data_encoding::BASE64URL_NOPAD;
use jsonwebtoken::Algorithm;
use serde_json::{Value, json};

use super::{Link, Proof, Signed, VISIBILITIES, lets_in, reads};
use crate::support::{
    client::{Answer, Client},
    contract::Operation,
    database::TestDatabase,
    published::{id, now, resolve, sign, visitor},
    site_reads::SiteContent,
    world::World,
};

/// A site with share links, another site, and the keys of both.
pub struct Scene {
    pub world: World,
    pub content: SiteContent,
    pub link: Value,
    /// The keys of share links, and what each proves to the site.
    pub keys: Vec<(&'static str, Option<String>, Link)>,
    /// The tokens that visitors bring, and what each proves to the site.
    pub tokens: Vec<(&'static str, Option<String>, Signed)>,
}

/// A visitor who was let in, with what they had proven.
pub type Visitor = (Proof, Client);

impl Scene {
    pub async fn new(database: TestDatabase) -> Self {
        let world = World::new(database).await;
        let content = SiteContent::new(&world, "gripper").await;
        let site = &content.published.site;
        let space = world.new_space("Elsewhere").await;
        let elsewhere = world.new_site("Elsewhere", &[&space]).await;
        let elsewhere = world.on_site(&world.admin, "publishSite", &elsewhere);
        let elsewhere = elsewhere.expect(200).await;
        let (link, right) = share_link(&world, site).await;
        let (ended, off) = share_link(&world, site).await;
        switch(&world, site, &ended, false).await;
        let (_, of_other) = share_link(&world, &elsewhere).await;
        let mut wrong = right.clone();
        wrong.replace_range(right.len() - 4.., "0000");
        let keys = vec![
            ("no key", None, Link::No),
            ("the right key", Some(right), Link::On),
            ("a wrong key", Some(wrong), Link::No),
            ("the key of a link that is off", Some(off), Link::No),
            ("the key of another site", Some(of_other), Link::No),
        ];
        let (key, other_key) = (private_key(&world, site).await, private_key(&world, &elsewhere).await);
        let signed = |seconds: i64, key: &str| {
            let claims = json!({ "exp": now(&world) + seconds, "name": "Ines" });
            Some(sign(&claims, key, Algorithm::HS256))
        };
        let right = signed(60, &key);
        let unsigned = BASE64URL_NOPAD.encode(br#"{"alg":"none","typ":"JWT"}"#);
        let claims = right.as_deref().unwrap().split('.').nth(1).unwrap().to_owned();
        let tokens = vec![
            ("no token", None, Signed::No),
            ("the right token", right, Signed::Yes),
            ("an expired token", signed(0, &key), Signed::No),
            ("a token of another site", signed(60, &other_key), Signed::No),
            ("an unsigned token", Some(format!("{unsigned}.{claims}.")), Signed::No),
        ];
        Self {
            world,
            content,
            link,
            keys,
            tokens,
        }
    }

    pub fn site(&self) -> &Value {
        &self.content.published.site
    }

    pub async fn set(&self, visibility: &str) {
        let change = json!({ "visibility": visibility });
        self.content.published.set(&self.world, change).await;
    }

    fn address(&self, key: Option<&str>) -> String {
        let address = &self.content.published.address;
        key.map_or(address.clone(), |key| format!("{address}{key}/"))
    }

    /// Looks up the site in both ways, which agree on everything but the sequence of members.
    pub async fn look_up(&self, key: Option<&str>, token: Option<&str>) -> Answer {
        let url = self.address(key);
        let sent = token.map_or(json!({}), |token| json!({ "jwtToken": token }));
        let posted = resolve(&self.world, &url, sent).send().await;
        let call = self.world.stranger.client.call("getPublishedContentByUrl");
        let call = call.query("url", &url);
        let read = match token {
            Some(token) => call.query("visitorAuthToken", token).send().await,
            None => call.send().await,
        };
        assert_eq!(read.status, posted.status, "{url}: {}", read.text);
        if read.status == 200 {
            assert_eq!(read.expect(200), posted.expect(200));
        }
        posted
    }

    /// A visitor of each kind: with and without a share link, and with and without a signed token.
    pub async fn visitors(&self) -> Vec<Visitor> {
        let (key, token) = (self.keys[1].1.as_deref(), self.tokens[1].1.as_deref());
        let mut visitors = Vec::new();
        for (visibility, key, token, proof) in [
            ("public", None, None, (Link::No, Signed::No)),
            ("share-link", key, None, (Link::On, Signed::No)),
            ("visitor-auth", None, token, (Link::No, Signed::Yes)),
            ("share-link", key, token, (Link::On, Signed::Yes)),
        ] {
            self.set(visibility).await;
            let found = self.look_up(key, token).await.expect(200);
            visitors.push((proof, visitor(&self.world, &found)));
        }
        let tokens: BTreeSet<String> = visitors.iter().map(|(_, client)| client.authorization()).collect();
        assert_eq!(tokens.len(), visitors.len());
        visitors
    }

    /// Reads everything as these visitors at each visibility. `now`: what each of them proves now.
    pub async fn read_at_each_visibility(&self, visitors: &[Visitor], now: impl Fn(Proof) -> Proof) {
        for visibility in VISIBILITIES {
            self.set(visibility).await;
            for (came_with, client) in visitors {
                let proof = now(*came_with);
                let what = format!("{visibility}, {proof:?}");
                self.read(client, lets_in(visibility, proof), &what).await;
            }
        }
    }

    /// Calls every operation that visitors may call.
    pub async fn read(&self, client: &Client, is_open: bool, what: &str) {
        for (operation, status) in reads() {
            let expected = if is_open { status } else { 404 };
            self.check(client, operation, expected, what).await;
        }
    }

    /// Calls an operation, and again with the tag of the answer, or with any tag.
    pub async fn check(&self, client: &Client, operation: Operation, expected: u16, what: &str) {
        let what = format!("{}, {what}", operation.id);
        let answer = self.content.call(client, operation).send().await;
        assert_eq!(answer.status, expected, "{what}: {}", answer.text);
        let kept = answer.headers.get("etag").map_or("*", |tag| tag.to_str().unwrap());
        let again = self.content.call(client, operation).header("if-none-match", kept);
        let again = again.send().await;
        let not_modified = if kept == "*" { expected } else { 304 };
        assert_eq!(again.status, not_modified, "{what}, again: {}", again.text);
        if expected != 200 {
            return;
        }
        for answer in [&answer, &again] {
            check_caching(answer, &what);
        }
        if operation.id == "getFileById" {
            self.check_bytes(&answer.expect(200)).await;
        }
    }

    /// Downloads a file from its address, to which whoever reads the file comes.
    async fn check_bytes(&self, file: &Value) {
        let nobody = self.world.nobody();
        let path = file["downloadURL"]
            .as_str()
            .unwrap()
            .strip_prefix(nobody.base())
            .unwrap();
        let bytes = nobody.get(path).await;
        assert_eq!(
            (bytes.status().as_u16(), bytes.text().await.unwrap()),
            (200, "hello".to_owned())
        );
        let (_, rest) = path.strip_prefix("/files/").unwrap().split_once('/').unwrap();
        assert_eq!(nobody.get(&format!("/files/forged/{rest}")).await.status(), 404);
    }
}

/// What one visitor is answered is for nobody else.
fn check_caching(answer: &Answer, what: &str) {
    let values = |name: &str| {
        let values = answer.headers.get_all(name).into_iter();
        values
            .map(|value| value.to_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let (vary, caching) = (values("vary"), values("cache-control").join(", "));
    assert!(vary.iter().any(|name| name == "authorization"), "{what}: {vary:?}");
    assert!(
        caching.contains("private") || caching == "no-store",
        "{what}: {caching}"
    );
}

async fn share_link(world: &World, site: &Value) -> (Value, String) {
    let create = world.on_site(&world.admin, "createSiteShareLink", site);
    let link = create.json(json!({ "name": "Partners" })).expect(201).await;
    let address = link["urls"]["published"].as_str().unwrap();
    let key = address.trim_end_matches('/').rsplit_once('/').unwrap().1.to_owned();
    (link, key)
}

pub async fn switch(world: &World, site: &Value, link: &Value, active: bool) {
    let update = world.on_site(&world.admin, "updateSiteShareLinkById", site);
    let update = update.path("shareLinkId", id(link));
    update.json(json!({ "active": active })).expect(200).await;
}

async fn private_key(world: &World, site: &Value) -> String {
    let auth = world.on_site(&world.admin, "getSitePublishingAuthById", site);
    auth.expect(200).await["privateKey"].as_str().unwrap().to_owned()
}
