//! Change requests that are drafts or open, with their changes, reviews and comments.

use std::collections::{HashMap, HashSet};

use entity::ids::{NodeId, UserId};
use poem::http::Method;
use serde_json::{Value, json};

use super::{
    copies::{is_usable, key},
    puller::{Puller, Wanted, id, members, set, text},
    refs::{Place, References, own_text},
    report::Became,
};

/// Changes of one request.
const BATCH: usize = 50;
/// What the report calls comments of change requests and their replies.
const CHANGE_COMMENTS: (&str, &str) = ("comment of change", "reply of change");
/// The members of a page that a change may set.
const FIELDS: [&str; 9] = [
    "title",
    "slug",
    "emoji",
    "icon",
    "description",
    "hidden",
    "noIndex",
    "noRobotsIndex",
    "condition",
];

/// A change request that is copied.
struct Request {
    /// Below `/v1/`.
    there: String,
    here: String,
    id: String,
    name: String,
    space: NodeId,
    author: UserId,
}

/// A page of one of two trees that are compared.
struct Node {
    page: Value,
    parent: Option<String>,
    at: usize,
}

impl Puller<'_> {
    pub async fn change_requests(&mut self, space: &Value, own: &str) -> anyhow::Result<()> {
        // A dry run has no ids of new spaces.
        let node: NodeId = own.parse().unwrap_or_else(|_| self.app.kernel.ids.next());
        let all = format!("spaces/{}/change-requests", id(space));
        for status in ["draft", "open"] {
            for request in self.list("change request", &format!("{all}?status={status}")).await? {
                let name = format!("{} of space {}", text(&request, "subject"), text(space, "title"));
                let author = self.author(&request, "createdBy");
                let Some(own) = self.change_request((node, author), &request, &name).await? else {
                    continue;
                };
                let request_here = Request {
                    there: format!("{all}/{}", id(&request)),
                    here: format!("spaces/{node}/change-requests/{own}"),
                    id: id(&request).to_owned(),
                    name,
                    space: node,
                    author,
                };
                if !self.dry_run {
                    self.changes(space, &request_here, &request).await?;
                }
                self.reviews(&request_here).await?;
                let place = Place {
                    there: request_here.there,
                    here: request_here.here,
                    space: node,
                    name: &request_here.name,
                    kinds: CHANGE_COMMENTS,
                };
                self.comments(&place).await?;
            }
        }
        Ok(())
    }

    async fn change_request(
        &mut self,
        (space, author): (NodeId, UserId),
        request: &Value,
        name: &str,
    ) -> anyhow::Result<Option<String>> {
        let all = format!("spaces/{space}/change-requests");
        let mut update = members(request, &["subject", "description", "status"]);
        let references = References {
            copies: &self.copies,
            space: Some(space),
        };
        references.rewrite(&mut update);
        let wanted = Wanted {
            kind: "change request",
            id: id(request),
            name,
            create: (Method::POST, all.clone(), members(request, &["subject"])),
            update: Some((Method::PATCH, format!("{all}/{{id}}"), update)),
            completes: true,
            user: author,
        };
        self.put(wanted).await
    }

    /// Writes what has changed in a change request since the last pull, or since it began.
    async fn changes(&mut self, space: &Value, request: &Request, value: &Value) -> anyhow::Result<()> {
        let (name, revision) = (key("changes", &request.id), text(value, "revision"));
        let known = self.copies.find(&name).map(|known| known.state.clone());
        if known.as_deref() == Some(revision) {
            self.report.count("changes", Became::Unchanged);
            return Ok(());
        }
        let ancestor = text(value, "revisionMergedAncestor");
        let first = if ancestor.is_empty() {
            text(value, "revisionInitial")
        } else {
            ancestor
        };
        let base = known.clone().unwrap_or_else(|| first.to_owned());
        let base = self
            .source
            .get(&format!("spaces/{}/revisions/{base}?computed=false", id(space)))
            .await?;
        let now = self
            .source
            .get(&format!("{}/content?computed=false", request.there))
            .await?;
        let (base, now) = match (base, now) {
            (Ok(base), Ok(now)) => (base, now),
            (Err(refused), _) | (_, Err(refused)) => {
                self.report.not_copied("changes", &request.name, refused);
                return Ok(());
            }
        };
        self.report_files(request, &base, &now);
        let changes = self.difference(request, &nodes(&base), &nodes(&now)).await?;
        for batch in changes.chunks(BATCH) {
            let body = json!({ "changes": batch });
            let call = (Method::POST, format!("{}/content?compat=false", request.here), body);
            let Some(answer) = self.write(("changes", &request.name), request.author, call).await? else {
                return Ok(());
            };
            let made = answer.get("changes").and_then(Value::as_array).into_iter().flatten();
            let made = made.filter_map(|made| {
                let (page, own) = (text(made, "ref"), made.pointer("/page/id")?.as_str()?);
                let name = key("page of change request", &format!("{}/{page}", request.id));
                (!page.is_empty()).then(|| (name, own.to_owned(), String::new()))
            });
            self.copies.put_all(made.collect()).await?;
        }
        let became = if known.is_some() { Became::Changed } else { Became::New };
        self.report.count("changes", became);
        self.copies.put(name, request.id.clone(), revision.to_owned()).await
    }

    fn report_files(&mut self, request: &Request, base: &Value, now: &Value) {
        let files = |revision: &Value| {
            revision
                .get("files")
                .and_then(Value::as_array)
                .cloned()
                .unwrap_or_default()
        };
        let before: HashSet<String> = files(base).iter().map(|file| id(file).to_owned()).collect();
        for file in files(now).iter().filter(|file| !before.contains(id(file))) {
            let name = format!("{} of change request {}", text(file, "name"), request.name);
            self.report
                .not_copied("file", &name, "files that only a change request has are not copied");
        }
    }

    /// The changes that lead from one tree to another.
    async fn difference(
        &mut self,
        request: &Request,
        (_, base): &(Vec<String>, HashMap<String, Node>),
        (order, now): &(Vec<String>, HashMap<String, Node>),
    ) -> anyhow::Result<Vec<Value>> {
        let mut changes = Vec::new();
        for page in order {
            let (Some(node), before) = (now.get(page), base.get(page)) else {
                continue;
            };
            if text(&node.page, "type") != "document" {
                if before.is_none() {
                    let name = format!("{} of change request {}", text(&node.page, "title"), request.name);
                    self.report
                        .not_copied("page", &name, "a change request brings pages with a text only");
                }
                continue;
            }
            let fields = members(&node.page, &FIELDS);
            let mut change = match before {
                None => fields.clone(),
                Some(before) => changed_fields(&members(&before.page, &FIELDS), &fields),
            };
            let document = |node: &Node| node.page.get("documentId").cloned().unwrap_or_default();
            if before.is_none_or(|before| document(before) != document(node)) {
                set(&mut change, "document", self.text_of(request, page).await?);
            }
            let parent = node.parent.as_deref().map(|parent| self.own_page(request, parent));
            if before.is_none_or(|before| before.parent != node.parent) {
                set(&mut change, "into", parent.map_or(Value::Null, Value::from));
                set(&mut change, "at", node.at);
            }
            match before {
                None => {
                    if node.parent.is_none() {
                        change.as_object_mut().and_then(|members| members.remove("into"));
                    }
                    set(&mut change, "operation", "insert_page");
                    set(&mut change, "ref", page.as_str());
                }
                Some(_) if change.as_object().is_none_or(serde_json::Map::is_empty) => continue,
                Some(_) => {
                    set(&mut change, "operation", "update_page");
                    set(&mut change, "page", self.own_page(request, page));
                }
            }
            changes.push(change);
        }
        // With a page go those below it.
        let gone = |page: &&String| !now.contains_key(*page);
        for page in base.keys().filter(gone) {
            let parent = base.get(page).and_then(|node| node.parent.as_ref());
            if parent.is_none_or(|parent| now.contains_key(parent)) {
                let own = self.own_page(request, page);
                changes.push(json!({ "operation": "delete_page", "page": own }));
            }
        }
        Ok(changes)
    }

    /// The id of a page here: that of the space, or the one that it got in the change request.
    fn own_page(&self, request: &Request, page: &str) -> String {
        let of_request = self
            .copies
            .own("page of change request", &format!("{}/{page}", request.id));
        of_request.map_or_else(|| own_text(request.space, "page", page), str::to_owned)
    }

    async fn text_of(&mut self, request: &Request, page: &str) -> anyhow::Result<Value> {
        let path = format!("{}/content/page/{page}?format=document", request.there);
        let mut document = match self.source.get(&path).await? {
            Ok(mut page) => page.get_mut("document").map(Value::take).unwrap_or_default(),
            Err(refused) => {
                self.report.not_copied("page", &request.name, refused);
                return Ok(json!({}));
            }
        };
        if document.is_null() {
            return Ok(json!({}));
        }
        let references = References {
            copies: &self.copies,
            space: Some(request.space),
        };
        references.rewrite(&mut document);
        Ok(json!({ "document": document }))
    }

    async fn reviews(&mut self, request: &Request) -> anyhow::Result<()> {
        let reviewers = self
            .list("requested reviewer", &format!("{}/requested-reviewers", request.there))
            .await?;
        for reviewer in &reviewers {
            let user = reviewer.get("user").map(id).unwrap_or_default();
            let Some(own) = self.copies.own("member", user).map(str::to_owned) else {
                continue;
            };
            let name = format!("{}/{user}", request.id);
            let call = (
                Method::POST,
                format!("{}/requested-reviewers", request.here),
                json!({ "users": [own] }),
            );
            self.put(Wanted {
                user: request.author,
                ..self.call("requested reviewer", &name, &request.name, call)
            })
            .await?;
        }
        for review in self
            .list("review", &format!("{}/reviews?format=document", request.there))
            .await?
        {
            let user = review.get("reviewer").map(id).unwrap_or_default();
            let Some(own) = self.copies.own("member", user).and_then(|own| own.parse().ok()) else {
                self.report
                    .not_copied("review", &request.name, "its author was not copied");
                continue;
            };
            let mut body = members(&review, &["status"]);
            if let Some(comment) = review.get("comment").filter(|it| !it.is_null()) {
                let place = Place {
                    there: String::new(),
                    here: String::new(),
                    space: request.space,
                    name: &request.name,
                    kinds: CHANGE_COMMENTS,
                };
                set(&mut body, "comment", self.body(&place, comment));
            }
            let wanted = Wanted {
                kind: "review",
                id: id(&review),
                name: &request.name,
                create: (Method::POST, format!("{}/reviews", request.here), body),
                update: None,
                completes: false,
                user: own,
            };
            self.put(wanted).await?;
        }
        Ok(())
    }
}

