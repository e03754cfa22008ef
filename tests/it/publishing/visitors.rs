//! Visitors of published sites: who they are, what they see, and what they may not.

use chrono::TimeDelta;
use data_encoding::BASE64URL_NOPAD;
use entity::ids::UserId;
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use serde_json::{Value, json};

use crate::support::{
    contract,
    database::{TestDatabase, on_each_database},
    published::{Published, find, id, now, read, resolve, sign, sign_with, visitor},
    specs,
    world::World,
};

on_each_database![
    visitors_prove_who_they_are,
    a_new_key_ends_what_the_former_signed_on_every_site,
    signed_tokens_are_sent_in_the_query_too,
    forged_tokens_are_refused,
    conditions_decide_what_visitors_see,
    visitors_read_nothing_but_published_content,
    visits_without_a_difference_have_one_token_until_the_site_is_written,
    tokens_of_visitors_end,
    tokens_of_visitors_end_with_the_tokens_that_let_them_in,
    claims_that_are_too_long_are_named_where_they_were_sent,
];

async fn visitors_prove_who_they_are(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    published.set(&world, json!({ "visibility": "visitor-auth" })).await;
    resolve(&world, &published.address, json!({})).expect(404).await;
    let update = world.on_site(&world.admin, "updateSitePublishingAuthById", &published.site);
    let login = "https://tidewater.example/login?app=docs";
    update
        .json(json!({ "backend": "custom", "fallbackURL": login }))
        .expect(200)
        .await;
    let sent = find(&world, &format!("{}start//evil.example", published.address)).await;
    assert_eq!(sent["target"], "external");
    assert_eq!(sent["redirect"], format!("{login}&location=%2Fstart%2F%2Fevil.example"));
    // The page at the location is of the site, not of another host.
    for slashes in ["/", "///"] {
        let sent = find(&world, &format!("{}{slashes}evil.example", published.address)).await;
        assert_eq!(sent["redirect"], format!("{login}&location=%2Fevil.example"));
    }

    let token = published.token(&world, json!({ "name": "Ines" })).await;
    let found = resolve(&world, &published.address, json!({ "jwtToken": token }))
        .expect(200)
        .await;
    let client = visitor(&world, &found);
    let text = read(&client, &found).expect(200).await["markdown"]
        .as_str()
        .unwrap()
        .to_owned();
    // Claims count only in sites with adaptive content.
    assert!(text.contains("for all."), "{text}");
    published
        .set(&world, json!({ "adaptiveContent": { "enabled": true } }))
        .await;
    let found = resolve(&world, &published.address, json!({ "jwtToken": token }))
        .expect(200)
        .await;
    let client = visitor(&world, &found);
    let answer = read(&client, &found).send().await;
    let text = answer.expect(200)["markdown"].as_str().unwrap().to_owned();
    assert!(text.contains("for Ines."), "{text}");
    let cached = answer.headers["cache-control"].to_str().unwrap();
    assert!(cached.contains("private") || cached.contains("no-store"), "{cached}");
    let vary: Vec<&str> = answer
        .headers
        .get_all("vary")
        .iter()
        .map(|it| it.to_str().unwrap())
        .collect();
    assert!(vary.contains(&"authorization"), "{vary:?}");
    let other = published.token(&world, json!({ "name": "Mateo" })).await;
    let other = resolve(&world, &published.address, json!({ "jwtToken": other }))
        .expect(200)
        .await;
    assert_ne!(other["contextId"], found["contextId"]);

    // A new key ends the tokens of the former, and what was read with them.
    let renew = world.on_site(&world.admin, "regenerateSitePublishingAuthById", &published.site);
    renew.expect(200).await;
    read(&client, &found).expect(404).await;
    let sent = resolve(&world, &published.address, json!({ "jwtToken": token }))
        .expect(200)
        .await;
    assert_eq!(sent["target"], "external");
}

