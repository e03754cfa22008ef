//! The order of a pull, and the writes of single objects by the operations of this server.

use std::{collections::HashMap, sync::Arc};

use anyhow::Context;
use chrono::TimeDelta;
use entity::ids::{OrganizationId, TokenId, UserId};
use platform::jobs::{Kinds, Runner};
use poem::{
    Response,
    endpoint::BoxEndpoint,
    http::{Method, StatusCode},
};
use serde_json::{Value, json};

use super::{
    copies::{Copies, digest, is_usable, key},
    refs::Place,
    report::{Became, Report},
    source::Source,
};
use crate::{
    app::App,
    areas::{content::search_jobs::IndexPages, exchange::import::Progress, identity::tokens},
    commands::{api::Caller, import::TerminalProgress},
};

/// The time that one run may take.
const TOKEN_LIFETIME: TimeDelta = TimeDelta::days(2);
/// How many members of one object may be left out because this server refuses them.
const MAX_LEFT_OUT: usize = 20;

/// What never comes, whatever the source is.
pub const NEVER: [&str; 5] = [
    "secrets and tokens, SAML providers, domains, hostnames and billing",
    "integrations, webhooks, conversations, invitations, fonts, MCP servers and connections to Git",
    "settings of the organization, instructions for agents, the set-up of translations",
    "earlier revisions, merged and archived change requests, audit events, insights",
    "the times of comments, replies and reviews; pictures of customizations, which stay at the source",
];

pub struct Puller<'a> {
    pub app: &'a App,
    service: Arc<BoxEndpoint<'static, Response>>,
    pub source: Source,
    /// The id of the organization there.
    pub there: String,
    pub organization: OrganizationId,
    pub admin: UserId,
    pub copies: Copies,
    pub report: Report,
    pub dry_run: bool,
    pub progress: TerminalProgress,
    /// The space here of each site space there.
    pub spaces_of_sites: HashMap<String, String>,
    callers: HashMap<UserId, (Arc<Caller>, TokenId)>,
}

/// An object as it should be here.
pub struct Wanted<'w> {
    pub kind: &'static str,
    pub id: &'w str,
    pub name: &'w str,
    /// The call that makes it.
    pub create: (Method, String, Value),
    /// The call that brings it up to date, with `{id}` in the place of its id here.
    pub update: Option<(Method, String, Value)>,
    /// Whether a new object needs the second call, too.
    pub completes: bool,
    /// The author.
    pub user: UserId,
}

impl<'a> Puller<'a> {
    pub fn new(
        app: &'a App,
        service: Arc<BoxEndpoint<'static, Response>>,
        (source, there): (Source, String),
        (organization, admin): (OrganizationId, UserId),
        copies: Copies,
        dry_run: bool,
    ) -> Self {
        Self {
            app,
            service,
            source,
            there,
            organization,
            admin,
            copies,
            report: Report::default(),
            dry_run,
            progress: TerminalProgress::default(),
            spaces_of_sites: HashMap::new(),
            callers: HashMap::new(),
        }
    }

    pub async fn pull(&mut self) -> anyhow::Result<()> {
        // Without an object, a repeated pull would not find the organization.
        let (there, here) = (key("organization", &self.there), self.organization.to_string());
        if self.copies.find(&there).is_none() {
            self.copies.put(there, here, String::new()).await?;
        }
        self.people().await?;
        self.specifications().await?;
        self.collections().await?;
        let spaces = self.spaces().await?;
        self.contents(&spaces).await?;
        self.sites().await?;
        self.start("Discussions", spaces.len());
        for (space, own) in &spaces {
            self.progress.step();
            self.discussions(space, own).await?;
        }
        self.glossary().await?;
        self.translations().await?;
        self.report_gone();
        let members = self.report.new_ones("member");
        if members > 0 {
            self.report.note(format!(
                "{members} new members: they have no access before they sign in or are invited, and no mail tells them"
            ));
        }
        Ok(())
    }

    /// The change requests and the comments of a space.
    async fn discussions(&mut self, space: &Value, own: &str) -> anyhow::Result<()> {
        self.change_requests(space, own).await?;
        let place = Place {
            there: format!("spaces/{}", id(space)),
            here: format!("spaces/{own}"),
            // A dry run has no ids of new spaces.
            space: own.parse().unwrap_or_else(|_| self.app.kernel.ids.next()),
            name: text(space, "title"),
            kinds: ("comment", "reply"),
        };
        self.comments(&place).await
    }

