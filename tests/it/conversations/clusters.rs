//! Clusters of similar issues: how they come about, their numbers, their order, and what becomes of them.

use ::conversations::clusters::{Centroid, Frequencies, Terms};
use entity::{
    conversations::{
        clusters::{Entity, Model, sources, terms, weeks},
        issues,
    },
    ids::{ConversationIssueId, IssuesClusterId},
};
use platform::db::{Tx, rows};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter, sea_query::Expr,
};
use serde_json::{Value, json};

use crate::support::{
    conversations::{FINGERS, INVOICE, INVOICES, asking, process},
    database::{TestDatabase, on_each_database},
    paths::texts,
    world::World,
};

on_each_database![
    similar_issues_form_a_cluster,
    weeks_are_counted_by_the_time_of_the_conversation,
    clusters_are_listed_in_every_order,
    issues_of_one_subject_come_together,
    issues_of_two_subjects_are_taken_apart,
];

async fn similar_issues_form_a_cluster(database: TestDatabase) {
    let world = World::new(database).await;
    let ids = world
        .ask("similar", &[FINGERS[0], FINGERS[1], INVOICE, FINGERS[2]])
        .await;
    let cluster = world.cluster_of(&ids[0]).await;
    let other = world.cluster_of(&ids[2]).await;
    assert_ne!(cluster, other);
    for id in [&ids[1], &ids[3]] {
        assert_eq!(world.cluster_of(id).await, cluster);
    }
    let read = world.cluster(&cluster).await;
    assert_eq!(
        (
            &read["stats"]["issues"],
            &read["stats"]["conversations"],
            &read["stats"]["tasksTotal"]
        ),
        (&json!(3), &json!(3), &json!(0))
    );
    assert_eq!(read["sources"], json!({ "email": 3 }));
    let label = read["label"].as_str().unwrap();
    assert!(label.contains("finger"), "{label}");
    let app = read["urls"]["app"].as_str().unwrap();
    assert!(app.contains(&format!("clusterId={cluster}")), "{app}");
    // Clustered anew, they stay where they are.
    assert!(world.compare_clusters().await > 0);
    assert_eq!(world.cluster_of(&ids[3]).await, cluster);
    assert_eq!(world.cluster_of(&ids[2]).await, other);
}

async fn weeks_are_counted_by_the_time_of_the_conversation(database: TestDatabase) {
    let world = World::new(database).await;
    // Tests begin on a Saturday; the week before has ended on the Sunday before.
    let times = [
        ("2026-11-16T00:00:00Z", FINGERS[0]),
        ("2026-11-15T23:59:59Z", FINGERS[1]),
        ("2026-08-24T00:00:00Z", FINGERS[2]),
        // Before the thirteen weeks, and after the present one.
        ("2026-08-23T23:59:59Z", FINGERS[0]),
        ("2030-01-01T00:00:00Z", FINGERS[0]),
    ];
    let inputs = times.iter().enumerate().map(|(number, (time, question))| {
        let mut input = asking(&format!("week-{number}"), question);
        input["metadata"] = json!({ "createdAt": time });
        input
    });
    world.ingest(json!(inputs.collect::<Vec<Value>>())).await;
    assert_eq!(process(world.app()).await, 5);
    let list = world.conversations_call("listConversationsIssuesClusters");
    let list = list.query("orderBy", "issues").query("limit", 1).expect(200).await;
    let cluster = &list["items"][0];
    assert_eq!(cluster["stats"]["issues"], 5);
    assert_eq!(cluster["weeklyPulse"], json!([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1]));
}