async fn a_new_key_ends_what_the_former_signed_on_every_site(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    published
        .set(&world, json!({ "adaptiveContent": { "enabled": true } }))
        .await;
    let create = world.on_site(&world.admin, "createSiteShareLink", &published.site);
    let link = create.json(json!({ "name": "Partners" })).expect(201).await;
    let link = link["urls"]["published"].as_str().unwrap();
    for (visibility, address) in [
        ("public", published.address.as_str()),
        ("unlisted", published.address.as_str()),
        ("share-link", link),
    ] {
        published.set(&world, json!({ "visibility": visibility })).await;
        let token = published.token(&world, json!({ "name": "Ines" })).await;
        let signed = resolve(&world, address, json!({ "jwtToken": token })).expect(200).await;
        let unsigned = find(&world, address).await;
        let (known, unknown) = (visitor(&world, &signed), visitor(&world, &unsigned));
        let text = read(&known, &signed).expect(200).await["markdown"].to_string();
        assert!(text.contains("for Ines."), "{visibility}: {text}");
        let renew = world.on_site(&world.admin, "regenerateSitePublishingAuthById", &published.site);
        renew.expect(200).await;
        let answer = read(&known, &signed).send().await;
        assert_eq!(answer.status, 404, "{visibility}: {}", answer.text);
        // Who came without a token reads on, and the former token counts as none.
        read(&unknown, &unsigned).expect(200).await;
        let again = resolve(&world, address, json!({ "jwtToken": token })).expect(200).await;
        let text = read(&visitor(&world, &again), &again).expect(200).await["markdown"].to_string();
        assert!(text.contains("for all."), "{visibility}: {text}");
    }
}

async fn signed_tokens_are_sent_in_the_query_too(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let change = json!({ "visibility": "visitor-auth", "adaptiveContent": { "enabled": true } });
    published.set(&world, change).await;
    let lookup = || {
        let call = world.stranger.client.call("getPublishedContentByUrl");
        call.query("url", &published.address)
    };
    lookup().expect(404).await;
    lookup().query("visitorAuthToken", "a.b.c").expect(404).await;
    let token = published.token(&world, json!({ "name": "Ines" })).await;
    let found = lookup().query("visitorAuthToken", token).expect(200).await;
    let text = read(&visitor(&world, &found), &found).expect(200).await["markdown"].to_string();
    assert!(text.contains("for Ines."), "{text}");
}

async fn forged_tokens_are_refused(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    published.set(&world, json!({ "visibility": "visitor-auth" })).await;
    let key_of = async |site: &Value| {
        let auth = world
            .on_site(&world.admin, "getSitePublishingAuthById", site)
            .expect(200)
            .await;
        auth["privateKey"].as_str().unwrap().to_owned()
    };
    let key = key_of(&published.site).await;
    let other_key = key_of(&world.new_site("Other", &[]).await).await;
    let (soon, past) = (now(&world) + 60, now(&world));
    let good = sign(&json!({ "exp": soon }), &key, Algorithm::HS256);
    resolve(&world, &published.address, json!({ "jwtToken": good }))
        .expect(200)
        .await;
    let parts: Vec<&str> = good.split('.').collect();
    // {"alg":"none","typ":"JWT"}
    let none = format!("eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.{}.", parts[1]);
    let cut = format!("{}.{}.", parts[0], parts[1]);
    let extended = Header {
        crit: Some(vec!["audience".to_owned()]),
        ..Header::new(Algorithm::HS256)
    };
    for (why, token) in [
        (
            "the key of another site",
            sign(&json!({ "exp": soon }), &other_key, Algorithm::HS256),
        ),
        (
            "another algorithm",
            sign(&json!({ "exp": soon }), &key, Algorithm::HS512),
        ),
        ("no algorithm", none),
        ("no signature", cut),
        ("expired", sign(&json!({ "exp": past }), &key, Algorithm::HS256)),
        ("no end", sign(&json!({ "name": "Ines" }), &key, Algorithm::HS256)),
        (
            "an end that is no time",
            sign(&json!({ "exp": "tomorrow" }), &key, Algorithm::HS256),
        ),
        (
            "not yet",
            sign(&json!({ "exp": soon, "nbf": soon }), &key, Algorithm::HS256),
        ),
        (
            "an unknown extension",
            sign_with(&extended, &json!({ "exp": soon }), &key),
        ),
        ("nothing", String::new()),
    ] {
        let answer = resolve(&world, &published.address, json!({ "jwtToken": token }))
            .send()
            .await;
        assert_eq!(answer.status, 404, "{why}: {}", answer.text);
    }
}

