//! Templates in content that exists: in spaces and in change requests.

use entity::ids::NodeId;
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::{
    client::Call,
    content,
    database::{TestDatabase, on_each_database},
    paths::{node_id, texts},
    requests::request_id,
    space_templates::mark,
    texts::{add, insert, new_space, upload, without_title, write},
    world::{Person, World},
};

on_each_database![
    a_template_comes_after_what_is_there,
    parameters_lead_where_the_caller_says,
    references_that_cannot_be_values_are_refused,
    a_template_is_applied_to_change_requests_that_are_active,
    a_change_request_starts_with_a_template,
    a_locked_space_takes_templates_by_change_requests,
    many_who_apply_a_template_at_once_all_succeed,
    a_template_is_applied_to_the_content_that_the_caller_knows,
];

async fn marked(world: &World, space: NodeId) -> String {
    mark(world, space).expect(200).await["id"].as_str().unwrap().to_owned()
}

/// An empty space.
async fn empty_space(world: &World) -> NodeId {
    let call = world.admin.client.call("createSpace").here(world);
    node_id(&call.json(json!({ "empty": true })).expect(201).await)
}

/// A template with one page of this text.
async fn template(world: &World, text: &str) -> String {
    let space = empty_space(world).await;
    add(world, space, &[("Page", text)]).await;
    marked(world, space).await
}

fn apply(by: &Person, space: NodeId, body: Value) -> Call<'_> {
    by.client.call("applyTemplateToSpace").space(space).json(body)
}

async fn pages(world: &World, space: NodeId) -> Vec<Value> {
    let list = world.admin.client.call("listPages").space(space).expect(200).await;
    list["pages"].as_array().unwrap().clone()
}

fn members(pages: &[Value], name: &str) -> Vec<String> {
    pages
        .iter()
        .map(|page| page[name].as_str().unwrap().to_owned())
        .collect()
}

async fn markdown(world: &World, space: NodeId, page: &Value) -> String {
    let call = world.admin.client.call("getPageById").space(space);
    let call = call.path("pageId", page["id"].as_str().unwrap());
    let call = call.query("format", "markdown").query("format.markdown.refs", "stable");
    without_title(&call.expect(200).await)
}

async fn a_template_comes_after_what_is_there(database: TestDatabase) {
    let world = World::new(database).await;
    let source = empty_space(&world).await;
    let shared = content::reusable_content(world.app(), world.admin.id, source, "Mind the air.").await;
    let text = format!("[Below](./Below.md) ![File](./a.txt)\n\n{{% include \"/reusable-contents/{shared}\" %}}\n");
    let made = write(&world, source, vec![upload("a.txt"), insert("Top", &text)]).await;
    let mut below = insert("Below", &format!("[Top](/pages/{})", made["Top"]));
    below["into"] = json!(made["Top"]);
    let below = write(&world, source, vec![below]).await;
    let text = format!(
        "[Below](/pages/{}) ![File](/files/{})\n\n",
        below["Below"], made["a.txt"]
    );
    let text = format!("{text}{{% include \"/reusable-contents/{shared}\" %}}\n");
    write(&world, source, vec![crate::support::texts::edit(&made["Top"], &text)]).await;
    let id = marked(&world, source).await;

    let space = empty_space(&world).await;
    add(&world, space, &[("Top", "Mine."), ("Other", "")]).await;
    apply(&world.edit, space, json!({ "id": id })).expect(204).await;
    let found = pages(&world, space).await;
    assert_eq!(members(&found, "title"), ["Top", "Other", "Top"]);
    assert_eq!(members(&found, "slug"), ["top", "other", "top-2"]);
    let top = &found[2];
    let child = &top["pages"][0];
    assert!(top["id"] != json!(made["Top"]) && child["id"] != json!(below["Below"]));
    let read = markdown(&world, space, top).await;
    let files = world.admin.client.call("listFiles").space(space).expect(200).await;
    let file = files["items"][0].clone();
    assert_ne!(file["id"], made["a.txt"]);
    assert!(
        read.contains(&format!("/pages/{}", child["id"].as_str().unwrap())),
        "{read}"
    );
    assert!(
        read.contains(&format!("/files/{}", file["id"].as_str().unwrap())),
        "{read}"
    );
    assert!(!read.contains(&shared.to_string()), "{read}");
    let back = markdown(&world, space, child).await;
    assert!(
        back.contains(&format!("/pages/{}", top["id"].as_str().unwrap())),
        "{back}"
    );
    let links = world.admin.client.call("listSpaceLinks").space(space).expect(200).await;
    assert_eq!(links["stats"]["broken"]["total"], 0, "{links:#}");
    let address = file["downloadURL"].as_str().unwrap();
    let bytes = world
        .nobody()
        .get(address.strip_prefix(&world.service.base).unwrap())
        .await;
    assert_eq!(bytes.text().await.unwrap(), "hello");
    // The space with the file may go.
    world
        .admin
        .client
        .call("deleteSpaceById")
        .space(source)
        .expect(204)
        .await;
    let revisions = world.admin.client.call("listRevisions").space(space);
    assert_eq!(revisions.expect(200).await["count"], 3);
    let events = world.admin.client.call("listOrganizationAuditEvents").here(&world);
    let events = events.query("action", "content.applyTemplateToSpace").expect(200).await;
    let event = world.admin.client.call("getOrganizationAuditEvent").here(&world);
    let event = event.path("auditEventId", events["items"][0]["id"].as_str().unwrap());
    assert_eq!(event.expect(200).await["payload"]["template"], id);
}

