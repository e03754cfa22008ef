//! Long lists of which a caller gets few rows: a page looks at a bounded number of rows, and the next ones go on.

use chrono::TimeDelta;
use entity::{
    authoring::{change_requests, comments},
    identity::users,
    ids::{CommentId, NodeId, TranslationId, UserId},
    languages::translations,
    library::{nodes, spaces, templates},
    organizations::{audit_events, members, teams},
};
use openapi::models::SCANNED_TO;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use serde_json::json;

use crate::support::{
    comments::Place,
    database::{TestDatabase, on_each_database},
    long_lists::{insert, pages},
    paths::node_id,
    requests::request_id,
    rows::user_id,
    world::World,
};

on_each_database![
    a_team_is_found_behind_many_others,
    a_member_is_found_behind_many_others,
    an_admin_of_a_space_is_found_behind_many_others,
    spaces_and_change_requests_are_found_behind_hidden_ones,
    a_template_is_found_behind_hidden_ones,
    a_translation_is_found_behind_hidden_ones,
    an_event_that_two_filters_select_is_found_behind_many_others,
    a_comment_that_two_filters_select_is_found_behind_many_others,
];

/// More rows than a page looks at.
const MANY: u64 = SCANNED_TO + 20;

async fn a_team_is_found_behind_many_others(database: TestDatabase) {
    let world = World::new(database).await;
    let ids = &world.app().kernel.ids;
    let team = teams::Entity::find_by_id(world.team)
        .one(world.app().kernel.db.read())
        .await;
    let team = team.unwrap().unwrap();
    let filler = |_| teams::Model {
        id: ids.next(),
        title: "Filler".to_owned(),
        title_folded: "filler".to_owned(),
        members_count: 0,
        ..team.clone()
    };
    insert(&world, (0..MANY).map(filler).collect()).await;
    let search = |title: &'static str| {
        let world = &world;
        move || {
            world
                .read
                .client
                .call("listTeamsInOrganizationById")
                .here(world)
                .query("title", title)
        }
    };
    let none: [&str; 0] = [];
    assert_eq!(pages("/title", search("docs")).await, [none.to_vec(), vec!["Docs"]]);
    assert_eq!(pages("/title", search("nobody")).await, [none; 2]);
    // As many as there are: full pages.
    let all = pages("/title", || search("filler")().query("limit", 1000)).await;
    let sizes: Vec<usize> = all.iter().map(Vec::len).collect();
    assert_eq!(sizes, [1000, 1000, 1000, 1000, 1000, 20]);
}

/// Adds many members with these ids, who have the role of the world's reader.
async fn add_members(world: &World, id: impl Fn(u128) -> UserId) {
    let db = world.app().kernel.db.read();
    let key = (world.organization, world.read.id);
    let member = members::Entity::find_by_id(key).one(db).await.unwrap().unwrap();
    let user = users::Entity::find_by_id(world.read.id).one(db).await.unwrap().unwrap();
    let people: Vec<users::Model> = (1..=u128::from(MANY))
        .map(|number| users::Model {
            id: id(number),
            email: format!("filler.{number}@tidewater.example"),
            display_name: "Filler".to_owned(),
            search_text: format!("filler\nfiller.{number}@tidewater.example"),
            ..user.clone()
        })
        .collect();
    let joined = |person: &users::Model| members::Model {
        user_id: person.id,
        joined_at: world.app().kernel.clock.now(),
        teams_count: 0,
        ..member.clone()
    };
    let rows = people.iter().map(joined).collect();
    insert(world, people).await;
    insert(world, rows).await;
}

async fn a_member_is_found_behind_many_others(database: TestDatabase) {
    let world = World::new(database).await;
    add_members(&world, |_| world.app().kernel.ids.next()).await;
    let search = || {
        let call = world.read.client.call("listMembersInOrganizationById").here(&world);
        call.query("search", &world.read.email)
    };
    let found = pages("/user/email", search).await;
    assert_eq!(found, [vec![], vec![world.read.email.clone()]]);
}

