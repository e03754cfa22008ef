//! The site spaces that a search is in.

use entity::{ids::SiteSpaceId, publishing::sites::site_spaces};
use openapi::{
    error::{ApiError, ErrorRule},
    models::{SearchSite, SearchSiteWithoutMode, SiteSearchRestriction, SiteSearchScope},
};

use crate::{areas::publishing::layout::Layout, areas::publishing::structure::edit::unknown_item};

/// The member of a default scope that names the site space of the reader.
const CURRENT: &str = "/body/scope/currentSiteSpace";

/// Site spaces, with the member of the request that names them.
pub enum Scope {
    /// The default ones, with the current one in its section, or a part of them.
    Default(Option<SiteSpaceId>, Option<SiteSearchRestriction>),
    These(Vec<SiteSpaceId>, &'static str),
    All,
}

impl Scope {
    /// The words of a search, and where they are looked for.
    pub fn of(body: SearchSite) -> (String, Self) {
        match body {
            SearchSite::SearchSiteWithoutMode(SearchSiteWithoutMode::SearchSiteInScope(body)) => {
                (body.query, Self::of_scope(body.scope))
            }
            SearchSite::SearchSiteWithoutMode(SearchSiteWithoutMode::SearchSiteInSiteSpaces(body)) => {
                (body.query, Self::named(body.site_space_ids))
            }
            SearchSite::SearchSiteSpecific(body) => (body.query, Self::named(body.site_space_ids)),
            SearchSite::SearchSiteCurrent(body) => {
                (body.query, Self::These(vec![body.site_space_id], "/body/siteSpaceId"))
            }
            SearchSite::SearchSiteAll(body) => (body.query, Self::All),
        }
    }

    fn named(site_spaces: Vec<SiteSpaceId>) -> Self {
        Self::These(site_spaces, "/body/siteSpaceIds")
    }

    fn of_scope(scope: SiteSearchScope) -> Self {
        match scope {
            SiteSearchScope::SiteSearchDefault(scope) => Self::Default(scope.current_site_space, scope.restrict_to),
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
            Self::Default(current, restriction) => {
                let find = |id| layout.site_space(id).ok_or_else(|| unknown_item(CURRENT));
                let current = current.map(find).transpose()?;
                let all = defaults(layout, current);
                match (restriction, current) {
                    (None, _) => Ok(all),
                    (Some(_), None) => {
                        let message = "`restrictTo` requires `currentSiteSpace`.";
                        Err(ApiError::invalid_member(CURRENT, ErrorRule::Required, message))
                    }
                    (Some(SiteSearchRestriction::CurrentSiteSpace), Some(current)) => Ok(vec![current]),
                    (Some(SiteSearchRestriction::OtherSiteSpaces), Some(current)) => {
                        Ok(all.into_iter().filter(|item| item.id != current.id).collect())
                    }
                }
            }
        }
    }
}

/// The default site space of each section, or of a site without sections, with the current one in its section.
fn defaults<'a>(layout: &'a Layout, current: Option<&'a site_spaces::Model>) -> Vec<&'a site_spaces::Model> {
    let of_section = |section| match current {
        Some(item) if item.section_id == section => current,
        _ => layout.default_site_space(section),
    };
    if !layout.has_sections() {
        return of_section(None).into_iter().collect();
    }
    let sections = layout.sections.iter();
    sections.filter_map(|section| of_section(Some(section.id))).collect()
}
