//! Conversations: added once, replaced by longer versions, listed and deleted.

use entity::{
    conversations::{conversations::texts, issues, terms},
    ids::OrganizationId,
    organizations,
};
use platform::db::Tx;
use sea_orm::{EntityTrait, PaginatorTrait};
use serde_json::{Value, json};

use crate::support::{
    client::Client,
    conversations::{FINGERS, INVOICE, asking, process, processing},
    database::{TestDatabase, on_each_database},
    installed::Installed,
    jobs::PATIENCE,
    paths::texts as texts_of,
    world::World,
};

on_each_database![
    a_conversation_is_stored_once,
    a_longer_version_replaces_the_former_one,
    installations_add_conversations_of_their_source,
    only_admins_add_and_only_editors_read,
    lists_have_filters_and_pages,
    deletion_removes_all_that_came_of_a_conversation,
    deletion_of_the_organization_removes_all,
];

async fn listed(world: &World) -> Vec<Value> {
    let list = world.conversations_call("listConversations").expect(200).await;
    list["items"].as_array().unwrap().clone()
}

async fn a_conversation_is_stored_once(database: TestDatabase) {
    let world = World::new(database).await;
    let before = listed(&world).await.len();
    let mut input = asking("ticket-1", FINGERS[0]);
    input["subject"] = json!("Fingers");
    input["metadata"] = json!({
        "url": "https://support.tidewater.example/1",
        "attributes": { "plan": "pro" },
        "createdAt": "2026-11-16T10:00:00Z",
    });
    world.ingest(input.clone()).await;
    let waiting = listed(&world).await;
    assert_eq!(waiting.len(), before + 1);
    let conversation = &waiting[0];
    assert_eq!(
        (
            &conversation["subject"],
            &conversation["source"],
            &conversation["createdAt"]
        ),
        (&json!("Fingers"), &json!("email"), &json!("2026-11-16T10:00:00.000Z"))
    );
    assert_eq!(conversation["urls"]["source"], "https://support.tidewater.example/1");
    assert_eq!(conversation.get("processedAt"), None);
    let id = conversation["id"].as_str().unwrap();
    let waiting = world.conversation(id).await;
    assert_eq!(waiting["metadata"].get("method"), None);

    assert_eq!(process(world.app()).await, 1);
    let read = world.conversation(id).await;
    assert_eq!(read["parts"], input["parts"]);
    assert_eq!(
        read["metadata"],
        json!({
            "sourceId": "ticket-1",
            "url": "https://support.tidewater.example/1",
            "attributes": { "plan": "pro" },
            "createdAt": "2026-11-16T10:00:00.000Z",
            "method": "extractive",
        })
    );
    assert!(read["conversation"]["processedAt"].is_string(), "{read}");
    let [issue] = world.issues_of(id).await.try_into().unwrap();
    assert_eq!(
        (&issue["conversation"], &issue["createdAt"]),
        (&json!(id), &json!("2026-11-16T10:00:00.000Z"))
    );
    let call = world.conversations_call("getConversationIssueById");
    let one = call.path("issueId", issue["id"].as_str().unwrap()).expect(200).await;
    assert_eq!((&one["issue"], &one["conversation"]), (&issue, &read["conversation"]));

    // The same and a shorter version, alone and beside each other.
    let mut shorter = input.clone();
    shorter["parts"] = json!([]);
    world.ingest(input.clone()).await;
    world.ingest(json!([input, shorter])).await;
    assert_eq!(process(world.app()).await, 0);
    assert_eq!(world.conversation(id).await, read);
    assert_eq!(listed(&world).await.len(), before + 1);
}

async fn a_longer_version_replaces_the_former_one(database: TestDatabase) {
    let world = World::new(database).await;
    let [id] = world.ask("first", &[FINGERS[0]]).await.try_into().unwrap();
    let former = world.issues_of(&id).await;
    let cluster = world.cluster_of(&id).await;
    let created = world.conversation(&id).await["conversation"]["createdAt"].clone();

    // The same subject in more words keeps its cluster.
    let longer = format!("{} {}", FINGERS[0], FINGERS[1]);
    world.ingest(asking("first-0", &longer)).await;
    let waiting = world.conversation(&id).await;
    assert_eq!(waiting["conversation"].get("processedAt"), None);
    assert_eq!(world.issues_of(&id).await, former);
    assert_eq!(process(world.app()).await, 1);
    let read = world.conversation(&id).await;
    assert_eq!(
        (&read["parts"][0]["body"], &read["conversation"]["createdAt"]),
        (&json!(longer), &created)
    );
    assert!(
        world
            .issues_of(&id)
            .await
            .iter()
            .all(|issue| issue["cluster"] == json!(cluster))
    );
    assert_eq!(world.cluster(&cluster).await["stats"]["conversations"], 1);

    // Another subject leaves the cluster, of which nothing is left.
    let other = [INVOICE; 4].join(" ");
    world.ingest(asking("first-0", &other)).await;
    assert_eq!(process(world.app()).await, 1);
    assert!(
        world
            .issues_of(&id)
            .await
            .iter()
            .all(|issue| issue["cluster"] != json!(cluster))
    );
    let call = world.conversations_call("getConversationsIssuesCluster");
    call.path("clusterId", cluster.as_str()).expect(404).await;
}

