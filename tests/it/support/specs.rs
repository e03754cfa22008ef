//! OpenAPI specifications, and a server of sources.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use bindery::{
    app::App,
    areas::specifications::openapi_specs::{ProcessSpec, RefreshSpecs},
};
use entity::ids::OrganizationId;
use platform::{
    config::Flags,
    jobs::{Kinds, Runner},
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::Notify,
};

use super::{
    client::Call,
    database::TestDatabase,
    world::{Person, World},
};

/// A small document with this title.
pub fn document(title: &str) -> String {
    let pets = json!({ "get": { "operationId": "listPets", "responses": { "200": { "description": "Pets." } } } });
    json!({ "openapi": "3.1.0", "info": { "title": title, "version": "1" }, "paths": { "/pets": pets } }).to_string()
}

/// Processes the sources that wait.
pub async fn process(app: &App) -> usize {
    let kinds = Kinds::default().with(ProcessSpec::new(Arc::clone(&app.specifications)));
    Runner::new(app.kernel.jobs.clone(), kinds).run_due().await.unwrap()
}

/// Enqueues what is due to be fetched again, and processes it.
pub async fn refresh(app: &App) {
    let kinds = Kinds::default().with_periodic(RefreshSpecs(Arc::clone(&app.specifications)));
    Runner::new(app.kernel.jobs.clone(), kinds).run_due().await.unwrap();
    process(app).await;
}

/// Creates a specification with a version: the path parameters that name the two.
pub async fn fill(app: &App, admin: &Person, organization: OrganizationId, slug: &str) -> [(&'static str, String); 2] {
    let create = admin.client.call("createOpenAPISpec").within(organization);
    let body = json!({ "slug": slug, "source": { "text": document(slug) } });
    create.json(body).expect(201).await;
    process(app).await;
    let latest = admin.client.call("getLatestOpenAPISpecVersion").within(organization);
    let version = latest.path("specSlug", slug).expect(200).await;
    let version = version["id"].as_str().unwrap().to_owned();
    [("specSlug", slug.to_owned()), ("versionId", version)]
}

impl World {
    /// One more specification, and one more version of the one that is there.
    pub async fn add_to_specs(&self, number: usize) {
        let create = self.admin.client.call("createOpenAPISpec").here(self);
        let body = json!({ "slug": format!("spec-{number}"), "source": { "text": "-" } });
        create.json(body).expect(201).await;
        let put = self.admin.client.call("createOrUpdateOpenAPISpecBySlug").here(self);
        let put = put.path("specSlug", self.own("specSlug"));
        let text = document(&format!("Number {number}"));
        put.json(json!({ "source": { "text": text } })).expect(200).await;
        process(self.app()).await;
    }

    /// A call about a specification, by an admin.
    pub fn spec_call(&self, operation: &str, slug: &str) -> Call<'_> {
        self.admin.client.call(operation).here(self).path("specSlug", slug)
    }

    /// Sets the source of a specification, processes it, and reads the specification.
    pub async fn process_source(&self, slug: &str, source: Value) -> Value {
        let put = self.spec_call("createOrUpdateOpenAPISpecBySlug", slug);
        let answer = put.json(json!({ "source": source })).send().await;
        assert!([200, 201].contains(&answer.status), "{}", answer.text);
        process(self.app()).await;
        let spec = self.spec_call("getOpenAPISpecBySlug", slug).expect(200).await;
        assert_eq!(spec["processingState"], "complete", "{spec}");
        spec
    }
}

/// What the server answers at a path.
#[derive(Clone)]
pub enum Reply {
    /// With this tag, if there is one.
    Text(String, Option<&'static str>),
    Bytes(&'static [u8]),
    Status(&'static str),
    /// Nothing, ever.
    Silence,
}

/// A world that may fetch sources from this machine, and a server of sources.
pub async fn world_with_sources(database: TestDatabase) -> (World, SourceServer) {
    let adjust = |flags: &mut Flags| flags.allow_private_addresses = Some("127.0.0.1".to_owned());
    (World::with(database, adjust).await, SourceServer::start().await)
}

/// A server of sources on the loopback interface.
#[derive(Clone)]
pub struct SourceServer {
    pub base: String,
    replies: Arc<Mutex<HashMap<String, Reply>>>,
    /// The paths that were asked for, and the statuses of the answers.
    answered: Arc<Mutex<Vec<(String, u16)>>>,
    silent: Arc<Notify>,
}

impl SourceServer {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = Self {
            base: format!("http://{}", listener.local_addr().unwrap()),
            replies: Arc::default(),
            answered: Arc::default(),
            silent: Arc::default(),
        };
        let shared = server.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(shared.clone().answer(stream));
            }
        });
        server
    }

    pub fn set(&self, path: &str, reply: Reply) {
        self.replies.lock().unwrap().insert(path.to_owned(), reply);
    }

    pub fn set_text(&self, path: &str, text: impl Into<String>) {
        self.set(path, Reply::Text(text.into(), None));
    }

    pub fn source(&self, path: &str) -> Value {
        json!({ "url": format!("{}{path}", self.base) })
    }

    /// What was answered since the last call.
    pub fn answered(&self) -> Vec<(String, u16)> {
        std::mem::take(&mut *self.answered.lock().unwrap())
    }

    /// Waits for a request that gets no answer.
    pub async fn silent(&self) {
        self.silent.notified().await;
    }

    async fn answer(self, mut stream: TcpStream) {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            if stream.read(&mut byte).await.unwrap_or_default() == 0 {
                return;
            }
            head.extend(byte);
        }
        let head = String::from_utf8(head).unwrap();
        let path = head.split(' ').nth(1).unwrap().to_owned();
        let reply = self.replies.lock().unwrap().get(&path).cloned();
        let (status, tag, body) = match reply {
            None => ("404 Not Found", None, Vec::new()),
            Some(Reply::Status(status)) => (status, None, Vec::new()),
            Some(Reply::Bytes(bytes)) => ("200 OK", None, bytes.to_vec()),
            Some(Reply::Text(_, Some(tag))) if head.to_lowercase().contains(&format!("if-none-match: {tag}")) => {
                ("304 Not Modified", Some(tag), Vec::new())
            }
            Some(Reply::Text(text, tag)) => ("200 OK", tag, text.into_bytes()),
            Some(Reply::Silence) => {
                self.silent.notify_one();
                let _ = stream.read(&mut [0]).await;
                return;
            }
        };
        let number = status.split(' ').next().unwrap().parse().unwrap();
        self.answered.lock().unwrap().push((path, number));
        let tag = tag.map(|tag| format!("ETag: {tag}\r\n")).unwrap_or_default();
        let head = format!(
            "HTTP/1.1 {status}\r\n{tag}Content-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        let _ = stream.write_all(head.as_bytes()).await;
        let _ = stream.write_all(&body).await;
    }
}
