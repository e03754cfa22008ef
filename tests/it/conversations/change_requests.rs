//! Change requests that answer a cluster of issues.

use serde_json::{Value, json};

use crate::support::{
    client::Call,
    conversations::{FINGERS, INVOICE},
    database::{TestDatabase, on_each_database},
    paths::texts,
    world::World,
};

on_each_database![change_requests_name_a_cluster];

async fn change_requests_name_a_cluster(database: TestDatabase) {
    let world = World::new(database).await;
    let ids = world.ask("cluster", &[FINGERS[0], INVOICE]).await;
    let (fingers, invoice) = (world.cluster_of(&ids[0]).await, world.cluster_of(&ids[1]).await);
    let create = |cluster: &str| {
        let call = world.edit.client.call("createChangeRequest").space(world.space);
        call.json(json!({ "subject": "Fingers", "conversationsIssuesCluster": cluster }))
    };
    let request: Value = create(&fingers).expect(201).await;
    let id = request["id"].as_str().unwrap();
    assert_eq!(request["conversationsIssuesCluster"], json!(fingers));
    for unknown in ["nothing", &world.foreign("clusterId"), id] {
        let refused = create(unknown).send().await;
        refused.has_detail("/body/conversationsIssuesCluster", "unknown-cluster");
    }

    let update = |change: Value| {
        let call = world.edit.client.call("updateChangeRequestById").space(world.space);
        call.path("changeRequestId", id).json(change)
    };
    let refused = update(json!({ "conversationsIssuesCluster": world.foreign("clusterId") }))
        .send()
        .await;
    refused.has_detail("/body/conversationsIssuesCluster", "unknown-cluster");
    let changed = update(json!({ "conversationsIssuesCluster": invoice }))
        .expect(200)
        .await;
    assert_eq!(changed["conversationsIssuesCluster"], json!(invoice));
    let kept = update(json!({ "subject": "Invoices" })).expect(200).await;
    assert_eq!(kept["conversationsIssuesCluster"], json!(invoice));

    let matching = async |call: Call<'_>, cluster: &str| {
        let call = call
            .query("conversationsIssuesCluster", cluster)
            .query("status", "draft");
        texts(&call.expect(200).await, "/id")
    };
    for (cluster, expected) in [(&invoice, vec![id.to_owned()]), (&fingers, Vec::new())] {
        let of_space = world.read.client.call("listChangeRequestsForSpace").space(world.space);
        assert_eq!(matching(of_space, cluster).await, expected);
        let of_organization = world.read.client.call("listChangeRequestsForOrganization").here(&world);
        assert_eq!(matching(of_organization, cluster).await, expected);
    }

    // A cluster that is gone is absent.
    let delete = world.conversations_call("deleteConversation");
    delete.path("conversationId", &ids[1]).expect(204).await;
    let read = world.read.client.call("getChangeRequestById").space(world.space);
    let read = read.path("changeRequestId", id).expect(200).await;
    assert_eq!(read.get("conversationsIssuesCluster"), None);
    update(json!({ "conversationsIssuesCluster": fingers }))
        .expect(200)
        .await;
    let cleared = update(json!({ "conversationsIssuesCluster": null })).expect(200).await;
    assert_eq!(cleared.get("conversationsIssuesCluster"), None);
}
