//! Public addresses of integrations and of their installations.

use entity::ids::IntegrationInstallationId;

use crate::areas::integrations::place::Place;

/// The beginning of all of them.
pub const PREFIX: &str = "/integrations/";

/// What a path leads to.
#[derive(Debug, PartialEq, Eq)]
pub struct EndpointAddress<'a> {
    /// The name of the integration.
    pub integration: &'a str,
    pub installation: Option<IntegrationInstallationId>,
    pub place: Option<Place>,
    /// The path of the endpoint itself, without a slash at its end.
    pub endpoint: &'a str,
    /// The rest of the path: empty, or with a slash at its beginning.
    pub rest: &'a str,
}

impl<'a> EndpointAddress<'a> {
    /// `None`: the path names no integration.
    pub fn parse(path: &'a str) -> Option<Self> {
        let (integration, after) = segment(path.strip_prefix(PREFIX)?);
        let mut address = Self {
            integration,
            installation: None,
            place: None,
            endpoint: "",
            rest: after,
        };
        if let Some((id, rest)) = below(after, "/installations/")
            && let Ok(id) = id.parse()
        {
            address.installation = Some(id);
            address.rest = rest;
            if let Some((id, rest)) = below(rest, "/spaces/")
                && let Ok(id) = id.parse()
            {
                address.place = Some(Place::Space(id));
                address.rest = rest;
            } else if let Some((id, rest)) = below(rest, "/sites/")
                && let Ok(id) = id.parse()
            {
                address.place = Some(Place::Site(id));
                address.rest = rest;
            }
        }
        address.endpoint = path.strip_suffix(address.rest)?;
        (!integration.is_empty()).then_some(address)
    }
}

/// The first segment of a path, and the rest with its slash.
fn segment(path: &str) -> (&str, &str) {
    path.split_at_checked(path.find('/').unwrap_or(path.len()))
        .unwrap_or((path, ""))
}

/// The segment after a prefix, and the rest.
fn below<'a>(path: &'a str, prefix: &str) -> Option<(&'a str, &'a str)> {
    path.strip_prefix(prefix).map(segment)
}
