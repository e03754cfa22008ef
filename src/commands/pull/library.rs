//! Collections and spaces, and who may see them.

use std::collections::HashSet;

use poem::http::Method;
use serde_json::{Value, json};

use super::{
    copies::key,
    puller::{Puller, Wanted, id, members, set, text},
    refs::References,
    report::Became,
};

impl Puller<'_> {
    pub async fn collections(&mut self) -> anyhow::Result<()> {
        let path = format!("orgs/{}/collections?nested=true", self.there);
        let mut waiting = self.list("collection", &path).await?;
        self.start("Collections", waiting.len());
        let ids: HashSet<String> = waiting.iter().map(|it| id(it).to_owned()).collect();
        // Those above before those below; what is left hangs on itself.
        let mut done: HashSet<String> = HashSet::new();
        while !waiting.is_empty() {
            let is_next = |it: &Value| {
                let parent = text(it, "parent");
                parent.is_empty() || done.contains(parent) || !ids.contains(parent)
            };
            let (next, rest): (Vec<Value>, Vec<Value>) = waiting.into_iter().partition(is_next);
            if next.is_empty() {
                for lost in &rest {
                    self.report
                        .not_copied("collection", text(lost, "title"), "it is in itself");
                }
                break;
            }
            for collection in &next {
                self.collection(collection).await?;
                done.insert(id(collection).to_owned());
            }
            waiting = rest;
        }
        Ok(())
    }

    async fn collection(&mut self, collection: &Value) -> anyhow::Result<()> {
        let parent = self
            .copies
            .own("collection", text(collection, "parent"))
            .map(str::to_owned);
        let mut create = members(collection, &["title"]);
        if let Some(parent) = &parent {
            set(&mut create, "parent", parent.as_str());
        }
        let update = members(collection, &["title", "description", "defaultLevel"]);
        let wanted = Wanted {
            kind: "collection",
            id: id(collection),
            name: text(collection, "title"),
            create: (Method::POST, format!("orgs/{}/collections", self.organization), create),
            update: Some((
                Method::PATCH,
                "collections/{id}".to_owned(),
                with_level(update, collection),
            )),
            completes: true,
            user: self.admin,
        };
        if let Some(own) = self.put(wanted).await? {
            self.place(("collections", collection), &own, parent).await?;
            self.permissions("collections", id(collection), &own).await?;
        }
        Ok(())
    }

    /// Moves a collection or a space that was moved at the source. New ones are made where they belong.
    async fn place(
        &mut self,
        (nodes, node): (&'static str, &Value),
        own: &str,
        parent: Option<String>,
    ) -> anyhow::Result<()> {
        let (name, state) = (key("place", id(node)), parent.clone().unwrap_or_default());
        match self.copies.find(&name).map(|known| known.state.clone()) {
            Some(known) if known == state => return Ok(()),
            Some(_) if !self.dry_run => {
                let call = (Method::POST, format!("{nodes}/{own}/move"), json!({ "parent": parent }));
                if self
                    .write(("place", text(node, "title")), self.admin, call)
                    .await?
                    .is_none()
                {
                    return Ok(());
                }
                self.report.count("place", Became::Changed);
            }
            Some(_) => self.report.count("place", Became::Changed),
            None => {}
        }
        self.copies.put(name, own.to_owned(), state).await
    }

    /// Makes the spaces, and returns them as they are at the source with their ids here.
    pub async fn spaces(&mut self) -> anyhow::Result<Vec<(Value, String)>> {
        let path = format!("orgs/{}/spaces", self.there);
        let spaces = self.list("space", &path).await?;
        self.start("Spaces", spaces.len());
        let mut made = Vec::new();
        for space in spaces
            .into_iter()
            .filter(|space| space.get("deletedAt").is_none_or(Value::is_null))
        {
            let own = self.space(&space).await?;
            if text(&space, "editMode") == "locked" {
                let name = text(&space, "title");
                self.report.note(format!(
                    "space {name}: it is locked at the source, and people may edit it here"
                ));
            }
            if let Some(own) = own {
                let parent = self.copies.own("collection", text(&space, "parent")).map(str::to_owned);
                self.place(("spaces", &space), &own, parent).await?;
                self.permissions("spaces", id(&space), &own).await?;
                made.push((space, own));
            }
        }
        Ok(made)
    }

    async fn space(&mut self, space: &Value) -> anyhow::Result<Option<String>> {
        let mut create = members(space, &["title", "emoji", "language"]);
        set(&mut create, "empty", true);
        if let Some(parent) = self.copies.own("collection", text(space, "parent")).map(str::to_owned) {
            set(&mut create, "parent", parent);
        }
        let mut update = with_level(members(space, &["title", "emoji", "language"]), space);
        let mut rules = space.get("mergeRules").cloned().unwrap_or_default();
        if matches!(text(&rules, "type"), "rules" | "none") {
            self.people_in(&mut rules);
            set(&mut update, "mergeRules", rules);
        }
        let wanted = Wanted {
            kind: "space",
            id: id(space),
            name: text(space, "title"),
            create: (Method::POST, format!("orgs/{}/spaces", self.organization), create),
            update: Some((Method::PATCH, "spaces/{id}".to_owned(), update)),
            completes: true,
            user: self.admin,
        };
        self.put(wanted).await
    }

    /// Replaces the ids of people in lists with the name `users`.
    fn people_in(&self, rules: &mut Value) {
        match rules {
            Value::Array(all) => all.iter_mut().for_each(|it| self.people_in(it)),
            Value::Object(members) => {
                for (name, value) in members.iter_mut() {
                    match value {
                        Value::Array(users) if name == "users" => {
                            let own = |user: &Value| self.copies.own("member", user.as_str()?).map(Value::from);
                            *users = users.iter().filter_map(own).collect();
                        }
                        value => self.people_in(value),
                    }
                }
            }
            _ => {}
        }
    }

    /// The levels of people and teams on a space or a collection.
    async fn permissions(&mut self, nodes: &'static str, there: &str, own: &str) -> anyhow::Result<()> {
        for (who, member, of) in [("users", "user", "member"), ("teams", "team", "team")] {
            let path = format!("{nodes}/{there}/permissions/{who}");
            for entry in self.list("permission", &path).await? {
                let subject = entry.get(member).map(id).unwrap_or_default();
                let (Some(subject_here), role) = (self.copies.own(of, subject), text(&entry, "permission")) else {
                    continue;
                };
                let here = format!("{nodes}/{own}/permissions");
                let one = format!("{here}/{who}/{subject_here}");
                let wanted = Wanted {
                    kind: "permission",
                    id: &format!("{there}/{member}/{subject}"),
                    name: &path,
                    create: (Method::POST, here, json!({ who: [subject_here], "role": role })),
                    update: Some((Method::PATCH, one, json!({ "role": role }))),
                    completes: false,
                    user: self.admin,
                };
                self.put(wanted).await?;
            }
        }
        Ok(())
    }

    /// The references of a value outside the content of spaces.
    pub fn references(&self) -> References<'_> {
        References {
            copies: &self.copies,
            space: None,
        }
    }
}

/// The default level may be null: nobody but those who are invited.
fn with_level(mut body: Value, node: &Value) -> Value {
    if let Some(level) = node.get("defaultLevel") {
        set(&mut body, "defaultLevel", level.clone());
    }
    body
}
