//! The effective level, from each source of it and from several at once: what a space or a collection says of it, what the
//! operations do with it, and what the lists tell of it.

use std::collections::{BTreeMap, HashMap, HashSet};

use bindery::areas::organizations::members;
use entity::ids::NodeId;
use rand::{RngExt, SeedableRng, rngs::StdRng, seq::IndexedRandom};
use serde_json::{Value, json};

use crate::support::{
    client::Call,
    contract::{self, Operation},
    database::{TestDatabase, on_each_database},
    paths::{node_id, texts},
    world::{Person, World},
};

on_each_database![
    a_level_opens_the_operations_up_to_it,
    the_highest_level_counts,
    everything_that_tells_levels_agrees,
];

/// Lowest first.
const LEVELS: [&str; 6] = ["read", "comment", "edit", "review", "create", "admin"];

/// Where a level comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Source {
    Direct,
    Team,
    Collection,
    TeamOnCollection,
    Default,
    InheritedDefault,
    InheritedRole,
}

impl Source {
    const ALL: [Self; 7] = [
        Self::Direct,
        Self::Team,
        Self::Collection,
        Self::TeamOnCollection,
        Self::Default,
        Self::InheritedDefault,
        Self::InheritedRole,
    ];

    /// Whether the level also holds on the collection above the space.
    fn reaches_collection(self) -> bool {
        !matches!(self, Self::Direct | Self::Team | Self::Default)
    }
}

async fn send(call: Call<'_>, body: Value) {
    let answer = call.json(body).send().await;
    assert!(answer.status < 300, "{}", answer.text);
}

async fn default_of_space(world: &World, level: Value) {
    let call = world.admin.client.call("updateSpaceById").space(world.space);
    send(call, json!({ "defaultLevel": level })).await;
}

async fn default_of_collection(world: &World, level: Value) {
    let call = world.admin.client.call("updateCollectionById");
    send(call.collection(world.collection), json!({ "defaultLevel": level })).await;
}

async fn on_space(world: &World, person: &Person, level: Value) {
    let call = world.admin.client.call("updateUserPermissionInSpace");
    let call = call.space(world.space).path("userId", person.id);
    send(call, json!({ "role": level })).await;
}

async fn on_collection(world: &World, person: &Person, level: Value) {
    let call = world.admin.client.call("updateUserPermissionInCollection");
    let call = call.collection(world.collection).path("userId", person.id);
    send(call, json!({ "role": level })).await;
}

async fn team_on_space(world: &World, level: Value) {
    let call = world.admin.client.call("updateTeamPermissionInSpace");
    let call = call.space(world.space).path("teamId", world.team);
    send(call, json!({ "role": level })).await;
}

async fn team_on_collection(world: &World, level: Value) {
    let call = world.admin.client.call("updateTeamPermissionInCollection");
    let call = call.collection(world.collection).path("teamId", world.team);
    send(call, json!({ "role": level })).await;
}

/// Somebody who has the level from this source and nothing from elsewhere.
async fn arrange<'a>(world: &'a World, source: Source, level: Option<&str>) -> &'a Person {
    let level_or_null = json!(level);
    default_of_space(world, Value::Null).await;
    default_of_collection(world, Value::Null).await;
    match source {
        Source::Direct => on_space(world, &world.guest, level_or_null).await,
        Source::Team => team_on_space(world, level_or_null).await,
        Source::Collection => on_collection(world, &world.guest, level_or_null).await,
        Source::TeamOnCollection => team_on_collection(world, level_or_null).await,
        Source::Default => default_of_space(world, level_or_null).await,
        Source::InheritedDefault => {
            default_of_space(world, json!("inherit")).await;
            default_of_collection(world, level_or_null).await;
        }
        Source::InheritedRole => {
            default_of_space(world, json!("inherit")).await;
            default_of_collection(world, json!("inherit")).await;
        }
    }
    match source {
        Source::Team | Source::TeamOnCollection => &world.team_member,
        Source::InheritedRole => world.person(level.unwrap_or("guest")),
        _ => &world.guest,
    }
}

