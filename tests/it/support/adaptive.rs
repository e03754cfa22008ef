//! A published space with parts that only some visitors see.

use std::collections::{BTreeSet, HashMap};

use entity::ids::NodeId;
use serde_json::{Value, json};

use super::{
    client::{Call, Client},
    content::reusable_content,
    published::{Published, find, id, resolve, visitor},
    texts::{self, upload},
    world::World,
};

/// A published space, with the ids of its parts by their names.
pub struct AdaptiveSpace {
    pub published: Published,
    pub parts: HashMap<String, String>,
}

const FILES: [&str; 4] = ["secret.txt", "deep.txt", "open.txt", "cover.txt"];

impl AdaptiveSpace {
    /// A space with files and reusable contents, of which one includes another one with a file.
    pub async fn new(world: &World) -> Self {
        let published = Published::new(world, &["One"]).await;
        let space = node(&published);
        let mut parts = texts::write(world, space, FILES.map(upload).to_vec()).await;
        let deep = format!("Axolotls. [Deep](/files/{})", parts["deep.txt"]);
        let content = async |markdown: &str| {
            let content = reusable_content(world.app(), world.admin.id, space, markdown).await;
            content.to_string()
        };
        parts.insert("inner".to_owned(), content(&deep).await);
        let outer = format!("Pandas.\n\n{}", include(&parts["inner"]));
        parts.insert("outer".to_owned(), content(&outer).await);
        parts.insert("open".to_owned(), content("Otters.").await);
        Self { published, parts }
    }

    pub fn include(&self, name: &str) -> String {
        include(&self.parts[name])
    }

    pub fn link(&self, name: &str) -> String {
        format!("[File](/files/{})", self.parts[name])
    }

    /// Adds a page with a condition, and returns the id of its text.
    pub async fn page(&self, world: &World, title: &str, condition: &str, markdown: &str) -> String {
        let change = json!({ "operation": "insert_page", "title": title, "ref": title, "condition": condition,
            "document": { "markdown": markdown } });
        let written = texts::write(world, node(&self.published), vec![change]).await;
        self.text_of(world, &written[title]).await
    }

    pub async fn text_of(&self, world: &World, page: &str) -> String {
        let call = world.admin.client.call("getPageById");
        let page = call.space(node(&self.published)).path("pageId", page).expect(200).await;
        page["documentId"].as_str().unwrap().to_owned()
    }

    pub async fn open_to_partners(&self, world: &World) -> [Client; 2] {
        let enabled = json!({ "adaptiveContent": { "enabled": true } });
        self.published.set(world, enabled).await;
        let other = find(world, &self.published.address).await;
        let partner = json!({ "unsignedClaims": { "partner": true } });
        let partner = resolve(world, &self.published.address, partner).expect(200).await;
        [visitor(world, &other), visitor(world, &partner)]
    }

    /// The parts of the book, of those with these names, that the caller reads. All ways to read a part agree.
    pub async fn read(&self, world: &World, client: &Client, revision: &str) -> BTreeSet<String> {
        let mut read = BTreeSet::new();
        for (name, part) in &self.parts {
            let statuses = match FILES.contains(&name.as_str()) {
                true => self.statuses(client, revision, &FILE_READS, part).await,
                false => {
                    let mut statuses = self.statuses(client, revision, &CONTENT_READS, part).await;
                    statuses.push(document(client, &self.published, &self.document(world, part).await).await);
                    statuses
                }
            };
            assert!(
                statuses.iter().all(|status| *status == statuses[0]),
                "{name}: {statuses:?}"
            );
            assert!([200, 404].contains(&statuses[0]), "{name}: {statuses:?}");
            if statuses[0] == 200 {
                read.insert(name.clone());
            }
        }
        read
    }

    pub async fn statuses(&self, client: &Client, revision: &str, operations: &[&str], part: &str) -> Vec<u16> {
        let mut statuses = Vec::new();
        for operation in operations {
            let call = self.call(client, operation, revision);
            let name = if operation.contains("File") {
                "fileId"
            } else {
                "reusableContentId"
            };
            statuses.push(call.path(name, part).send().await.status);
        }
        statuses
    }