async fn clusters_are_listed_in_every_order(database: TestDatabase) {
    let world = World::new(database).await;
    let ids = world.ask("order", &[FINGERS[0], FINGERS[1], INVOICE]).await;
    let (fingers, invoice) = (world.cluster_of(&ids[0]).await, world.cluster_of(&ids[2]).await);
    let of_world = world.own("clusterId");
    let listed = async |query: &[(&str, &str)]| {
        let call = world.conversations_call("listConversationsIssuesClusters");
        let call = query.iter().fold(call, |call, (name, value)| call.query(name, value));
        texts(&call.expect(200).await, "/id")
    };
    assert_eq!(listed(&[("orderBy", "issues")]).await[0], fingers);
    assert_eq!(listed(&[("orderBy", "issues"), ("order", "asc")]).await[2], fingers);
    assert_eq!(listed(&[("orderBy", "conversations")]).await[0], fingers);
    assert_eq!(*listed(&[]).await.last().unwrap(), of_world);
    assert_eq!(listed(&[("order", "asc")]).await[0], of_world);
    for order in ["tasksTotal", "tasksBacklog", "tasksStarted"] {
        let mut created = vec![of_world.clone(), fingers.clone(), invoice.clone()];
        created.sort();
        assert_eq!(listed(&[("orderBy", order), ("order", "asc")]).await, created);
    }
    // In pages, each cluster once.
    for order in ["updatedAt", "issues", "conversations", "tasksTotal"] {
        let (mut walked, mut page) = (Vec::new(), None::<String>);
        loop {
            let call = world.conversations_call("listConversationsIssuesClusters");
            let call = call.query("orderBy", order).query("limit", 1);
            let call = match &page {
                Some(page) => call.query("page", page),
                None => call,
            };
            let answer = call.expect(200).await;
            walked.extend(texts(&answer, "/id"));
            match answer["next"]["page"].as_str() {
                Some(next) => page = Some(next.to_owned()),
                None => break,
            }
        }
        assert_eq!(walked, listed(&[("orderBy", order)]).await, "{order}");
        assert_eq!(walked.len(), 3);
    }

    // What has changed waits for the job.
    assert_eq!(listed(&[("status", "pending")]).await.len(), 3);
    assert_eq!(listed(&[("status", "analysing")]).await, Vec::<String>::new());
    assert!(world.compare_clusters().await > 0);
    assert_eq!(listed(&[("status", "pending")]).await, Vec::<String>::new());
    world.ask("later", &[INVOICE]).await;
    assert_eq!(listed(&[("status", "pending")]).await, [invoice]);
    assert!(world.compare_clusters().await > 0);
    assert_eq!(listed(&[("status", "pending")]).await, Vec::<String>::new());
}

/// Makes two clusters of one, as if its issues had come when their words were rare.
async fn tear(world: &World, cluster: &str, issue: &str) -> String {
    let id: IssuesClusterId = cluster.parse().unwrap();
    let (torn, kernel) = (issue.to_owned(), world.app().kernel.clone());
    let new: IssuesClusterId = kernel.ids.next();
    let work = move |tx: Tx| async move {
        let row = Entity::find_by_id(id).one(&tx).await?.unwrap();
        let half = Model {
            issues: 1,
            conversations: 1,
            ..row.clone()
        };
        let other = Model {
            id: new,
            ..half.clone()
        };
        half.into_active_model().reset_all().update(&tx).await?;
        rows::insert(&tx, &other).await?;
        let found = issues::Entity::find_by_id(torn.parse::<ConversationIssueId>().unwrap());
        let mut moved = found.one(&tx).await?.unwrap().into_active_model();
        moved.cluster_id = Set(new);
        moved.update(&tx).await?;
        for term in terms::Entity::find().all(&tx).await? {
            if term.cluster_id == id {
                let copy = terms::Model {
                    cluster_id: new,
                    ..term
                };
                rows::insert(&tx, &copy).await?;
            }
        }
        Ok::<_, DbErr>(())
    };
    world.app().kernel.db.write(work).await.unwrap();
    new.to_string()
}

async fn issues_of_one_subject_come_together(database: TestDatabase) {
    let world = World::new(database).await;
    let ids = world.ask("merge", &[FINGERS[0], FINGERS[1], INVOICE]).await;
    let cluster = world.cluster_of(&ids[0]).await;
    assert_eq!(world.cluster_of(&ids[1]).await, cluster);
    let [issue] = world.issues_of(&ids[1]).await.try_into().unwrap();
    let new = tear(&world, &cluster, issue["id"].as_str().unwrap()).await;
    assert_eq!(world.cluster_of(&ids[1]).await, new);
    let create = world.admin.client.call("createChangeRequest").space(world.space);
    let create = create.json(json!({ "subject": "Fingers", "conversationsIssuesCluster": new }));
    let request = create.expect(201).await;
    assert_eq!(request["conversationsIssuesCluster"], json!(new));

    assert!(world.compare_clusters().await > 0);
    let present = world.cluster_of(&ids[0]).await;
    assert_eq!(world.cluster_of(&ids[1]).await, present);
    // Both ids lead to the cluster that is left, everywhere.
    for id in [&cluster, &new] {
        let read = world.cluster(id).await;
        assert_eq!((&read["id"], &read["stats"]["issues"]), (&json!(present), &json!(2)));
        assert_eq!(read["stats"]["conversations"], 2);
        let list = world.conversations_call("listConversationsIssues").query("cluster", id);
        assert_eq!(list.expect(200).await["count"], 2);
        let list = world.admin.client.call("listChangeRequestsForSpace").space(world.space);
        let list = list.query("conversationsIssuesCluster", id).query("status", "draft");
        assert_eq!(
            texts(&list.expect(200).await, "/id"),
            [request["id"].as_str().unwrap().to_owned()]
        );
    }
    let call = world.admin.client.call("getChangeRequestById").space(world.space);
    let read = call
        .path("changeRequestId", request["id"].as_str().unwrap())
        .expect(200)
        .await;
    assert_eq!(read["conversationsIssuesCluster"], json!(present));
}

