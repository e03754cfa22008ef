//! Links in the database.

use std::collections::{BTreeSet, HashSet};

use content::{link_set::LinkPlace, objects::Hash};
use entity::{
    content::page_links::{Column, Entity, LinkRole, linked_space},
    ids::{NodeId, PageId, RevisionId},
    library::{nodes, spaces},
};
use openapi::models::ContentRef;
use platform::db::{Keyset, Range, Ranges, count};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, JoinType, QueryFilter, QueryOrder, QuerySelect,
    QueryTrait, Related, Select,
    prelude::Json,
    sea_query::{CommonTableExpression, Expr, ExprTrait, Func, Query, SelectStatement, UnionType, WithClause},
};
use uuid::Uuid;

use crate::{
    access::node_levels::{Member, visible},
    areas::library::spaces::store as space_store,
};

/// The number of values in one statement: SQLite binds at most 32,766.
const VALUES_PER_STATEMENT: usize = 500;

pub struct StoredLink {
    pub place: LinkPlace,
    pub role: LinkRole,
    pub reference: ContentRef,
    pub node: Option<String>,
}

type LinkRow = (Vec<u8>, PageId, i32, LinkRole, Json, Option<String>);

/// The links of these texts, whichever page has or had the text.
pub async fn of_sources(db: &impl ConnectionTrait, space: NodeId, sources: &[Hash]) -> Result<Vec<StoredLink>, DbErr> {
    let mut found = Vec::new();
    for chunk in sources.chunks(VALUES_PER_STATEMENT) {
        let links = links(space).filter(Column::Source.is_in(chunk.iter().map(|source| source.to_vec())));
        let rows: Vec<LinkRow> = links.into_tuple().all(db).await?;
        for row in rows {
            found.push(read(row)?);
        }
    }
    Ok(found)
}

/// The number of links of these texts.
pub async fn count_of_sources(db: &impl ConnectionTrait, space: NodeId, sources: &[Hash]) -> Result<u64, DbErr> {
    let mut links = 0;
    for chunk in sources.chunks(VALUES_PER_STATEMENT) {
        let counted = of_space(space)
            .column_as(Column::Seq.count(), "links")
            .filter(Column::Source.is_in(chunk.iter().map(|source| source.to_vec())));
        let counted: Option<i64> = counted.into_tuple().one(db).await?;
        links += counted.map_or(0, count);
    }
    Ok(links)
}

/// The links at these locations, and possibly others. An answer has a few thousand locations at most, which fit into
/// one statement.
pub async fn at_places(
    db: &impl ConnectionTrait,
    space: NodeId,
    places: &[LinkPlace],
) -> Result<Vec<StoredLink>, DbErr> {
    let sources: HashSet<Vec<u8>> = places.iter().map(|place| place.source.to_vec()).collect();
    let numbers: HashSet<i32> = places.iter().map(|place| place.seq).collect();
    let links = links(space)
        .filter(Column::Source.is_in(sources))
        .filter(Column::Seq.is_in(numbers));
    let rows: Vec<LinkRow> = links.into_tuple().all(db).await?;
    rows.into_iter().map(read).collect()
}

fn links(space: NodeId) -> Select<Entity> {
    let columns = [
        Column::Source,
        Column::PageId,
        Column::Seq,
        Column::Role,
        Column::Reference,
        Column::Node,
    ];
    of_space(space).columns(columns)
}

fn of_space(space: NodeId) -> Select<Entity> {
    Entity::find().select_only().filter(Column::SpaceId.eq(space))
}

fn read((source, page, seq, role, reference, node): LinkRow) -> Result<StoredLink, DbErr> {
    Ok(StoredLink {
        place: LinkPlace {
            page,
            seq,
            source: hash(&source)?,
        },
        role,
        reference: serde_json::from_value(reference).map_err(|error| DbErr::Json(error.to_string()))?,
        node,
    })
}

fn hash(bytes: &[u8]) -> Result<Hash, DbErr> {
    Hash::from_bytes(bytes).ok_or_else(|| DbErr::Custom("a link is damaged".to_owned()))
}

/// The position of a link in a list of backlinks: the space, the page, and the number of the link in the page.
pub type BacklinkKey = (NodeId, PageId, i32);

/// A space, a page and the number of a link in it, and the block that holds the link.
type BacklinkRow = (NodeId, PageId, i32, Option<String>);

/// The columns of a [`BacklinkRow`].
const BACKLINK: [Column; 4] = [Column::SpaceId, Column::PageId, Column::Seq, Column::Node];

/// The columns by which linking pages are in order.
const LINKING_PAGE: [Column; 2] = [Column::SpaceId, Column::PageId];

/// The pages that a query has found so far, with their numbers.
const FOUND: &str = "found";
const FOUND_PAGE: [&str; 2] = ["space_id", "page_id"];
const FOUND_NUMBER: &str = "number";

/// A text of a page, or its references outside of the text, whose links are read from a number on.
#[derive(Debug, Clone, Copy)]
pub struct LinkingText {
    pub space: NodeId,
    pub page: PageId,
    pub source: Hash,
    pub from: i32,
}