    pub fn call<'a>(&self, client: &'a Client, operation: &str, revision: &str) -> Call<'a> {
        let call = client.call(operation).space(node(&self.published));
        match operation.contains("InRevision") {
            true => call.path("revisionId", revision),
            false => call,
        }
    }

    /// A page and a reusable content, by their ids, in all forms in which the caller reads their texts.
    pub async fn read_texts(&self, world: &World, client: &Client, (ids, revision): (&Value, &str)) -> Vec<Value> {
        let (page, content) = (ids["page"].as_str().unwrap(), ids["content"].as_str().unwrap());
        let mut read = Vec::new();
        for operation in ["getPageById", "getPageInRevisionById"] {
            for evaluated in ["false", "true", "deterministic-only"] {
                for (format, refs) in [("document", "stable"), ("markdown", "stable"), ("markdown", "relative")] {
                    let call = self.call(client, operation, revision).path("pageId", page);
                    let call = call.query("format", format).query("evaluated", evaluated);
                    read.push(call.query("refs", refs).expect(200).await);
                }
            }
        }
        let call = self.call(client, "getPageDocumentInRevisionById", revision);
        read.push(call.path("pageId", page).expect(200).await);
        let call = self.call(client, "getReusableContentDocumentInRevisionById", revision);
        read.push(call.path("reusableContentId", content).expect(200).await);
        for text in [self.text_of(world, page).await, self.document(world, content).await] {
            let call = client.call("getDocumentById").space(node(&self.published));
            read.push(call.path("documentId", &text).expect(200).await);
        }
        read
    }

    /// The id of the text of a reusable content.
    pub async fn document(&self, world: &World, content: &str) -> String {
        let call = world.admin.client.call("getReusableContentById");
        let call = call.space(node(&self.published));
        let content = call.path("reusableContentId", content).expect(200).await;
        content["document"].as_str().unwrap().to_owned()
    }

    /// The names of the listed parts. All lists agree.
    pub async fn listed(&self, client: &Client, revision: &str) -> BTreeSet<String> {
        let names: HashMap<&str, &String> = self.parts.iter().map(|(name, id)| (id.as_str(), name)).collect();
        let named = |list: &Value| {
            let items = list.as_array().unwrap().iter();
            let named: BTreeSet<String> = items.map(|item| names[id(item)].clone()).collect();
            named
        };
        let whole = client.call("getCurrentRevision").space(node(&self.published));
        let whole = whole.expect(200).await;
        let (files, contents) = (named(&whole["files"]), named(&whole["reusableContents"]));
        let again = self
            .call(client, "getRevisionById", revision)
            .path("revisionId", revision);
        let again = again.expect(200).await;
        assert_eq!(
            (&again["files"], &again["reusableContents"]),
            (&whole["files"], &whole["reusableContents"])
        );
        for operation in ["listFiles", "listFilesInRevisionById"] {
            let list = self.call(client, operation, revision).expect(200).await;
            assert_eq!(
                (named(&list["items"]), &list["count"]),
                (files.clone(), &json!(files.len()))
            );
            let first = self
                .call(client, operation, revision)
                .query("limit", 1)
                .expect(200)
                .await;
            assert_eq!(first["items"].as_array().unwrap().len(), files.len().min(1));
            assert_eq!(first["next"].is_object(), files.len() > 1, "{first}");
        }
        files.into_iter().chain(contents).collect()
    }
}

const FILE_READS: [&str; 2] = ["getFileById", "getFileInRevisionById"];

const CONTENT_READS: [&str; 3] = [
    "getReusableContentById",
    "getReusableContentInRevisionById",
    "getReusableContentDocumentInRevisionById",
];

pub const PARTNER: &str = "visitor.claims.unsigned.partner";

pub fn node(published: &Published) -> NodeId {
    id(&published.spaces[0]).parse().unwrap()
}

pub fn include(content: &str) -> String {
    format!("{{% include \"/reusable-contents/{content}\" %}}\n")
}

pub fn set<const N: usize>(names: [&str; N]) -> BTreeSet<String> {
    names.map(str::to_owned).into()
}

/// The status of reading a text by its id.
pub async fn document(client: &Client, published: &Published, document: &str) -> u16 {
    let call = client.call("getDocumentById").space(node(published));
    call.path("documentId", document).send().await.status
}

pub async fn head(world: &World, published: &Published) -> String {
    let call = world.admin.client.call("getCurrentRevision").space(node(published));
    id(&call.expect(200).await).to_owned()
}
