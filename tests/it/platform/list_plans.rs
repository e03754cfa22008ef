//! Lists that have few rows look at few, however many rows of another kind are beside them.

use bindery::{
    access::node_levels::Member,
    areas::{
        authoring::{change_requests::store as change_requests, comments::store as comments, search},
        library::{collections, permissions::store as permissions, templates::store as templates},
        organizations::audit::store as audit,
    },
};
use entity::{
    authoring::{
        change_requests::{ChangeRequestStatus, Column as RequestColumn},
        comments as comment_rows,
    },
    ids::{AuditEventId, ChangeRequestId, CommentId, PermissionId},
    library::{nodes, permissions as permission_rows, templates as template_rows},
    organizations::members::MemberRole,
    timestamp::Timestamp,
};
use platform::db::{Backend, Db, Keyset, Range};
use sea_orm::{ActiveValue::Set, ConnectionTrait, DbErr, EntityTrait, QueryOrder, QuerySelect, Select};
use uuid::Uuid;

use crate::support::{
    database::{TestDatabase, on_each_database},
    plans::planned,
    rows::{insert_member, insert_organization, insert_space, insert_user, organization_id, space_id, user_id},
};

on_each_database![
    templates_are_found_without_other_spaces,
    collections_at_the_top_are_found_without_spaces,
    permissions_of_teams_are_found_without_those_of_people,
    searched_spaces_are_found_without_those_that_have_no_pages,
    comments_of_several_authors_are_found_without_those_of_others,
    change_requests_of_a_contributor_are_found_without_those_of_others,
    change_requests_are_found_in_the_order_of_changes,
    events_are_found_by_one_index_from_the_key_on,
];

const ROWS: u128 = 500;

/// An organization with many spaces and members, each of whom has a permission on the first space.
async fn filled(database: &TestDatabase) -> Db {
    let db = database.migrated().await;
    let fill = db.write(|tx| async move {
        insert_organization(&tx, 1).await?;
        for number in 1..=ROWS {
            insert_user(&tx, number).await?;
            insert_member(&tx, 1, number, Some(MemberRole::Read), 1).await?;
            insert_space(&tx, 1, number).await?;
        }
        let permission = |number| permission_rows::ActiveModel {
            id: Set(PermissionId::from_uuid(Uuid::from_u128(number))),
            organization_id: Set(organization_id(1)),
            node_id: Set(space_id(1)),
            user_id: Set(Some(user_id(number))),
            team_id: Set(None),
            role: Set(MemberRole::Edit),
            created_at: Set(Timestamp::from_millis(1)),
        };
        permission_rows::Entity::insert_many((1..=ROWS).map(permission))
            .exec_without_returning(&tx)
            .await?;
        tx.execute_unprepared("ANALYZE").await?;
        Ok::<_, DbErr>(())
    });
    fill.await.unwrap();
    forget_statistics(&db).await;
    db
}

/// SQLite plans without statistics, as in the service, which gathers none.
async fn forget_statistics(db: &Db) {
    if db.backend() == Backend::Sqlite {
        let forget = db.write(|tx| async move {
            tx.execute_unprepared("DELETE FROM sqlite_stat1; ANALYZE sqlite_schema")
                .await
        });
        forget.await.unwrap();
    }
}

/// Somebody who sees every space, and somebody who sees those with a permission.
fn members() -> [Member; 2] {
    [Some(MemberRole::Admin), None].map(|role| Member::new(organization_id(1), user_id(1), role))
}

async fn assert_uses<E: EntityTrait>(db: &Db, list: Select<E>, index: &str) {
    let plan = planned(db, &list.limit(51)).await;
    assert!(plan.contains(index), "{plan}");
    assert!(!plan.contains("B-TREE") && !plan.contains("Sort"), "{plan}");
}

async fn templates_are_found_without_other_spaces(database: TestDatabase) {
    let db = filled(&database).await;
    for member in members() {
        for after in [None, Some(space_id(7))] {
            let list = templates::usable_by(&member).selected_after(after);
            let list = list.order_by_desc(template_rows::Column::SpaceId);
            assert_uses(&db, list, "templates_by_organization_id_space_id").await;
        }
    }
}

async fn collections_at_the_top_are_found_without_spaces(database: TestDatabase) {
    let db = filled(&database).await;
    let order = Keyset::ascending([
        (nodes::Entity, nodes::Column::Position),
        (nodes::Entity, nodes::Column::Id),
    ]);
    let found = Range::from(collections::store::at_top(organization_id(1)));
    for after in [None, Some((7, space_id(7)))] {
        let list = found.after(&order, after);
        assert_uses(&db, list, "nodes_at_top_by_organization_id_kind_position_id").await;
    }
}

