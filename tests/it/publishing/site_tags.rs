//! Conditional reads of sites: 304 while the answer is the same, and never when it is another one.

use sea_orm::{ConnectionTrait, Database};
use serde_json::{Value, json};

use crate::support::{
    client::{Answer, Client},
    database::{TestDatabase, on_each_database},
    published::{Published, find, id, resolve, visitor},
    translations,
    world::World,
};

on_each_database![
    tags_change_with_what_readers_see,
    tags_differ_by_what_visitors_see,
    a_write_of_another_process_is_seen,
];

const READS: [&str; 2] = ["getPublishedContentSite", "getSiteStructure"];

/// Somebody who has kept both answers.
struct Reader<'a> {
    world: &'a World,
    site: &'a Value,
    client: &'a Client,
    kept: [(String, String); 2],
}

/// The tag and the text of an answer.
fn tagged(answer: &Answer) -> (String, String) {
    (answer.headers["etag"].to_str().unwrap().to_owned(), answer.text.clone())
}

impl<'a> Reader<'a> {
    async fn new(world: &'a World, published: &'a Published, client: &'a Client) -> Self {
        let mut reader = Self {
            world,
            site: &published.site,
            client,
            kept: Default::default(),
        };
        reader.changed().await;
        reader
    }

    async fn read(&self, operation: &str, kept: &str) -> Answer {
        let call = self.client.call(operation).here(self.world);
        let call = call.path("siteId", id(self.site)).header("if-none-match", kept);
        call.send().await
    }

    /// Which of the answers have changed since the last time, as the tags say and as the texts say.
    async fn changed(&mut self) -> [bool; 2] {
        let mut changed = [false; 2];
        for (index, operation) in READS.into_iter().enumerate() {
            let (kept_tag, kept_text) = self.kept[index].clone();
            let conditional = self.read(operation, &kept_tag).await;
            let fresh = self.read(operation, "\"none\"").await;
            fresh.expect(200);
            let (tag, text) = tagged(&fresh);
            changed[index] = text != kept_text;
            if changed[index] {
                conditional.expect(200);
                assert_eq!(tagged(&conditional), (tag.clone(), text.clone()), "{operation}");
                assert_ne!(tag, kept_tag, "{operation}");
            } else {
                conditional.expect(304);
                assert_eq!(tagged(&conditional), (tag.clone(), String::new()), "{operation}");
                assert_eq!(tag, kept_tag, "{operation}");
            }
            self.kept[index] = (tag, text);
        }
        changed
    }
}

/// Changes something of a site with the operation that changes it, and says whether that changes the two answers, for a visitor
/// and for a member.
async fn change(world: &World, published: &Published, what: &str) -> [[bool; 2]; 2] {
    let on_site = |operation: &str| world.on_site(&world.admin, operation, &published.site);
    let space = || published.spaces[0]["id"].as_str().unwrap();
    match what {
        "nothing" => [[false, false]; 2],
        "the title of the site" => {
            on_site("updateSiteById")
                .json(json!({ "title": "Handbook" }))
                .expect(200)
                .await;
            [[true, false]; 2]
        }
        "the visibility" => {
            let update = on_site("updateSiteById");
            update.json(json!({ "visibility": "unlisted" })).expect(200).await;
            // Spaces say who reads them.
            [[true, true]; 2]
        }
        "the customization" => {
            let mut settings = on_site("getSiteCustomizationById").expect(200).await;
            settings["title"] = json!("Handbook of the gripper");
            on_site("updateSiteCustomizationById").json(settings).expect(200).await;
            [[true, false]; 2]
        }
        "a redirect" => {
            let destination = json!({ "kind": "external", "url": "https://tidewater.example/" });
            let body = json!({ "source": "/moved", "destination": destination });
            on_site("createSiteRedirect").json(body).expect(201).await;
            // Redirects are looked up one by one.
            [[false, false]; 2]
        }
        "a section" => {
            let other = world.new_space("Another").await;
            let body = json!({ "spaceId": other["id"], "title": "More" });
            on_site("addSectionToSite").json(body).expect(201).await;
            [[true, true]; 2]
        }
        "the title of a space" => {
            let update = world.admin.client.call("updateSpaceById").space(space());
            update.json(json!({ "title": "Manual" })).expect(200).await;
            [[true, true]; 2]
        }
        "a merge" => {
            let of_space = |operation: &str| world.admin.client.call(operation).space(space());
            let request = of_space("createChangeRequest").json(json!({ "subject": "More" }));
            let request = request.expect(201).await;
            let change = json!({ "operation": "insert_page", "title": "More", "document": { "markdown": "More." } });
            let write = of_space("updateChangeRequestContent").path("changeRequestId", id(&request));
            write.json(json!({ "changes": [change] })).expect(200).await;
            let merge = of_space("mergeChangeRequest").path("changeRequestId", id(&request));
            merge.expect(200).await;
            // Spaces name their revision.
            [[true, true]; 2]
        }
        "a language" => {
            let made = translations::create(world, &world.admin, space(), "de")
                .expect(201)
                .await;
            let body = json!({ "spaceId": made["result"]["space"] });
            on_site("addSpaceToSite").json(body).expect(201).await;
            [[true, true]; 2]
        }
        "no language any more" => {
            let list = world
                .admin
                .client
                .call("listTranslations")
                .here(world)
                .expect(200)
                .await;
            for translation in list["items"].as_array().unwrap() {
                let end = world.admin.client.call("deleteTranslation").here(world);
                end.path("translationId", id(translation)).expect(204).await;
            }
            [[true, true]; 2]
        }
        "a space that goes" => {
            let delete = world.admin.client.call("deleteSpaceById").space(space());
            delete.expect(204).await;
            [[true, true]; 2]
        }
        other => panic!("nobody changes {other}"),
    }
}