async fn conditions_decide_what_visitors_see(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One", "Two"]).await;
    published
        .set(&world, json!({ "adaptiveContent": { "enabled": true } }))
        .await;
    let list = world
        .on_site(&world.admin, "listSiteSpaces", &published.site)
        .expect(200)
        .await;
    let update = world.on_site(&world.create, "updateSiteSpaceById", &published.site);
    let update = update.path("siteSpaceId", id(&list["items"][0]));
    update
        .json(json!({ "condition": "visitor.claims.plan == 'pro'" }))
        .expect(200)
        .await;
    let update = world.on_site(&world.create, "updateSiteSpaceById", &published.site);
    let update = update.path("siteSpaceId", id(&list["items"][1]));
    let refused = update.json(json!({ "condition": "visitor.claims.(" })).send().await;
    refused.expect(400);
    refused.has_detail("/body/condition", "condition");

    // Without the claim, the second space is the default.
    let found = find(&world, &published.address).await;
    assert_eq!(
        (&found["space"], &found["complete"]),
        (&published.spaces[1]["id"], &json!(false))
    );
    assert_eq!(found["contextId"], json!(null));
    let client = visitor(&world, &found);
    let hidden = client.call("getSpaceById").path("spaceId", id(&published.spaces[0]));
    hidden.expect(404).await;
    let token = published.token(&world, json!({ "plan": "pro" })).await;
    let found = resolve(&world, &published.address, json!({ "jwtToken": token }))
        .expect(200)
        .await;
    assert_eq!(found["space"], published.spaces[0]["id"]);
    let client = visitor(&world, &found);
    client
        .call("getSpaceById")
        .path("spaceId", id(&published.spaces[0]))
        .expect(200)
        .await;
    client
        .call("getSpaceById")
        .path("spaceId", id(&published.spaces[1]))
        .expect(200)
        .await;

    // What nobody has signed counts as `unsigned` alone.
    let unsigned = json!({ "unsignedClaims": { "plan": "pro", "beta": true } });
    let found = resolve(&world, &published.address, unsigned.clone()).expect(200).await;
    assert_eq!(found["space"], published.spaces[1]["id"]);
    let update = world.on_site(&world.create, "updateSiteSpaceById", &published.site);
    let update = update.path("siteSpaceId", id(&list["items"][0]));
    update
        .json(json!({ "condition": "visitor.claims.unsigned.beta" }))
        .expect(200)
        .await;
    let found = resolve(&world, &published.address, unsigned.clone()).expect(200).await;
    assert_eq!(found["space"], published.spaces[0]["id"]);
    let signed = published.token(&world, json!({ "unsigned": { "beta": true } })).await;
    let found = resolve(&world, &published.address, json!({ "jwtToken": signed }))
        .expect(200)
        .await;
    assert_eq!(found["space"], published.spaces[1]["id"]);
    published
        .set(&world, json!({ "adaptiveContent": { "enabled": false } }))
        .await;
    let found = resolve(&world, &published.address, unsigned).expect(200).await;
    assert_eq!(found["space"], published.spaces[1]["id"]);
    let long = json!({ "unsignedClaims": { "text": "x".repeat(8000) } });
    published
        .set(&world, json!({ "adaptiveContent": { "enabled": true } }))
        .await;
    let refused = resolve(&world, &published.address, long).send().await;
    refused.expect(400);
    refused.has_detail("/body/visitor", "too-long");
}

