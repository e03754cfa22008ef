//! Rows in which a column is null, or which have one of few values, are a range of an index on both databases.

use bindery::areas::library::{
    permissions::{Subject, store as permissions},
    spaces::store as spaces,
};
use content::revisions as content_revisions;
use entity::{
    content::revisions,
    ids::{RevisionId, UserId},
    library::nodes,
    organizations::members::{self, MemberRole},
    timestamp::Timestamp,
};
use platform::db::{Backend, Db, Keyset, Range};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect, Select};
use uuid::Uuid;

use crate::support::{
    database::{TestDatabase, on_each_database},
    plans::planned,
    rows::{organization_id, space_id, team_id, user_id},
};

on_each_database![
    revisions_of_a_space_are_a_range,
    guests_are_a_range,
    members_of_a_role_are_a_range_by_their_last_use,
    spaces_in_a_collection_are_a_range,
    permissions_of_users_are_found_without_those_of_others,
];

/// Without sorting; on PostgreSQL by this index. SQLite has ranges of rows with null in other indexes too.
async fn assert_range<E: EntityTrait>(db: &Db, list: Select<E>, index: &str) {
    let plan = planned(db, &list.limit(51)).await;
    assert!(!plan.contains("B-TREE") && !plan.contains("Sort"), "{plan}");
    assert!(!plan.contains("SCAN"), "{plan}");
    assert!(db.backend() == Backend::Sqlite || plan.contains(index), "{plan}");
}

async fn revisions_of_a_space_are_a_range(database: TestDatabase) {
    let db = database.migrated().await;
    let order = Keyset::descending([(revisions::Entity, revisions::Column::Id)]);
    for after in [None, Some(RevisionId::from_uuid(Uuid::from_u128(7)))] {
        let list = Range::from(content_revisions::of_space(space_id(1))).after(&order, after);
        assert_range(&db, list, "revisions_of_spaces_by_space_id_id").await;
    }
}

fn members_after<K: sea_orm::sea_query::IntoValueTuple>(
    role: Option<MemberRole>,
    sort: members::Column,
    after: Option<K>,
) -> Select<members::Entity> {
    let of = members::Entity::find().filter(members::Column::OrganizationId.eq(organization_id(1)));
    let of = match role {
        Some(role) => of.filter(members::Column::Role.eq(role)),
        None => of.filter(members::Column::Role.is_null()),
    };
    let order = Keyset::descending([sort, members::Column::UserId].map(|column| (members::Entity, column)));
    Range::from(of).after(&order, after)
}

async fn guests_are_a_range(database: TestDatabase) {
    let db = database.migrated().await;
    for after in [None, Some((Timestamp::from_millis(1), user_id(1)))] {
        let list = members_after(None, members::Column::JoinedAt, after);
        assert_range(&db, list, "guests_by_organization_id_joined_at_user_id").await;
    }
    for after in [None, Some(("a".to_owned(), user_id(1)))] {
        let list = members_after(None, members::Column::SortName, after);
        assert_range(&db, list, "guests_by_organization_id_sort_name_user_id").await;
    }
}

async fn members_of_a_role_are_a_range_by_their_last_use(database: TestDatabase) {
    let db = database.migrated().await;
    for after in [None, Some((Timestamp::from_millis(1), user_id(1)))] {
        let list = members_after::<(Timestamp, UserId)>(Some(MemberRole::Edit), members::Column::LastSeenAt, after);
        let list = list.filter(members::Column::LastSeenAt.is_not_null());
        assert_range(&db, list, "members_by_organization_id_role_last_seen_at_user_id").await;
    }
}

async fn spaces_in_a_collection_are_a_range(database: TestDatabase) {
    let db = database.migrated().await;
    let order = Keyset::ascending([nodes::Column::Position, nodes::Column::Id].map(|column| (nodes::Entity, column)));
    let held = spaces::not_deleted(organization_id(1)).filter(nodes::Column::ParentId.eq(space_id(1)));
    for after in [None, Some((7_i64, space_id(7)))] {
        let list = Range::from(held.clone()).after(&order, after);
        let index = "nodes_held_by_organization_id_parent_id_kind_position_id";
        let plan = planned(&db, &list.clone().limit(51)).await;
        assert!(plan.contains(index), "{plan}");
        assert_range(&db, list, index).await;
    }
}

async fn permissions_of_users_are_found_without_those_of_others(database: TestDatabase) {
    let db = database.migrated().await;
    for (subject, column) in [
        (Subject::User(user_id(1)), "user_id"),
        (Subject::Team(team_id(1)), "team_id"),
    ] {
        let plan = planned(&db, &permissions::of_subjects(space_id(1), &[subject])).await;
        let is_found = match db.backend() {
            Backend::Sqlite => plan.contains(&format!("AND {column}=?")),
            Backend::Postgres => plan.contains(&format!("AND ({column} = ")),
        };
        assert!(is_found, "{plan}");
    }
}
