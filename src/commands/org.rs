//! `bindery org`

use anyhow::Context;
use clap::{Subcommand, ValueEnum};
use entity::{
    ids::OrganizationId,
    organizations::{Model, members::MemberRole},
};
use openapi::models::texts;
use serde_json::{Value, json};

use super::output::{Format, find_user, print, text, time};

use crate::{
    app::App,
    areas::organizations::{members, organizations},
};

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Create an organization
    Create {
        #[arg(value_parser = text(&texts::ORGANIZATION_NAME))]
        title: String,
        /// First admin: email address or id
        #[arg(long)]
        owner: String,
        #[command(flatten)]
        format: Format,
    },
    /// List all organizations
    List {
        #[command(flatten)]
        format: Format,
    },
    /// Add a user to an organization, or change the role of a member
    AddMember {
        /// Id of the organization
        organization: String,
        /// Email address or id
        user: String,
        #[arg(long, value_enum, default_value_t = Role::Read)]
        role: Role,
    },
    /// Let a member in without single sign-on where the organization requires it, for when its identity provider fails
    ExemptFromSso {
        /// Id of the organization
        organization: String,
        /// Email address or id
        user: String,
        /// End the exemption
        #[arg(long)]
        end: bool,
    },
    /// Mark an email domain of an organization as proven, so that people with an address in it may join
    VerifyDomain {
        /// Id of the organization
        organization: String,
        /// One of the `emailDomains` of the organization
        domain: String,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Role {
    Guest,
    Read,
    Comment,
    Edit,
    Review,
    Create,
    Admin,
}

const COLUMNS: [&str; 4] = ["id", "title", "members", "created"];

impl Command {
    pub async fn run(self, app: &App) -> anyhow::Result<()> {
        match self {
            Self::Create { title, owner, format } => {
                let owner = find_user(app, &owner).await?;
                let created = organizations::create(&app.kernel, owner.id, &title).await?;
                format.print(&COLUMNS, vec![row(created)])
            }
            Self::List { format } => {
                let all = organizations::list(&app.kernel).await?;
                format.print(&COLUMNS, all.into_iter().map(row).collect())
            }
            Self::AddMember {
                organization,
                user,
                role,
            } => {
                let id = parse_id(&organization)?;
                let user = find_user(app, &user).await?;
                members::add(&app.kernel, id, user.id, role.into()).await?;
                print(&format!("{} is a member of {organization}\n", user.email))
            }
            Self::ExemptFromSso {
                organization,
                user,
                end,
            } => {
                let user = find_user(app, &user).await?;
                members::set_sso_exempt(&app.kernel, parse_id(&organization)?, user.id, !end).await?;
                let becomes = if end { "is bound by" } else { "is exempt from" };
                print(&format!("{} {becomes} single sign-on in {organization}\n", user.email))
            }
            Self::VerifyDomain { organization, domain } => {
                organizations::verify_domain(&app.kernel, parse_id(&organization)?, &domain).await?;
                print(&format!(
                    "People with a verified address in {domain} may join {organization}\n"
                ))
            }
        }
    }
}

fn parse_id(organization: &str) -> anyhow::Result<OrganizationId> {
    let id = organization.parse();
    id.with_context(|| format!("{organization} is not an organization id; `bindery org list` prints the ids"))
}

impl From<Role> for Option<MemberRole> {
    fn from(role: Role) -> Self {
        match role {
            Role::Guest => None,
            Role::Read => Some(MemberRole::Read),
            Role::Comment => Some(MemberRole::Comment),
            Role::Edit => Some(MemberRole::Edit),
            Role::Review => Some(MemberRole::Review),
            Role::Create => Some(MemberRole::Create),
            Role::Admin => Some(MemberRole::Admin),
        }
    }
}

fn row(organization: Model) -> Value {
    json!({
        "id": organization.id,
        "title": organization.title,
        "members": organization.members_count,
        "created": time(organization.created_at),
    })
}