async fn parameters_lead_where_the_caller_says(database: TestDatabase) {
    let world = World::new(database).await;
    let text = "[a](/params/page) [b](/params/page#part) [c](/params/elsewhere) [d](/params/site) [e](/params/person)\n\n\
                ![f](/params/picture)\n";
    let id = template(&world, text).await;
    let space = empty_space(&world).await;
    let own = write(&world, space, vec![insert("Own", ""), upload("a.txt")]).await;
    let far = add(&world, world.space, &[("Far", "")]).await;
    let references = json!({
        "page": { "kind": "page", "page": own["Own"], "space": space },
        "elsewhere": { "kind": "anchor", "page": far["Far"], "space": world.space, "anchor": "x" },
        "site": { "kind": "url", "url": "https://a.example/b?c=d" },
        "person": { "kind": "user", "user": world.read.id },
        "picture": { "kind": "file", "file": own["a.txt"] },
    });
    let body = json!({ "id": id, "params": { "contentRefs": references } });
    apply(&world.edit, space, body).expect(204).await;
    let found = pages(&world, space).await;
    let read = markdown(&world, space, &found[1]).await;
    let expected = format!(
        "[a](/pages/{page}) [b](/pages/{page}#part) [c](/spaces/{}/pages/{}#x) [d](https://a.example/b?c=d) \
         [e](/users/{})\n\n![f](/files/{})\n",
        world.space,
        far["Far"],
        world.read.id,
        own["a.txt"],
        page = own["Own"]
    );
    assert!(read.ends_with(expected.trim_end()), "{read}");
}

