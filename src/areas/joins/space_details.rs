//! What answers show of spaces beside their rows: open comments, and where the content is published. One query, whatever the
//! number of spaces and sites.

use std::collections::HashMap;

use entity::{
    exchange::git_syncs::{self, GitProvider},
    ids::GitInstallationId,
    library::nodes,
    publishing::sites::{
        self, SiteVisibility,
        publishing_auth::{self, VisitorAuthBackend},
        site_spaces,
    },
    timestamp::Timestamp,
};
use platform::db::{QueryTemplate, ReadRows, count, positional};
use sea_orm::{
    DbErr, Iterable, JoinType,
    sea_query::{Alias, CaseStatement, Expr, ExprTrait, Order, Query, SelectStatement},
};
use uuid::Uuid;

use crate::{
    areas::joins::{git_state::GitSync, open_comments, visitor_auth},
    kernel::urls::Urls,
};

#[derive(Default)]
pub struct SpaceDetails {
    pub open_comments: u64,
    /// `None`: no published site shows the space.
    pub publication: Option<Publication>,
    /// `None`: the space is not synchronized with a repository.
    pub git: Option<GitSync>,
}

/// The place of a space in a published site: the most open one, and of several such ones the oldest.
pub struct Publication {
    pub visibility: SiteVisibility,
    pub backend: VisitorAuthBackend,
    /// The name of the integration by which visitors sign in, if the backend is one and such an integration is installed.
    pub integration: Option<String>,
    basename: String,
    proxy: Option<String>,
    hostname: Option<String>,
    path: String,
}

impl Publication {
    /// The address for readers.
    pub fn address(&self, urls: &Urls) -> String {
        let site = urls.published_site(self.proxy.as_deref(), self.hostname.as_deref(), &self.basename);
        format!("{site}{}", self.path)
    }
}

/// How open a site is, the most open one first.
fn openness(visibility: SiteVisibility) -> i32 {
    match visibility {
        SiteVisibility::Public => 0,
        SiteVisibility::Unlisted => 1,
        SiteVisibility::ShareLink => 2,
        SiteVisibility::VisitorAuth => 3,
    }
}

platform::computed_row! {
    struct DetailsRow from DetailsExpressions {
        space: Uuid,
        open_comments: i64,
        path: Option<String>,
        visibility: Option<SiteVisibility>,
        basename: Option<String>,
        proxy: Option<String>,
        hostname: Option<String>,
        backend: Option<VisitorAuthBackend>,
        integration: Option<String>,
        git_address: Option<String>,
        git_tree_url: Option<String>,
        git_provider: Option<GitProvider>,
        git_updated_at: Option<Timestamp>,
        git_installation: Option<Uuid>,
        git_next_poll: Option<Timestamp>,
        git_is_unauthenticated: Option<bool>,
    }
}

impl DetailsRow {
    fn details(self) -> SpaceDetails {
        let place = self.path.zip(self.visibility).zip(self.basename);
        let git = self.git_updated_at.map(|updated_at| GitSync {
            address: self.git_address,
            tree_url: self.git_tree_url,
            provider: self.git_provider,
            updated_at,
            installation: self.git_installation.map(GitInstallationId::from_uuid),
            is_followed: self.git_next_poll.is_some(),
            is_unauthenticated: self.git_is_unauthenticated.unwrap_or_default(),
        });
        SpaceDetails {
            git,
            open_comments: count(self.open_comments),
            publication: place.map(|((path, visibility), basename)| Publication {
                visibility,
                backend: self.backend.unwrap_or(VisitorAuthBackend::Custom),
                integration: self.integration,
                basename,
                proxy: self.proxy,
                hostname: self.hostname,
                path,
            }),
        }
    }
}

pub async fn load(db: &impl ReadRows, spaces: Vec<Uuid>) -> Result<HashMap<Uuid, SpaceDetails>, DbErr> {
    if spaces.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<DetailsRow> = positional::rows(db, &details_of(spaces)).await?;
    Ok(rows.into_iter().map(|row| (row.space, row.details())).collect())
}

pub async fn load_one(db: &impl ReadRows, space: Uuid) -> Result<SpaceDetails, DbErr> {
    static TEMPLATE: QueryTemplate<1> = QueryTemplate::new();
    let query = TEMPLATE.statement(db.get_database_backend(), [space], |[space]| details_of(vec![space]));
    let row: Option<DetailsRow> = positional::row(db, query).await?;
    Ok(row.map(DetailsRow::details).unwrap_or_default())
}

