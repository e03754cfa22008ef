//! The calls of a renderer of published sites, in its order, and what it follows in each answer.

use serde_json::{Value, json};
use url::Url;

use super::{
    client::{Client, ignored},
    published::id,
    world::World,
};

/// The segments of a path with which the renderer looks up the beginnings of an address.
const MAX_SEGMENTS: usize = 4;

/// A renderer with the token for lookups, or with that of a preview.
pub struct Renderer {
    lookups: Client,
    visits: Client,
    /// What it knows of a visitor.
    pub visitor: Value,
}

/// What is at an address.
pub enum Opened {
    Redirect(String),
    Page(Box<Visit>),
}

/// A page as it is about to be shown. `page`: `null` if there is none at the path.
pub struct Visit {
    pub client: Client,
    pub found: Value,
    pub site: Value,
    pub item: Value,
    pub revision: Value,
    pub page: Value,
}

impl Opened {
    #[track_caller]
    pub fn page(self) -> Visit {
        match self {
            Self::Page(visit) => *visit,
            Self::Redirect(to) => panic!("a redirect to {to}"),
        }
    }

    #[track_caller]
    pub fn redirect(self) -> String {
        match self {
            Self::Redirect(to) => to,
            Self::Page(visit) => panic!("no redirect: {}", visit.found),
        }
    }
}

impl Renderer {
    pub fn new(world: &World) -> Self {
        Self {
            lookups: world.stranger.client.clone(),
            visits: world.nobody(),
            visitor: json!({ "type": "browser" }),
        }
    }

    /// With the token in the address of a preview, and the address without it.
    pub fn of_preview(world: &World, address: &str) -> (Self, String) {
        let (address, token) = address.split_once("?token=").unwrap();
        let renderer = Self {
            lookups: world.nobody().with_token(token).named("preview"),
            ..Self::new(world)
        };
        (renderer, address.to_owned())
    }

    /// Looks up all beginnings of an address at once, and takes the first answer that is complete, or that for the longest: so all of
    /// them have to say the same. A change request in the path is cut out before.
    pub async fn look_up(&self, address: &str) -> Value {
        let mut url = Url::parse(address).unwrap();
        url.set_query(None);
        let path = url.path().trim_matches('/').to_owned();
        let (start, named, mut rest) = match path.split_once("~/changes/") {
            Some((start, after)) => {
                let (request, rest) = after.split_once('/').unwrap_or((after, ""));
                (start.trim_end_matches('/'), Some(request.to_owned()), rest.to_owned())
            }
            None => (path.as_str(), None, String::new()),
        };
        let segments: Vec<&str> = start.split('/').collect();
        let mut accepted: Vec<Value> = Vec::new();
        let longest = match named {
            Some(_) => segments.len(),
            None => segments.len().min(MAX_SEGMENTS),
        };
        let shortest = if named.is_some() { longest } else { 0 };
        for length in shortest..=longest {
            let (head, tail) = segments.split_at(length);
            url.set_path(&head.join("/"));
            if named.is_none() {
                rest = tail.join("/");
            }
            let call = self.lookups.call("resolvePublishedContentByUrl");
            let body = json!({ "url": url.as_str(), "visitor": self.visitor, "redirectOnError": false });
            let answer = call.json(body).send().await;
            assert_eq!(ignored(&answer), ["visitor.type"]);
            if answer.status == 404 {
                assert!(length < longest, "{address}: {}", answer.text);
                continue;
            }
            let mut found = answer.expect(200);
            let is_complete = found["complete"] == true || found.get("redirect").is_some() && length == longest;
            if !is_complete && length < longest {
                continue;
            }
            if found["target"] == "content" && !rest.is_empty() {
                let redirect = found["redirect"].as_str().unwrap().trim_end_matches('/');
                found["redirect"] = json!(format!("{redirect}/{rest}"));
            }
            if found.get("redirect").is_none() {
                let pathname = format!("{}/{rest}", found["pathname"].as_str().unwrap());
                found["pathname"] = json!(
                    pathname
                        .split('/')
                        .filter(|it| !it.is_empty())
                        .collect::<Vec<_>>()
                        .join("/")
                );
            }
            if found.get("changeRequest").is_none() && named.is_some() {
                found["changeRequest"] = json!(named);
            }
            accepted.push(found);
        }
        let last = accepted.pop().unwrap();
        for other in accepted {
            let place = |found: &Value| {
                (
                    found["siteSpace"].clone(),
                    found["pathname"].clone(),
                    found["basePath"].clone(),
                )
            };
            assert_eq!(place(&other), place(&last), "{address}");
        }
        last
    }

