//! What path parameters stand for: the one table that all probes of the contract read.

use std::collections::HashMap;

use entity::ids::{NodeId, OrganizationId};
use serde_json::{Value, json};

use super::{
    client::Call,
    contract::{self, Operation},
    fonts,
    world::{DOMAIN, Person, World},
};

/// What one call makes in an organization or in its space: the path parameter that names it, and the operation, whose example
/// is the body. What stands further up can be in the path of what follows.
const MADE: &[(&str, &str)] = &[
    ("inviteId", "createOrganizationInvite"),
    ("changeRequestId", "createChangeRequest"),
    ("importRunId", "startImportRun"),
    ("reviewId", "submitChangeRequestReview"),
    ("commentId", "postCommentInSpace"),
    ("commentReplyId", "postCommentReplyInSpace"),
    ("commentId", "postCommentInChangeRequest"),
    ("commentReplyId", "postCommentReplyInChangeRequest"),
    ("samlProviderId", "createOrganizationSAMLProvider"),
    ("siteId", "createSite"),
    ("siteSectionId", "addSectionToSite"),
    ("siteSpaceId", "addSpaceToSite"),
    ("siteSectionGroupId", "addSectionGroupToSite"),
    ("siteExternalLinkId", "addExternalLinkToSite"),
    ("shareLinkId", "createSiteShareLink"),
    ("siteRedirectId", "createSiteRedirect"),
    ("siteMcpServerId", "createSiteMcpServer"),
    ("webhookId", "createWebhook"),
];

/// What stands for a path parameter in a path: the comments of a change request are none of its space.
fn key(path: &str, name: &'static str) -> &'static str {
    match (path.contains("/change-requests/"), name) {
        (true, "commentId") => "commentId of a change request",
        (false, "auditEventId") if path.starts_with("/v1/user/") => "auditEventId of a user",
        // The id of the page; probes need no conflict.
        (_, "conflictId") => "pageId",
        (_, "installationId") if path.starts_with("/v1/git/") => "installationId of a space",
        (true, "commentReplyId") => "commentReplyId of a change request",
        (_, name) => name,
    }
}

/// What `content::fill` writes: the path parameters that name a page, a file, shared content, a text and the revision.
pub const OF_CONTENT: [&str; 5] = ["pageId", "fileId", "reusableContentId", "documentId", "revisionId"];

/// One of each, by the path parameter.
pub async fn make(admin: &Person, organization: OrganizationId, space: NodeId) -> HashMap<&'static str, String> {
    let mut made: HashMap<&str, String> = HashMap::new();
    for &(parameter, operation) in MADE {
        let operation = contract::operation(operation);
        let path = operation.path;
        let (mut body, success) = (operation.body_example().unwrap().clone(), operation.success());
        if let Some(named) = body.get_mut("spaceId") {
            *named = json!(space);
        }
        if let Some(named) = body.pointer_mut("/target/space") {
            *named = json!(space);
        }
        let parameters = operation.path_parameters().into_iter();
        let call = parameters.fold(admin.client.operation(operation), |call, name| match name {
            "organizationId" => call.within(organization),
            "spaceId" => call.space(space),
            other => call.path(other, &made[key(path, other)]),
        });
        let object: Value = call.json(body).expect(success).await;
        made.insert(key(path, parameter), object["id"].as_str().unwrap().to_owned());
    }
    // Only a few may wait.
    let cancel = admin.client.call("cancelImportRun").within(organization);
    cancel.path("importRunId", &made["importRunId"]).expect(200).await;
    made.insert("glossaryEntryId", glossary_entry(admin, organization).await);
    let font = fonts::create(admin, organization, "Tide").await;
    made.insert("fontId", font["id"].as_str().unwrap().to_owned());
    // A name that nothing else has, as the id of the site.
    let name = made["siteId"].clone();
    let name = integrations(admin, organization, &name).await;
    let installation = install(admin, organization, &name).await;
    let on = async |operation: &str, body: Value| {
        let call = admin.client.call(operation).path("integrationName", &name);
        call.path("installationId", &installation).json(body).expect(201).await;
    };
    on("installIntegrationOnSpace", json!({ "space": space })).await;
    on("installIntegrationOnSite", json!({ "siteId": made["siteId"] })).await;
    made.insert("integrationName", name);
    made.insert("installationId", installation);
    made.extend(git_installation(admin, space).await);
    made
}

/// Installs an integration on an organization, and returns the id of the installation.
async fn install(admin: &Person, organization: OrganizationId, name: &str) -> String {
    let call = admin.client.call("installIntegration").path("integrationName", name);
    let installation = call.json(json!({ "organization": organization })).expect(201).await;
    installation["id"].as_str().unwrap().to_owned()
}

/// Installs Git Sync on the space, unless it was done before.
async fn git_installation(admin: &Person, space: NodeId) -> Option<(&'static str, String)> {
    let call = admin.client.call("installGitSyncProviderOnTarget");
    let body = json!({ "target": { "type": "space", "spaceId": space } });
    let answer = call.json(body).send().await;
    let installation: Value = serde_json::from_str(&answer.text).unwrap();
    let id = (answer.status != 409).then(|| installation["id"].as_str().unwrap().to_owned());
    Some(("installationId of a space", id?))
}