    /// Revokes the tokens of this run, and completes the search index.
    pub async fn end(&mut self) -> anyhow::Result<()> {
        self.progress.end();
        for (user, (_, token)) in std::mem::take(&mut self.callers) {
            tokens::revoke(&self.app.identity, user, token).await?;
        }
        if !self.dry_run {
            // Servers that work on the database help.
            let kinds = Kinds::default().with(IndexPages(Arc::clone(&self.app.contents)));
            Runner::new(self.app.kernel.jobs.clone(), kinds).run_due().await?;
        }
        Ok(())
    }

    pub fn start(&self, phase: &'static str, steps: usize) {
        self.progress.start_phase(phase, steps);
    }

    /// Lists objects of the source. What it refuses is reported.
    pub async fn list(&mut self, kind: &'static str, path: &str) -> anyhow::Result<Vec<Value>> {
        match self.source.list(path).await? {
            Ok(items) => Ok(items
                .into_iter()
                .filter(|item| is_usable(id(item)) || has_no_id(kind))
                .collect()),
            Err(refused) => {
                self.report.unread.push(kind);
                self.report
                    .note(format!("{kind}: not copied, because {refused} (GET /v1/{path})"));
                Ok(Vec::new())
            }
        }
    }

    /// Writes an object unless nothing has changed since the last pull. Returns its id here; `None`: it cannot be written.
    pub async fn put(&mut self, wanted: Wanted<'_>) -> anyhow::Result<Option<String>> {
        let name = key(wanted.kind, wanted.id);
        self.copies.see(&name);
        let state = digest(&json!([
            wanted.create.2,
            wanted.update.as_ref().map(|update| &update.2)
        ]));
        let known = self.copies.find(&name).cloned();
        if let Some(known) = known.as_ref().filter(|known| known.state == state) {
            self.report.count(wanted.kind, Became::Unchanged);
            return Ok(Some(known.own.clone()));
        }
        // Without a state, the object was made and not completed.
        let became = match known.as_ref().is_some_and(|known| !known.state.is_empty()) {
            true => Became::Changed,
            false => Became::New,
        };
        if self.dry_run {
            self.report.count(wanted.kind, became);
            let own = known.map_or_else(|| wanted.id.to_owned(), |known| known.own);
            // In memory only, for what refers to it.
            self.copies.put(name, own.clone(), state).await?;
            return Ok(Some(own));
        }
        let own = match &known {
            Some(known) => known.own.clone(),
            None => {
                let (method, path, body) = wanted.create.clone();
                let Some(made) = self
                    .write((wanted.kind, wanted.name), wanted.user, (method, path, body))
                    .await?
                else {
                    return Ok(None);
                };
                let own = made.get("id").and_then(Value::as_str).unwrap_or(wanted.id).to_owned();
                self.copies.put(name.clone(), own.clone(), String::new()).await?;
                own
            }
        };
        if let Some((method, path, body)) = wanted.update.filter(|_| known.is_some() || wanted.completes) {
            let path = path.replace("{id}", &own);
            if self
                .write((wanted.kind, wanted.name), wanted.user, (method, path, body))
                .await?
                .is_none()
            {
                return Ok(Some(own));
            }
        }
        self.copies.put(name, own.clone(), state).await?;
        self.report.count(wanted.kind, became);
        Ok(Some(own))
    }

