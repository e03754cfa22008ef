//! The names of what can be done: `<area>.<operation>`.

use openapi::call::Operation;

pub fn of_operation(operation: &Operation) -> String {
    format!("{}.{}", operation.area, operation.id)
}

/// What the service and its command line do without a request.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum SystemAction {
    FirstRun,
    CreateUser,
    SuspendUser,
    CreateToken,
    RevokeToken,
    CreateOrganization,
    AddMember,
    DisableMember,
}

impl SystemAction {
    pub fn name(self) -> &'static str {
        match self {
            Self::FirstRun => "system.firstRun",
            Self::CreateUser => "users.create",
            Self::SuspendUser => "users.suspend",
            Self::CreateToken => "tokens.create",
            Self::RevokeToken => "tokens.revoke",
            Self::CreateOrganization => "organizations.create",
            Self::AddMember => "members.add",
            Self::DisableMember => "members.disable",
        }
    }
}