async fn an_admin_of_a_space_is_found_behind_many_others(database: TestDatabase) {
    let world = World::new(database).await;
    // Before those of the world in the order of the ids.
    add_members(&world, user_id).await;
    for (list, parameter, node) in [
        ("listPermissionsAggregateInSpace", "spaceId", world.space),
        ("listPermissionsAggregateInCollection", "collectionId", world.collection),
    ] {
        let with_role = || {
            let call = world.admin.client.call(list).path(parameter, node);
            call.query("role", "admin")
        };
        let found = pages("/user/email", with_role).await;
        assert_eq!(found, [vec![], vec![world.admin.email.clone()]], "{list}");
    }
}

/// Adds many spaces that only admins see, newer than all others.
async fn add_hidden_spaces(world: &World) -> Vec<NodeId> {
    let (db, ids) = (world.app().kernel.db.read(), &world.app().kernel.ids);
    let node = nodes::Entity::find_by_id(world.space).one(db).await.unwrap().unwrap();
    let space = spaces::Entity::find_by_id(world.space).one(db).await.unwrap().unwrap();
    let hidden: Vec<NodeId> = (0..MANY).map(|_| ids.next()).collect();
    let node = |id: &NodeId| nodes::Model {
        id: *id,
        title: "Hidden".to_owned(),
        parent_id: None,
        default_level: None,
        effective_default: None,
        ..node.clone()
    };
    insert(world, hidden.iter().map(node).collect()).await;
    let space = |id: &NodeId| spaces::Model {
        id: *id,
        ..space.clone()
    };
    insert(world, hidden.iter().map(space).collect()).await;
    hidden
}

async fn spaces_and_change_requests_are_found_behind_hidden_ones(database: TestDatabase) {
    let world = World::new(database).await;
    let (app, ids) = (world.app(), &world.app().kernel.ids);
    let request = world
        .edit
        .client
        .call("createChangeRequest")
        .path("spaceId", world.space);
    let request = request.json(json!({ "subject": "Seen" })).expect(201).await;
    world
        .edit
        .client
        .call("updateChangeRequestById")
        .path("spaceId", world.space)
        .path("changeRequestId", request_id(&request))
        .json(json!({ "status": "open" }))
        .expect(200)
        .await;
    let node = nodes::Entity::find_by_id(world.space)
        .one(app.kernel.db.read())
        .await
        .unwrap()
        .unwrap();
    let id = request_id(&request);
    let found = change_requests::Entity::find_by_id(id).one(app.kernel.db.read()).await;
    let request = change_requests::Model {
        subject: "Hidden".to_owned(),
        ..found.unwrap().unwrap()
    };
    let hidden = add_hidden_spaces(&world).await;
    let copies = hidden.iter().map(|id| change_requests::Model {
        id: ids.next(),
        space_id: *id,
        number: 1,
        ..request.clone()
    });
    insert(&world, copies.collect()).await;
    let spaces = || world.read.client.call("listSpacesInOrganizationById").here(&world);
    let of_spaces = pages("/title", spaces).await;
    assert_eq!((of_spaces[0].len(), of_spaces.len()), (0, 2));
    assert!(of_spaces[1].contains(&node.title), "{of_spaces:?}");
    let requests = || world.read.client.call("listChangeRequestsForOrganization").here(&world);
    assert_eq!(pages("/subject", requests).await, [vec![], vec!["Seen".to_owned()]]);
}

async fn a_template_is_found_behind_hidden_ones(database: TestDatabase) {
    let world = World::new(database).await;
    let seen = node_id(&world.new_space("Seen").await);
    let mark = world.admin.client.call("markSpaceAsTemplate").space(seen);
    mark.expect(200).await;
    let db = world.app().kernel.db.read();
    let template = templates::Entity::find_by_id(seen).one(db).await;
    let template = template.unwrap().unwrap();
    let hidden = add_hidden_spaces(&world).await;
    let copy = |id: &NodeId| templates::Model {
        space_id: *id,
        ..template.clone()
    };
    insert(&world, hidden.iter().map(copy).collect()).await;
    let found = pages("/id", || world.read.client.call("listTemplates").here(&world)).await;
    assert_eq!((found.len(), found[0].len()), (2, 0));
    let (first, others) = found[1].split_first().unwrap();
    assert_eq!(*first, seen.to_string());
    // The templates of the server come after all spaces.
    assert!(!others.is_empty() && others.iter().all(|id| id.starts_with("builtin:")));
}