async fn references_that_cannot_be_values_are_refused(database: TestDatabase) {
    let world = World::new(database).await;
    let id = template(&world, "[a](/params/a) ![b](/params/b)").await;
    let space = empty_space(&world).await;
    let closed = new_space(&world, "Closed").await;
    let hidden = add(&world, closed, &[("Hidden", "")]).await;
    let close = world.admin.client.call("updateSpaceById").space(closed);
    close.json(json!({ "defaultLevel": null })).expect(200).await;
    let picture = json!({ "kind": "url", "url": "https://a.example/b.png" });
    let send = async |a: Value, b: &Value| {
        let references = json!({ "a": a, "b": b });
        let body = json!({ "id": id, "params": { "contentRefs": references } });
        apply(&world.edit, space, body).send().await
    };
    for a in [
        json!({ "kind": "page", "page": hidden["Hidden"], "space": closed }),
        json!({ "kind": "page", "page": hidden["Hidden"] }),
        json!({ "kind": "page", "page": world.foreign("pageId"), "space": world.other_space }),
        json!({ "kind": "file", "file": world.own("fileId") }),
        json!({ "kind": "anchor", "anchor": "x" }),
        json!({ "kind": "anchor", "anchor": "x", "space": world.space }),
        json!({ "kind": "space", "space": closed }),
        json!({ "kind": "space", "space": world.other_space }),
        json!({ "kind": "collection", "collection": world.other_collection }),
        json!({ "kind": "user", "user": world.other_admin.id }),
        json!({ "kind": "openapi", "spec": "none" }),
        json!({ "kind": "url", "url": "javascript:alert(1)" }),
        json!({ "kind": "url", "url": format!("/spaces/{closed}") }),
    ] {
        let refused = send(a, &picture).await;
        assert_eq!(
            refused.details(),
            [("/body/params/contentRefs/a".to_owned(), "parameter-target".to_owned())],
            "{}",
            refused.text
        );
    }
    let mail = json!({ "kind": "url", "url": "mailto:a@b.example" });
    send(mail.clone(), &mail)
        .await
        .has_detail("/body/params/contentRefs/b", "parameter-target");
    let person = json!({ "kind": "user", "user": world.read.id });
    send(person.clone(), &person)
        .await
        .has_detail("/body/params/contentRefs/b", "parameter-kind");
    // All problems are named at once.
    let references = json!({ "c": picture, "b": person });
    let body = json!({ "id": id, "params": { "contentRefs": references } });
    let refused = apply(&world.edit, space, body).send().await;
    refused
        .has_detail("/body/params/contentRefs/a", "required")
        .has_detail("/body/params/contentRefs/b", "parameter-kind")
        .has_detail("/body/params/contentRefs/c", "unknown-parameter");
    let refused = apply(&world.edit, space, json!({ "id": world.other_space }))
        .send()
        .await;
    refused.has_detail("/body/id", "unknown-template");
    assert!(pages(&world, space).await.is_empty());
    send(mail, &picture).await.expect(204);
}

/// The titles of the pages of a change request.
async fn titles_in(world: &World, space: NodeId, request: &Value) -> Vec<String> {
    let call = world.admin.client.call("listPagesInChangeRequest").space(space);
    let list = call.path("changeRequestId", request_id(request)).expect(200).await;
    members(list["pages"].as_array().unwrap(), "title")
}

async fn a_template_is_applied_to_change_requests_that_are_active(database: TestDatabase) {
    let world = World::new(database).await;
    let id = template(&world, "Words").await;
    let before = pages(&world, world.space).await;
    let request = world.change_request(&world.edit, "One").await;
    let body = |request: Value| json!({ "id": id, "changeRequestId": request });
    apply(&world.edit, world.space, body(request["id"].clone()))
        .expect(204)
        .await;
    let number = request["number"].to_string();
    apply(&world.edit, world.space, body(json!(number))).expect(204).await;
    let titles = titles_in(&world, world.space, &request).await;
    assert_eq!(titles.len(), before.len() + 2);
    assert_eq!(pages(&world, world.space).await, before);
    let contributors = world
        .admin
        .client
        .call("getContributorsByChangeRequestId")
        .space(world.space);
    let contributors = contributors
        .path("changeRequestId", request_id(&request))
        .expect(200)
        .await;
    assert!(texts(&contributors, "/user/id").contains(&world.edit.id.to_string()));
    world.patch(&request, json!({ "status": "archived" })).await;
    let refused = apply(&world.edit, world.space, body(request["id"].clone()))
        .expect(409)
        .await;
    assert_eq!(refused["error"]["type"], "change-request-archived");
    world.patch(&request, json!({ "status": "open" })).await;
    let merge = world.admin.client.call("mergeChangeRequest").space(world.space);
    let merged = merge.path("changeRequestId", request_id(&request)).expect(200).await;
    assert_eq!(merged["result"], "merge");
    assert_eq!(members(&pages(&world, world.space).await, "title"), titles);
    let refused = apply(&world.edit, world.space, body(request["id"].clone()))
        .expect(409)
        .await;
    assert_eq!(refused["error"]["type"], "change-request-merged");
    let other = world.foreign("changeRequestId");
    for unknown in ["none".to_owned(), "9999".to_owned(), other] {
        let refused = apply(&world.edit, world.space, body(json!(unknown))).send().await;
        refused.has_detail("/body/changeRequestId", "unknown-change-request");
    }
}

