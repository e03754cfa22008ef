//! What pages link to.

use entity::ids::NodeId;
use serde_json::{Value, json};

use crate::support::{
    client::Call,
    database::{TestDatabase, on_each_database},
    links::{backlinks, links},
    paths::texts,
    texts::{add, delete, ids, insert, new_space, titles, upload, write},
    world::World,
};

on_each_database![
    links_say_what_they_lead_to,
    each_target_of_links_is_listed_once,
    a_link_is_broken_while_its_target_is_deleted,
    change_requests_have_links_of_their_own,
    tags_are_kept_and_lead_nowhere,
    hidden_objects_are_like_missing_ones,
    older_forms_of_anchors_become_present_ones,
];

async fn links_say_what_they_lead_to(database: TestDatabase) {
    let world = World::new(database).await;
    let home = new_space(&world, "Home").await;
    let base = world.service.base.clone();
    let elsewhere = new_space(&world, "Elsewhere").await;
    let far = add(&world, elsewhere, &[("far", "Far away.")]).await;
    let text = format!(
        "[page](./b.md)\n\n[place](./b.md#before-you-start)\n\n[below](#own)\n\n![file](./c.txt)\n\n[file](./c.txt)\n\n\
         [person](/users/{})\n\n[collection](/collections/{})\n\n[space](/spaces/{elsewhere})\n\n\
         [far](/spaces/{elsewhere}/pages/{})\n\n[shop](https://shop.example/g4)\n\n[docs]({base}/docs/)\n\n\
         [gone](/pages/{})\n\n[nothing](/spaces/none/pages/none)\n\n## Own\n",
        world.edit.id, world.collection, far["far"], elsewhere
    );
    let made = write(
        &world,
        home,
        vec![upload("c.txt"), insert("b", "## Before you start"), insert("a", &text)],
    )
    .await;
    let call = world.admin.client.call("listPageLinksInSpace").space(home);
    let list = call.path("pageId", &made["a"]).expect(200).await;
    let found = list["items"].as_array().unwrap().iter().map(|link| {
        let target = &link["targetReference"];
        (
            link["status"].as_str().unwrap(),
            link["relation"].as_str().unwrap(),
            target["kind"].as_str().unwrap_or("-"),
        )
    });
    let found: Vec<_> = found.collect();
    assert_eq!(
        found,
        [
            ("ok", "reference", "page"),
            ("ok", "reference", "page"),
            ("ok", "reference", "page"),
            ("ok", "dependsOn", "file"),
            ("ok", "reference", "file"),
            ("ok", "reference", "user"),
            ("ok", "reference", "collection"),
            ("ok", "reference", "space"),
            ("ok", "reference", "page"),
            ("ok", "reference", "url"),
            ("in-app", "reference", "url"),
            ("broken", "reference", "-"),
            ("broken", "reference", "-"),
        ]
    );
    assert_eq!(list["stats"], json!({ "total": 13, "broken": { "total": 2 } }));
    assert_eq!(list["count"], 13);
    let target = |at: usize| list["items"][at]["targetReference"].clone();
    assert_eq!(target(0)["page"]["id"], made["b"]);
    assert_eq!(target(0)["page"]["path"], "b");
    assert!(target(0).get("internalLocation").is_none());
    assert_eq!(
        target(1)["internalLocation"],
        json!({ "type": "anchor", "anchor": "before-you-start" })
    );
    assert_eq!(target(2)["page"]["id"], made["a"]);
    assert_eq!(target(3)["file"]["id"], made["c.txt"]);
    assert_eq!(target(5)["user"]["id"], world.edit.id.to_string());
    assert_eq!(target(6)["collection"]["id"], world.collection.to_string());
    assert_eq!(target(7)["space"]["id"], elsewhere.to_string());
    assert_eq!(target(8)["space"]["id"], elsewhere.to_string());
    assert_eq!(target(8)["page"]["title"], "far");
    assert_eq!(target(9)["url"], "https://shop.example/g4");
    let place = &list["items"][0]["locationReferences"][0];
    assert_eq!(place["page"]["id"], made["a"]);
    assert_eq!(place["page"]["pages"], json!([]));
    assert_eq!(place["organization"]["id"], world.organization.to_string());
    assert_eq!(place["versionContext"]["revision"]["id"], place["space"]["revision"]);
    assert_eq!(place["internalLocation"]["type"], "node");
    let whole = links(&world.admin, home).expect(200).await;
    assert_eq!(whole["items"], list["items"]);
    for (status, count) in [("ok", 10), ("in-app", 1), ("broken", 2)] {
        let some = links(&world.admin, home).query("status", status).expect(200).await;
        assert_eq!(some["count"], count, "{status}");
        assert_eq!(some["items"].as_array().unwrap().len(), count, "{status}");
        assert_eq!(some["stats"], list["stats"]);
    }
    let call = world.admin.client.call("listPageLinksInSpace").space(home);
    call.path("pageId", &far["far"]).expect(404).await;
}

