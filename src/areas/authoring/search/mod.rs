//! Full-text search: see the crate `search`.

mod view;

use std::collections::HashMap;

use entity::{ids::NodeId, nodes};
use openapi::{
    error::ApiError,
    models::{SearchPageResultList, SearchSpaceResult, SearchSpaceResultList},
    operations::search::{SearchApi, SearchOrganizationContentQuery, SearchSpaceContentQuery},
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect, QueryTrait};
use search::query::{search_space, search_spaces};

use crate::{
    access::{OrganizationAccess, SpaceAccess, node_levels::visible},
    app::{App, lists::List},
    areas::library::spaces::store as space_store,
};

impl SearchApi for App {
    async fn search_space_content(
        &self,
        access: SpaceAccess,
        query: SearchSpaceContentQuery,
    ) -> Result<SearchPageResultList, ApiError> {
        let SearchSpaceContentQuery { query, page, limit } = query;
        let space = access.row.node.id;
        let list = List::new(self, ("search-space", space, &query), page, limit);
        let found = search_space(self.db.read(), space, &query, list.after()?, list.limit).await;
        let found = found?;
        let hits = vec![(space, found.page.items)];
        let items = view::pages(self, hits).await?.remove(&space).unwrap_or_default();
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
        let list = List::new(self, scope, page, limit);
        let spaces = visible(space_store::not_deleted(access.organization), &member);
        let spaces = spaces.select_only().column(nodes::Column::Id).into_query();
        let found = search_spaces(self.db.read(), spaces, &query, list.after()?, list.limit).await;
        let found = found?;
        let order: Vec<NodeId> = found.page.items.iter().map(|hit| hit.space).collect();
        let titles = titles(self, &order).await?;
        let hits = found.page.items.into_iter().map(|hit| (hit.space, hit.pages));
        let mut pages = view::pages(self, hits.collect()).await?;
        let results = order.into_iter().map(|space| SearchSpaceResult {
            id: space.to_string(),
            title: titles.get(&space).cloned().unwrap_or_default(),
            pages: pages.remove(&space).unwrap_or_default(),
        });
        let page = platform::db::Page {
            items: results.collect(),
            next: found.page.next,
        };
        Ok(list.answer(page, found.count, |result| result)?.into())
    }
}

async fn titles(app: &App, spaces: &[NodeId]) -> Result<HashMap<NodeId, String>, ApiError> {
    let found = nodes::Entity::find()
        .select_only()
        .columns([nodes::Column::Id, nodes::Column::Title])
        .filter(nodes::Column::Id.is_in(spaces.iter().copied()))
        .into_tuple::<(NodeId, String)>()
        .all(app.db.read())
        .await?;
    Ok(found.into_iter().collect())
}