async fn tags_change_with_what_readers_see(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One", "Two"]).await;
    let client = visitor(&world, &find(&world, &published.address).await);
    let mut readers = Vec::new();
    for client in [&client, &world.admin.client] {
        readers.push(Reader::new(&world, &published, client).await);
    }
    let (mut found, mut all) = (Vec::new(), Vec::new());
    for what in [
        "nothing",
        "the title of the site",
        "the visibility",
        "the customization",
        "a redirect",
        "a section",
        "the title of a space",
        "a merge",
        "a language",
        "no language any more",
        "nothing",
        "a space that goes",
    ] {
        let expected = change(&world, &published, what).await;
        let mut changed = [[false; 2]; 2];
        for (reader, changed) in readers.iter_mut().zip(&mut changed) {
            *changed = reader.changed().await;
        }
        found.push((what, changed));
        all.push((what, expected));
    }
    assert_eq!(found, all);
    let unpublish = world.on_site(&world.admin, "unpublishSite", &published.site);
    unpublish.expect(200).await;
    for operation in READS {
        for kept in ["*", &readers[0].kept[0].0, &readers[0].kept[1].0] {
            readers[0].read(operation, kept).await.expect(404);
        }
    }
}

/// The tags of both answers.
async fn tags(world: &World, published: &Published, client: &Client) -> [String; 2] {
    let reader = Reader::new(world, published, client).await;
    reader.kept.map(|(tag, _)| tag)
}

async fn tags_differ_by_what_visitors_see(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One", "Two"]).await;
    let items = world.on_site(&world.admin, "listSiteSpaces", &published.site);
    let items = items.expect(200).await["items"].clone();
    let update = world.on_site(&world.admin, "updateSiteSpaceById", &published.site);
    let update = update.path("siteSpaceId", id(&items[1]));
    let condition = json!({ "condition": "visitor.claims.unsigned.staff" });
    update.json(condition).expect(200).await;
    let enabled = json!({ "adaptiveContent": { "enabled": true } });
    published.set(&world, enabled).await;
    let come = async |address: &str, claims: Value| {
        let found = resolve(&world, address, json!({ "unsignedClaims": claims }));
        visitor(&world, &found.expect(200).await)
    };
    let other = come(&published.address, json!({})).await;
    let twin = come(&published.address, json!({ "plan": "pro" })).await;
    let staff = come(&published.address, json!({ "staff": true })).await;
    let of_other = tags(&world, &published, &other).await;
    let of_staff = tags(&world, &published, &staff).await;
    for (index, tag) in of_other.iter().enumerate() {
        assert_ne!(*tag, of_staff[index], "{}", READS[index]);
    }
    // Other claims, and the same site.
    assert_eq!(tags(&world, &published, &twin).await, of_other);

    // Addresses have the key of the share link.
    published.set(&world, json!({ "visibility": "share-link" })).await;
    let mut of_links = Vec::new();
    for name in ["Partners", "Press"] {
        let create = world.on_site(&world.admin, "createSiteShareLink", &published.site);
        let link = create.json(json!({ "name": name })).expect(201).await;
        let client = come(link["urls"]["published"].as_str().unwrap(), json!({})).await;
        of_links.push(tags(&world, &published, &client).await);
    }
    for (index, tag) in of_links[0].iter().enumerate() {
        assert_ne!(*tag, of_links[1][index], "{}", READS[index]);
    }
}

/// The answer to a visitor who asks for the first time.
async fn read(world: &World, published: &Published, client: &Client, operation: &str, tag: &str) -> Answer {
    let call = client.call(operation).here(world).path("siteId", id(&published.site));
    let answer = call.header("if-none-match", tag).send().await;
    answer.expect(200);
    answer
}

async fn a_write_of_another_process_is_seen(database: TestDatabase) {
    let url = database.url().to_owned();
    let world = World::new(database).await;
    let published = Published::new(&world, &["One", "Two"]).await;
    let client = visitor(&world, &find(&world, &published.address).await);
    let text = async |operation: &str, tag: &str| read(&world, &published, &client, operation, tag).await.text;
    for operation in READS {
        assert!(!text(operation, "\"before\"").await.contains("Elsewhere"));
    }
    // The server's own connections do not know of this one.
    let other = Database::connect(url).await.unwrap();
    other
        .execute_unprepared("UPDATE nodes SET title = 'Elsewhere'")
        .await
        .unwrap();
    other.close().await.unwrap();
    for operation in READS {
        assert!(text(operation, "\"after\"").await.contains("Elsewhere"), "{operation}");
    }
}