fn details_of(spaces: Vec<Uuid>) -> SelectStatement {
    let item = |column| Expr::col((site_spaces::Entity, column));
    let site = |column| Expr::col((sites::Entity, column));
    let auth = |column| Expr::col((publishing_auth::Entity, column));
    let sync = |column| Expr::col((git_syncs::Entity, column));
    let space = (nodes::Entity, nodes::Column::Id);
    let by_integration = auth(publishing_auth::Column::Backend).eq(VisitorAuthBackend::Integration);
    let details = DetailsExpressions {
        space: Expr::col(space),
        open_comments: open_comments::sum(space),
        path: item(site_spaces::Column::PublishedPath),
        visibility: site(sites::Column::Visibility),
        basename: site(sites::Column::Basename),
        proxy: site(sites::Column::ActiveProxy),
        hostname: site(sites::Column::Hostname),
        backend: auth(publishing_auth::Column::Backend),
        integration: CaseStatement::new().case(by_integration, visitor_auth::name()).into(),
        git_address: sync(git_syncs::Column::Address),
        git_tree_url: sync(git_syncs::Column::TreeUrl),
        git_provider: sync(git_syncs::Column::Provider),
        git_updated_at: sync(git_syncs::Column::UpdatedAt),
        git_installation: sync(git_syncs::Column::InstallationId),
        git_next_poll: sync(git_syncs::Column::NextPollAt),
        git_is_unauthenticated: sync(git_syncs::Column::IsUnauthenticated),
    };
    let sync_of_space = sync(git_syncs::Column::SpaceId).equals(space);
    let of_site = item(site_spaces::Column::SiteId).equals((sites::Entity, sites::Column::Id));
    let auth_of_site = auth(publishing_auth::Column::SiteId).equals((sites::Entity, sites::Column::Id));
    details
        .select()
        .from(nodes::Entity)
        .join(
            JoinType::LeftJoin,
            site_spaces::Entity,
            item(site_spaces::Column::Id).eq(place_shown()),
        )
        .join(JoinType::LeftJoin, sites::Entity, of_site)
        .join(JoinType::LeftJoin, publishing_auth::Entity, auth_of_site)
        .join(JoinType::LeftJoin, git_syncs::Entity, sync_of_space)
        .and_where(Expr::col(space).is_in(spaces))
        .take()
}

/// The id of the site space that is shown of the places of a space.
///
/// SQLite sorts in a table that it makes for each space, which costs more than the rest of the row: most spaces have no place.
fn place_shown() -> CaseStatement {
    let place = |column| Expr::col((site_spaces::Entity, column));
    let any = Query::select()
        .expr(Expr::value(1))
        .from(site_spaces::Entity)
        .and_where(place(site_spaces::Column::SpaceId).equals((nodes::Entity, nodes::Column::Id)))
        .take();
    CaseStatement::new().case(Expr::exists(any), most_open_place())
}

fn most_open_place() -> SelectStatement {
    let (places, published) = (Alias::new("places"), Alias::new("published"));
    let place = |column: site_spaces::Column| Expr::col((places.clone(), column));
    let site = |column: sites::Column| Expr::col((published.clone(), column));
    let order = SiteVisibility::iter().fold(CaseStatement::new(), |order, visibility| {
        order.case(site(sites::Column::Visibility).eq(visibility), openness(visibility))
    });
    let of_site = place(site_spaces::Column::SiteId).equals((published.clone(), sites::Column::Id));
    Query::select()
        .expr(place(site_spaces::Column::Id))
        .from_as(site_spaces::Entity, places.clone())
        .join_as(JoinType::InnerJoin, sites::Entity, published.clone(), of_site)
        .and_where(place(site_spaces::Column::SpaceId).equals((nodes::Entity, nodes::Column::Id)))
        .and_where(site(sites::Column::Published).eq(true))
        // Drafts have none.
        .and_where(place(site_spaces::Column::PublishedPath).is_not_null())
        .order_by_expr(order.into(), Order::Asc)
        .order_by((places, site_spaces::Column::Id), Order::Asc)
        .limit(1)
        .take()
}