/// The fields that are others now. Those that are gone are cleared.
fn changed_fields(before: &Value, now: &Value) -> Value {
    let mut changed = json!({});
    for name in FIELDS {
        match (before.get(name), now.get(name)) {
            (before, Some(now)) if before != Some(now) => set(&mut changed, name, now.clone()),
            (Some(Value::String(_)), None) => set(&mut changed, name, ""),
            _ => {}
        }
    }
    changed
}

/// The pages of a revision by their ids, and the ids, those above before those below.
fn nodes(revision: &Value) -> (Vec<String>, HashMap<String, Node>) {
    let (mut order, mut found) = (Vec::new(), HashMap::new());
    let mut waiting: Vec<(Option<String>, &Value)> =
        revision.get("pages").map(|pages| (None, pages)).into_iter().collect();
    while let Some((parent, pages)) = waiting.pop() {
        for (at, page) in pages.as_array().into_iter().flatten().enumerate() {
            if !is_usable(id(page)) || found.contains_key(id(page)) {
                continue;
            }
            waiting.extend(page.get("pages").map(|below| (Some(id(page).to_owned()), below)));
            order.push(id(page).to_owned());
            let mut alone = page.clone();
            if let Some(members) = alone.as_object_mut() {
                members.remove("pages");
            }
            let node = Node {
                page: alone,
                parent: parent.clone(),
                at,
            };
            found.insert(id(page).to_owned(), node);
        }
    }
    (order, found)
}
