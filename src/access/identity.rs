//! Users and integrations as their tokens name them.

use entity::{
    ids::{IntegrationId, IntegrationInstallationId, OrganizationId, SamlProviderId, TokenId, UserId},
    integrations::content_installations,
    library::nodes::{self, NodeKind},
    publishing::sites,
};
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QuerySelect, QueryTrait, Select};

/// The user of a token.
#[derive(Clone, Debug)]
pub struct Identity {
    /// For an integration, the user in whose name it writes, who is a member of no organization.
    pub user_id: UserId,
    pub token_id: TokenId,
    /// Whether the token ends with a session.
    pub of_session: bool,
    /// Lower-case.
    pub email: String,
    pub email_verified: bool,
    /// The provider at which the user had signed in when the token was made, and its organization.
    pub saml_provider: Option<SamlProviderId>,
    pub signed_in_to: Option<OrganizationId>,
    /// `None`: the token is one of a person, or of a visitor.
    pub integration: Option<CallingIntegration>,
}

/// An integration that calls with a token of its own or of one of its installations.
#[derive(Clone, Debug)]
pub struct CallingIntegration {
    pub id: IntegrationId,
    pub name: String,
    /// `None`: a token of the integration itself.
    pub installation: Option<Installed>,
}

/// An installation that acts, and where it is installed.
#[derive(Clone, Copy, Debug)]
pub struct Installed {
    pub id: IntegrationInstallationId,
    pub organization: OrganizationId,
    /// Whether it is installed on all spaces of the organization.
    pub on_all_spaces: bool,
    /// Whether it is installed on all sites of the organization.
    pub on_all_sites: bool,
}

impl Installed {
    /// Holds in a query over nodes for the spaces on which the installation is.
    pub fn is_on_space(&self) -> Condition {
        use content_installations::Column;
        let spaces = Condition::all()
            .add(nodes::Column::OrganizationId.eq(self.organization))
            .add(nodes::Column::Kind.eq(NodeKind::Space));
        match self.on_all_spaces {
            true => spaces,
            false => {
                let selected = self.selected(Column::SpaceId);
                spaces.add(nodes::Column::Id.in_subquery(selected.into_query()))
            }
        }
    }

    /// Holds in a query over sites for those on which the installation is.
    pub fn is_on_site(&self) -> Condition {
        use content_installations::Column;
        let of_organization = Condition::all().add(sites::Column::OrganizationId.eq(self.organization));
        match self.on_all_sites {
            true => of_organization,
            false => {
                let selected = self.selected(Column::SiteId);
                of_organization.add(sites::Column::Id.in_subquery(selected.into_query()))
            }
        }
    }

    /// The spaces or sites that were selected.
    fn selected(&self, column: content_installations::Column) -> Select<content_installations::Entity> {
        use content_installations::{Column, Entity};
        Entity::find()
            .select_only()
            .column(column)
            .filter(Column::InstallationId.eq(self.id))
            .filter(column.is_not_null())
    }
}

impl Identity {
    /// The domain of the user's email address, if the address is verified.
    pub fn verified_domain(&self) -> Option<&str> {
        verified_domain(&self.email, self.email_verified)
    }
}

/// The domain of an email address, if the address is verified.
pub fn verified_domain(email: &str, verified: bool) -> Option<&str> {
    let (_, domain) = email.rsplit_once('@')?;
    verified.then_some(domain)
}