async fn clear(world: &World) {
    for person in [&world.guest, &world.read] {
        on_space(world, person, Value::Null).await;
        on_collection(world, person, Value::Null).await;
    }
    team_on_space(world, Value::Null).await;
    team_on_collection(world, Value::Null).await;
}

fn at_least(level: Option<&str>, wanted: &str) -> bool {
    let place = |level: &str| LEVELS.iter().position(|known| *known == level).unwrap();
    level.is_some_and(|level| place(level) >= place(wanted))
}

/// What somebody reads of their level on a space.
async fn assert_shown_on_space(world: &World, person: &Person, level: Option<&str>, when: &str) {
    let get = person.client.call("getSpaceById").space(world.space).send().await;
    if level.is_none() {
        get.expect(404);
        return;
    }
    let may = |wanted: &str| at_least(level, wanted);
    let expected = json!({
        "view": true, "access": true, "comment": may("comment"), "edit": may("edit"), "merge": may("review"),
        "triggerGitSync": may("edit"), "review": may("review"), "admin": may("admin"),
        "viewInviteLinks": may("admin"), "installIntegration": may("admin"),
    });
    assert_eq!(get.expect(200)["permissions"], expected, "{when}");
}

async fn assert_shown_on_collection(world: &World, person: &Person, level: Option<&str>, when: &str) {
    let get = person.client.call("getCollectionById").collection(world.collection);
    let get = get.send().await;
    if level.is_none() {
        get.expect(404);
        return;
    }
    let may = |wanted: &str| at_least(level, wanted);
    let expected = json!({
        "view": true, "create": may("create"), "admin": may("admin"), "viewInviteLinks": may("admin"),
    });
    assert_eq!(get.expect(200)["permissions"], expected, "{when}");
}

/// Calls every operation on the resource, in a way that changes nothing.
async fn assert_opens(world: &World, person: &Person, resource: &str, level: Option<&str>, when: &str) {
    let guarded = contract::operations().filter(|operation| operation.access().resource == resource);
    let mut called = 0;
    // Copying also asks for the place of the copy, and a space without a repository has no state of it.
    let others = ["duplicateSpace", "getSpaceGitInfo", "retryGitSync"];
    for operation in guarded.filter(|operation| !others.contains(&operation.id)) {
        let (id, needed) = (operation.id, operation.access().level);
        let status = harmless(world, person, operation).await;
        let expected: &[u16] = match level {
            None => &[404],
            Some(_) if !at_least(level, needed) => &[403],
            // 409 once it is merged: that it may not be merged again is decided after access.
            Some(_) => &[200, 204, 400, 409],
        };
        assert!(expected.contains(&status), "{id}: {status} {when}");
        called += 1;
    }
    assert!(called > 8, "{resource}");
}

async fn harmless(world: &World, person: &Person, operation: Operation) -> u16 {
    let (parameters, has_body) = (operation.path_parameters(), operation.body_schema().is_some());
    let (path, deletes) = (operation.path, operation.method == "delete");
    let mut call = person.client.operation(operation);
    for name in parameters {
        call = match name {
            // Nobody who could lose something.
            "userId" | "teamId" => call.path(name, world.foreign(name)),
            "commentId" | "commentReplyId" if deletes => call.path(name, world.foreign_at(path, name)),
            other => call.path(other, world.own_at(path, other)),
        };
    }
    if has_body {
        call = call.json(json!([]));
    }
    call.send().await.status
}

/// What the list of everybody with access says of somebody.
async fn listed(world: &World, person: &Person, space: NodeId) -> Option<String> {
    let call = world.admin.client.call("listPermissionsAggregateInSpace").space(space);
    let list = call.query("limit", 1000).expect(200).await;
    let id = person.id.to_string();
    let people = texts(&list, "/user/id").into_iter().zip(texts(&list, "/permission"));
    let mut found = people.filter(|(user, _)| *user == id).map(|(_, level)| level);
    let level = found.next();
    assert!(found.next().is_none(), "{id} is listed twice");
    level
}