async fn tags_are_kept_and_lead_nowhere(database: TestDatabase) {
    let world = World::new(database).await;
    let home = new_space(&world, "Home").await;
    let text = "[beta](/tags/beta) and [über](</tags/über>)\n\n[there](/spaces/one/tags/new)\n\n\
        {% updates format=\"full\" %}\n{% update date=\"2026-01-02\" tags=\"beta,über uns\" %}\nNew\n{% endupdate %}\n{% endupdates %}\n\n\
        <table data-view=\"cards\" data-card-size=\"medium\"><thead><tr><th></th><th data-card-target data-type=\"content-ref\"></th></tr></thead><tbody>\
        <tr><td>Old</td><td><a href=\"/tags/old\">old</a></td></tr></tbody></table>\n";
    let made = write(&world, home, vec![insert("a", text)]).await;
    let page = async |format: &str| {
        let call = world
            .admin
            .client
            .call("getPageById")
            .space(home)
            .path("pageId", &made["a"]);
        call.query("format", format).expect(200).await
    };
    let document = page("document").await["document"].clone();
    let found = document.to_string();
    for reference in [
        json!({ "kind": "tag", "tag": "beta" }),
        json!({ "kind": "tag", "tag": "über" }),
        json!({ "kind": "tag", "tag": "new", "space": "one" }),
        json!({ "kind": "tag", "tag": "über uns" }),
        json!({ "kind": "tag", "tag": "old" }),
    ] {
        assert!(found.contains(&reference.to_string()), "{reference} {found}");
    }
    let written = page("markdown").await["markdown"].clone();
    let update = async |document: Value| {
        let change = json!({ "operation": "update_page", "page": made["a"], "document": { "document": document } });
        let call = world.admin.client.call("updateSpaceContent").space(home);
        call.json(json!({ "changes": [change] })).send().await
    };
    update(document.clone()).await.expect(200);
    assert_eq!(page("document").await["document"], document);
    assert_eq!(page("markdown").await["markdown"], written);
    let list = links(&world.admin, home).expect(200).await;
    assert_eq!(list["stats"], json!({ "total": 4, "broken": { "total": 4 } }));
    // A link in Markdown has no form for words with spaces between them.
    let spaced = found.replace(r#""tag":"new""#, r#""tag":"so new""#);
    update(serde_json::from_str(&spaced).unwrap()).await.expect(400);
}

async fn each_target_of_links_is_listed_once(database: TestDatabase) {
    let world = World::new(database).await;
    let home = new_space(&world, "Home").await;
    let own = format!("[b](/spaces/{home}/pages/");
    let made = add(
        &world,
        home,
        &[("b", "Text"), ("a", "[b](./b.md) and [again](./b.md)\n\n[c](./b.md)")],
    )
    .await;
    add(
        &world,
        home,
        &[
            ("d", &format!("{own}{})", made["b"])),
            ("e", "![b](https://x.example/)"),
        ],
    )
    .await;
    let list = links(&world.admin, home).expect(200).await;
    assert_eq!(list["count"], 2);
    // Two blocks of one page and one of another; the space may be named or not.
    let places = list["items"][0]["locationReferences"].as_array().unwrap();
    let titles: Vec<_> = places
        .iter()
        .map(|place| place["page"]["title"].as_str().unwrap())
        .collect();
    assert_eq!(titles, ["a", "a", "d"]);
    assert_ne!(places[0]["internalLocation"], places[1]["internalLocation"]);
}

async fn a_link_is_broken_while_its_target_is_deleted(database: TestDatabase) {
    let world = World::new(database).await;
    let home = new_space(&world, "Home").await;
    let made = add(&world, home, &[("b", "Text"), ("a", "[b](./b.md)")]).await;
    let before = world.admin.client.call("getSpaceById").space(home).expect(200).await["revision"].clone();
    let statuses = async || {
        let list = links(&world.admin, home).expect(200).await;
        (texts(&list, "/status"), list["stats"]["broken"]["total"].clone())
    };
    assert_eq!(statuses().await, (vec!["ok".to_owned()], json!(0)));
    write(&world, home, vec![delete(&made["b"])]).await;
    assert_eq!(statuses().await, (vec!["broken".to_owned()], json!(1)));
    let restore = world.admin.client.call("restoreRevision").space(home);
    restore.path("revisionId", before.as_str().unwrap()).expect(201).await;
    assert_eq!(statuses().await, (vec!["ok".to_owned()], json!(0)));
    // What is on a page that is deleted is no link any more.
    write(&world, home, vec![delete(&made["a"])]).await;
    assert_eq!(statuses().await, (vec![], json!(0)));
}

fn in_request<'c>(call: Call<'c>, space: NodeId, request: &Value) -> Call<'c> {
    call.space(space).path("changeRequestId", request)
}

