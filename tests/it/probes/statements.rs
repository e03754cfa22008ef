//! How many SQL statements a request takes: as many for a hundred rows as for one, and few for a single object.

use std::collections::BTreeMap;

use bindery::areas::{identity::tokens, organizations::members};
use entity::organizations::members::MemberRole;
use serde_json::json;

use crate::support::{
    contract::{self, Operation},
    database::{TestDatabase, on_each_database},
    places::make,
    world::{DOMAIN, Person, World},
};

on_each_database![
    lists_take_as_many_statements_for_forty_rows_as_for_one,
    a_single_object_takes_four_statements_at_most,
];

const ROWS: [usize; 3] = [1, 10, 40];

/// Who reads, with a role that matters: admins manage all teams, the others have to be looked up.
fn callers(world: &World) -> [(&'static str, &Person); 3] {
    [
        ("admin", &world.admin),
        ("owner", &world.team_owner),
        ("guest", &world.guest),
    ]
}

fn path_value(world: &World, caller: &Person, operation: &Operation, name: &'static str) -> String {
    match name {
        "userId" if is_list(operation) => caller.id.to_string(),
        // Otherwise somebody else, so that what the two share has to be looked up.
        other => world.own_at(operation.path, other),
    }
}

/// The status, how many items came, and how many statements it took, the caller's token not looked up yet.
async fn measure(world: &World, caller: &Person, operation: &Operation) -> (u16, usize, u64) {
    world.app().access.forget_tokens();
    let mut call = caller.client.operation(contract::operation(operation.id));
    for name in operation.path_parameters() {
        call = call.path(name, path_value(world, caller, operation, name));
    }
    if operation.is_paged() {
        call = call.query("limit", operation.limits().1);
    }
    let before = world.app().kernel.db.statements();
    let answer = call.send().await;
    let taken = world.app().kernel.db.statements() - before;
    let body: serde_json::Value = serde_json::from_str(&answer.text).unwrap();
    let members = ["items", "organizations", "structure"].into_iter();
    let items = members.filter_map(|member| body[member].as_array()).next();
    (answer.status, items.map_or(0, Vec::len), taken)
}

fn reads() -> impl Iterator<Item = Operation> {
    // Whoever asks for an address has to name one.
    let by_address = [
        "getPublishedContentByUrl",
        "getContentByUrl",
        "getEmbedByUrl",
        "getEmbedByUrlInSpace",
    ];
    contract::operations().filter(move |operation| operation.method == "get" && !by_address.contains(&operation.id))
}

/// Lists have pages, all but two that are never long.
fn is_list(operation: &Operation) -> bool {
    operation.is_paged() || ["getOrganizationsForEmailDomain", "getSiteStructure"].contains(&operation.id)
}

/// One more row in every list, for each of the callers.
async fn add_row(world: &World, number: usize) {
    let app = world.app();
    let create = world.admin.client.call("createOrganization");
    let body = json!({ "title": format!("Organization {number}"), "emailDomains": [DOMAIN, "second.example"] });
    let organization = create.json(body).expect(201).await["id"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    let member = world.member(&format!("user-{number}"), Some(MemberRole::Read)).await;
    let mut people = vec![member.id.to_string()];
    for (_, person) in callers(world) {
        tokens::create(&app.kernel, person.id, "One more", None).await.unwrap();
        members::add(&app.kernel, organization, person.id, None).await.unwrap();
        people.push(person.id.to_string());
    }
    for create in ["createSpace", "createCollection"] {
        let call = world.admin.client.call(create).here(world);
        let body = json!({ "title": format!("Number {number}"), "parent": world.collection });
        let made = call.json(body).expect(201).await;
        if create == "createSpace" {
            let mark = world.admin.client.call("markSpaceAsTemplate");
            mark.space(made["id"].as_str().unwrap()).expect(200).await;
        }
    }
    let import = json!({ "url": "https://git.example.com/a/b.git", "ref": "refs/heads/main" });
    if number == 0 {
        let call = world.admin.client.call("importGitRepository").space(world.space);
        call.json(import).expect(204).await;
    }
    make(&world.admin, world.organization, world.space).await;
    world.add_to_change_requests(number).await;
    world.add_to_content(number).await;
    world.add_to_comments(number).await;
    world.add_to_site().await;
    world.add_to_specs(number).await;
    world.add_translation().await;
    world.add_to_conversations(number).await;
    world.add_to_installations().await;
    world.add_to_deliveries().await;
    world.add_to_insights().await;
    let body = json!({ "title": format!("Team {number}"), "members": people });
    let create = world.admin.client.call("createOrganizationTeam").here(world);
    let team = create.json(body).expect(201).await["id"].clone();
    for with in [json!({ "users": people }), json!({ "teams": [team] })] {
        world.share(with.clone()).await;
        world.share_sites(with).await;
    }
    let add = world
        .admin
        .client
        .call("updateMembersInOrganizationTeam")
        .in_team(world);
    add.json(json!({ "add": people })).expect(204).await;
}

async fn lists_take_as_many_statements_for_forty_rows_as_for_one(database: TestDatabase) {
    let world = World::new(database).await;
    let open = world
        .admin
        .client
        .call("updateCollectionById")
        .collection(world.collection);
    // Guests see it too, by what its default level is.
    open.json(json!({ "defaultLevel": "read" })).expect(200).await;
    let mut taken: BTreeMap<(&str, &str), Vec<u64>> = BTreeMap::new();
    let mut added = 0;
    for rows in ROWS {
        while added < rows {
            add_row(&world, added).await;
            added += 1;
        }
        for operation in reads().filter(is_list) {
            for (name, caller) in callers(&world) {
                let (status, items, statements) = measure(&world, caller, &operation).await;
                // Others see no private integration, or nothing of its installations.
                let of_integration = operation.path.contains("{integrationName}");
                let is_refused = status == 403 || of_integration;
                if is_refused && name != "admin" {
                    continue;
                }
                assert_eq!(status, 200, "{} as {name}", operation.id);
                assert!(items >= rows, "{} as {name} has only {items} items", operation.id);
                taken.entry((operation.id, name)).or_default().push(statements);
            }
        }
    }
    println!("{:<45} {:<6} statements for {ROWS:?} rows", "operation", "caller");
    for ((operation, caller), counts) in &taken {
        println!("{operation:<45} {caller:<6} {counts:?}");
    }
    for (list, counts) in taken {
        assert_eq!(counts.len(), ROWS.len(), "{list:?}");
        // A page that holds the whole list needs no count.
        let most = counts[ROWS.len() - 1];
        let few = |count: &u64| *count == most || *count + 1 == most;
        assert!(counts.iter().all(few) && counts.is_sorted(), "{list:?}: {counts:?}");
    }
}

/// A comment is shown with what others made of it and with all people, which are a statement each.
fn most(operation: &Operation) -> u64 {
    match operation.id {
        "getCommentInSpace"
        | "getCommentInChangeRequest"
        | "getCommentReplyInSpace"
        | "getCommentReplyInChangeRequest" => 6,
        // The translation, its two spaces, and the level on them.
        "getTranslation" => 5,
        // The run, its space, and the level on it.
        "getImportRun" => 5,
        // The cluster with its weeks and sources.
        "getConversationsIssuesCluster" => 5,
        // The integration, both its installations, and the space or site.
        "getIntegrationSpaceInstallation" | "getIntegrationSiteInstallation" => 5,
        // The integrations on the space or site, with their owners.
        "listSpaceIntegrations" | "listSiteIntegrations" => 9,
        // The page, and the spaces of its translations that the caller sees.
        "listSpacePageMetaLinks" | "listRevisionPageMetaLinks" | "listChangeRequestPageMetaLinks" => 5,
        // The segments, twice, and the batches between.
        "listSiteVisitorSegments" => 6,
        // The text, and the integrations whose blocks it may have.
        "getPageById"
        | "getPageByPath"
        | "getPageInRevisionById"
        | "getPageInRevisionByPath"
        | "getPageInChangeRequestById"
        | "getPageInChangeRequestByPath"
        | "getPageDocumentInRevisionById"
        | "getReusableContentDocumentInRevisionById"
        | "getDocumentById" => 5,
        // With the number of sites.
        "getMemberInOrganizationById" => 5,
        // The review, and its comment.
        "getChangeRequestReviewById" => 7,
        // The site with its structure, all its spaces, its settings, and the scripts of its integrations.
        "getPublishedContentSite" => 11,
        // The structure of the site, to which the redirect leads, is three.
        "getSiteRedirectBySource" => 6,
        // The revision, the change request that was merged, and the commit.
        "getRevisionOfChangeRequestById" => 5,
        // The synchronization, and its latest operation.
        "getSpaceGitInfo" => 5,
        // The export is found, or written with its job, and looked at until there is a PDF.
        "getSpacePDF" | "getChangeRequestPDF" => 12,
        _ => 4,
    }
}

async fn a_single_object_takes_four_statements_at_most(database: TestDatabase) {
    let world = World::new(database).await;
    add_row(&world, 0).await;
    let mut too_many = Vec::new();
    println!("{:<45} {:<6} statements", "operation", "caller");
    // A script says what it renders, and asks for it.
    let is_measured = |operation: &Operation| !is_list(operation) && operation.id != "renderIntegrationUIWithGet";
    for operation in reads().filter(is_measured) {
        let mut seen = false;
        for (name, caller) in callers(&world) {
            let (status, _, statements) = measure(&world, caller, &operation).await;
            println!("{:<45} {name:<6} {statements} (status {status})", operation.id);
            seen |= status == 200;
            if statements > most(&operation) {
                too_many.push(format!("{} as {name} takes {statements}", operation.id));
            }
        }
        assert!(seen, "{}", operation.id);
    }
    assert!(too_many.is_empty(), "{too_many:#?}");
}