/// A private integration, whose name is returned, and a public one.
async fn integrations(admin: &Person, organization: OrganizationId, name: &str) -> String {
    for (prefix, visibility) in [("private", "private"), ("public", "public")] {
        let operation = contract::operation("publishIntegration");
        let mut body = operation.body_example().unwrap().clone();
        body["organization"] = json!(organization);
        body["visibility"] = json!(visibility);
        let call = admin.client.operation(operation);
        let call = call.path("integrationName", format!("{prefix}-{name}"));
        call.json(body).expect(200).await;
    }
    format!("private-{name}")
}

/// A new entry of the glossary, whose id only the list has.
async fn glossary_entry(admin: &Person, organization: OrganizationId) -> String {
    let update = admin.client.call("updateGlossaryEntries").within(organization);
    let insert = json!({ "type": "insert", "translations": { "en": "gripper", "de": "Greifer" } });
    update.json(json!({ "operations": [insert] })).expect(204).await;
    let list = admin.client.call("listGlossaryEntries").within(organization);
    let list: Value = list.query("limit", 1).expect(200).await;
    list["items"][0]["id"].as_str().unwrap().to_owned()
}

/// Gives an organization its names: the path parameters that they are.
pub async fn name(admin: &Person, organization: OrganizationId, name: &str) -> [(&'static str, String); 2] {
    let call = admin.client.call("updateOrganizationById").within(organization);
    call.json(json!({ "hostname": name })).expect(200).await;
    let hostname = format!("docs.{name}.example");
    let call = admin.client.call("setCustomHostname").path("hostname", &hostname);
    let target = json!({ "type": "organization", "organization": organization });
    call.json(json!({ "target": target })).expect(200).await;
    [("subdomain", name.to_owned()), ("hostname", hostname)]
}

impl World {
    /// One more installation of the integration, on an organization, a space and a site.
    pub async fn add_to_installations(&self) {
        let create = self.admin.client.call("createOrganization");
        let organization = create.json(json!({ "title": "One more" })).expect(201).await;
        let organization = organization["id"].as_str().unwrap().parse().unwrap();
        install(&self.admin, organization, &self.own("integrationName")).await;
        let (space, site) = (self.new_space("One more").await, self.new_site("One more", &[]).await);
        for (operation, body) in [
            ("installIntegrationOnSpace", json!({ "space": space["id"] })),
            ("installIntegrationOnSite", json!({ "siteId": site["id"] })),
        ] {
            let call = self.admin.client.call(operation);
            let call = call.path("integrationName", self.own("integrationName"));
            call.path("installationId", self.own("installationId"))
                .json(body)
                .expect(201)
                .await;
        }
    }

    /// A path parameter of a path, as it stands in the first organization.
    pub fn own_at(&self, path: &str, name: &'static str) -> String {
        self.own(key(path, name))
    }

    /// The same in the other organization.
    pub fn foreign_at(&self, path: &str, name: &'static str) -> String {
        self.foreign(key(path, name))
    }

    /// A path parameter as it stands in the first organization.
    pub fn own(&self, name: &str) -> String {
        match name {
            "organizationId" => self.organization.to_string(),
            "teamId" => self.team.to_string(),
            "spaceId" => self.space.to_string(),
            "collectionId" => self.collection.to_string(),
            "auditEventId" => self.event.clone(),
            "auditEventId of a user" => self.user_event.clone(),
            "userId" => self.edit.id.to_string(),
            "emailDomain" => DOMAIN.to_owned(),
            "visitorId" => "visitor-1".to_owned(),
            // A token that nobody has.
            "tokenId" => "06dkk9p346n3d25rq4f5r37e3o".to_owned(),
            "revisionId" => {
                let newest = self.newest_revision.lock().unwrap().clone();
                newest.unwrap_or_else(|| self.made["revisionId"].clone())
            }
            made => contract::rest_of_path(made).unwrap_or_else(|| self.made[made].clone()),
        }
    }

    /// The same in the other organization; the organization itself stays the first.
    pub fn foreign(&self, name: &str) -> String {
        match name {
            "organizationId" => self.organization.to_string(),
            "teamId" => self.other_team.to_string(),
            "spaceId" => self.other_space.to_string(),
            "collectionId" => self.other_collection.to_string(),
            "auditEventId" => self.other_event.clone(),
            "auditEventId of a user" => self.other_user_event.clone(),
            "userId" => self.other_admin.id.to_string(),
            "visitorId" => "visitor-2".to_owned(),
            made => contract::rest_of_path(made).unwrap_or_else(|| self.other_made[made].clone()),
        }
    }

    /// A call by somebody who may make it, with its path.
    pub fn allowed(&self, operation: &Operation) -> Call<'_> {
        self.allowed_at(operation, |name| self.own_at(operation.path, name))
    }

    /// The same with the body of the example where there is one.
    pub fn complete(&self, operation: &Operation) -> Call<'_> {
        let call = self.allowed(operation);
        match operation.body_example() {
            Some(body) => call.json(body.clone()),
            None => call,
        }
    }

    /// The same with other values for path parameters.
    pub fn allowed_at(&self, operation: &Operation, value: impl Fn(&'static str) -> String) -> Call<'_> {
        let access = operation.access();
        let client = match (access.resource, access.level) {
            // Users change only themselves.
            ("user", _) => &self.edit.client,
            (_, "token") => &self.integration,
            _ => &self.admin.client,
        };
        let call = client.operation(contract::operation(operation.id));
        let parameters = operation.path_parameters().into_iter();
        parameters.fold(call, |call, name| call.path(name, value(name)))
    }
}
