//! Members in the database; the organization is always part of the query.

use std::collections::HashSet;

use entity::{
    identity::users,
    ids::{OrganizationId, UserId},
    organizations::{
        self,
        members::{Column, Entity, MemberRole, Model},
    },
    timestamp::Timestamp,
};
use openapi::{
    error::{ApiError, ErrorType},
    list,
    models::{MemberSort, SCANNED_TO, SortOrder},
};
use platform::db::{Keyset, Page, ReadRows, Scan, contains, positional};
use sea_orm::{
    ActiveModelTrait,
    ActiveValue::Set,
    ColumnTrait, Condition, ConnectionTrait, DbBackend, DbErr, EntityTrait, IntoActiveModel, QueryFilter, QuerySelect,
    QueryTrait, Select, SelectExt, TryGetableMany,
    sea_query::{Expr, ExprTrait, InsertStatement, IntoValueTuple, OnConflict, Query},
};

use serde::{Serialize, de::DeserializeOwned};

use super::{removed, unknown};

use crate::{areas::identity::users::store::sort_name, kernel::lists::List};

platform::partial_row! {
    /// The columns of a member in answers.
    #[sea_orm(entity = "Entity")]
    pub struct MemberColumns {
        pub role: Option<MemberRole>,
        pub disabled: bool,
        pub sso: bool,
        pub joined_at: Timestamp,
        pub last_seen_at: Option<Timestamp>,
        pub teams_count: i32,
        pub sort_name: String,
        #[sea_orm(nested)]
        pub user: crate::access::rows::UserColumns,
    }
}

/// The filters of a list of members.
pub struct MemberFilters<'a> {
    /// Members with this role; `Some(None)` is guests.
    pub role: Option<Option<MemberRole>>,
    /// Part of the display name or the email address.
    pub search: Option<&'a str>,
    /// Sorted by the time of the last activity, the list only has members who were seen.
    pub sort: MemberSort,
}

impl MemberFilters<'_> {
    /// Returns whether the list holds all members.
    pub fn match_all(&self) -> bool {
        self.role.is_none() && self.search.is_none() && self.sort != MemberSort::LastSeenAt
    }

    fn apply(&self, organization: OrganizationId, query: Select<Entity>) -> Select<Entity> {
        let mut query = query.filter(Column::OrganizationId.eq(organization));
        query = match self.role {
            None => query,
            Some(None) => query.filter(Column::Role.is_null()),
            Some(Some(role)) => query.filter(Column::Role.eq(role)),
        };
        if self.sort == MemberSort::LastSeenAt {
            query = query.filter(Column::LastSeenAt.is_not_null());
        }
        query
    }
}

/// The order of a list of members.
fn keyset(filters: &MemberFilters<'_>, order: SortOrder) -> Keyset {
    let sorted = match filters.sort {
        MemberSort::JoinedAt => Column::JoinedAt,
        MemberSort::LastSeenAt => Column::LastSeenAt,
        MemberSort::Name => Column::SortName,
    };
    let columns = [sorted, Column::UserId].map(|column| (Entity, column));
    match order {
        SortOrder::Asc => Keyset::ascending(columns),
        SortOrder::Desc => Keyset::descending(columns),
    }
}

/// Holds for members whose user is found by the text, in a query that joins the users.
fn is_found(backend: DbBackend, search: &str) -> Expr {
    let contains = contains((users::Entity, users::Column::SearchText), search);
    if backend == DbBackend::Sqlite {
        return contains;
    }
    // A value for each member in the order of the list. PostgreSQL would look for the text among the users of all organizations.
    let of_member = Expr::col((users::Entity, users::Column::Id)).equals((Entity, Column::UserId));
    let user = users::Entity::find()
        .select_only()
        .column(users::Column::Id)
        .filter(of_member)
        .filter(contains)
        .limit(1);
    Expr::from(user.into_query()).is_not_null()
}

/// The members that a list shows, and their order.
pub struct MemberQuery<'a> {
    pub organization: OrganizationId,
    pub filters: MemberFilters<'a>,
    pub order: SortOrder,
    /// Selects some of the members by a condition on members and users that no index answers.
    pub among: Option<Condition>,
    /// The number of these members, if it is kept.
    pub kept_count: Option<u64>,
}

/// A page of members, as `views` shows them.
pub async fn page<S: Serialize, W>(
    db: &impl ReadRows,
    list: &List<'_, S>,
    query: &MemberQuery<'_>,
    views: impl AsyncFnOnce(Vec<MemberColumns>) -> Result<Vec<W>, ApiError>,
) -> Result<list::Page<W>, ApiError> {
    match query.filters.sort {
        MemberSort::JoinedAt => page_by(db, list, query, |member| member.joined_at, views).await,
        MemberSort::LastSeenAt => {
            let seen = |member: &MemberColumns| member.last_seen_at.unwrap_or(member.joined_at);
            page_by(db, list, query, seen, views).await
        }
        MemberSort::Name => page_by(db, list, query, |member| member.sort_name.clone(), views).await,
    }
}

