//! PDFs of spaces, change requests and pages.

use bindery::areas::authoring::pdf_exports::PurgePdfExports;
use chrono::TimeDelta;
use platform::jobs::{Kinds, Runner};
use reqwest::header;
use serde_json::{Value, json};

use crate::support::{
    client::Client,
    computed::{add_computed, gripper},
    database::{TestDatabase, on_each_database},
    pdf::{export, get, make, request, url},
    published::{Published, id, resolve, visitor},
    world::World,
};

on_each_database![
    the_same_content_is_printed_once,
    addresses_expire_and_cannot_be_made_up,
    parts_are_pages_that_exist,
    change_requests_have_pdfs_of_their_own,
    visitors_print_what_they_see,
    computed_pages_are_printed,
    slow_typesetting_fails_and_is_tried_again,
    exports_that_nobody_uses_go,
];

async fn edit(client: &Client, space: &str, title: &str, markdown: &str) {
    let change = json!({ "operation": "insert_page", "title": title, "document": { "markdown": markdown } });
    let call = client.call("updateSpaceContent").path("spaceId", space);
    call.json(json!({ "changes": [change] })).expect(200).await;
}

async fn the_same_content_is_printed_once(database: TestDatabase) {
    let world = World::new(database).await;
    let space = world.space.to_string();
    edit(
        &world.admin.client,
        &space,
        "Printed",
        "# One\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
    )
    .await;
    let first = url(&world, &[]).await;
    let waiting = get(&world, &first).await;
    assert_eq!(
        (waiting.status(), &waiting.headers()[header::RETRY_AFTER]),
        (reqwest::StatusCode::ACCEPTED, &"3".parse().unwrap())
    );
    assert_eq!(waiting.text().await.unwrap(), r#"{"status":"queued"}"#);
    assert_eq!(export(&url(&world, &[]).await), export(&first));
    assert_eq!(make(world.app()).await, 1);

    let made = get(&world, &first).await;
    assert_eq!(made.status(), 200);
    assert_eq!(made.headers()[header::CONTENT_TYPE], "application/pdf");
    let disposition = made.headers()[header::CONTENT_DISPOSITION].to_str().unwrap().to_owned();
    assert!(
        disposition.starts_with("inline; filename=\"") && disposition.contains(".pdf"),
        "{disposition}"
    );
    let tag = made.headers()[header::ETAG].clone();
    let pdf = made.bytes().await.unwrap();
    assert!(pdf.starts_with(b"%PDF-") && pdf.len() > 5_000, "{}", pdf.len());
    let part = request(&world, &first)
        .header(header::RANGE, "bytes=0-4")
        .send()
        .await
        .unwrap();
    assert_eq!(
        (part.status().as_u16(), part.bytes().await.unwrap().as_ref()),
        (206, &b"%PDF-"[..])
    );
    let known = request(&world, &first)
        .header(header::IF_NONE_MATCH, tag)
        .send()
        .await
        .unwrap();
    assert_eq!(known.status(), 304);

    assert_eq!(export(&url(&world, &[]).await), export(&first));
    assert_eq!(make(world.app()).await, 0);
    edit(&world.admin.client, &space, "Further", "Text.").await;
    assert_ne!(export(&url(&world, &[]).await), export(&first));
}

async fn addresses_expire_and_cannot_be_made_up(database: TestDatabase) {
    let world = World::new(database).await;
    let good = url(&world, &[]).await;
    make(world.app()).await;
    let parts: Vec<&str> = good.split('/').collect();
    let count = parts.len();
    let (signature, time) = (parts[count - 3], parts[count - 2]);
    let later = (time.parse::<i64>().unwrap() + 1).to_string();
    let other = good.replace(signature, &"0".repeat(signature.len()));
    let short = good.replace(signature, &signature[..8]);
    for bad in [
        good.replace(time, &later),
        other,
        short,
        format!("{good}/x"),
        good.replace("/pdf/", "/pdf//"),
    ] {
        assert_eq!(get(&world, &bad).await.status(), 404, "{bad}");
    }
    assert_eq!(get(&world, &good).await.status(), 200);
    world.service.advance(TimeDelta::minutes(61));
    assert_eq!(get(&world, &good).await.status(), 404);
    let again = url(&world, &[]).await;
    assert_eq!(
        (export(&again), get(&world, &again).await.status().as_u16()),
        (export(&good), 200)
    );
    let delete = world.admin.client.call("deleteSpaceById").space(world.space);
    delete.expect(204).await;
    assert_eq!(get(&world, &again).await.status(), 404);
}

async fn parts_are_pages_that_exist(database: TestDatabase) {
    let world = World::new(database).await;
    let space = world.space.to_string();
    edit(&world.admin.client, &space, "Chapter", "Text.").await;
    let pages = world
        .admin
        .client
        .call("listPages")
        .space(world.space)
        .expect(200)
        .await;
    let pages = pages["pages"].as_array().unwrap();
    let page = id(pages.iter().find(|page| page["title"] == "Chapter").unwrap());
    let all = url(&world, &[]).await;
    let below = url(&world, &[("page", page)]).await;
    let only = url(&world, &[("page", page), ("only", "true")]).await;
    let exports = [export(&all), export(&below), export(&only)];
    assert!(
        exports[0] != exports[1] && exports[1] != exports[2] && exports[0] != exports[2],
        "{exports:?}"
    );
    assert_eq!(make(world.app()).await, 3);
    for url in [&all, &below, &only] {
        assert_eq!(get(&world, url).await.status(), 200, "{url}");
    }
    let call = || world.admin.client.call("getSpacePDF").space(world.space);
    let refused = call().query("only", "true").send().await.expect(400);
    assert_eq!(refused["error"]["details"][0]["pointer"], "/query/page");
    assert_eq!(refused["error"]["details"][0]["code"], "required");
    call().query("page", "06gvs3j0a1q42m8k5rh0c7t6eo").expect(404).await;
    call().query("only", "perhaps").expect(400).await;
}

async fn change_requests_have_pdfs_of_their_own(database: TestDatabase) {
    let world = World::new(database).await;
    let of_space = url(&world, &[]).await;
    let request = world.admin.client.call("createChangeRequest").space(world.space);
    let request = request.json(json!({ "subject": "Say which screws" })).expect(201).await;
    let call = || {
        world
            .admin
            .client
            .call("getChangeRequestPDF")
            .space(world.space)
            .path("changeRequestId", id(&request))
    };
    let of_request = call().expect(200).await["url"].as_str().unwrap().to_owned();
    assert_ne!(export(&of_request), export(&of_space));
    make(world.app()).await;
    let made = get(&world, &of_request).await;
    assert_eq!(made.status(), 200);
    let disposition = made.headers()[header::CONTENT_DISPOSITION].to_str().unwrap();
    assert!(disposition.contains("-change-request-"), "{disposition}");
    call().query("page", "06gvs3j0a1q42m8k5rh0c7t6eo").expect(404).await;
}

/// The bytes of the PDF that a visitor gets.
async fn printed(world: &World, reader: &Client, space: &str) -> (String, usize) {
    let url = reader.call("getSpacePDF").path("spaceId", space).expect(200).await;
    let url = url["url"].as_str().unwrap();
    make(world.app()).await;
    let made = get(world, url).await;
    assert_eq!(made.status(), 200);
    (export(url).to_owned(), made.bytes().await.unwrap().len())
}

async fn visitors_print_what_they_see(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let space = id(&published.spaces[0]);
    let secret = json!({ "operation": "insert_page", "title": "Partners", "condition": "visitor.claims.unsigned.partner",
        "document": { "markdown": "The discount is a quincunx.\n\n".repeat(50) } });
    let write = world.admin.client.call("updateSpaceContent").path("spaceId", space);
    write.json(json!({ "changes": [secret] })).expect(200).await;
    published
        .set(&world, json!({ "adaptiveContent": { "enabled": true } }))
        .await;
    let find = async |claims: Value| {
        let found = resolve(&world, &published.address, json!({ "unsignedClaims": claims }))
            .expect(200)
            .await;
        visitor(&world, &found)
    };
    let (other, partner) = (find(json!({})).await, find(json!({ "partner": true })).await);
    let (of_other, without) = printed(&world, &other, space).await;
    let (of_partner, with) = printed(&world, &partner, space).await;
    assert_ne!(of_other, of_partner);
    assert!(with > without, "{with} {without}");
    // The same claims have the same PDF.
    let (again, _) = printed(&world, &find(json!({ "partner": true })).await, space).await;
    assert_eq!(again, of_partner);
    let pages = world
        .admin
        .client
        .call("listPages")
        .path("spaceId", space)
        .expect(200)
        .await;
    let pages = pages["pages"].as_array().unwrap();
    let hidden = id(pages.iter().find(|page| page["title"] == "Partners").unwrap());
    for (reader, status) in [(&other, 404), (&partner, 200)] {
        reader
            .call("getSpacePDF")
            .path("spaceId", space)
            .query("page", hidden)
            .expect(status)
            .await;
    }

    let list = world
        .on_site(&world.admin, "listSiteSpaces", &published.site)
        .expect(200)
        .await;
    let item = id(&list["items"][0]).to_owned();
    let change = async |enabled: Value| {
        let call = world.on_site(&world.admin, "overrideSiteSpaceCustomizationById", &published.site);
        call.path("siteSpaceId", &item)
            .json(json!({ "pdf": { "enabled": enabled } }))
            .expect(200)
            .await;
    };
    change(json!(false)).await;
    other.call("getSpacePDF").path("spaceId", space).expect(403).await;
    world
        .admin
        .client
        .call("getSpacePDF")
        .path("spaceId", space)
        .expect(200)
        .await;
    change(json!(null)).await;
    other.call("getSpacePDF").path("spaceId", space).expect(200).await;
}

async fn computed_pages_are_printed(database: TestDatabase) {
    let world = World::new(database).await;
    world.process_document("gripper", &gripper()).await;
    add_computed(&world, world.space, "Interface", "gripper").await;
    let close = world.admin.client.call("getPageByPath").space(world.space);
    let close = close
        .path("pagePath", "interface/motion/close-the-fingers")
        .expect(200)
        .await;
    let of_close = [("page", id(&close)), ("only", "true")];
    // The titles of pages are bookmarks, which are no part of the compressed text.
    let printed = async |query: &[(&'static str, &str)]| {
        let url = url(&world, query).await;
        make(world.app()).await;
        let pdf = get(&world, &url).await.bytes().await.unwrap();
        let titles = [
            "Interface",
            "motion",
            "Close the fingers",
            "Squeeze",
            "Something fell",
            "Models",
        ];
        let has = |title: &str| {
            let bookmark = format!("/Title({title})");
            pdf.windows(bookmark.len()).any(|bytes| bytes == bookmark.as_bytes())
        };
        let titles: Vec<&str> = titles.into_iter().filter(|title| has(title)).collect();
        (export(&url).to_owned(), titles)
    };
    let (all, titles) = printed(&[]).await;
    let expected = ["Interface", "motion", "Close the fingers", "Something fell", "Models"];
    assert_eq!(titles, expected);
    let (_, titles) = printed(&of_close).await;
    assert_eq!(titles, ["Close the fingers"]);
    // A version of the specification is other content, without an edit.
    let mut document = gripper();
    document["paths"]["/grip"]["post"]["summary"] = json!("Squeeze");
    world.process_document("gripper", &document).await;
    let (again, titles) = printed(&[]).await;
    assert_ne!(again, all);
    assert_eq!(titles, ["Interface", "motion", "Squeeze", "Something fell", "Models"]);
    let (_, titles) = printed(&of_close).await;
    assert_eq!(titles, ["Squeeze"]);
}

async fn slow_typesetting_fails_and_is_tried_again(database: TestDatabase) {
    let limit = |flags: &mut platform::config::Flags| flags.pdf_timeout = Some("1ms".to_owned());
    let world = World::with(database, limit).await;
    let first = url(&world, &[]).await;
    assert_eq!(make(world.app()).await, 1);
    let failed = get(&world, &first).await;
    assert_eq!(failed.status(), 412);
    let failed: Value = failed.json().await.unwrap();
    assert_eq!(failed["error"]["type"], "pdf-failed");
    let call = || world.admin.client.call("getSpacePDF").space(world.space);
    let refused = call().send().await.expect(412);
    assert_eq!(refused["error"]["message"], failed["error"]["message"]);
    assert_eq!(make(world.app()).await, 0);
    world.service.advance(TimeDelta::minutes(61));
    assert_ne!(export(&url(&world, &[]).await), export(&first));
}

async fn exports_that_nobody_uses_go(database: TestDatabase) {
    let world = World::new(database).await;
    let first = url(&world, &[]).await;
    make(world.app()).await;
    let purge = async || {
        let kinds = Kinds::default().with_periodic(PurgePdfExports(std::sync::Arc::clone(&world.app().authoring)));
        Runner::new(world.app().kernel.jobs.clone(), kinds)
            .run_due()
            .await
            .unwrap();
    };
    world.service.advance(TimeDelta::days(6));
    purge().await;
    assert_eq!(export(&url(&world, &[]).await), export(&first));
    world.service.advance(TimeDelta::days(8));
    purge().await;
    assert_ne!(export(&url(&world, &[]).await), export(&first));
}