    pub async fn open(&self, address: &str) -> Opened {
        let found = self.look_up(address).await;
        if let Some(to) = found["redirect"].as_str() {
            return Opened::Redirect(to.to_owned());
        }
        let mut visit = self.enter(found).await;
        let path = visit.found["pathname"].as_str().unwrap().to_lowercase();
        visit.page = find_page(&visit.revision["pages"], &path).cloned().unwrap_or_default();
        match visit.page.is_null() && !path.is_empty() {
            true => visit.elsewhere(&path).await,
            false => Opened::Page(Box::new(visit)),
        }
    }

    /// Reads the site, the space and the revision that the lookup names.
    async fn enter(&self, found: Value) -> Visit {
        let text = |name: &str| found[name].as_str().map(str::to_owned);
        let client = self.visits.with_token(&text("apiToken").unwrap()).named("visitor");
        let (share_key, space) = (text("shareKey"), text("space").unwrap());
        let call = client.call("getPublishedContentSite");
        let call = call
            .path("organizationId", text("organization").unwrap())
            .path("siteId", text("site").unwrap());
        let site = with_key(call, share_key.as_deref()).expect(200).await;
        let item = items(&site["structure"])
            .into_iter()
            .find(|item| item["id"] == found["siteSpace"]);
        let item = item.unwrap().clone();
        assert_eq!(item["space"]["id"], space);
        let settings = &site["customizations"]["siteSpaces"][id(&item)];
        assert!(settings["styling"]["primaryColor"]["light"].is_string(), "{settings}");
        let call = client.call("getSpaceById").path("spaceId", &space);
        let own = with_key(call, share_key.as_deref()).expect(200).await;
        let mut revision = text("revision").or_else(|| own["revision"].as_str().map(str::to_owned));
        if let Some(request) = text("changeRequest") {
            let call = client.call("getChangeRequestById").path("spaceId", &space);
            let request = call.path("changeRequestId", request).expect(200).await;
            revision = text("revision").or_else(|| request["revision"].as_str().map(str::to_owned));
        }
        let call = client
            .call("getRevisionById")
            .path("spaceId", &space)
            .query("metadata", true);
        let revision = call.path("revisionId", revision.unwrap()).expect(200).await;
        for page in flat(&revision["pages"]) {
            assert!(page["type"] != "document" || page["tags"].is_array(), "{page}");
        }
        Visit {
            client,
            found,
            site,
            item,
            revision,
            page: Value::Null,
        }
    }
}