async fn change_requests_have_links_of_their_own(database: TestDatabase) {
    let world = World::new(database).await;
    let home = new_space(&world, "Home").await;
    let made = add(&world, home, &[("b", "Text"), ("c", "Text c"), ("d", "Text d")]).await;
    let gone = format!("/pages/{}", made["d"]);
    let more = add(&world, home, &[("a", &format!("[b](./b.md)\n\n[d]({gone})"))]).await;
    write(&world, home, vec![delete(&made["d"])]).await;
    let create = world.admin.client.call("createChangeRequest").space(home);
    let request = create.json(json!({ "subject": "Links" })).expect(201).await["number"].clone();
    let client = &world.admin.client;
    let here = |call| in_request(call, home, &request);
    let changes = json!([delete(&made["b"]), insert("e", &format!("[c](/pages/{})", made["c"]))]);
    let update = here(client.call("updateChangeRequestContent")).query("compat", false);
    let own = ids(&update.json(json!({ "changes": changes })).expect(200).await);
    let list = here(client.call("listChangeRequestLinks")).expect(200).await;
    assert_eq!(texts(&list, "/status"), ["broken", "broken", "ok"]);
    assert_eq!(
        list["stats"],
        json!({ "total": 3, "broken": { "total": 2, "changeRequest": 1 } })
    );
    let context = &list["items"][2]["locationReferences"][0]["versionContext"];
    assert_eq!(context["changeRequest"]["number"], request);
    for context in ["change-request", "space"] {
        let list = here(client.call("listChangeRequestLinks"))
            .query("brokenContext", context)
            .expect(200)
            .await;
        assert_eq!(list["count"], 1, "{context}");
        assert_eq!(list["items"][0]["locationReferences"][0]["page"]["id"], more["a"]);
    }
    let of_page = here(client.call("listPageLinksInChangeRequest"))
        .path("pageId", &own["e"])
        .expect(200)
        .await;
    assert_eq!(of_page["items"][0]["targetReference"]["page"]["id"], made["c"]);
    let places = here(client.call("listChangeRequestPageBacklinks"))
        .path("pageId", &made["c"])
        .expect(200)
        .await;
    assert_eq!(titles(&places), ["e"]);
    here(client.call("listChangeRequestPageBacklinks"))
        .path("pageId", &made["b"])
        .expect(404)
        .await;
    // The space knows nothing of it, until it is merged.
    assert_eq!(
        titles(&backlinks(&world.admin, home, &made["c"]).expect(200).await),
        Vec::<String>::new()
    );
    assert_eq!(
        links(&world.admin, home).expect(200).await["stats"]["broken"],
        json!({ "total": 1 })
    );
    here(client.call("mergeChangeRequest")).expect(200).await;
    assert_eq!(
        titles(&backlinks(&world.admin, home, &made["c"]).expect(200).await),
        ["e"]
    );
    assert_eq!(
        links(&world.admin, home).expect(200).await["stats"]["broken"],
        json!({ "total": 2 })
    );
    let context = &links(&world.admin, home).expect(200).await["items"][2]["locationReferences"][0]["versionContext"];
    assert_eq!(context["revision"]["mergedFrom"]["number"], request);
    assert_eq!(context["revision"]["type"], "merge");
    for empty in ["pages", "files", "reusableContents"] {
        assert_eq!(context["revision"][empty], json!([]));
    }
}