async fn a_level_opens_the_operations_up_to_it(database: TestDatabase) {
    let world = World::new(database).await;
    for source in Source::ALL {
        for level in LEVELS.map(Some).into_iter().chain([None]) {
            let when = format!("with {level:?} by {source:?}");
            let person = arrange(&world, source, level).await;
            assert_shown_on_space(&world, person, level, &when).await;
            assert_opens(&world, person, "space", level, &when).await;
            assert_opens(&world, person, "changeRequest", level, &when).await;
            assert_eq!(listed(&world, person, world.space).await.as_deref(), level, "{when}");
            // Admins of the organization have the level on everything.
            let everywhere = source.reaches_collection() || (source, level) == (Source::InheritedRole, Some("admin"));
            let above = if everywhere { level } else { None };
            assert_shown_on_collection(&world, person, above, &when).await;
            assert_opens(&world, person, "collection", above, &when).await;
            if everywhere {
                let expected = match level {
                    None => 404,
                    Some(_) if at_least(level, "create") => 201,
                    Some(_) => 403,
                };
                let copy = person.client.call("duplicateSpace").space(world.space);
                assert_eq!(copy.send().await.status, expected, "{when}");
            }
        }
        clear(&world).await;
    }
}

/// By default, given to the person, to the team, on the collection: what counts on the space for a guest, and for somebody
/// with the role `read`.
type Row = (
    Option<&'static str>,
    Option<&'static str>,
    Option<&'static str>,
    Option<&'static str>,
    Option<&'static str>,
    Option<&'static str>,
);

const TOGETHER: [Row; 9] = [
    (None, None, None, None, None, None),
    (Some("inherit"), None, None, None, None, Some("read")),
    (Some("inherit"), Some("edit"), None, None, Some("edit"), Some("edit")),
    (
        Some("comment"),
        Some("read"),
        None,
        None,
        Some("comment"),
        Some("comment"),
    ),
    (
        None,
        Some("read"),
        Some("review"),
        Some("edit"),
        Some("review"),
        Some("review"),
    ),
    (
        None,
        Some("create"),
        Some("review"),
        Some("edit"),
        Some("create"),
        Some("create"),
    ),
    (
        None,
        Some("read"),
        Some("review"),
        Some("admin"),
        Some("admin"),
        Some("admin"),
    ),
    (
        Some("admin"),
        Some("read"),
        Some("read"),
        Some("read"),
        Some("admin"),
        Some("admin"),
    ),
    (Some("inherit"), None, Some("read"), None, Some("read"), Some("read")),
];

async fn the_highest_level_counts(database: TestDatabase) {
    let world = World::new(database).await;
    let join = world
        .admin
        .client
        .call("updateMembersInOrganizationTeam")
        .in_team(&world);
    send(join, json!({ "add": [world.guest.id, world.read.id] })).await;
    for row in TOGETHER {
        let (default, direct, team, collection, guest, read) = row;
        default_of_space(&world, json!(default)).await;
        team_on_space(&world, json!(team)).await;
        for (person, expected) in [(&world.guest, guest), (&world.read, read)] {
            on_space(&world, person, json!(direct)).await;
            on_collection(&world, person, json!(collection)).await;
            assert_shown_on_space(&world, person, expected, &format!("{row:?}")).await;
            assert_eq!(
                listed(&world, person, world.space).await.as_deref(),
                expected,
                "{row:?}"
            );
        }
        assert_shown_on_space(&world, &world.admin, Some("admin"), &format!("{row:?}")).await;
    }
}