async fn a_change_request_starts_with_a_template(database: TestDatabase) {
    let world = World::new(database).await;
    let id = template(&world, "[a](/params/a)").await;
    let space = empty_space(&world).await;
    let own = add(&world, space, &[("Own", "")]).await;
    let create = |references: Value| {
        let call = world.edit.client.call("createChangeRequest").space(space);
        let template = json!({ "id": id, "params": { "contentRefs": references } });
        call.json(json!({ "subject": "From a template", "template": template }))
    };
    let url = json!({ "kind": "url", "url": "https://a.example/" });
    let at = |name: &str| format!("/body/template/params/contentRefs/{name}");
    create(json!({})).send().await.has_detail(&at("a"), "required");
    let refused = create(json!({ "a": { "kind": "page", "page": "none" } })).send().await;
    refused.has_detail(&at("a"), "parameter-target");
    let shared = json!({ "kind": "reusable-content", "reusableContent": "none" });
    create(json!({ "a": shared }))
        .send()
        .await
        .has_detail(&at("a"), "parameter-kind");
    let refused = create(json!({ "a": url, "b": url })).send().await;
    refused.has_detail(&at("b"), "unknown-parameter");
    let request = create(json!({ "a": { "kind": "page", "page": own["Own"] } }))
        .expect(201)
        .await;
    assert_eq!((&request["status"], &request["number"]), (&json!("draft"), &json!(1)));
    assert_eq!(titles_in(&world, space, &request).await, ["Own", "Page"]);
    assert_eq!(members(&pages(&world, space).await, "title"), ["Own"]);
    let merge = world.admin.client.call("mergeChangeRequest").space(space);
    let merged = merge.path("changeRequestId", request_id(&request)).expect(200).await;
    assert_eq!(merged["result"], "merge");
    let found = pages(&world, space).await;
    let read = markdown(&world, space, &found[1]).await;
    assert!(read.contains(&format!("/pages/{}", own["Own"])), "{read}");
}

async fn a_locked_space_takes_templates_by_change_requests(database: TestDatabase) {
    let world = World::new(database).await;
    let lock = world.admin.client.call("updateSpaceById").space(world.space);
    lock.json(json!({ "editMode": "locked" })).expect(200).await;
    let body = json!({ "id": "builtin:changelog" });
    let refused = apply(&world.edit, world.space, body.clone()).expect(409).await;
    assert_eq!(refused["error"]["type"], "locked");
    let create = world.edit.client.call("createChangeRequest").space(world.space);
    let request = create.json(json!({ "template": body })).expect(201).await;
    assert!(
        titles_in(&world, world.space, &request)
            .await
            .contains(&"Upgrading".to_owned())
    );
}

async fn many_who_apply_a_template_at_once_all_succeed(database: TestDatabase) {
    let world = World::new(database).await;
    let id = template(&world, "Words").await;
    let space = empty_space(&world).await;
    let calls = (0..6).map(|_| apply(&world.edit, space, json!({ "id": id })).expect(204));
    join_all(calls).await;
    let slugs = members(&pages(&world, space).await, "slug");
    assert_eq!(slugs, ["page", "page-2", "page-3", "page-4", "page-5", "page-6"]);
    let revisions = world.admin.client.call("listRevisions").space(space);
    assert_eq!(revisions.expect(200).await["count"], 7);
}

async fn a_template_is_applied_to_the_content_that_the_caller_knows(database: TestDatabase) {
    let world = World::new(database).await;
    let space = empty_space(&world).await;
    let read = world.edit.client.call("getCurrentRevision").space(space).send().await;
    let tag = read.headers["etag"].to_str().unwrap().to_owned();
    let body = json!({ "id": "builtin:changelog" });
    let first = apply(&world.edit, space, body.clone()).header("If-Match", &tag);
    first.expect(204).await;
    let second = apply(&world.edit, space, body).header("If-Match", &tag);
    assert_eq!(second.expect(412).await["error"]["type"], "content-changed");
    assert_eq!(pages(&world, space).await.len(), 4);
}