    /// Calls an operation of this server. Members that it refuses are left out. `None`: it refuses the call, which is reported.
    pub async fn write(
        &mut self,
        (kind, name): (&'static str, &str),
        mut user: UserId,
        (method, path, mut body): (Method, String, Value),
    ) -> anyhow::Result<Option<Value>> {
        let mut caller = self.caller(user).await?;
        for _ in 0..MAX_LEFT_OUT {
            let (status, answer) = caller.send(method.clone(), &path, body.clone()).await?;
            if status.is_success() {
                return Ok(Some(answer));
            }
            let message = answer
                .pointer("/error/message")
                .and_then(Value::as_str)
                .unwrap_or_default();
            anyhow::ensure!(
                !status.is_server_error(),
                "{method} /v1/{path} failed with {status}: {message}"
            );
            let is_kept_out = matches!(
                status,
                StatusCode::FORBIDDEN | StatusCode::NOT_FOUND | StatusCode::UNAUTHORIZED
            );
            if is_kept_out && user != self.admin && kind != "review" {
                self.report.note(format!(
                    "{kind} of {name}: by the author of the pull, because its author has no access"
                ));
                user = self.admin;
                caller = self.caller(user).await?;
                continue;
            }
            let left_out = match status {
                StatusCode::BAD_REQUEST => leave_out(&mut body, &answer),
                _ => Vec::new(),
            };
            if left_out.is_empty() {
                let why = details(&answer).unwrap_or_else(|| message.to_owned());
                self.report
                    .not_copied(kind, name, format!("this server answers {status}: {why}"));
                return Ok(None);
            }
            for why in left_out {
                self.report.note(format!("{kind} {name}: copied without {why}"));
            }
        }
        self.report
            .not_copied(kind, name, "this server refuses too many of its members");
        Ok(None)
    }

    /// Calls operations of this server as a user, with a token that ends with the pull.
    pub async fn caller(&mut self, user: UserId) -> anyhow::Result<Arc<Caller>> {
        if let Some((caller, _)) = self.callers.get(&user) {
            return Ok(Arc::clone(caller));
        }
        let expires = self.app.kernel.clock.now().plus(TOKEN_LIFETIME);
        let token = tokens::create(&self.app.kernel, user, "Pull", Some(expires)).await;
        let token = token.context("cannot make a token for the pull")?;
        let caller = Arc::new(Caller::new(&self.service, &token.secret));
        self.callers.insert(user, (Arc::clone(&caller), token.row.id));
        Ok(caller)
    }

    /// What the source does not have any more stays here.
    fn report_gone(&mut self) {
        let kinds = [
            "member",
            "team",
            "team member",
            "openapi",
            "collection",
            "space",
            "permission",
            "site",
            "site section",
            "site section group",
            "site space",
            "redirect",
            "share link",
            "change request",
            "comment",
            "reply",
            "glossary entry",
        ];
        for kind in kinds {
            if self.report.unread.contains(&kind) {
                continue;
            }
            for id in self.copies.gone(kind) {
                let gone = if kind == "change request" {
                    "is not open any more"
                } else {
                    "is gone"
                };
                self.report
                    .note(format!("{kind} {id}: it {gone} at the source; the copy stays"));
            }
        }
    }
}

/// Lists of these kinds have objects without an id of their own.
fn has_no_id(kind: &str) -> bool {
    matches!(kind, "permission" | "team member" | "requested reviewer")
}

/// The id of an object of the source.
pub fn id(object: &Value) -> &str {
    text(object, "id")
}

/// A text of an object of the source. What is missing is empty.
pub fn text<'v>(object: &'v Value, member: &str) -> &'v str {
    object.get(member).and_then(Value::as_str).unwrap_or_default()
}

/// The members of an object with these names, those that are there and not null.
pub fn members(object: &Value, names: &[&str]) -> Value {
    let all = names.iter().filter_map(|name| {
        let value = object.get(*name).filter(|value| !value.is_null())?;
        Some(((*name).to_owned(), value.clone()))
    });
    Value::Object(all.collect())
}

/// Adds a member to a body.
pub fn set(body: &mut Value, name: &str, value: impl Into<Value>) {
    if let Some(members) = body.as_object_mut() {
        members.insert(name.to_owned(), value.into());
    }
}

/// The first reason that a response gives.
fn details(answer: &Value) -> Option<String> {
    let first = answer.pointer("/error/details/0")?;
    Some(format!("{} {}", text(first, "pointer"), text(first, "message")))
}

/// Removes the members of a body that a response names, and returns them with the reasons.
fn leave_out(body: &mut Value, answer: &Value) -> Vec<String> {
    let details = answer.pointer("/error/details").and_then(Value::as_array);
    let mut left_out = Vec::new();
    for detail in details.into_iter().flatten() {
        let pointer = text(detail, "pointer");
        let Some((parent, name)) = pointer.strip_prefix("/body").and_then(|path| path.rsplit_once('/')) else {
            continue;
        };
        let removed = match body.pointer_mut(parent) {
            Some(Value::Object(members)) => members.remove(&name.replace("~1", "/").replace("~0", "~")).is_some(),
            _ => false,
        };
        if removed {
            left_out.push(format!("`{name}`: {}", text(detail, "message")));
        }
    }
    left_out
}
