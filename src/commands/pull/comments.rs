//! Comments and their replies, of spaces and of change requests.

use entity::ids::UserId;
use poem::http::Method;
use serde_json::{Value, json};

use super::{
    puller::{Puller, Wanted, id, set, text},
    refs::{Place, References, own_text},
};

impl Puller<'_> {
    pub async fn comments(&mut self, place: &Place<'_>) -> anyhow::Result<()> {
        let path = format!("{}/comments?format=document&status=all&order=asc", place.there);
        let comments = self.list(place.kinds.0, &path).await?;
        for comment in &comments {
            let Some(own) = self.comment(place, comment).await? else {
                continue;
            };
            if comment.get("replies").and_then(Value::as_u64) == Some(0) {
                continue;
            }
            let path = format!("{}/comments/{}/replies", place.there, id(comment));
            let all = format!("{}/comments/{own}/replies", place.here);
            for reply in self.list(place.kinds.1, &format!("{path}?format=document")).await? {
                let body = json!({ "body": self.body(place, &reply) });
                let wanted = Wanted {
                    kind: place.kinds.1,
                    id: id(&reply),
                    name: place.name,
                    create: (Method::POST, all.clone(), body.clone()),
                    update: Some((Method::PUT, format!("{all}/{{id}}"), body)),
                    completes: false,
                    user: self.author(&reply, "postedBy"),
                };
                self.put(wanted).await?;
            }
        }
        Ok(())
    }

    async fn comment(&mut self, place: &Place<'_>, comment: &Value) -> anyhow::Result<Option<String>> {
        // The review of a change request brings its own.
        if comment.pointer("/target/review").is_some() {
            return Ok(None);
        }
        let all = format!("{}/comments", place.here);
        let body = self.body(place, comment);
        let mut create = json!({ "body": body });
        let target = comment.get("target").unwrap_or(&Value::Null);
        if let Some(page) = target.pointer("/page/id").and_then(Value::as_str) {
            set(&mut create, "page", own_text(place.space, "page", page));
            if let Some(node) = target.pointer("/node/id") {
                set(&mut create, "node", node.clone());
            }
            if let Some(cell) = target.get("tableCell").filter(|it| !it.is_null()) {
                set(&mut create, "tableCell", cell.clone());
            }
        }
        let mut update = json!({ "body": body });
        set(&mut update, "resolved", text(comment, "status") == "resolved");
        let wanted = Wanted {
            kind: place.kinds.0,
            id: id(comment),
            name: place.name,
            create: (Method::POST, all.clone(), create),
            update: Some((Method::PUT, format!("{all}/{{id}}"), update)),
            completes: text(comment, "status") == "resolved",
            user: self.author(comment, "postedBy"),
        };
        self.put(wanted).await
    }

    /// The text of a comment, with references that lead to copies.
    pub fn body(&self, place: &Place<'_>, comment: &Value) -> Value {
        let body = comment.get("body").unwrap_or(&Value::Null);
        if let Some(mut document) = body.get("document").cloned() {
            let references = References {
                copies: &self.copies,
                space: Some(place.space),
            };
            references.rewrite(&mut document);
            return json!({ "document": document });
        }
        json!({ "markdown": text(body, "markdown") })
    }

    /// The copy of the user whom a member of an object names. Others are spoken for by the author of the pull.
    pub fn author(&self, object: &Value, member: &str) -> UserId {
        let user = object.get(member).map(id).unwrap_or_default();
        let own = self.copies.own("member", user).and_then(|own| own.parse().ok());
        own.unwrap_or(self.admin)
    }
}
