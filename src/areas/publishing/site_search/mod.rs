//! Full-text search of sites.

mod scope;

use entity::{ids::NodeId, library::nodes, publishing::sites::site_spaces};
use openapi::{
    error::ApiError,
    models::{SearchSite, SearchSpaceResultList},
    operations::site_search::{SearchSiteContentQuery, SiteSearchApi},
};
use sea_orm::{ColumnTrait, QueryFilter, QuerySelect, QueryTrait, sea_query::SelectStatement};

use self::scope::Scope;

use crate::{
    access::node_levels::visible,
    areas::{
        authoring::search::{Searched, among, results},
        library::spaces::{self, store as space_store},
        publishing::{
            Publishing,
            guard::{ReadableSiteAccess, Reader},
            layout::Layout,
        },
    },
    kernel::{Kernel, lists::List},
};

impl SiteSearchApi for Publishing {
    async fn search_site_content(
        &self,
        access: ReadableSiteAccess,
        query: SearchSiteContentQuery,
        body: SearchSite,
    ) -> Result<SearchSpaceResultList, ApiError> {
        let SearchSiteContentQuery { page, limit } = query;
        let (words, scope) = Scope::of(body);
        let layout = access.layout(&self.visits).await?;
        let found = spaces_of(&layout, scope)?;
        let claims = access.claims();
        let list_scope = (
            "search-site",
            access.row.id,
            access.caller.user_id,
            claims,
            &found,
            &words,
        );
        let list = List::new(&self.kernel, list_scope, page, limit);
        let searched = Searched {
            spaces: among(readable(&self.kernel, &access, found.clone()).await?),
            query: &words,
            visitor: claims,
        };
        let mut list = results(&self.authoring, list, searched).await?;
        set_titles(&layout, &found, &mut list);
        Ok(list)
    }

    async fn prewarm_site_search(&self, _: ReadableSiteAccess) -> Result<(), ApiError> {
        Ok(())
    }
}

/// Names spaces as the site does: variants of a page may be in spaces with the same title.
fn set_titles(layout: &Layout, searched: &[NodeId], list: &mut SearchSpaceResultList) {
    for result in &mut list.items {
        let is_result = |item: &&site_spaces::Model| item.space_id.to_string() == result.id;
        let mut items = layout
            .site_spaces
            .iter()
            .filter(|item| searched.contains(&item.space_id));
        if let Some(title) = items.find(is_result).and_then(|item| item.title.clone()) {
            result.title = title;
        }
    }
}

/// The spaces that a scope selects, each once.
fn spaces_of(layout: &Layout, scope: Scope) -> Result<Vec<NodeId>, ApiError> {
    let mut spaces: Vec<NodeId> = scope.select(layout)?.into_iter().map(|item| item.space_id).collect();
    spaces.sort_unstable();
    spaces.dedup();
    Ok(spaces)
}

/// A query of the ids of those of these spaces that the caller may read.
async fn readable(
    kernel: &Kernel,
    access: &ReadableSiteAccess,
    found: Vec<NodeId>,
) -> Result<SelectStatement, ApiError> {
    let organization = access.row.organization_id;
    let these = space_store::not_deleted(organization).filter(nodes::Column::Id.is_in(found));
    let these = match &access.reader {
        Reader::Member(member) => visible(these, member),
        Reader::Visitor(visit) => spaces::shown_to_visitor(kernel, organization, visit.visit.preview_of, these).await?,
    };
    Ok(these.select_only().column(nodes::Column::Id).into_query())
}
