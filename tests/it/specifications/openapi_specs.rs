//! Specifications and their versions, as they are written and read.

use serde_json::{Value, json};

use crate::support::{
    database::{TestDatabase, on_each_database},
    specs::{document, process},
    texts::{add, new_space},
    world::World,
};

on_each_database![
    a_specification_is_created_processed_and_read,
    a_slug_is_taken_once,
    put_creates_or_replaces,
    versions_are_listed_the_newest_first,
    members_read_and_creators_write,
    deleting_takes_all_versions_along,
    specifications_of_others_are_unknown,
    links_to_specifications_have_a_status,
];

async fn a_specification_is_created_processed_and_read(database: TestDatabase) {
    let world = World::new(database).await;
    let create = || world.create.client.call("createOpenAPISpec").here(&world);
    let body = json!({ "slug": "Pets-API2", "source": { "text": document("Pets") } });
    let created = create().json(body).expect(201).await;
    let id = created["id"].as_str().unwrap();
    let base = world.nobody().base().to_owned();
    let location = format!("{base}/v1/orgs/{}/openapi/Pets-API2", world.organization);
    assert_eq!(created["urls"]["location"], location);
    assert_eq!(created["object"], "openapi-spec");
    assert_eq!(
        (&created["processingState"], &created["visibility"]),
        (&json!("pending"), &json!("private"))
    );
    assert_eq!(created["permissions"], json!({ "view": true, "edit": true }));
    assert_eq!(created["lastProcessedErrorCount"], 0);
    for absent in [
        "sourceURL",
        "lastVersion",
        "lastProcessedAt",
        "lastProcessErrorCode",
        "lastProcessedErrors",
    ] {
        assert!(created.get(absent).is_none(), "{absent}");
    }
    for operation in ["getLatestOpenAPISpecVersion", "getLatestOpenAPISpecVersionContent"] {
        world.spec_call(operation, "Pets-API2").expect(404).await;
    }
    process(world.app()).await;
    let read = world.spec_call("getOpenAPISpecBySlug", "Pets-API2").expect(200).await;
    assert_eq!(
        (read["id"].as_str(), &read["processingState"]),
        (Some(id), &json!("complete"))
    );
    let latest = world
        .spec_call("getLatestOpenAPISpecVersion", "Pets-API2")
        .expect(200)
        .await;
    assert_eq!(latest["id"], read["lastVersion"]);
    assert_eq!(latest["object"], "openapi-spec-version");
    let version = read["lastVersion"].as_str().unwrap();
    assert_eq!(latest["urls"]["location"], format!("{location}/versions/{version}"));
    let by_id = world
        .spec_call("getOpenAPISpecVersionById", "Pets-API2")
        .path("versionId", version);
    assert_eq!(by_id.expect(200).await, latest);
    let mut expected: Value = serde_json::from_str(&document("Pets")).unwrap();
    let response = &mut expected["paths"]["/pets"]["get"]["responses"]["200"];
    response["x-gitbook-description-html"] = json!("<p>Pets.</p>");
    let file = json!({
        "dir": ".", "isEntrypoint": true, "references": [], "filename": "openapi.json", "specification": expected,
    });
    let content = world
        .spec_call("getLatestOpenAPISpecVersionContent", "Pets-API2")
        .expect(200)
        .await;
    let urls = json!({ "source": latest["url"], "public": null });
    assert_eq!(
        content,
        json!({ "filesystem": [file], "url": latest["url"], "urls": urls })
    );
    let by_id = world
        .spec_call("getOpenAPISpecVersionContentById", "Pets-API2")
        .path("versionId", version);
    let answer = by_id.send().await;
    let tag = answer.headers["etag"].to_str().unwrap().to_owned();
    let by_id = world
        .spec_call("getOpenAPISpecVersionContentById", "Pets-API2")
        .path("versionId", version);
    assert_eq!(by_id.header("if-none-match", &tag).send().await.status, 304);
    let latest = world.spec_call("getLatestOpenAPISpecVersionContent", "Pets-API2");
    assert_eq!(latest.header("if-none-match", &tag).send().await.status, 304);
    // A public specification has an address for everybody.
    let publish = world.spec_call("updateOpenAPISpecBySlug", "Pets-API2");
    let read = publish.json(json!({ "visibility": "public" })).expect(200).await;
    let latest = world.spec_call("getLatestOpenAPISpecVersionContent", "Pets-API2");
    let content = latest.header("if-none-match", &tag).expect(200).await;
    assert!(content["urls"]["public"].is_string());
    assert_eq!(content["urls"]["public"], read["urls"]["published"]);
    let list = world
        .admin
        .client
        .call("listOpenAPISpecs")
        .here(&world)
        .expect(200)
        .await;
    assert_eq!((&list["items"][0], &list["count"]), (&read, &json!(2)));
}