async fn installations_add_conversations_of_their_source(database: TestDatabase) {
    let world = World::new(database).await;
    let installed = Installed::nowhere(&world, "help-desk", &["conversations:ingest"]).await;
    let other = Installed::nowhere(&world, "tide-tables", &["space:metadata:read"]).await;
    let input = asking("ticket-1", FINGERS[0]);
    let ingest = async |client: &Client| {
        let call = client.call("ingestConversation").here(&world);
        call.json(input.clone()).send().await.status
    };
    assert_eq!(ingest(&installed.client).await, 204);
    assert_eq!(ingest(&installed.client).await, 204);
    assert_eq!(ingest(&world.admin.client).await, 204);
    assert_eq!(ingest(&other.client).await, 403);
    assert_eq!(ingest(&installed.own).await, 403);
    let elsewhere = installed
        .client
        .call("ingestConversation")
        .within(world.other_organization);
    assert_eq!(elsewhere.json(input.clone()).send().await.status, 404);
    // What an installation may add, it may not read.
    let read = installed.client.call("listConversations").here(&world).send().await;
    assert_eq!(read.status, 401);

    let of_source = async |source: &str| {
        let list = world.conversations_call("listConversations").query("source", source);
        texts_of(&list.expect(200).await, "/source")
    };
    assert_eq!(
        of_source("integration:help-desk:default").await,
        ["integration:help-desk:default"]
    );
    assert!(!of_source("email").await.is_empty());
    assert_eq!(of_source("integration:help-desk:other").await, Vec::<String>::new());
    let refused = world
        .conversations_call("listConversations")
        .query("source", "fax")
        .send()
        .await;
    refused.has_detail("/query/source", "pattern");

    process(world.app()).await;
    let list = world
        .conversations_call("listConversationsIssuesClusters")
        .expect(200)
        .await;
    let sources = &list["items"][0]["sources"];
    assert_eq!(sources, &json!({ "email": 1, "integration:help-desk:default": 1 }));
}

async fn only_admins_add_and_only_editors_read(database: TestDatabase) {
    let world = World::new(database).await;
    let input = asking("ticket-1", FINGERS[0]);
    for (person, ingests, reads) in [
        (&world.create, 403, 200),
        (&world.edit, 403, 200),
        (&world.comment, 403, 403),
        (&world.stranger, 404, 404),
    ] {
        let call = person
            .client
            .call("ingestConversation")
            .here(&world)
            .json(input.clone());
        assert_eq!(call.send().await.status, ingests);
        let call = person.client.call("listConversations").here(&world);
        assert_eq!(call.send().await.status, reads);
    }
    let organization = world
        .admin
        .client
        .call("getOrganizationById")
        .here(&world)
        .expect(200)
        .await;
    assert_eq!(organization["permissions"]["ingestConversations"], true);
}

async fn lists_have_filters_and_pages(database: TestDatabase) {
    let world = World::new(database).await;
    let ids = world.ask("page", &[FINGERS[0], INVOICE, FINGERS[1]]).await;
    let first = world
        .conversations_call("listConversations")
        .query("limit", 2)
        .expect(200)
        .await;
    assert_eq!(texts_of(&first, "/id"), [ids[2].clone(), ids[1].clone()]);
    let next = first["next"]["page"].as_str().unwrap();
    let second = world
        .conversations_call("listConversations")
        .query("limit", 2)
        .query("page", next);
    assert_eq!(texts_of(&second.expect(200).await, "/id")[0], ids[0]);
    let other_list = world.conversations_call("listConversations").query("source", "email");
    other_list
        .query("page", next)
        .send()
        .await
        .has_detail("/query/page", "page");

    let cluster = world.cluster_of(&ids[1]).await;
    let matching = async |query: &[(&str, &str)]| {
        let call = world.conversations_call("listConversationsIssues");
        let call = query.iter().fold(call, |call, (name, value)| call.query(name, value));
        texts_of(&call.expect(200).await, "/conversation/id")
    };
    assert_eq!(matching(&[("cluster", cluster.as_str())]).await, [ids[1].clone()]);
    assert_eq!(
        matching(&[("cluster", cluster.as_str()), ("conversation", ids[0].as_str())]).await,
        Vec::<String>::new()
    );
    assert_eq!(matching(&[("cluster", "nothing")]).await, Vec::<String>::new());
    assert_eq!(matching(&[("conversation", ids[2].as_str())]).await, [ids[2].clone()]);
}

