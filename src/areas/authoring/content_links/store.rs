//! Links in the database.

use std::collections::{BTreeSet, HashSet};

use content::{link_set::LinkPlace, objects::Hash};
use entity::{
    ids::{NodeId, PageId, RevisionId},
    nodes,
    page_links::{Column, Entity, LinkRole},
    spaces,
};
use openapi::models::ContentRef;
use platform::db::count;
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, JoinType, QueryFilter, QueryOrder, QuerySelect,
    QueryTrait, RelationDef, Select,
    prelude::Json,
    sea_query::{Expr, ExprTrait},
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

/// A space and the location of a link in it.
type BacklinkRow = (NodeId, Vec<u8>, PageId, i32, Option<String>);

/// The page or file of a space whose backlinks are asked for.
#[derive(Debug, Clone, Copy)]
pub struct BacklinkTarget {
    pub space: NodeId,
    pub id: Uuid,
}

impl BacklinkTarget {
    fn condition(self) -> Condition {
        let from_inside = Condition::all()
            .add(Column::TargetSpace.is_null())
            .add(Column::SpaceId.eq(self.space));
        let anyhow = Condition::any()
            .add(Column::TargetSpace.eq(self.space))
            .add(from_inside);
        Condition::all().add(Column::TargetId.eq(self.id)).add(anyhow)
    }

    /// The pages of the target's space that link to the target, or did in the past, from a page on.
    pub async fn pages_beside(
        self,
        db: &impl ConnectionTrait,
        from: Option<PageId>,
        limit: u64,
    ) -> Result<Vec<PageId>, DbErr> {
        // A range of the index for each of the two ways to refer to the target.
        let mut found = BTreeSet::new();
        for names_space in [Column::TargetSpace.is_null(), Column::TargetSpace.eq(self.space)] {
            let pages = Entity::find()
                .select_only()
                .column(Column::PageId)
                .distinct()
                .filter(Column::TargetId.eq(self.id))
                .filter(names_space)
                .filter(Column::SpaceId.eq(self.space))
                .apply_if(from, |pages, from| pages.filter(Column::PageId.gte(from)))
                .order_by_asc(Column::PageId)
                .limit(limit);
            found.extend(pages.into_tuple::<PageId>().all(db).await?);
        }
        Ok(found.into_iter().collect())
    }

    /// The pages of other spaces, those that a member may see, that link to the target, or did in the past, from a page on,
    /// with the current revision of each space.
    pub async fn pages_elsewhere(
        self,
        db: &impl ConnectionTrait,
        member: &Member,
        from: Option<(NodeId, PageId)>,
        limit: u64,
    ) -> Result<Vec<(NodeId, RevisionId, PageId)>, DbErr> {
        let space: RelationDef = Entity::belongs_to(spaces::Entity)
            .from(Column::SpaceId)
            .to(spaces::Column::Id)
            .into();
        let is_seen = visible(space_store::not_deleted(member.organization), member)
            .select_only()
            .column(nodes::Column::Id)
            .filter(Expr::col((nodes::Entity, nodes::Column::Id)).equals((Entity, Column::SpaceId)))
            .limit(1);
        let key = || Expr::tuple([Column::SpaceId, Column::PageId].map(|column| Expr::col((Entity, column))));
        Entity::find()
            .select_only()
            .column(Column::SpaceId)
            .column(spaces::Column::RevisionId)
            .column(Column::PageId)
            .distinct()
            .join(JoinType::InnerJoin, space)
            .filter(Column::TargetId.eq(self.id))
            .filter(Column::TargetSpace.eq(self.space))
            .filter(Column::SpaceId.ne(self.space))
            .filter(Expr::from(is_seen.into_query()).is_not_null())
            .apply_if(from, |links, (space, page)| {
                links.filter(key().gte(Expr::tuple([Expr::val(space), Expr::val(page)])))
            })
            .order_by_asc(Column::SpaceId)
            .order_by_asc(Column::PageId)
            .limit(limit)
            .into_tuple()
            .all(db)
            .await
    }

    /// The links to the target in these texts.
    pub async fn links_from(
        self,
        db: &impl ConnectionTrait,
        sources: &[(NodeId, Hash)],
    ) -> Result<Vec<(NodeId, LinkPlace, Option<String>)>, DbErr> {
        let mut found = Vec::new();
        for chunk in sources.chunks(VALUES_PER_STATEMENT) {
            let of_space = |pairs: &[(NodeId, Hash)]| {
                let space = pairs.first().map(|(space, _)| Column::SpaceId.eq(*space));
                let sources = pairs.iter().map(|(_, source)| source.to_vec());
                Condition::all().add_option(space).add(Column::Source.is_in(sources))
            };
            let by_space = chunk.chunk_by(|(one, _), (other, _)| one == other);
            let rows: Vec<BacklinkRow> = Entity::find()
                .select_only()
                .columns([
                    Column::SpaceId,
                    Column::Source,
                    Column::PageId,
                    Column::Seq,
                    Column::Node,
                ])
                .filter(by_space.map(of_space).fold(Condition::any(), Condition::add))
                .filter(self.condition())
                .into_tuple()
                .all(db)
                .await?;
            for (space, source, page, seq, node) in rows {
                let source = hash(&source)?;
                found.push((space, LinkPlace { page, seq, source }, node));
            }
        }
        Ok(found)
    }
}
