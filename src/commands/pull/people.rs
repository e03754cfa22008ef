//! Members and teams.

use entity::{ids::UserId, organizations::members::MemberRole};
use openapi::models::texts;
use platform::config;
use poem::http::Method;
use serde_json::{Value, json};

use super::{
    copies::{digest, key},
    puller::{Puller, Wanted, id, text},
    report::Became,
};
use crate::areas::{identity::users, organizations::members};

impl Puller<'_> {
    pub async fn people(&mut self) -> anyhow::Result<()> {
        let path = format!("orgs/{}/members", self.there);
        let members = self.list("member", &path).await?;
        self.start("Members", members.len());
        for member in &members {
            self.member(member).await?;
        }
        let path = format!("orgs/{}/teams", self.there);
        let teams = self.list("team", &path).await?;
        self.start("Teams", teams.len());
        for team in &teams {
            self.team(team).await?;
        }
        Ok(())
    }

    /// Adds a member by their address. Somebody new has no token and no session: they get in as the server lets people in.
    async fn member(&mut self, member: &Value) -> anyhow::Result<()> {
        let name = key("member", id(member));
        self.copies.see(&name);
        let user = member.get("user").unwrap_or(&Value::Null);
        let (email, shown) = (text(user, "email"), text(user, "displayName"));
        let label = if email.is_empty() { shown } else { email };
        if member.get("disabled").and_then(Value::as_bool) == Some(true) {
            self.report.not_copied("member", label, "the source has disabled them");
            return Ok(());
        }
        let Ok(email) = config::email(email) else {
            let why = "the source shows no email address; what they have written is by the author of the pull";
            self.report.not_copied("member", label, why);
            return Ok(());
        };
        let state = digest(&json!([email, shown, member.get("role")]));
        let known = self.copies.find(&name).cloned();
        if known.as_ref().is_some_and(|known| known.state == state) {
            self.report.count("member", Became::Unchanged);
            return Ok(());
        }
        let became = if known.is_some() { Became::Changed } else { Became::New };
        if !self.dry_run {
            let own = self.add_member(&email, shown, role(text(member, "role"))).await?;
            self.copies.put(name, own.to_string(), state).await?;
        }
        self.report.count("member", became);
        Ok(())
    }

    async fn add_member(&mut self, email: &str, shown: &str, role: Option<MemberRole>) -> anyhow::Result<UserId> {
        let kernel = &self.app.kernel;
        let user = match users::find_by_email(kernel, email).await? {
            Some(user) => user,
            None => {
                let is_valid = texts::DISPLAY_NAME.check(shown).is_ok();
                let from_address = users::name_from_address(email);
                let shown = if is_valid { shown } else { &from_address };
                users::create(&self.app.identity, email, shown).await?
            }
        };
        // The author stays an admin, whoever they are there.
        if user.id != self.admin {
            members::add(kernel, self.organization, user.id, role).await?;
        }
        Ok(user.id)
    }

    async fn team(&mut self, team: &Value) -> anyhow::Result<()> {
        let here = format!("orgs/{}/teams", self.organization);
        let body = json!({ "title": text(team, "title") });
        let wanted = Wanted {
            kind: "team",
            id: id(team),
            name: text(team, "title"),
            create: (Method::PUT, here.clone(), body.clone()),
            update: Some((Method::PATCH, format!("{here}/{{id}}"), body)),
            completes: false,
            user: self.admin,
        };
        let Some(own) = self.put(wanted).await? else {
            return Ok(());
        };
        let path = format!("orgs/{}/teams/{}/members", self.there, id(team));
        for entry in self.list("team member", &path).await? {
            let (Some(member), role) = (entry.get("organization"), entry.pointer("/team/role")) else {
                continue;
            };
            let Some(user) = self.copies.own("member", id(member)).map(str::to_owned) else {
                continue;
            };
            let body = json!({ "role": role.and_then(Value::as_str).unwrap_or("member") });
            let call = (Method::PUT, format!("{here}/{own}/members/{user}"), body);
            let wanted = Wanted {
                kind: "team member",
                id: &format!("{}/{}", id(team), id(member)),
                name: text(team, "title"),
                create: call.clone(),
                update: Some(call),
                completes: false,
                user: self.admin,
            };
            self.put(wanted).await?;
        }
        Ok(())
    }
}

/// Guests have none.
fn role(name: &str) -> Option<MemberRole> {
    Some(match name {
        "admin" => MemberRole::Admin,
        "create" => MemberRole::Create,
        "review" => MemberRole::Review,
        "edit" => MemberRole::Edit,
        "comment" => MemberRole::Comment,
        "read" => MemberRole::Read,
        _ => return None,
    })
}