/// A tree with levels here and there, by chance.
async fn grown(world: &World, chance: &mut StdRng) -> Vec<NodeId> {
    let admin = &world.admin.client;
    let mut collections = vec![world.collection];
    let mut spaces = vec![world.space];
    for i in 0..12 {
        let parent = [None, collections.choose(chance).copied()][chance.random_range(0..2)];
        let mut body = json!({ "title": format!("Number {i}") });
        if let Some(parent) = parent {
            body["parent"] = json!(parent);
        }
        if i % 3 == 0 {
            let create = admin.call("createCollection").here(world).json(body);
            collections.push(node_id(&create.expect(201).await));
        } else {
            let create = admin.call("createSpace").here(world).json(body);
            spaces.push(node_id(&create.expect(201).await));
        }
    }
    let people = people(world).map(|person| person.id);
    for (nodes, update, invite, parameter) in [
        (&spaces, "updateSpaceById", "inviteToSpace", "spaceId"),
        (
            &collections,
            "updateCollectionById",
            "inviteToCollection",
            "collectionId",
        ),
    ] {
        for node in nodes {
            let defaults = [
                json!(null),
                json!("inherit"),
                json!("inherit"),
                json!(LEVELS.choose(chance)),
            ];
            let default = json!({ "defaultLevel": defaults.choose(chance) });
            send(admin.call(update).path(parameter, node), default).await;
            let users: HashSet<_> = (0..2).filter_map(|_| people.choose(chance)).collect();
            let users = json!({ "users": users, "role": LEVELS.choose(chance) });
            send(admin.call(invite).path(parameter, node), users).await;
            if chance.random_bool(0.4) {
                let teams = json!({ "teams": [world.team], "role": LEVELS.choose(chance) });
                send(admin.call(invite).path(parameter, node), teams).await;
            }
        }
    }
    let gone = spaces.swap_remove(1);
    admin.call("deleteSpaceById").space(gone).expect(204).await;
    spaces
}

fn people(world: &World) -> [&Person; 5] {
    [
        &world.admin,
        &world.comment,
        &world.guest,
        &world.team_owner,
        &world.team_member,
    ]
}

async fn everything_that_tells_levels_agrees(database: TestDatabase) {
    let world = World::new(database).await;
    let mut chance = StdRng::seed_from_u64(4);
    let spaces = grown(&world, &mut chance).await;
    let (mut told, mut counted) = (0, HashMap::new());
    for person in people(&world) {
        let theirs = world.admin.client.call("listSpacesForOrganizationMember").here(&world);
        let theirs = theirs.path("userId", person.id).expect(200).await;
        let levels: BTreeMap<String, String> = texts(&theirs, "/space/id")
            .into_iter()
            .zip(texts(&theirs, "/permission"))
            .collect();
        for space in &spaces {
            let level = levels.get(&space.to_string()).cloned();
            assert_eq!(
                listed(&world, person, *space).await,
                level,
                "{} on {space}",
                person.email
            );
            let status = person.client.call("getSpaceById").space(space).send().await.status;
            assert_eq!(status, if level.is_some() { 200 } else { 404 });
            told += usize::from(level.is_some());
        }
        let own = person.client.call("listSpacesInOrganizationById").here(&world);
        let own = own.expect(200).await;
        assert_eq!(own["count"], levels.len());
        assert_eq!(
            texts(&own, "/id").into_iter().collect::<HashSet<_>>(),
            levels.keys().cloned().collect()
        );
        let member = world.admin.client.call("getMemberInOrganizationById").here(&world);
        let member = member.path("userId", person.id).expect(200).await;
        assert_eq!(member["spaces"], levels.len(), "{}", person.email);
        counted.insert(person.id.to_string(), levels.len());
    }
    assert!((20..spaces.len() * 5).contains(&told), "{told}");
    assert_numbers_listed(&world, &counted).await;
    // Who is shut out keeps what they were given, and the number tells so.
    let shut_out = world.team_member.id;
    let disabled = members::set_disabled(&world.app().kernel, world.organization, shut_out, true).await;
    disabled.unwrap();
    assert_numbers_listed(&world, &counted).await;
}

/// Lists that show many members at once tell the numbers of spaces that were counted one by one.
async fn assert_numbers_listed(world: &World, counted: &HashMap<String, usize>) {
    let admin = &world.admin.client;
    for (list, members) in [
        (admin.call("listMembersInOrganizationById").here(world), 5),
        (admin.call("listTeamMembersInOrganizationById").in_team(world), 2),
    ] {
        let list = list.expect(200).await;
        let mut compared = 0;
        for item in list["items"].as_array().unwrap() {
            let member = item.get("organization").unwrap_or(item);
            let Some(expected) = counted.get(member["id"].as_str().unwrap()) else {
                continue;
            };
            assert_eq!(member["spaces"], *expected, "{member}");
            compared += 1;
        }
        assert_eq!(compared, members);
    }
}
