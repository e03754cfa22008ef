//! Long lists of which a caller gets few rows: a page looks at a bounded number of rows, and the next ones go on.

use entity::{
    change_requests, comments,
    ids::{CommentId, NodeId, UserId},
    members, nodes, spaces, teams, users,
};
use openapi::models::SCANNED_TO;
use sea_orm::{ActiveModelBehavior, ActiveModelTrait, DbErr, EntityTrait, IntoActiveModel, ModelTrait};
use serde_json::{Value, json};

use crate::support::{
    client::Call,
    comments::Place,
    database::{TestDatabase, on_each_database},
    paths::texts,
    requests::request_id,
    rows::user_id,
    world::World,
};

on_each_database![
    a_team_is_found_behind_many_others,
    a_member_is_found_behind_many_others,
    an_admin_of_a_space_is_found_behind_many_others,
    spaces_and_change_requests_are_found_behind_hidden_ones,
    a_comment_that_two_filters_select_is_found_behind_many_others,
];

/// More rows than a page looks at.
const MANY: u64 = SCANNED_TO + 20;

/// Rows in one statement: SQLite binds 32,766 values at most.
const AT_ONCE: usize = 500;

async fn insert<M, A>(world: &World, rows: Vec<M>)
where
    M: ModelTrait + IntoActiveModel<A> + Send + 'static,
    M::Entity: EntityTrait<Model = M>,
    A: ActiveModelTrait<Entity = M::Entity> + ActiveModelBehavior + Send + 'static,
{
    let mut rows = rows
        .into_iter()
        .map(|row| row.into_active_model().reset_all())
        .peekable();
    while rows.peek().is_some() {
        let some: Vec<A> = rows.by_ref().take(AT_ONCE).collect();
        let work = move |tx| {
            let some = some.clone();
            async move {
                M::Entity::insert_many(some).exec_without_returning(&tx).await?;
                Ok::<_, DbErr>(())
            }
        };
        world.app().db.write(work).await.unwrap();
    }
}

/// The texts at `pointer` of the items of each page, from the first page to the last.
async fn pages<'w>(pointer: &str, call: impl Fn() -> Call<'w>) -> Vec<Vec<String>> {
    let mut next = None;
    let mut pages = Vec::new();
    loop {
        let call = match &next {
            None => call(),
            Some(page) => call().query("page", page),
        };
        let list = call.expect(200).await;
        if pages.is_empty() {
            assert_eq!(
                list["count"],
                Value::Null,
                "rows that no page looks at cannot be counted"
            );
        }
        pages.push(texts(&list, pointer));
        match list.pointer("/next/page") {
            Some(page) => next = Some(page.as_str().unwrap().to_owned()),
            None => return pages,
        }
    }
}

async fn a_team_is_found_behind_many_others(database: TestDatabase) {
    let world = World::new(database).await;
    let ids = &world.app().ids;
    let team = teams::Entity::find_by_id(world.team).one(world.app().db.read()).await;
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
    let db = world.app().db.read();
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
        joined_at: world.app().clock.now(),
        teams_count: 0,
        ..member.clone()
    };
    let rows = people.iter().map(joined).collect();
    insert(world, people).await;
    insert(world, rows).await;
}

async fn a_member_is_found_behind_many_others(database: TestDatabase) {
    let world = World::new(database).await;
    add_members(&world, |_| world.app().ids.next()).await;
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

async fn spaces_and_change_requests_are_found_behind_hidden_ones(database: TestDatabase) {
    let world = World::new(database).await;
    let (app, ids) = (world.app(), &world.app().ids);
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
        .one(app.db.read())
        .await
        .unwrap()
        .unwrap();
    let space = spaces::Entity::find_by_id(world.space)
        .one(app.db.read())
        .await
        .unwrap()
        .unwrap();
    let id = request_id(&request);
    let found = change_requests::Entity::find_by_id(id).one(app.db.read()).await;
    let request = change_requests::Model {
        subject: "Hidden".to_owned(),
        ..found.unwrap().unwrap()
    };
    let hidden: Vec<NodeId> = (0..MANY).map(|_| ids.next()).collect();
    let copies = hidden.iter().map(|id| nodes::Model {
        id: *id,
        title: "Hidden".to_owned(),
        parent_id: None,
        default_level: None,
        effective_default: None,
        ..node.clone()
    });
    insert(&world, copies.collect()).await;
    insert(
        &world,
        hidden
            .iter()
            .map(|id| spaces::Model {
                id: *id,
                ..space.clone()
            })
            .collect(),
    )
    .await;
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

async fn a_comment_that_two_filters_select_is_found_behind_many_others(database: TestDatabase) {
    let world = World::new(database).await;
    let place = Place::space(&world);
    let page = world.own("pageId");
    let [rare, filler] = ["Rare", "Filler"].map(|text| json!({ "page": page, "body": { "markdown": text } }));
    let rare = place.post_body(&world.comment, rare).await;
    place.update(&world.comment, &rare, json!({ "resolved": true })).await;
    let filler = place.post_body(&world.comment, filler).await;
    let id = filler["id"].as_str().unwrap().parse::<CommentId>().unwrap();
    let db = world.app().db.read();
    let filler = comments::Entity::find_by_id(id).one(db).await.unwrap().unwrap();
    let copy = |_| comments::Model {
        id: world.app().ids.next(),
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