async fn a_slug_is_taken_once(database: TestDatabase) {
    let world = World::with(database, |flags| flags.body_limit = Some("16MiB".to_owned())).await;
    let create = |slug: &str| {
        let call = world.admin.client.call("createOpenAPISpec").here(&world);
        call.json(json!({ "slug": slug, "source": { "text": "-" } }))
    };
    create("pets").expect(201).await;
    assert_eq!(create("pets").expect(409).await["error"]["type"], "slug-taken");
    let other = world
        .other_admin
        .client
        .call("createOpenAPISpec")
        .within(world.other_organization);
    other
        .json(json!({ "slug": "pets", "source": { "text": "-" } }))
        .expect(201)
        .await;
    for bad in ["", "-a", "a-", "a--b", "a_b", "ä", &"a".repeat(101)] {
        create(bad).send().await.has_detail_of_slug();
    }
    let both = json!({ "slug": "both", "source": { "text": "-", "url": "https://a.example" } });
    world
        .admin
        .client
        .call("createOpenAPISpec")
        .here(&world)
        .json(both)
        .expect(400)
        .await;
    // Longer than the document of this server.
    let long = format!(
        "{{openapi: 3.1.0, info: {{title: Long, version: '1'}}, paths: {{}}, x-long: {}}}",
        "a".repeat(6 << 20)
    );
    let long = json!({ "slug": "long", "source": { "text": long } });
    let call = world.admin.client.call("createOpenAPISpec").here(&world);
    call.json(long).expect(201).await;
    for url in ["ftp://a.example", "a.example", "javascript:1"] {
        let body = json!({ "slug": "bad", "source": { "url": url } });
        world
            .admin
            .client
            .call("createOpenAPISpec")
            .here(&world)
            .json(body)
            .expect(400)
            .await;
    }
}

impl crate::support::client::Answer {
    fn has_detail_of_slug(&self) {
        let body = self.expect(400);
        assert_eq!(body["error"]["details"][0]["pointer"], "/body/slug", "{body}");
    }
}

async fn put_creates_or_replaces(database: TestDatabase) {
    let world = World::new(database).await;
    let put = |title: &str| {
        let call = world.spec_call("createOrUpdateOpenAPISpecBySlug", "pets");
        call.json(json!({ "source": { "text": document(title) } }))
    };
    let created = put("One").send().await;
    let spec = created.expect(201);
    assert_eq!(created.headers["location"].to_str().unwrap(), spec["urls"]["location"]);
    // The first source is never processed: it has been replaced.
    let replaced = put("Two").expect(200).await;
    assert_eq!(replaced["id"], spec["id"]);
    assert_eq!(process(world.app()).await, 2);
    let content = async || {
        world
            .spec_call("getLatestOpenAPISpecVersionContent", "pets")
            .expect(200)
            .await
    };
    assert_eq!(
        content().await["filesystem"][0]["specification"]["info"]["title"],
        "Two"
    );
    let count = async || world.spec_call("listOpenAPISpecVersions", "pets").expect(200).await["count"].clone();
    assert_eq!(count().await, 1);
    // The same content is no new version.
    assert_eq!(put("Two").expect(200).await["processingState"], "pending");
    process(world.app()).await;
    assert_eq!(count().await, 1);
    put("One").expect(200).await;
    process(world.app()).await;
    assert_eq!(count().await, 2);
    assert_eq!(
        content().await["filesystem"][0]["specification"]["info"]["title"],
        "One"
    );
    let call = world.spec_call("createOrUpdateOpenAPISpecBySlug", "no_slug");
    call.json(json!({ "source": { "text": "-" } })).expect(400).await;
}