async fn visitors_read_nothing_but_published_content(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let found = find(&world, &published.address).await;
    let client = visitor(&world, &found);
    let space = found["space"].as_str().unwrap();
    let mut open = 0;
    for operation in contract::operations() {
        let (resource, path) = (operation.access().resource, operation.path);
        let expected = match resource {
            // The site of the world is another one, and its space is in no published site.
            "spaceVisitors" | "siteVisitors" | "changeRequestVisitors" | "specificationReader" => 404,
            // A component in a space of no published site.
            "integrationVisitors" => 404,
            // The site is not published.
            "trackedSite" => 404,
            "userVisitors" => 200,
            _ => 401,
        };
        open += usize::from(expected != 401);
        let mut call = client.operation(contract::operation(operation.id));
        for name in operation.path_parameters() {
            call = call.path(name, world.own_at(path, name));
        }
        if let Some(example) = operation.body_example() {
            call = call.json(example.clone());
        }
        let answer = call.send().await;
        assert_eq!(answer.status, expected, "{}: {}", operation.id, answer.text);
    }
    assert_eq!(open, 39);

    // Texts may mention members of the organization.
    let user = |id: UserId| client.call("getUserById").path("userId", id);
    let member = user(world.admin.id).expect(200).await;
    assert_eq!((member["displayName"].is_string(), member.get("email")), (true, None));
    user(world.other_admin.id).expect(404).await;

    // Drafts and the past stay with those who work on them.
    let first = world
        .admin
        .client
        .call("listRevisions")
        .path("spaceId", space)
        .expect(200)
        .await;
    let first = first["items"].as_array().unwrap().last().unwrap()["id"].clone();
    assert_ne!(first, found["revision"]);
    let former = client.call("getRevisionById").path("spaceId", space);
    former.path("revisionId", first.as_str().unwrap()).expect(404).await;
    let request = world.admin.client.call("createChangeRequest").path("spaceId", space);
    let request = request.json(json!({ "subject": "Secret" })).expect(201).await;
    let draft = client.call("getRevisionById").path("spaceId", space);
    let revision = request["revision"].as_str().unwrap();
    if revision != found["revision"] {
        draft.path("revisionId", revision).expect(404).await;
    }
    let seen = client.call("getSpaceById").path("spaceId", space).expect(200).await;
    assert_eq!(
        (&seen["changeRequests"], &seen["defaultLevel"]),
        (&json!(0), &json!(null))
    );
    assert_eq!(seen["permissions"]["comment"], false);

    // What is published meanwhile is there at once, and what the visitor began to read stays until they ask again.
    let change = json!({ "operation": "insert_page", "title": "More", "document": { "markdown": "More" } });
    let call = world.admin.client.call("updateSpaceContent").path("spaceId", space);
    call.json(json!({ "changes": [change] })).expect(200).await;
    let pages = client.call("listPages").path("spaceId", space).expect(200).await;
    assert_eq!(pages["pages"].as_array().unwrap().len(), 3);
    read(&client, &found).expect(200).await;
}

async fn visits_without_a_difference_have_one_token_until_the_site_is_written(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One", "Two"]).await;
    let token = async |path: &str| find(&world, &format!("{}{path}", published.address)).await["apiToken"].clone();
    const HALF_HOUR: i64 = 30 * 60_000;
    let into_window = world.app().kernel.clock.now().as_millis().rem_euclid(HALF_HOUR);
    world.clock().advance(TimeDelta::milliseconds(HALF_HOUR - into_window));
    let first = token("start").await;
    world.clock().advance(TimeDelta::milliseconds(HALF_HOUR - 1));
    assert_eq!(token("start").await, first);
    assert_eq!(token("").await, first);
    // Another space has another revision.
    assert_ne!(token("two/start").await, first);
    world.clock().advance(TimeDelta::milliseconds(1));
    let mut before = token("start").await;
    assert_ne!(before, first);
    let mut changed = async |what: &str| {
        let after = token("start").await;
        assert_ne!(after, before, "{what}");
        before = after;
    };
    let on_site = |operation: &str| world.on_site(&world.admin, operation, &published.site);

    let space = id(&published.spaces[0]);
    let change = json!({ "operation": "insert_page", "title": "More", "document": { "markdown": "More" } });
    let call = world.admin.client.call("updateSpaceContent").path("spaceId", space);
    call.json(json!({ "changes": [change] })).expect(200).await;
    changed("content").await;
    let items = on_site("listSiteSpaces").expect(200).await;
    let call = on_site("updateSiteSpaceById").path("siteSpaceId", id(&items["items"][1]));
    call.json(json!({ "path": "second" })).expect(200).await;
    changed("structure").await;
    published.set(&world, json!({ "title": "Handbooks" })).await;
    changed("settings").await;
    let mut look = on_site("getSiteCustomizationById").expect(200).await;
    look["pagination"]["enabled"] = json!(false);
    on_site("updateSiteCustomizationById").json(look).expect(200).await;
    changed("customization").await;
    let redirect =
        json!({ "source": "/old", "destination": { "kind": "site-space", "siteSpaceId": items["items"][0]["id"] } });
    on_site("createSiteRedirect").json(redirect).expect(201).await;
    changed("redirects").await;
    let link = on_site("createSiteShareLink").json(json!({ "name": "Partners" }));
    let link = link.expect(201).await;
    changed("share links").await;
    let update = on_site("updateSiteShareLinkById").path("shareLinkId", id(&link));
    update.json(json!({ "active": false })).expect(200).await;
    changed("a share link").await;
    let delete = on_site("deleteSiteShareLinkById").path("shareLinkId", id(&link));
    delete.expect(204).await;
    changed("a share link less").await;
    on_site("regenerateSitePublishingAuthById").expect(200).await;
    changed("the key").await;
    let beta = json!({ "type": "boolean", "description": "Whether the visitor tests." });
    let schema = json!({ "type": "object", "properties": { "beta": beta }, "additionalProperties": false });
    let call = on_site("updateSiteAdaptiveSchema");
    call.json(json!({ "jsonSchema": schema })).expect(200).await;
    changed("the claims").await;
    specs::fill(world.app(), &world.admin, world.organization, "conveyor").await;
    changed("specifications").await;
    assert_eq!(token("start").await, token("").await);
}