async fn a_translation_is_found_behind_hidden_ones(database: TestDatabase) {
    let world = World::new(database).await;
    let hidden = node_id(&world.new_space("Hidden").await);
    let hide = world.admin.client.call("updateSpaceById").space(hidden);
    hide.json(json!({ "defaultLevel": null })).expect(200).await;
    let seen = world.own("translationId");
    let (db, ids) = (world.app().kernel.db.read(), &world.app().kernel.ids);
    let id = seen.parse::<TranslationId>().unwrap();
    let found = translations::Entity::find_by_id(id).one(db).await.unwrap().unwrap();
    // Their sources are gone.
    let copy = |_| translations::Model {
        id: ids.next(),
        source_space_id: ids.next(),
        result_space_id: hidden,
        ..found.clone()
    };
    insert(&world, (0..MANY).map(copy).collect()).await;
    let list = || world.read.client.call("listTranslations").here(&world);
    assert_eq!(pages("/id", list).await, [vec![], vec![seen.clone()]]);
}

async fn an_event_that_two_filters_select_is_found_behind_many_others(database: TestDatabase) {
    let world = World::new(database).await;
    let create = world.create.client.call("createSpace").here(&world);
    let space = create.json(json!({ "title": "Rare" })).expect(201).await;
    let (space, actor) = (space["id"].as_str().unwrap(), world.create.id.to_string());
    let db = world.app().kernel.db.read();
    let rare = audit_events::Entity::find().filter(audit_events::Column::TargetId.eq(space));
    let rare = rare.one(db).await.unwrap().unwrap();
    let newer = || audit_events::Model {
        id: world.app().kernel.ids.next(),
        occurred_at: rare.occurred_at.plus(TimeDelta::seconds(1)),
        action: "filler".to_owned(),
        ..rare.clone()
    };
    let of_others = |_| audit_events::Model {
        actor_id: "filler".to_owned(),
        ..newer()
    };
    insert(&world, (0..MANY).map(of_others).collect()).await;
    let elsewhere = |_| audit_events::Model {
        target_id: "filler".to_owned(),
        ..newer()
    };
    insert(&world, (0..MANY).map(elsewhere).collect()).await;
    let (target, actor) = (("target", space), ("actor", actor.as_str()));
    let action = ("action", "spaces.createSpace");
    for [one, other] in [[target, actor], [target, action], [actor, action]] {
        let list = || {
            let call = world.admin.client.call("listOrganizationAuditEvents").here(&world);
            call.query(one.0, one.1).query(other.0, other.1)
        };
        let (found, rare) = (pages("/id", list).await, rare.id.as_uuid().to_string());
        assert_eq!(found, [vec![], vec![rare]], "{one:?} {other:?}");
    }
}

async fn a_comment_that_two_filters_select_is_found_behind_many_others(database: TestDatabase) {
    let world = World::new(database).await;
    let place = Place::space(&world);
    let page = world.own("pageId");
    let [rare, filler] = ["Rare", "Filler"].map(|text| json!({ "page": page, "body": { "markdown": text } }));
    let rare = place.post_body(&world.comment, rare).await;
    place.update(&world.comment, &rare, json!({ "resolved": true })).await;
    let filler = place.post_body(&world.comment, filler).await;
    let id = filler["id"].as_str().unwrap().parse::<CommentId>().unwrap();
    let db = world.app().kernel.db.read();
    let filler = comments::Entity::find_by_id(id).one(db).await.unwrap().unwrap();
    let copy = |_| comments::Model {
        id: world.app().kernel.ids.next(),
        ..filler.clone()
    };
    insert(&world, (1..MANY).map(copy).collect()).await;
    let list = || {
        let call = place.call(&world.read, "listComments");
        call.query("status", "resolved")
    };
    let author = world.comment.id.to_string();
    let none: Vec<String> = Vec::new();
    let found = vec![rare["id"].as_str().unwrap().to_owned()];
    let on_page = pages("/id", || list().query("targetPage", &page)).await;
    assert_eq!(on_page, [none.clone(), found.clone()]);
    let by_author = pages("/id", || list().query("authors", &author)).await;
    assert_eq!(by_author, [none, found]);
}
