//! References in texts and settings of the source, which lead to the copies here.

use entity::ids::{FileId, NodeId, PageId, ReusableContentId};
use serde_json::{Map, Value};

use super::copies::Copies;
use crate::areas::exchange::pulled::own_id;

/// What the references in a value mean.
pub struct References<'c> {
    pub copies: &'c Copies,
    /// The space here to which references without a space lead.
    pub space: Option<NodeId>,
}

impl References<'_> {
    /// Rewrites all references in a value, however deep: JSON that was read is nested within limits. Those that lead to nothing
    /// that was copied stay, and are counted.
    pub fn rewrite(&self, value: &mut Value) -> usize {
        match value {
            Value::Array(values) => values.iter_mut().map(|value| self.rewrite(value)).sum(),
            Value::Object(members) => {
                let lost = usize::from(!self.reference(members));
                lost + members.values_mut().map(|value| self.rewrite(value)).sum::<usize>()
            }
            _ => 0,
        }
    }

    /// Rewrites an object if it is a reference. Returns false if it leads to nothing that was copied.
    fn reference(&self, members: &mut Map<String, Value>) -> bool {
        let kind = members
            .get("kind")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned();
        let kind = kind.as_str();
        let (member, content) = match kind {
            "page" | "anchor" => ("page", Some("page")),
            "file" => ("file", Some("file")),
            "reusable-content" => ("reusableContent", Some("reusable-content")),
            "space" => ("space", None),
            "collection" => ("collection", None),
            "user" => ("user", None),
            "openapi" => ("spec", None),
            "translation" => ("translation", None),
            _ => return true,
        };
        let of_object = |kind: &str, id: &str| self.copies.own(kind, id).map(str::to_owned);
        let Some(content) = content else {
            let named = if member == "user" { "member" } else { kind };
            let own = members
                .get(member)
                .and_then(Value::as_str)
                .and_then(|id| of_object(named, id));
            // Specifications are named by their slug, which stays.
            let is_found = own.is_some() || kind == "openapi";
            replace(members, member, own);
            return is_found;
        };
        let space = match members.get("space").and_then(Value::as_str) {
            None => self.space,
            Some(space) => {
                let Some(own) = of_object("space", space) else {
                    return false;
                };
                members.insert("space".to_owned(), own.clone().into());
                own.parse().ok()
            }
        };
        let Some(space) = space else { return kind == "anchor" };
        let own = members
            .get(member)
            .and_then(Value::as_str)
            .map(|id| own_text(space, content, id));
        replace(members, member, own);
        true
    }
}

/// Where comments are, there and here.
pub struct Place<'p> {
    pub there: String,
    pub here: String,
    pub space: NodeId,
    pub name: &'p str,
    /// What the report calls comments and their replies.
    pub kinds: (&'static str, &'static str),
}

fn replace(members: &mut Map<String, Value>, name: &str, value: Option<String>) {
    if let Some(value) = value {
        members.insert(name.to_owned(), value.into());
    }
}

/// The id of the copy of a page, file or reusable content, as a text.
pub fn own_text(space: NodeId, kind: &str, id: &str) -> String {
    match kind {
        "page" => own_id::<PageId>(space, kind, id).to_string(),
        "file" => own_id::<FileId>(space, kind, id).to_string(),
        _ => own_id::<ReusableContentId>(space, kind, id).to_string(),
    }
}