/// `sort_key` gives what the list is sorted by.
async fn page_by<S: Serialize, K, W>(
    db: &impl ReadRows,
    list: &List<'_, S>,
    query: &MemberQuery<'_>,
    sort_key: impl Fn(&MemberColumns) -> K,
    views: impl AsyncFnOnce(Vec<MemberColumns>) -> Result<Vec<W>, ApiError>,
) -> Result<list::Page<W>, ApiError>
where
    K: Serialize + DeserializeOwned + Clone + Send,
    (K, UserId): IntoValueTuple + TryGetableMany,
{
    let filters = &query.filters;
    let order = keyset(filters, query.order);
    let rows = filters.apply(query.organization, Entity::find());
    let run = |query| positional::all(db, query);
    let key = |member: &MemberColumns| (sort_key(member), member.user.id);
    let (page, count) = if filters.search.is_none() && query.among.is_none() {
        let members = rows.clone().left_join(users::Entity);
        let page = order.page(members, list.after()?, list.limit, run, key).await?;
        let count = match query.kept_count {
            Some(count) => Some(count),
            None => list.count(rows, &page).await?,
        };
        (page, count)
    } else {
        let found = filters.search.map(|search| is_found(db.get_database_backend(), search));
        let selected = Condition::all().add_option(found).add_option(query.among.clone());
        let filter = |members: Select<Entity>| members.inner_join(users::Entity).filter(selected.clone());
        list.load_scan(&Scan::new(rows, order, filter, SCANNED_TO), run, key)
            .await?
    };
    let page = Page {
        items: views(page.items).await?,
        next: page.next,
    };
    list.answer(page, count, |item| item)
}

pub async fn find_columns(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    user: UserId,
) -> Result<Option<MemberColumns>, DbErr> {
    let query = Entity::find_by_id((organization, user)).left_join(users::Entity);
    query.into_partial_model().one(db).await
}

/// The users of a list who are members.
pub async fn existing(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    users: Vec<UserId>,
) -> Result<HashSet<UserId>, DbErr> {
    if users.is_empty() {
        return Ok(HashSet::new());
    }
    let query = Entity::find()
        .select_only()
        .column(Column::UserId)
        .filter(Column::OrganizationId.eq(organization))
        .filter(Column::UserId.is_in(users));
    Ok(query.into_tuple::<UserId>().all(db).await?.into_iter().collect())
}

/// The statement that inserts members.
pub fn insert(
    organization: OrganizationId,
    people: impl IntoIterator<Item = (UserId, Option<MemberRole>)>,
    now: Timestamp,
) -> Result<InsertStatement, DbErr> {
    let columns = [
        Column::OrganizationId,
        Column::UserId,
        Column::Role,
        Column::Disabled,
        Column::Sso,
        Column::SsoExempt,
        Column::JoinedAt,
        Column::TeamsCount,
        Column::SortName,
    ];
    let mut insert = Query::insert().into_table(Entity).columns(columns).take();
    for (user, role) in people {
        let values = [
            Expr::val(organization),
            Expr::val(user),
            Expr::val(role),
            Expr::val(false),
            Expr::val(false),
            Expr::val(false),
            Expr::val(now),
            Expr::val(0),
            sort_name(user).into(),
        ];
        insert.values(values).map_err(|e| DbErr::Custom(e.to_string()))?;
    }
    Ok(insert)
}

/// Adds a member unless the user is one. Returns whether they were added.
pub async fn add(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    user: UserId,
    role: Option<MemberRole>,
    now: Timestamp,
) -> Result<bool, ApiError> {
    let nobody_twice = OnConflict::columns([Column::OrganizationId, Column::UserId])
        .do_nothing()
        .to_owned();
    let mut insert = insert(organization, [(user, role)], now)?;
    if db.execute(insert.on_conflict(nobody_twice)).await?.rows_affected() == 0 {
        return Ok(false);
    }
    change_members_count(db, organization, 1).await?;
    bind_invites(db, organization, user).await?;
    removed::forget(db, organization, [user]).await?;
    Ok(true)
}

/// Makes the invitation of somebody who was asked to join the personal invite of the member whom they became.
async fn bind_invites(db: &impl ConnectionTrait, organization: OrganizationId, user: UserId) -> Result<(), DbErr> {
    use entity::library::invitations::{Column, Entity};
    let email = users::Entity::find_by_id(user)
        .select_only()
        .column(users::Column::Email);
    Entity::update_many()
        .col_expr(Column::UserId, Expr::value(user))
        .col_expr(Column::Email, email.into_query().into())
        .col_expr(Column::InviteeId, Expr::value(None::<UserId>))
        .filter(Column::OrganizationId.eq(organization))
        .filter(Column::InviteeId.eq(user))
        .exec(db)
        .await?;
    Ok(())
}