async fn versions_are_listed_the_newest_first(database: TestDatabase) {
    let world = World::new(database).await;
    let mut made = Vec::new();
    for title in ["One", "Two", "Three"] {
        let spec = world.process_source("pets", json!({ "text": document(title) })).await;
        made.insert(0, spec["lastVersion"].clone());
    }
    let list = || world.spec_call("listOpenAPISpecVersions", "pets");
    let first = list().query("limit", 2).expect(200).await;
    let ids = |page: &Value| -> Vec<Value> {
        page["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| item["id"].clone())
            .collect()
    };
    assert_eq!((ids(&first), &first["count"]), (made[..2].to_vec(), &json!(3)));
    let next = first["next"]["page"].as_str().unwrap();
    assert_eq!(ids(&list().query("page", next).expect(200).await), made[2..].to_vec());
    // A version is one of its own specification.
    world
        .process_source("other", json!({ "text": document("Other") }))
        .await;
    let version = made[0].as_str().unwrap();
    world
        .spec_call("getOpenAPISpecVersionById", "other")
        .path("versionId", version)
        .expect(404)
        .await;
}

async fn members_read_and_creators_write(database: TestDatabase) {
    let world = World::new(database).await;
    let slug = world.own("specSlug");
    for (name, status, edit) in [
        ("guest", 403, false),
        ("read", 200, false),
        ("review", 200, false),
        ("create", 200, true),
    ] {
        let person = world.person(name);
        let call = |operation: &str| person.client.call(operation).here(&world).path("specSlug", &slug);
        let spec = call("getOpenAPISpecBySlug").expect(status).await;
        let patch = call("updateOpenAPISpecBySlug").json(json!({ "visibility": "private" }));
        assert_eq!(patch.send().await.status, if edit { 200 } else { 403 }, "{name}");
        if status == 200 {
            assert_eq!(spec["permissions"], json!({ "view": true, "edit": edit }), "{name}");
        }
        let organization = person.client.call("getOrganizationById").here(&world).expect(200).await;
        assert_eq!(organization["permissions"]["createOpenAPISpec"], edit, "{name}");
    }
}

async fn deleting_takes_all_versions_along(database: TestDatabase) {
    let world = World::new(database).await;
    world.process_source("pets", json!({ "text": document("Pets") })).await;
    let latest = world.spec_call("getLatestOpenAPISpecVersion", "pets").expect(200).await;
    let path = latest["url"]
        .as_str()
        .unwrap()
        .strip_prefix(world.nobody().base())
        .unwrap()
        .to_owned();
    assert_eq!(world.nobody().get(&path).await.status(), 200);
    for _ in 0..2 {
        world.spec_call("deleteOpenAPISpecBySlug", "pets").expect(204).await;
    }
    world.spec_call("getOpenAPISpecBySlug", "pets").expect(404).await;
    world.spec_call("listOpenAPISpecVersions", "pets").expect(404).await;
    assert_eq!(world.nobody().get(&path).await.status(), 404);
    // A job of a deleted specification has nothing to do.
    let put = world.spec_call("createOrUpdateOpenAPISpecBySlug", "pets");
    put.json(json!({ "source": { "text": document("Pets") } }))
        .expect(201)
        .await;
    world.spec_call("deleteOpenAPISpecBySlug", "pets").expect(204).await;
    assert_eq!(process(world.app()).await, 1);
}

async fn specifications_of_others_are_unknown(database: TestDatabase) {
    let world = World::new(database).await;
    let (slug, version) = (world.foreign("specSlug"), world.foreign("versionId"));
    world.spec_call("getOpenAPISpecBySlug", &slug).expect(404).await;
    let own = world.own("specSlug");
    for operation in ["getOpenAPISpecVersionById", "getOpenAPISpecVersionContentById"] {
        world
            .spec_call(operation, &own)
            .path("versionId", &version)
            .expect(404)
            .await;
    }
    world.spec_call("deleteOpenAPISpecBySlug", &slug).expect(204).await;
    let still = world
        .other_admin
        .client
        .call("getOpenAPISpecBySlug")
        .within(world.other_organization);
    still.path("specSlug", &slug).expect(200).await;
}

async fn links_to_specifications_have_a_status(database: TestDatabase) {
    let world = World::new(database).await;
    let own = world.own("specSlug");
    let spec = world.spec_call("getOpenAPISpecBySlug", &own).expect(200).await["id"].clone();
    let call = world
        .other_admin
        .client
        .call("getOpenAPISpecBySlug")
        .within(world.other_organization);
    let foreign = call.path("specSlug", world.foreign("specSlug")).expect(200).await["id"].clone();
    let block = |spec: &str| {
        format!(
            "{{% openapi-operation spec=\"{spec}\" path=\"/pets\" method=\"get\" %}}\n{{% endopenapi-operation %}}\n\n"
        )
    };
    // By id and by slug: the own one, that of another organization, and one that nobody has.
    let (ids, slugs) = (
        [&spec, &foreign],
        [
            own.clone(),
            world.foreign("specSlug"),
            "nobodys".to_owned(),
            own.clone(),
        ],
    );
    let ids = ids.iter().map(|id| block(id.as_str().unwrap()));
    let blocks: String = ids.chain(slugs.iter().map(|slug| block(slug))).collect();
    let space = new_space(&world, "Reference").await;
    add(&world, space, &[("a", &blocks)]).await;
    let statuses = async || {
        let list = world.admin.client.call("listSpaceLinks").space(space).expect(200).await;
        let items = list["items"].as_array().unwrap();
        items
            .iter()
            .map(|link| link["status"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(statuses().await, ["ok", "broken", "ok", "broken", "broken"]);
    world.spec_call("deleteOpenAPISpecBySlug", &own).expect(204).await;
    assert_eq!(statuses().await, ["broken"; 5]);
    let body = json!({ "source": { "text": document("Pets") } });
    let create = world.spec_call("createOrUpdateOpenAPISpecBySlug", &own).json(body);
    create.expect(201).await;
    assert_eq!(statuses().await, ["broken", "broken", "ok", "broken", "broken"]);
}
