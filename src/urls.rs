//! The absolute addresses in answers.

use entity::ids::{InviteId, NodeId, OrganizationId, UserId};
use url::Url;

#[derive(Clone, Debug)]
pub struct Urls {
    /// Without a slash at the end.
    base: String,
}

impl Urls {
    pub fn new(public_url: &Url) -> Self {
        Self {
            base: public_url.as_str().trim_end_matches('/').to_owned(),
        }
    }

    pub fn base(&self) -> &str {
        &self.base
    }

    pub fn user(&self, user: UserId) -> String {
        format!("{}/v1/users/{user}", self.base)
    }

    pub fn organization(&self, organization: OrganizationId) -> String {
        format!("{}/v1/orgs/{organization}", self.base)
    }

    pub fn agent_instructions(&self, organization: OrganizationId) -> String {
        format!("{}/v1/orgs/{organization}/agent-instructions", self.base)
    }

    pub fn space(&self, space: NodeId) -> String {
        format!("{}/v1/spaces/{space}", self.base)
    }

    pub fn collection(&self, collection: NodeId) -> String {
        format!("{}/v1/collections/{collection}", self.base)
    }

    /// Where to join with an invite.
    pub fn invite(&self, organization: OrganizationId, invite: InviteId) -> String {
        format!("{}/v1/orgs/{organization}/invites/{invite}", self.base)
    }

    /// Where a person looks at an operation: its place in the documentation page.
    pub fn operation_page(&self, tag: &str, operation: &str) -> String {
        format!("{}/docs/#/{tag}/{operation}", self.base)
    }
}
