//! What path parameters stand for: the one table that all probes of the contract read.

use super::{
    client::Call,
    contract::{self, Operation},
    world::{DOMAIN, World},
};

impl World {
    /// A path parameter as it stands in the first organization.
    pub fn own(&self, name: &str) -> String {
        match name {
            "organizationId" => self.organization.to_string(),
            "teamId" => self.team.to_string(),
            "spaceId" => self.space.to_string(),
            "collectionId" => self.collection.to_string(),
            "inviteId" => self.invite.to_string(),
            "auditEventId" => self.event.clone(),
            "userId" => self.edit.id.to_string(),
            "emailDomain" => DOMAIN.to_owned(),
            // A token that nobody has.
            "tokenId" => "06dkk9p346n3d25rq4f5r37e3o".to_owned(),
            other => panic!("say in tests/it/support/places.rs what {other} is in the first organization"),
        }
    }

    /// The same in the other organization; the organization itself stays the first.
    pub fn foreign(&self, name: &str) -> String {
        match name {
            "organizationId" => self.organization.to_string(),
            "teamId" => self.other_team.to_string(),
            "spaceId" => self.other_space.to_string(),
            "collectionId" => self.other_collection.to_string(),
            "inviteId" => self.other_invite.to_string(),
            "auditEventId" => self.other_event.clone(),
            "userId" => self.other_admin.id.to_string(),
            other => panic!("say in tests/it/support/places.rs what {other} is in the other organization"),
        }
    }

    /// A call by somebody who may make it, with its path.
    pub fn allowed(&self, operation: &Operation) -> Call<'_> {
        let caller = match operation.access().resource {
            // Users change only themselves.
            "user" => &self.edit,
            _ => &self.admin,
        };
        let call = caller.client.operation(contract::operation(operation.id));
        let parameters = operation.path_parameters().into_iter();
        parameters.fold(call, |call, name| call.path(name, self.own(name)))
    }
}