async fn deletion_removes_all_that_came_of_a_conversation(database: TestDatabase) {
    let world = World::new(database).await;
    let ids = world.ask("gone", &[FINGERS[0], FINGERS[1], INVOICE]).await;
    let (shared, alone) = (world.cluster_of(&ids[0]).await, world.cluster_of(&ids[2]).await);
    assert_eq!(world.cluster_of(&ids[1]).await, shared);
    let label = world.cluster(&alone).await["label"].clone();
    assert!(!world.cluster(&shared).await["label"].as_str().unwrap().is_empty());
    let delete = async |id: &str| {
        let call = world.conversations_call("deleteConversation");
        call.path("conversationId", id).expect(204).await;
    };
    delete(&ids[0]).await;
    delete(&ids[2]).await;
    delete(&ids[2]).await;
    for id in [&ids[0], &ids[2]] {
        let call = world.conversations_call("getConversationById");
        call.path("conversationId", id).expect(404).await;
        assert_eq!(world.issues_of(id).await, Vec::<Value>::new());
    }
    let call = world.conversations_call("getConversationsIssuesCluster");
    call.path("clusterId", &alone).expect(404).await;
    let left = world.cluster(&shared).await;
    assert_eq!(
        (&left["stats"]["issues"], &left["stats"]["conversations"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(left["sources"], json!({ "email": 1 }));
    // The label is that of the issue that is left.
    let [issue] = world.issues_of(&ids[1]).await.try_into().unwrap();
    assert_eq!(left["label"], issue["title"]);
    let text = world
        .conversations_call("listConversationsIssuesClusters")
        .send()
        .await
        .text;
    assert!(!text.contains(label.as_str().unwrap()), "{text}");
    // A new conversation about the same begins a new cluster.
    let [again] = world.ask("again", &[INVOICE]).await.try_into().unwrap();
    assert_ne!(world.cluster_of(&again).await, alone);
}

async fn deletion_of_the_organization_removes_all(database: TestDatabase) {
    let world = World::new(database).await;
    let db = world.app().kernel.db.clone();
    let rows = async || {
        let texts = texts::Entity::find().count(db.read()).await.unwrap();
        let issues = issues::Entity::find().count(db.read()).await.unwrap();
        texts + issues + terms::Entity::find().count(db.read()).await.unwrap()
    };
    let before = rows().await;
    let create = world.admin.client.call("createOrganization");
    let organization: Value = create.json(json!({ "title": "Short-lived" })).expect(201).await;
    let organization: OrganizationId = organization["id"].as_str().unwrap().parse().unwrap();
    let ingest = world.admin.client.call("ingestConversation").within(organization);
    ingest.json(asking("ticket-1", FINGERS[0])).expect(204).await;
    assert_eq!(process(world.app()).await, 1);
    assert!(rows().await > before + 3);
    let delete = move |tx: Tx| async move {
        let deleted = organizations::Entity::delete_by_id(organization);
        deleted.exec(&tx).await.map(drop)
    };
    db.write(delete).await.unwrap();
    assert_eq!(rows().await, before);
}

mod only_postgres {
    use platform::db::Backend;

    use super::*;

    #[tokio::test]
    async fn two_nodes_process_a_conversation_once() {
        let world = World::new(TestDatabase::new(Backend::Postgres)).await;
        let second = world.service.second_node().await;
        let inputs = [FINGERS[0], INVOICE, FINGERS[1], FINGERS[2]].iter().enumerate();
        let inputs = inputs.map(|(number, question)| asking(&format!("two-{number}"), question));
        world.ingest(json!(inputs.collect::<Vec<Value>>())).await;
        let (mut one, mut other) = (processing(world.app()), processing(&second.app));
        let both = async { tokio::join!(one.run_due(), other.run_due()) };
        let (by_one, by_other) = tokio::time::timeout(PATIENCE, both).await.unwrap();
        assert_eq!(by_one.unwrap() + by_other.unwrap(), 4);
        let list = world
            .conversations_call("listConversations")
            .query("limit", 4)
            .expect(200)
            .await;
        let mut issues = 0;
        for id in texts_of(&list, "/id") {
            let of_conversation = world.issues_of(&id).await;
            assert!(!of_conversation.is_empty(), "{id}");
            issues += of_conversation.len();
        }
        let list = world
            .conversations_call("listConversationsIssuesClusters")
            .expect(200)
            .await;
        let in_clusters = list["items"].as_array().unwrap().iter();
        let in_clusters: u64 = in_clusters
            .map(|cluster| cluster["stats"]["issues"].as_u64().unwrap())
            .sum();
        // The world has one of its own.
        assert_eq!(in_clusters, issues as u64 + 1);
    }
}