/// Adds users who are not members yet.
pub async fn add_new(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    people: impl Iterator<Item = (UserId, Option<MemberRole>)>,
    now: Timestamp,
) -> Result<(), DbErr> {
    let people: Vec<(UserId, Option<MemberRole>)> = people.collect();
    if people.is_empty() {
        return Ok(());
    }
    let added = i32::try_from(people.len()).unwrap_or(i32::MAX);
    let users: Vec<UserId> = people.iter().map(|(user, _)| *user).collect();
    // The counter is changed before the insert: of two transactions that add the same user, one waits here for the other,
    // and then runs again and finds the member.
    change_members_count(db, organization, added).await?;
    db.execute(&insert(organization, people, now)?).await?;
    removed::forget(db, organization, users).await?;
    Ok(())
}

pub async fn change_members_count(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    by: i32,
) -> Result<(), DbErr> {
    use organizations::{Column, Entity};
    Entity::update_many()
        .col_expr(Column::MembersCount, Expr::col(Column::MembersCount).add(by))
        .filter(Column::Id.eq(organization))
        .exec(db)
        .await?;
    Ok(())
}

pub async fn find(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    user: UserId,
) -> Result<Option<Model>, DbErr> {
    Entity::find_by_id((organization, user)).one(db).await
}

/// Refuses to leave the organization without an active admin.
/// Returns whether a user is a member of another organization.
pub async fn is_elsewhere(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    user: UserId,
) -> Result<bool, DbErr> {
    let others = Entity::find()
        .filter(Column::UserId.eq(user))
        .filter(Column::OrganizationId.ne(organization));
    Ok(others.one(db).await?.is_some())
}

pub async fn require_other_admin(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    user: UserId,
) -> Result<(), ApiError> {
    let others = Entity::find()
        .inner_join(users::Entity)
        .filter(Column::OrganizationId.eq(organization))
        .filter(Column::Role.eq(MemberRole::Admin))
        .filter(Column::Disabled.eq(false))
        .filter(users::Column::SuspendedAt.is_null())
        .filter(Column::UserId.ne(user));
    if !others.exists(db).await? {
        let message = "The organization would be left without an admin.";
        return Err(ApiError::new(ErrorType::LastAdmin, message));
    }
    Ok(())
}

/// Returns whether the role changed.
pub async fn set_role(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    user: UserId,
    role: Option<MemberRole>,
) -> Result<bool, ApiError> {
    let member = find(db, organization, user).await?.ok_or_else(unknown)?;
    if member.role == role {
        return Ok(false);
    }
    if member.role == Some(MemberRole::Admin) {
        require_other_admin(db, organization, user).await?;
    }
    let mut row = member.into_active_model();
    row.role = Set(role);
    row.update(db).await?;
    set_role_of_personal_invite(db, organization, user, role).await?;
    Ok(true)
}

/// The personal invite of a member follows the member's role, so that nobody regains a role by it.
async fn set_role_of_personal_invite(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    user: UserId,
    role: Option<MemberRole>,
) -> Result<(), DbErr> {
    use entity::library::invitations::{Column, Entity};
    Entity::update_many()
        .col_expr(Column::Role, Expr::value(role))
        .filter(Column::OrganizationId.eq(organization))
        .filter(Column::UserId.eq(user))
        .exec(db)
        .await?;
    Ok(())
}

/// Marks a member as signing in by SSO. Returns whether that changed.
pub async fn set_sso(db: &impl ConnectionTrait, organization: OrganizationId, user: UserId) -> Result<bool, ApiError> {
    let member = find(db, organization, user).await?.ok_or_else(unknown)?;
    if member.sso {
        return Ok(false);
    }
    let mut row = member.into_active_model();
    row.sso = Set(true);
    row.update(db).await?;
    Ok(true)
}

pub async fn set_sso_exempt(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    user: UserId,
    exempt: bool,
) -> Result<(), ApiError> {
    let mut row = find(db, organization, user)
        .await?
        .ok_or_else(unknown)?
        .into_active_model();
    row.sso_exempt = Set(exempt);
    row.update(db).await?;
    Ok(())
}

/// Marks the users of a list who are members as signing in by SSO. Returns whether that changed any of them.
pub async fn mark_sso(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    users: Vec<UserId>,
) -> Result<bool, DbErr> {
    let marked = Entity::update_many()
        .col_expr(Column::Sso, Expr::value(true))
        .filter(Column::OrganizationId.eq(organization))
        .filter(Column::UserId.is_in(users))
        .filter(Column::Sso.eq(false))
        .exec(db)
        .await?;
    Ok(marked.rows_affected > 0)
}

pub async fn set_seen(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    user: UserId,
    now: Timestamp,
) -> Result<(), ApiError> {
    Entity::update_many()
        .col_expr(Column::LastSeenAt, Expr::value(now))
        .filter(Column::OrganizationId.eq(organization))
        .filter(Column::UserId.eq(user))
        .exec(db)
        .await?;
    Ok(())
}

pub async fn set_disabled(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    user: UserId,
    disabled: bool,
) -> Result<(), ApiError> {
    let member = find(db, organization, user).await?.ok_or_else(unknown)?;
    if disabled && member.role == Some(MemberRole::Admin) && !member.disabled {
        require_other_admin(db, organization, user).await?;
    }
    let mut row = member.into_active_model();
    row.disabled = Set(disabled);
    row.update(db).await?;
    Ok(())
}
