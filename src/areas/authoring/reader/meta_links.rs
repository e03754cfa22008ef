//! Links between pages and their translations.

use entity::{
    ids::{NodeId, PageId, RevisionId},
    library::nodes,
};
use openapi::{
    error::ApiError,
    models::{ContentRefPage, RevisionPageMetaLinks},
};
use platform::db::positional;
use sea_orm::{ColumnTrait, QueryFilter, QueryTrait};

use super::{RevisionReader, parts::published};

use crate::{
    access::{
        node_levels::{Member, visible},
        rows::{NodeRow, SpaceRow},
    },
    areas::{authoring::located_pages::PageName, joins::translations, library::spaces},
};

impl RevisionReader<'_> {
    /// The page itself, and the page in the other languages in which the reader sees it. Translations have the pages of their source.
    pub async fn meta_links(mut self, member: &Member, page: PageId) -> Result<RevisionPageMetaLinks, ApiError> {
        self.require_page(PageName::Id(page)).await?;
        let mut alternates = Vec::new();
        let contents = self.translations(member).await?;
        for (space, revision) in contents {
            let reader = RevisionReader::open(self.authoring, space, revision, None).await?;
            if reader.seen_by(self.visitor.clone()).sees(page).await? {
                alternates.push(reference(space, page));
            }
        }
        Ok(RevisionPageMetaLinks {
            canonical: reference(self.revision.space, page),
            alternates,
        })
    }

    /// The spaces in other languages that the reader sees, with their current content.
    async fn translations(&mut self, member: &Member) -> Result<Vec<(NodeId, RevisionId)>, ApiError> {
        let (db, organization) = (self.authoring.kernel.db.read(), member.organization);
        let others = translations::of_space(db, organization, self.revision.space).await?;
        if others.is_empty() {
            return Ok(Vec::new());
        }
        if let Some(site) = &self.site {
            return published(self.authoring, site.as_ref(), others, usize::MAX).await;
        }
        let these = spaces::store::not_deleted(organization).filter(nodes::Column::Id.is_in(others));
        let rows = SpaceRow::of(visible(these, member));
        let rows: Vec<SpaceRow> = positional::rows(db, rows.as_query()).await?;
        let rows = rows.into_iter();
        Ok(rows.map(|row| (row.space.id, row.space.revision_id)).collect())
    }
}

fn reference(space: NodeId, page: PageId) -> ContentRefPage {
    ContentRefPage {
        kind: Default::default(),
        page: page.to_string(),
        space: Some(space.to_string()),
    }
}
