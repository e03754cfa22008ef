//! Full-text search: see the crate `search`.

mod found;
mod view;
mod visibility;

use std::collections::HashMap;

use entity::{content::search::spaces, ids::NodeId, library::nodes};
use expressions::VisitorClaims;
use openapi::{
    error::ApiError,
    models::{SearchPageResult, SearchPageResultList, SearchSpaceResult, SearchSpaceResultList},
    operations::search::{SearchApi, SearchOrganizationContentQuery, SearchSpaceContentQuery},
};
use sea_orm::{
    ColumnTrait, EntityTrait, QueryFilter, QuerySelect,
    sea_query::{Expr, ExprTrait, SelectStatement},
};
use search::query::{RankedSpaces, search_space, search_spaces};
use serde::Serialize;

use crate::{
    access::{
        OrganizationAccess, SpaceAccess,
        node_levels::{Member, is_visible_space},
    },
    areas::authoring::Authoring,
    kernel::{Kernel, lists::List},
};

impl SearchApi for Authoring {
    async fn search_space_content(
        &self,
        access: SpaceAccess,
        query: SearchSpaceContentQuery,
    ) -> Result<SearchPageResultList, ApiError> {
        let SearchSpaceContentQuery { query, page, limit } = query;
        let space = access.row.node.id;
        let list = List::new(&self.kernel, ("search-space", space, &query), page, limit);
        let found = search_space(self.kernel.db.read(), space, &query, list.after()?, list.limit).await;
        let found = found?;
        let hits = vec![(space, found.page.items)];
        let mut items = view::pages(self, hits).await?.remove(&space).unwrap_or_default();
        view::set_ranks(items.iter_mut());
        let page = platform::db::Page {
            items,
            next: found.page.next,
        };
        Ok(list.answer(page, found.count, |result| result)?.into())
    }

    async fn search_organization_content(
        &self,
        access: OrganizationAccess,
        query: SearchOrganizationContentQuery,
    ) -> Result<SearchSpaceResultList, ApiError> {
        let SearchOrganizationContentQuery { query, page, limit } = query;
        let member = access.member();
        let scope = ("search-organization", access.organization, member.user, &query);
        let list = List::new(&self.kernel, scope, page, limit);
        let searched = Searched {
            spaces: spaces_of(&member),
            query: &query,
            visitor: None,
        };
        results(self, list, searched).await
    }
}

/// What is searched, and for whom.
pub struct Searched<'a> {
    /// Holds for the spaces.
    pub spaces: Expr,
    pub query: &'a str,
    /// The claims of the visitor of a site who searches. `None`: a user.
    pub visitor: Option<&'a VisitorClaims>,
}

/// Holds for the spaces that a member sees.
pub fn spaces_of(member: &Member) -> Expr {
    use spaces::{Column, Entity};
    let of_organization = Column::OrganizationId.eq(member.organization);
    of_organization.and(is_visible_space(member, (Entity, Column::SpaceId)))
}

/// Holds for the spaces whose ids a query selects.
pub fn among(ids: SelectStatement) -> Expr {
    spaces::Column::SpaceId.in_subquery(ids)
}

/// Spaces with matching pages.
pub async fn results<S: Serialize>(
    authoring: &Authoring,
    list: List<'_, S>,
    searched: Searched<'_>,
) -> Result<SearchSpaceResultList, ApiError> {
    let Searched { spaces, query, visitor } = searched;
    let db = authoring.kernel.db.read();
    let Some(claims) = visitor else {
        let found = search_spaces(db, spaces, query, list.after()?, list.limit).await?;
        let order: Vec<NodeId> = found.page.items.iter().map(|hit| hit.space).collect();
        let hits = found.page.items.into_iter().map(|hit| (hit.space, hit.pages)).collect();
        let items = spaces_with(&authoring.kernel, order, view::pages(authoring, hits).await?).await?;
        let page = platform::db::Page {
            items,
            next: found.page.next,
        };
        return Ok(list.answer(page, found.count, |result| result)?.into());
    };
    let found = RankedSpaces::find_published(db, spaces, query, list.after()?, list.limit).await?;
    let order: Vec<NodeId> = found.spaces().collect();
    let pages = view::pages_for_visitor(authoring, &found, query, claims).await?;
    let mut items = spaces_with(&authoring.kernel, order, pages).await?;
    // A visitor learns nothing from what conditions hide: neither an empty space nor a number.
    items.retain(|result| !result.pages.is_empty());
    let page = platform::db::Page {
        items,
        next: found.next,
    };
    Ok(list.answer(page, None, |result| result)?.into())
}

/// Spaces in this order, with their pages.
async fn spaces_with(
    kernel: &Kernel,
    order: Vec<NodeId>,
    mut pages: HashMap<NodeId, Vec<SearchPageResult>>,
) -> Result<Vec<SearchSpaceResult>, ApiError> {
    let titles = titles(kernel, &order).await?;
    let results = order.into_iter().map(|space| {
        let pages = pages.remove(&space).unwrap_or_default();
        SearchSpaceResult {
            r#type: Default::default(),
            id: space.to_string(),
            title: titles.get(&space).cloned().unwrap_or_default(),
            score: pages.iter().map(|page| page.score).fold(0.0, f64::max),
            pages,
        }
    });
    let mut results: Vec<SearchSpaceResult> = results.collect();
    view::set_ranks(results.iter_mut().flat_map(|result| &mut result.pages));
    Ok(results)
}

async fn titles(kernel: &Kernel, spaces: &[NodeId]) -> Result<HashMap<NodeId, String>, ApiError> {
    let found = nodes::Entity::find()
        .select_only()
        .columns([nodes::Column::Id, nodes::Column::Title])
        .filter(nodes::Column::Id.is_in(spaces.iter().copied()))
        .into_tuple::<(NodeId, String)>()
        .all(kernel.db.read())
        .await?;
    Ok(found.into_iter().collect())
}
