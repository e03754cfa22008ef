//! Parameters and members that the contract does not know: which are ignored, and how an answer names them.

use serde_json::{Value, json};

use crate::support::{
    client::{Call, ignored},
    contract,
    database::{TestDatabase, on_each_database, on_one_database},
    published::{Published, id},
    world::World,
};

on_one_database![every_operation_names_unknown_query_parameters];

on_each_database![
    names_are_distinct_and_safe_in_a_header,
    the_header_has_a_bounded_length,
    operations_that_change_nothing_name_unknown_members,
    writes_refuse_unknown_members,
];

async fn every_operation_names_unknown_query_parameters(database: TestDatabase) {
    let world = World::new(database).await;
    for operation in contract::operations() {
        let known = operation.query_parameters().into_iter().next();
        let call = world.complete(&operation).query("no-such.parameter", "1");
        let call = match known {
            Some(parameter) => call.query(parameter.name, "1"),
            None => call,
        };
        assert_eq!(ignored(&call.send().await), ["no-such.parameter"], "{}", operation.id);
    }
}

fn spaces(world: &World) -> Call<'_> {
    world.read.client.call("listSpacesInOrganizationById").here(world)
}

async fn names_are_distinct_and_safe_in_a_header(database: TestDatabase) {
    let world = World::new(database).await;
    let call = spaces(&world)
        .query("limit", "1")
        .query("titel", "a")
        .query("titel", "b");
    let call = call.query("a,b", "").query("ü\r\nX-Other: 1", "").query("", "");
    let answer = call.send().await;
    assert_eq!(answer.expect(200)["items"].as_array().unwrap().len(), 1);
    assert_eq!(ignored(&answer), ["titel", "a%2Cb", "%C3%BC%0D%0AX-Other%3A%201"]);
    assert_eq!(answer.headers.get("x-other"), None);
    let plain = spaces(&world).query("limit", "1").send().await;
    assert_eq!(plain.headers.get("x-ignored-parameters"), None);
    // A refusal names them too, and so does an answer to a caller without a token.
    let refused = spaces(&world).query("limit", "x").query("titel", "a").send().await;
    refused.has_detail("/query/limit", "type");
    assert_eq!(ignored(&refused), ["titel"]);
    let nobody = world.nobody();
    let refused = nobody
        .call("listSpacesInOrganizationById")
        .here(&world)
        .query("titel", "a");
    let refused = refused.send().await;
    refused.expect(401);
    assert_eq!(ignored(&refused), ["titel"]);
}

async fn the_header_has_a_bounded_length(database: TestDatabase) {
    let world = World::new(database).await;
    let call = (0..300).fold(spaces(&world), |call, i| call.query(&format!("parameter-{i}"), ""));
    let answer = call.send().await;
    answer.expect(200);
    let names = ignored(&answer);
    assert!(names.len() > 50 && names.join(", ").len() <= 1000, "{names:?}");
    assert_eq!(names[0], "parameter-0");
    let long = "x".repeat(5000);
    let answer = spaces(&world).query(&long, "").query("titel", "").send().await;
    assert_eq!(ignored(&answer), ["titel"]);
}

async fn operations_that_change_nothing_name_unknown_members(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let look = |body: Value| world.stranger.client.call("resolvePublishedContentByUrl").json(body);
    let visitor = json!({ "type": "browser", "unsignedClaims": { "beta": true }, "~/": { "a": [1] } });
    let body = json!({ "url": published.address, "visitor": visitor, "cacheBust": "x" });
    let answer = look(body.clone()).query("retry", "1").send().await;
    assert_eq!(answer.expect(200)["space"], published.spaces[0]["id"]);
    let mut names = ignored(&answer);
    names.sort_unstable();
    assert_eq!(names, ["cacheBust", "retry", "visitor.type", "visitor.~%2F"]);

    // Only what is wrong with known members is refused.
    let mut wrong = body;
    wrong["redirectOnError"] = json!("yes");
    let refused = look(wrong).send().await;
    assert_eq!(
        refused.details(),
        [("/body/redirectOnError".to_owned(), "type".to_owned())]
    );

    let search = world.on_site(&world.read, "searchSiteContent", &published.site);
    let scope = json!({ "mode": "specific", "siteSpaceIds": [], "restrictTo": "pages" });
    let refused = search.json(json!({ "query": "start", "scope": scope })).send().await;
    assert_eq!(
        refused.details(),
        [("/body/scope/siteSpaceIds".to_owned(), "min-items".to_owned())]
    );
    let search = world.on_site(&world.read, "searchSiteContent", &published.site);
    let scope = json!({ "mode": "all", "restrictTo": { "pages": [] } });
    let found = search
        .json(json!({ "query": "start", "scope": scope, "ranking": 2 }))
        .send()
        .await;
    assert_eq!(found.expect(200)["items"].as_array().unwrap().len(), 1);
    let mut names = ignored(&found);
    names.sort_unstable();
    assert_eq!(names, ["ranking", "scope.restrictTo"]);
}

async fn writes_refuse_unknown_members(database: TestDatabase) {
    let world = World::new(database).await;
    let space = world.new_space("Handbook").await;
    let update = || world.admin.client.call("updateSpaceById").path("spaceId", id(&space));
    let refused = update()
        .json(json!({ "title": "Other", "titel": "Another" }))
        .send()
        .await;
    refused.has_detail("/body/titel", "unknown-member");
    assert_eq!(refused.headers.get("x-ignored-parameters"), None);
    let read = world.admin.client.call("getSpaceById").path("spaceId", id(&space));
    assert_eq!(read.expect(200).await["title"], "Handbook");
}