async fn permissions_of_teams_are_found_without_those_of_people(database: TestDatabase) {
    let db = filled(&database).await;
    let (teams, people) = (permissions::of_teams(space_id(1)), permissions::of_people(space_id(1)));
    for (found, index) in [
        (teams, "permissions_of_teams_by_node_id_id"),
        (people, "permissions_of_people_by_node_id_id"),
    ] {
        for after in [None, Some(PermissionId::from_uuid(Uuid::from_u128(7)))] {
            assert_uses(&db, found.after(&permissions::order(), after), index).await;
        }
    }
}

async fn searched_spaces_are_found_without_those_that_have_no_pages(database: TestDatabase) {
    let db = filled(&database).await;
    for member in members() {
        let list = ::search::query::searched(search::spaces_of(&member));
        assert_uses(&db, list, "search_spaces_by_organization_id_id").await;
    }
}

async fn comments_of_several_authors_are_found_without_those_of_others(database: TestDatabase) {
    let db = filled(&database).await;
    let order = Keyset::ascending([(comment_rows::Entity, comment_rows::Column::Id)]);
    for after in [None, Some(CommentId::from_uuid(Uuid::from_u128(7)))] {
        let filters = comments::CommentFilters {
            status: None,
            page: None,
            authors: Some(vec![user_id(1), user_id(2)]),
        };
        let list = filters.apply(Uuid::from_u128(1)).rows.first(&order, after, 51);
        let plan = planned(&db, &list).await;
        assert!(plan.matches("comments_by_list_id_author_id_id").count() == 2, "{plan}");
    }
}

async fn change_requests_of_a_contributor_are_found_without_those_of_others(database: TestDatabase) {
    let db = filled(&database).await;
    for (contributor, reviewer) in [(Some(user_id(1)), None), (None, Some(user_id(1)))] {
        let filters = change_requests::ChangeRequestFilters {
            statuses: vec![ChangeRequestStatus::Open],
            creator: None,
            contributor,
            reviewer,
            cluster: None,
            space: None,
            site: None,
        };
        let found = filters.apply(RequestColumn::SpaceId, space_id(1).into());
        for after in [None, Some(ChangeRequestId::from_uuid(Uuid::from_u128(7)))] {
            let list = found.first(&change_requests::newest_first(), after, 51);
            let plan = planned(&db, &list).await;
            let of_person = match contributor {
                Some(_) => "contributors_by_user_id_change_request_id",
                None => "requested_reviewers_by_user_id_change_request_id",
            };
            assert!(plan.contains(of_person), "{plan}");
            // PostgreSQL decides by the numbers of rows, and there are none.
            assert!(
                db.backend() == Backend::Postgres || plan.contains("AND id=?)"),
                "{plan}"
            );
        }
    }
}

async fn change_requests_are_found_in_the_order_of_changes(database: TestDatabase) {
    let db = filled(&database).await;
    let key = (
        Timestamp::from_millis(7),
        ChangeRequestId::from_uuid(Uuid::from_u128(7)),
    );
    for (column, value, index) in [
        (
            RequestColumn::SpaceId,
            space_id(1).into(),
            "by_space_id_status_updated_at_id",
        ),
        (
            RequestColumn::OrganizationId,
            organization_id(1).into(),
            "by_organization_id_status_updated_at_id",
        ),
    ] {
        let filters = change_requests::ChangeRequestFilters {
            statuses: vec![ChangeRequestStatus::Open],
            creator: None,
            contributor: None,
            reviewer: None,
            cluster: None,
            space: None,
            site: None,
        };
        let found = filters.apply(column, value);
        for after in [None, Some(key)] {
            let list = found.first(&change_requests::last_changed_first(), after, 51);
            // PostgreSQL decides by the numbers of rows, and there are none.
            if db.backend() == Backend::Sqlite {
                assert_uses(&db, list, &format!("change_requests_{index}")).await;
            }
        }
    }
}

async fn events_are_found_by_one_index_from_the_key_on(database: TestDatabase) {
    let db = filled(&database).await;
    let key = (Timestamp::from_millis(7), AuditEventId::from_uuid(Uuid::from_u128(7)));
    for (target, actor, action, column) in [
        (None, None, None, ""),
        (None, None, Some("a"), "action_"),
        (None, Some("b"), Some("a"), "actor_id_"),
        (Some("c"), Some("b"), Some("a"), "target_id_"),
    ] {
        let index = format!("audit_events_by_organization_id_{column}occurred_at_id");
        let filters = audit::AuditFilters {
            from: None,
            to: Some(Timestamp::from_millis(9)),
            action,
            actor,
            target,
        };
        for after in [None, Some(key)] {
            let rows = Range::from(filters.apply(organization_id(1), after).rows);
            let plan = planned(&db, &rows.after(&audit::order(), after).limit(21)).await;
            let begins_with_key = after.is_none() || plan.contains("(occurred_at,id)<(?,?)");
            let is_found = plan.contains(&index) && !plan.contains("B-TREE") && begins_with_key;
            // PostgreSQL decides by the numbers of rows, and there are none.
            assert!(db.backend() == Backend::Postgres || is_found, "{plan}");
        }
    }
}
