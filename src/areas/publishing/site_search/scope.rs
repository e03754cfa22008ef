//! The site spaces that a search is in.

use entity::{ids::SiteSpaceId, sites::site_spaces};
use openapi::{
    error::{ApiError, ErrorRule},
    models::{SearchSite, SearchSiteMode, SiteSearchScope},
};

use crate::areas::publishing::structure::{edit::unknown_item, layout::Layout};

/// Site spaces, with the member of the request that names them.
pub enum Scope {
    /// The default ones, with the current one in its section.
    Default(Option<SiteSpaceId>),
    These(Vec<SiteSpaceId>, &'static str),
    All,
}

impl Scope {
    pub fn of(body: SearchSite) -> Result<Self, ApiError> {
        let SearchSite {
            query: _,
            scope,
            mode,
            site_space_id,
            site_space_ids,
        } = body;
        match (scope, mode, site_space_ids, site_space_id) {
            (Some(scope), None, None, None) => Ok(Self::of_scope(scope)),
            (None, None | Some(SearchSiteMode::Specific), Some(these), None) => {
                Ok(Self::These(these, "/body/siteSpaceIds"))
            }
            (None, Some(SearchSiteMode::Current), None, Some(current)) => {
                Ok(Self::These(vec![current], "/body/siteSpaceId"))
            }
            (None, Some(SearchSiteMode::All), None, None) => Ok(Self::All),
            (None, None, None, None) => Err(missing("scope")),
            (None, Some(SearchSiteMode::Specific), None, None) => Err(missing("siteSpaceIds")),
            (None, Some(SearchSiteMode::Current), None, None) => Err(missing("siteSpaceId")),
            _ => Err(refused(
                "Only one of `scope`, `siteSpaceIds` and `mode` says where to search.",
            )),
        }
    }

    fn of_scope(scope: SiteSearchScope) -> Self {
        match scope {
            SiteSearchScope::SiteSearchDefault(scope) => Self::Default(scope.current_site_space),
            SiteSearchScope::SiteSearchSpecific(scope) => Self::These(scope.site_space_ids, "/body/scope/siteSpaceIds"),
            SiteSearchScope::SiteSearchAll(_) => Self::All,
        }
    }

    pub fn select(self, layout: &Layout) -> Result<Vec<&site_spaces::Model>, ApiError> {
        match self {
            Self::All => Ok(layout.site_spaces.iter().collect()),
            Self::These(these, pointer) => {
                let find = |id| layout.site_space(id).ok_or_else(|| unknown_item(pointer));
                these.into_iter().map(find).collect()
            }
            Self::Default(current) => {
                let find = |id| {
                    layout
                        .site_space(id)
                        .ok_or_else(|| unknown_item("/body/scope/currentSiteSpace"))
                };
                let current = current.map(find).transpose()?;
                let of_section = |section| match current {
                    Some(item) if item.section_id == section => current,
                    _ => layout.default_site_space(section),
                };
                if !layout.has_sections() {
                    return Ok(of_section(None).into_iter().collect());
                }
                let sections = layout.sections.iter();
                Ok(sections.filter_map(|section| of_section(Some(section.id))).collect())
            }
        }
    }
}

fn missing(member: &str) -> ApiError {
    refused(format!("`{member}` is missing."))
}

fn refused(message: impl Into<String>) -> ApiError {
    ApiError::invalid_member("/body", ErrorRule::SearchScope, message)
}