async fn tokens_of_visitors_end(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let found = find(&world, &published.address).await;
    let token = found["apiToken"].as_str().unwrap();
    for bad in [
        format!("{token}x"),
        token.replacen('.', ".e", 1),
        "bnv_".to_owned(),
        "bnv_a.b.c".to_owned(),
    ] {
        let client = world.nobody().with_token(&bad).named("forger");
        read(&client, &found).expect(401).await;
    }
    let client = visitor(&world, &found);
    read(&client, &found).expect(200).await;
    world.clock().advance(TimeDelta::minutes(60));
    read(&client, &found).expect(200).await;
    world.clock().advance(TimeDelta::minutes(30));
    read(&client, &found).expect(401).await;
}

async fn tokens_of_visitors_end_with_the_tokens_that_let_them_in(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let auth = world.on_site(&world.admin, "getSitePublishingAuthById", &published.site);
    let key = auth.expect(200).await["privateKey"].as_str().unwrap().to_owned();
    published
        .set(&world, json!({ "adaptiveContent": { "enabled": true } }))
        .await;
    let mut visits = Vec::new();
    for visibility in ["visitor-auth", "public"] {
        published.set(&world, json!({ "visibility": visibility })).await;
        for lifetime in [90.5, 1e9] {
            let claims = json!({ "exp": now(&world) as f64 + lifetime });
            let token = json!({ "jwtToken": sign(&claims, &key, Algorithm::HS256) });
            let found = resolve(&world, &published.address, token).expect(200).await;
            visits.push((lifetime, visitor(&world, &found), found));
        }
    }
    for (seconds, longest) in [(80, 90.5), (12, 1e9), (5_400, f64::MAX)] {
        world.clock().advance(TimeDelta::seconds(seconds));
        for (lifetime, client, found) in &visits {
            let status = if *lifetime >= longest && seconds < 5_400 {
                200
            } else {
                401
            };
            read(client, found).expect(status).await;
        }
    }
}

async fn claims_that_are_too_long_are_named_where_they_were_sent(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    published
        .set(&world, json!({ "adaptiveContent": { "enabled": true } }))
        .await;
    let auth = world.on_site(&world.admin, "getSitePublishingAuthById", &published.site);
    let key = auth.expect(200).await["privateKey"].as_str().unwrap().to_owned();
    // The server writes such numbers with all their digits.
    let numbers = vec!["1e15"; 400].join(",");
    let claims = format!("{{\"exp\":{},\"list\":[{numbers}]}}", now(&world) + 60);
    let header = BASE64URL_NOPAD.encode(b"{\"alg\":\"HS256\",\"typ\":\"JWT\"}");
    let message = format!("{header}.{}", BASE64URL_NOPAD.encode(claims.as_bytes()));
    let key = EncodingKey::from_secret(key.as_bytes());
    let signature = jsonwebtoken::crypto::sign(message.as_bytes(), &key, Algorithm::HS256).unwrap();
    let token = format!("{message}.{signature}");
    assert!(token.len() <= 4096, "{}", token.len());
    let call = world.stranger.client.call("getPublishedContentByUrl");
    let call = call.query("url", &published.address).query("visitorAuthToken", &token);
    let refused = call.send().await;
    refused.expect(400);
    refused.has_detail("/query/visitorAuthToken", "too-long");
    let refused = resolve(&world, &published.address, json!({ "jwtToken": token }))
        .send()
        .await;
    refused.expect(400);
    refused.has_detail("/body/visitor", "too-long");
}
