//! The spaces and sites on which integrations are installed: one set of rules for both.

use entity::{
    ids::{ContentInstallationId, IntegrationInstallationId, NodeId, SiteId},
    integrations::{
        self, IntegrationTarget,
        content_installations::{Column, Model},
        installations::{self, InstallationSelection},
    },
};
use openapi::models::{IntegrationConfiguration, IntegrationConfigurations};
use platform::hash::Hash;
use serde::Serialize;
use uuid::Uuid;

/// A space or a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Space(NodeId),
    Site(SiteId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum PlaceKind {
    Space,
    Site,
}

impl Place {
    /// The place of a row.
    pub fn of(row: &Model) -> Self {
        match row.site_id {
            Some(site) => Self::Site(site),
            // A row has one of the two.
            None => Self::Space(row.space_id.unwrap_or(NodeId::from_uuid(Uuid::nil()))),
        }
    }

    pub fn kind(self) -> PlaceKind {
        match self {
            Self::Space(_) => PlaceKind::Space,
            Self::Site(_) => PlaceKind::Site,
        }
    }

    pub fn id(self) -> Uuid {
        match self {
            Self::Space(space) => *space.as_uuid(),
            Self::Site(site) => *site.as_uuid(),
        }
    }

    pub fn space(self) -> Option<NodeId> {
        match self {
            Self::Space(space) => Some(space),
            Self::Site(_) => None,
        }
    }

    pub fn site(self) -> Option<SiteId> {
        match self {
            Self::Space(_) => None,
            Self::Site(site) => Some(site),
        }
    }

    /// The id of an installation here. It follows from the two ids, so that an installation on all spaces has one on each of them
    /// without a row.
    pub fn installation_id(self, installation: IntegrationInstallationId) -> ContentInstallationId {
        let ids = [
            installation.as_uuid().as_bytes().as_slice(),
            self.id().as_bytes().as_slice(),
        ]
        .concat();
        ContentInstallationId::from_uuid(Hash::of(&ids).to_uuid())
    }
}

impl PlaceKind {
    pub fn place(self, id: Uuid) -> Place {
        match self {
            Self::Space => Place::Space(NodeId::from_uuid(id)),
            Self::Site => Place::Site(SiteId::from_uuid(id)),
        }
    }

    /// The column of the rows that names the place.
    pub fn column(self) -> Column {
        match self {
            Self::Space => Column::SpaceId,
            Self::Site => Column::SiteId,
        }
    }

    /// The noun for messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Space => "space",
            Self::Site => "site",
        }
    }

    /// The targets of integrations that may be installed here.
    pub fn targets(self) -> [IntegrationTarget; 2] {
        match self {
            Self::Space => [IntegrationTarget::All, IntegrationTarget::Space],
            Self::Site => [IntegrationTarget::All, IntegrationTarget::Site],
        }
    }

    pub fn is_allowed_by(self, target: IntegrationTarget) -> bool {
        self.targets().contains(&target)
    }

    pub fn selection(self, installation: &installations::Model) -> InstallationSelection {
        match self {
            Self::Space => installation.space_selection,
            Self::Site => installation.site_selection,
        }
    }

    /// The column of installations that says whether all places are selected.
    pub fn selection_column(self) -> installations::Column {
        match self {
            Self::Space => installations::Column::SpaceSelection,
            Self::Site => installations::Column::SiteSelection,
        }
    }

    /// The column of integrations that says whether they work here without a configuration.
    pub fn unconfigured_column(self) -> integrations::Column {
        match self {
            Self::Space => integrations::Column::WorksUnconfiguredOnSpaces,
            Self::Site => integrations::Column::WorksUnconfiguredOnSites,
        }
    }

    /// The form of the configurations here.
    pub fn form(self, configurations: IntegrationConfigurations) -> Option<IntegrationConfiguration> {
        match self {
            Self::Space => configurations.space,
            Self::Site => configurations.site,
        }
    }
}
