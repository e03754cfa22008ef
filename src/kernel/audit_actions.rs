//! Names of audit actions: `<area>.<operation>`.

use openapi::{call::Operation, models::AuditAction, operations::OPERATIONS};

/// All actions of events, sorted by id.
pub fn all() -> Vec<AuditAction> {
    let of_contract = OPERATIONS.iter().filter(|operation| !operation.safe);
    let of_contract = of_contract.map(|operation| (of_operation(operation), operation.summary));
    let of_system = SystemAction::ALL
        .iter()
        .map(|action| (action.name().to_owned(), action.summary()));
    let mut actions: Vec<AuditAction> = of_contract
        .chain(of_system)
        .map(|(id, label)| AuditAction {
            object: Default::default(),
            id,
            label: label.to_owned(),
        })
        .collect();
    actions.sort_by(|a, b| a.id.cmp(&b.id));
    actions
}

pub fn of_operation(operation: &Operation) -> String {
    format!("{}.{}", operation.area, operation.id)
}

/// Declares the actions with their names and summaries.
macro_rules! system_actions {
    ($($variant:ident $name:literal $summary:literal,)*) => {
        /// Actions of the service and its command line without a request.
        #[derive(Clone, Copy, PartialEq, Eq)]
        pub enum SystemAction {
            $($variant,)*
        }

        impl SystemAction {
            const ALL: &[Self] = &[$(Self::$variant,)*];

            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            fn summary(self) -> &'static str {
                match self {
                    $(Self::$variant => $summary,)*
                }
            }
        }
    };
}

system_actions![
    FirstRun "system.firstRun" "Set up the service",
    CreateUser "users.create" "Create a user",
    SuspendUser "users.suspend" "Suspend a user, or end it",
    CreateToken "tokens.create" "Create a token on the command line",
    CreateTokenSignedIn "tokens.createSignedIn" "Create a token on the account page",
    CreateTokenOfSession "tokens.createOfSession" "Create a token on the documentation page",
    RevokeToken "tokens.revoke" "Revoke a token on the command line",
    StartTranslationRun "translations.start" "Start a run of a translation after a change of its source",
    RunTranslation "translations.run" "Write the result of a translation",
    CreateOrganization "organizations.create" "Create an organization on the command line",
    VerifyEmailDomain "organizations.verifyEmailDomain" "Mark an email domain as proven on the command line",
    CheckCustomHostname "customHostnames.check" "Check the DNS records of a custom hostname, as is done from time to time",
    CheckProxy "sites.checkProxy" "Check the DNS record of the proxy of a site, as is done from time to time",
    DisableWebhook "webhooks.disable" "Disable a webhook that has failed for five days, or that wants no more events",
    Import "content.import" "Import a directory on the command line",
    ImportRun "content.importRun" "Write what an import of a website, an archive or a repository has read",
    ImportGit "content.importGit" "Bring the changes of a Git branch into a space",
    ExportGit "content.exportGit" "Bring the changes of a space into a Git branch",
    VerifyIntegration "integrations.verify" "Mark an integration as verified on the command line, or end it",
    SignIn "members.signIn" "Sign in by a SAML provider",
    JoinOnAccountPage "members.joinOnAccountPage" "Join an organization on the account page",
    AddMember "members.add" "Add a member on the command line",
    DisableMember "members.disable" "Disable a member, or end it",
    ExemptMember "members.exemptFromSSO" "Exempt a member from single sign-on, or end it",
];