impl Visit {
    fn call(&self, operation: &str) -> super::client::Call<'_> {
        let call = self
            .client
            .call(operation)
            .path("spaceId", self.found["space"].as_str().unwrap());
        call.path("revisionId", id(&self.revision))
    }

    /// A path without a page: a redirect of the site, by its path in the site and then in the space; or a page that had the path.
    async fn elsewhere(mut self, path: &str) -> Opened {
        let text = |name: &str| self.found[name].as_str().unwrap();
        let in_site = text("basePath").strip_prefix(text("siteBasePath")).unwrap();
        let mut sources = vec![format!("/{in_site}{path}"), format!("/{path}")];
        sources.dedup();
        for source in sources {
            let call = self
                .client
                .call("getSiteRedirectBySource")
                .path("organizationId", text("organization"));
            let call = call.path("siteId", text("site")).query("source", source);
            let answer = with_key(call, self.found["shareKey"].as_str()).send().await;
            if answer.status != 404 {
                return Opened::Redirect(answer.expect(200)["target"].as_str().unwrap().to_owned());
            }
        }
        let call = self.call("getPageInRevisionByPath").path("pagePath", path);
        let answer = call.send().await;
        if answer.status != 404 {
            let former = answer.expect(200);
            self.page = page_by_id(&self.revision["pages"], id(&former)).unwrap().clone();
        }
        Opened::Page(Box::new(self))
    }

    /// The text of the page, after everything that it refers to has been read.
    pub async fn document(&self) -> Value {
        let call = self
            .call("getPageDocumentInRevisionById")
            .path("pageId", id(&self.page));
        let call = call
            .query("evaluated", "deterministic-only")
            .query("dereferenced", "reusable-contents");
        let document = call.expect(200).await;
        let mut references = Vec::new();
        collect(&document, &mut references);
        for reference in references {
            self.follow(reference).await;
        }
        document
    }

    async fn follow(&self, reference: &Value) {
        let text = |name: &str| reference[name].as_str().unwrap();
        match text("kind") {
            "url" => assert!(!text("url").is_empty()),
            "page" | "anchor" if reference.get("space").is_none_or(|space| *space == self.found["space"]) => {
                let page = reference["page"].as_str();
                let found = page.map(|page| page_by_id(&self.revision["pages"], page).unwrap());
                assert!(found.is_none_or(|page| page["path"].is_string()), "{reference}");
            }
            "page" | "anchor" | "space" => {
                let other = self
                    .client
                    .call("getSpaceById")
                    .path("spaceId", text("space"))
                    .expect(200)
                    .await;
                assert!(other["urls"]["published"].is_string(), "{other}");
            }
            "file" => {
                let mut files = self.revision["files"].as_array().unwrap().iter();
                let file = files.find(|file| id(file) == text("file")).unwrap();
                let address = file["downloadURL"].as_str().unwrap();
                let path = address.strip_prefix(self.client.base()).unwrap();
                assert_eq!(self.client.get(path).await.status(), 200);
            }
            "user" => {
                let user = self
                    .client
                    .call("getUserById")
                    .path("userId", text("user"))
                    .expect(200)
                    .await;
                assert!(user["displayName"].is_string(), "{user}");
            }
            "openapi" => {
                let call = self.client.call("getLatestOpenAPISpecVersionContent");
                let call = call.path("organizationId", self.found["organization"].as_str().unwrap());
                let content = call.path("specSlug", text("spec")).expect(200).await;
                assert!(
                    content["urls"]["source"].is_string() && !content["filesystem"].is_null(),
                    "{content}"
                );
            }
            "reusable-content" => {
                let call = self.call("getReusableContentDocumentInRevisionById");
                let call = call.path("reusableContentId", text("reusableContent"));
                let text = call.query("evaluated", "deterministic-only").expect(200).await;
                assert_eq!(text["object"], "document");
            }
            kind => panic!("nobody follows {kind}"),
        }
    }

    pub async fn markdown(&self, page: &Value) -> String {
        let call = self.call("getPageInRevisionById").path("pageId", id(page));
        let call = call.query("format", "markdown").query("format.markdown.refs", "stable");
        let answer = call.expect(200).await;
        answer["markdown"].as_str().unwrap().to_owned()
    }

    /// The same for another space of the site, as it is published now.
    pub async fn in_item(&self, item: &Value) -> Self {
        let space = id(&item["space"]);
        let own = self
            .client
            .call("getSpaceById")
            .path("spaceId", space)
            .expect(200)
            .await;
        assert_eq!(own["revision"], item["space"]["revision"]);
        let call = self
            .client
            .call("getRevisionById")
            .path("spaceId", space)
            .query("metadata", true);
        let revision = call
            .path("revisionId", own["revision"].as_str().unwrap())
            .expect(200)
            .await;
        let mut found = self.found.clone();
        found["space"] = json!(space);
        Self {
            client: self.client.clone(),
            found,
            site: self.site.clone(),
            item: item.clone(),
            revision,
            page: Value::Null,
        }
    }
}

fn with_key<'a>(call: super::client::Call<'a>, key: Option<&str>) -> super::client::Call<'a> {
    match key {
        Some(key) => call.query("shareKey", key),
        None => call,
    }
}

/// The site spaces of a structure, in sections and groups as well.
pub fn items(structure: &Value) -> Vec<&Value> {
    let mut items = Vec::new();
    for entry in structure["structure"].as_array().into_iter().flatten() {
        add_items(entry, &mut items);
    }
    items
}

fn add_items<'a>(entry: &'a Value, items: &mut Vec<&'a Value>) {
    if entry["object"] == "site-space" {
        items.push(entry);
    }
    for inner in ["siteSpaces", "children"] {
        for entry in entry[inner].as_array().into_iter().flatten() {
            add_items(entry, items);
        }
    }
}

/// The pages of a revision, those below after each.
pub fn flat(pages: &Value) -> Vec<&Value> {
    let pages = pages.as_array().into_iter().flatten();
    pages
        .flat_map(|page| std::iter::once(page).chain(flat(&page["pages"])))
        .collect()
}

/// The page at a path; the first one has none.
fn find_page<'a>(pages: &'a Value, path: &str) -> Option<&'a Value> {
    let mut all = flat(pages).into_iter().filter(|page| page["type"] == "document");
    match path {
        "" => all.next(),
        _ => all.find(|page| page["path"] == path),
    }
}

pub fn page_by_id<'a>(pages: &'a Value, page: &str) -> Option<&'a Value> {
    flat(pages).into_iter().find(|it| id(it) == page)
}

/// The references of a text.
fn collect<'a>(node: &'a Value, references: &mut Vec<&'a Value>) {
    match node {
        Value::Object(members) if members.get("kind").is_some_and(Value::is_string) => references.push(node),
        Value::Object(members) => members.values().for_each(|member| collect(member, references)),
        Value::Array(items) => items.iter().for_each(|item| collect(item, references)),
        _ => {}
    }
}