async fn hidden_objects_are_like_missing_ones(database: TestDatabase) {
    let world = World::new(database).await;
    let home = new_space(&world, "Home").await;
    let hidden = new_space(&world, "Hidden").await;
    let hide = world.admin.client.call("updateSpaceById").space(hidden);
    hide.json(json!({ "defaultLevel": null })).expect(200).await;
    let made = add(&world, home, &[("b", "Text")]).await;
    let text = format!("[b](/spaces/{}/pages/{})", home, made["b"]);
    let secret = add(&world, hidden, &[("secret", &text)]).await;
    let text = format!(
        "[s](/spaces/{hidden}/pages/{})\n\n[s](/spaces/{hidden})\n\n[never](/spaces/{hidden}/pages/{})\n\n\
         [u](/users/{})\n\n[o](/spaces/{})\n\n[c](/collections/{})",
        secret["secret"], made["b"], world.other_admin.id, world.other_space, world.other_collection
    );
    add(&world, home, &[("a", &text)]).await;
    let seen = links(&world.admin, home).expect(200).await;
    assert_eq!(
        texts(&seen, "/status"),
        ["ok", "ok", "broken", "broken", "broken", "broken"]
    );
    let unseen = links(&world.read, home).expect(200).await;
    assert_eq!(texts(&unseen, "/status"), ["broken"; 6]);
    assert_eq!(unseen["stats"]["broken"]["total"], 6);
    assert!(
        unseen["items"]
            .as_array()
            .unwrap()
            .iter()
            .all(|link| link.get("targetReference").is_none())
    );
    assert_eq!(
        links(&world.read, home).query("status", "ok").expect(200).await["count"],
        0
    );
    let places = backlinks(&world.admin, home, &made["b"]).expect(200).await;
    assert_eq!(titles(&places), ["secret"]);
    let places = backlinks(&world.read, home, &made["b"]).expect(200).await;
    assert_eq!(
        (places["count"].clone(), places["items"].clone()),
        (json!(0), json!([]))
    );
    // A space that is deleted is not there for anybody.
    world
        .admin
        .client
        .call("deleteSpaceById")
        .space(hidden)
        .expect(204)
        .await;
    let list = links(&world.admin, home).expect(200).await;
    assert_eq!(texts(&list, "/status"), ["broken"; 6]);
    assert_eq!(backlinks(&world.admin, home, &made["b"]).expect(200).await["count"], 0);
}

async fn older_forms_of_anchors_become_present_ones(database: TestDatabase) {
    let world = World::new(database).await;
    let home = new_space(&world, "Home").await;
    let headings = "## 1. Über uns\n\n## Plain\n";
    let old = add(&world, home, &[("old", headings)]).await["old"].clone();
    let links_to = |page: &str| {
        let anchors = [
            "1-uber-uns",
            "1.-über-uns",
            "1.-%C3%BCber-uns",
            "id-1.-uber-uns",
            "plain",
            "gone",
        ];
        let links = anchors.map(|anchor| format!("[{anchor}]({page}#{anchor})"));
        links.join(" ")
    };
    let text = format!(
        "{}\n\n{}\n\n{}\n\n{}\n\n{headings}",
        links_to("old.md"),
        links_to(&format!("/pages/{old}")),
        links_to("./new.md"),
        links_to(""),
    );
    let made = write(&world, home, vec![insert("b", &text), insert("new", headings)]).await;
    let markdown = async |page: &str| {
        let call = world.admin.client.call("getPageById").space(home).path("pageId", page);
        let call = call.query("format", "markdown").query("format.markdown.refs", "stable");
        call.expect(200).await["markdown"].as_str().unwrap().to_owned()
    };
    let written = markdown(&made["b"]).await;
    for page in [
        format!("/pages/{old}"),
        format!("/pages/{}", made["new"]),
        String::new(),
    ] {
        for (words, anchor) in [
            ("1-uber-uns", "id-1.-uber-uns"),
            ("1.-über-uns", "id-1.-uber-uns"),
            ("1.-%C3%BCber-uns", "id-1.-uber-uns"),
            ("id-1.-uber-uns", "id-1.-uber-uns"),
            ("plain", "plain"),
            ("gone", "gone"),
        ] {
            let link = format!("[{words}]({page}#{anchor})");
            assert!(written.contains(&link), "{link}\n\n{written}");
        }
    }
}