/// The page or file of a space whose backlinks are asked for.
#[derive(Debug, Clone, Copy)]
pub struct BacklinkTarget {
    pub space: NodeId,
    pub id: Uuid,
}

impl BacklinkTarget {
    fn condition(self) -> Condition {
        Condition::all()
            .add(Column::TargetId.eq(self.id))
            .add(linked_space().eq(self.space))
    }

    /// The first pages, from a page on, that link to the target or did in the past; those of one space if `within` names it.
    pub async fn pages(
        self,
        db: &impl ConnectionTrait,
        from: (NodeId, PageId),
        within: Option<NodeId>,
        limit: usize,
    ) -> Result<Vec<(NodeId, PageId)>, DbErr> {
        let rows = db.query_all(&self.pages_query(from, within, limit)).await?;
        rows.iter()
            .map(|row| Ok((row.try_get_by_index(0)?, row.try_get_by_index(1)?)))
            .collect()
    }

    /// Returns the query for these pages. Each page is looked up behind the one before it, so that a page costs the same
    /// however many links and earlier texts it has.
    pub fn pages_query(self, from: (NodeId, PageId), within: Option<NodeId>, limit: usize) -> SelectStatement {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let found = |column: &'static str| Expr::col((FOUND, column));
        let page = || Expr::tuple(LINKING_PAGE.map(|column| Expr::col((Entity, column))));
        let from = Expr::tuple([Expr::val(from.0), Expr::val(from.1)]);
        // SQLite compares a row with typed columns by the first one alone, and with expressions by all of them.
        let untyped = |column| Expr::from(Func::coalesce([found(column), found(column)]));
        let last = Expr::tuple(FOUND_PAGE.map(untyped));
        let next = Query::select()
            .exprs(self.nearest_page(&page().gt(last), within))
            .expr(found(FOUND_NUMBER).add(1_i64))
            .from(FOUND)
            .and_where(found("space_id").is_not_null())
            .and_where(found(FOUND_NUMBER).lt(limit))
            .take();
        let all = Query::select()
            .exprs(self.nearest_page(&page().gte(from), within))
            .expr(Expr::val(1_i64))
            .union(UnionType::All, next)
            .take();
        let all = CommonTableExpression::new()
            .table_name(FOUND)
            .columns(FOUND_PAGE)
            .column(FOUND_NUMBER)
            .query(all)
            .to_owned();
        Query::select()
            .columns(FOUND_PAGE)
            .from(FOUND)
            .and_where(found("space_id").is_not_null())
            .with_cte(WithClause::new().recursive(true).cte(all).to_owned())
            .take()
    }

    /// The space and the id of the first page for which a condition holds, each null if there is none.
    fn nearest_page(self, begin: &Expr, within: Option<NodeId>) -> [Expr; 2] {
        LINKING_PAGE.map(|column| {
            let page = Entity::find()
                .select_only()
                .column(column)
                .filter(self.condition())
                .filter(begin.clone())
                // A bound: with `=`, SQLite would not compare pages in the index.
                .apply_if(within, |links, space| links.filter(Column::SpaceId.lte(space)))
                .order_by_asc(Column::SpaceId)
                .order_by_asc(Column::PageId)
                .limit(1);
            Expr::from(page.into_query())
        })
    }

    /// The first links to the target in these texts, in the order of the list.
    pub async fn links(
        self,
        db: &impl ConnectionTrait,
        texts: &[LinkingText],
        limit: u64,
    ) -> Result<Vec<(BacklinkKey, Option<String>)>, DbErr> {
        let rows: Vec<BacklinkRow> = self.links_query(texts, limit).into_tuple().all(db).await?;
        let link = |(space, page, seq, node)| ((space, page, seq), node);
        Ok(rows.into_iter().map(link).collect())
    }

    /// Returns the query for these links: a range of the index for each text, of which no more is read than asked for.
    pub fn links_query(self, texts: &[LinkingText], limit: u64) -> Select<Entity> {
        let of_text = |text: &LinkingText| {
            let links = Entity::find()
                .select_only()
                .columns(BACKLINK)
                .filter(self.condition())
                .filter(Column::SpaceId.eq(text.space))
                .filter(Column::PageId.eq(text.page))
                .filter(Column::Source.eq(text.source.to_vec()))
                .filter(Column::Seq.gte(text.from));
            Range::from(links)
        };
        let order = Keyset::ascending([Column::SpaceId, Column::PageId, Column::Seq]);
        Ranges::new(texts.iter().map(of_text).collect())
            .first(&order, None::<BacklinkKey>, limit)
            .select_only()
            .columns(BACKLINK)
    }
}

/// The current revisions of those of these spaces that a member may see.
pub async fn visible_revisions(
    db: &impl ConnectionTrait,
    member: &Member,
    of: BTreeSet<NodeId>,
) -> Result<Vec<RevisionId>, DbErr> {
    let of_node = <spaces::Entity as Related<nodes::Entity>>::to().rev();
    visible(space_store::not_deleted(member.organization), member)
        .select_only()
        .column(spaces::Column::RevisionId)
        .join(JoinType::InnerJoin, of_node)
        .filter(nodes::Column::Id.is_in(of))
        .into_tuple()
        .all(db)
        .await
}