/// Makes one cluster of two, as if they had grown together.
async fn put_together(world: &World, cluster: &str, other: &str) {
    let (id, other): (IssuesClusterId, IssuesClusterId) = (cluster.parse().unwrap(), other.parse().unwrap());
    let work = move |tx: Tx| async move {
        let row = Entity::find_by_id(id).one(&tx).await?.unwrap();
        let former = Entity::find_by_id(other).one(&tx).await?.unwrap();
        let mut centroid = Centroid::from_bytes(&row.centroid).unwrap();
        let moved = issues::Entity::find().filter(issues::Column::ClusterId.eq(other));
        for issue in moved.all(&tx).await? {
            centroid.add(&Terms::from_bytes(&issue.terms).unwrap(), &Frequencies::default());
        }
        let both = Model {
            issues: row.issues + former.issues,
            conversations: row.conversations + former.conversations,
            centroid: centroid.to_bytes(),
            ..row
        };
        both.clone().into_active_model().reset_all().update(&tx).await?;
        issues::Entity::update_many()
            .col_expr(issues::Column::ClusterId, Expr::value(id))
            .filter(issues::Column::ClusterId.eq(other))
            .exec(&tx)
            .await?;
        // All are of the same week and source.
        weeks::Entity::update_many()
            .col_expr(weeks::Column::Issues, Expr::value(both.issues))
            .filter(weeks::Column::ClusterId.eq(id))
            .exec(&tx)
            .await?;
        sources::Entity::update_many()
            .col_expr(sources::Column::Issues, Expr::value(both.issues))
            .filter(sources::Column::ClusterId.eq(id))
            .exec(&tx)
            .await?;
        Entity::delete_by_id(other).exec(&tx).await?;
        Ok::<_, DbErr>(())
    };
    world.app().kernel.db.write(work).await.unwrap();
}

async fn issues_of_two_subjects_are_taken_apart(database: TestDatabase) {
    let world = World::new(database).await;
    let questions = [FINGERS[0], INVOICE, FINGERS[1], INVOICES[0], FINGERS[2], INVOICES[1]];
    let ids = world.ask("split", &questions).await;
    let (cluster, other) = (world.cluster_of(&ids[0]).await, world.cluster_of(&ids[1]).await);
    put_together(&world, &cluster, &other).await;
    assert_eq!(world.cluster_of(&ids[1]).await, cluster);
    assert_eq!(world.cluster(&cluster).await["stats"]["issues"], 6);

    assert!(world.compare_clusters().await > 0);
    let (fingers, invoices) = (world.cluster_of(&ids[0]).await, world.cluster_of(&ids[1]).await);
    assert_ne!(fingers, invoices);
    assert!(cluster == fingers || cluster == invoices);
    for (number, id) in ids.iter().enumerate() {
        let expected = if number % 2 == 0 { &fingers } else { &invoices };
        assert_eq!(world.cluster_of(id).await, *expected);
    }
    for id in [&fingers, &invoices] {
        let read = world.cluster(id).await;
        assert_eq!(
            (
                &read["stats"]["issues"],
                &read["stats"]["conversations"],
                &read["sources"]
            ),
            (&json!(3), &json!(3), &json!({ "email": 3 }))
        );
        assert_eq!(read["weeklyPulse"][12], 3);
    }
    // Nothing is left to do.
    let pending = world
        .conversations_call("listConversationsIssuesClusters")
        .query("status", "pending");
    assert_eq!(pending.expect(200).await["count"], 0);

    // The next run changes nothing, and what comes joins.
    let [again] = world.ask("again", &[FINGERS[1]]).await.try_into().unwrap();
    assert!(world.compare_clusters().await > 0);
    assert_eq!(world.cluster_of(&again).await, fingers);
    assert_eq!(world.cluster_of(&ids[1]).await, invoices);
    assert_eq!(world.cluster(&fingers).await["stats"]["issues"], 4);
}
