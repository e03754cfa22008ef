//! From where something is linked to, and lists of links as they grow.

use std::collections::BTreeSet;

use bindery::areas::authoring::content_links::store::{BacklinkTarget, LinkingText};
use content::{
    index::links::{of_text as links_of_text, stored},
    objects::Hash,
    pages::{Change, Page},
};
use entity::{
    content::page_links::{self, LinkRole},
    ids::{NodeId, PageId},
};
use platform::db::{Backend, Db};
use rich_text::{DocumentLimits, IdPathResolver};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter};
use serde_json::json;
use uuid::Uuid;

use crate::support::{
    client::Call,
    database::{TestDatabase, on_each_database},
    import::{directory, imported, page},
    links::{backlinks, links},
    long_lists,
    paths::{node_id, texts},
    plans::{plan_of, planned},
    texts::{add, delete, edit, insert, new_space, titles, upload, write},
    world::World,
};

on_each_database![
    backlinks_follow_the_content,
    files_know_where_they_are_used,
    copies_have_links_of_their_own,
    lists_are_walked_in_pages,
    longer_lists_take_no_more_statements,
    very_long_lists_are_read_in_steps,
    former_links_are_passed_in_steps,
    links_that_the_caller_does_not_see_are_passed_in_steps,
    earlier_texts_do_not_shorten_the_list,
    links_of_a_long_text_are_listed_in_pages,
    links_of_a_long_text_are_stored_in_steps,
    a_step_looks_up_its_own_links,
];

async fn backlinks_follow_the_content(database: TestDatabase) {
    let world = World::new(database).await;
    let home = new_space(&world, "Home").await;
    let made = add(
        &world,
        home,
        &[
            ("b", "[me](#x)"),
            ("a", "[b](./b.md#x)\n\n[b](./b.md)"),
            ("c", "[b](./b.md)"),
        ],
    )
    .await;
    let elsewhere = new_space(&world, "Elsewhere").await;
    let text = format!("[b](/spaces/{}/pages/{})", home, made["b"]);
    let far = add(&world, elsewhere, &[("far", &text)]).await;
    let found = async || titles(&backlinks(&world.admin, home, &made["b"]).expect(200).await);
    assert_eq!(found().await, ["a", "a", "c", "far"]);
    let list = backlinks(&world.admin, home, &made["b"]).expect(200).await;
    assert_eq!(list["count"], 4);
    assert_eq!(list["items"][3]["space"]["id"], elsewhere.to_string());
    assert_eq!(list["items"][0]["internalLocation"]["type"], "node");
    write(
        &world,
        home,
        vec![edit(&made["a"], "Nothing"), edit(&made["b"], "[b](./b.md)")],
    )
    .await;
    assert_eq!(found().await, ["c", "far"]);
    write(&world, home, vec![delete(&made["c"])]).await;
    write(&world, elsewhere, vec![edit(&far["far"], "Nothing")]).await;
    assert_eq!(found().await, Vec::<String>::new());
    // An earlier text again: nothing new is written for it.
    write(&world, home, vec![edit(&made["a"], "[b](./b.md#x)\n\n[b](./b.md)")]).await;
    assert_eq!(found().await, ["a", "a"]);
    write(&world, home, vec![delete(&made["b"])]).await;
    backlinks(&world.admin, home, &made["b"]).expect(404).await;
    backlinks(&world.admin, home, "none").expect(404).await;
}

async fn files_know_where_they_are_used(database: TestDatabase) {
    let world = World::new(database).await;
    let home = new_space(&world, "Home").await;
    let covered = "---\ncover: ./c.txt\n---\n\nText";
    let changes = vec![
        upload("c.txt"),
        insert("a", "![c](./c.txt)"),
        insert("b", covered),
        insert("d", "[c](./c.txt)"),
    ];
    let made = write(&world, home, changes).await;
    let call = || {
        let call = world.admin.client.call("listSpaceFileBacklinks").space(home);
        call.path("fileId", &made["c.txt"])
    };
    let list = call().expect(200).await;
    assert_eq!(titles(&list), ["a", "b", "d"]);
    assert!(list["items"][1].get("internalLocation").is_none());
    let all = links(&world.admin, home).expect(200).await;
    assert_eq!(texts(&all, "/relation"), ["dependsOn", "reference"]);
    write(&world, home, vec![edit(&made["a"], "Nothing"), delete(&made["d"])]).await;
    assert_eq!(titles(&call().expect(200).await), ["b"]);
    let unknown = world.admin.client.call("listSpaceFileBacklinks").space(home);
    unknown.path("fileId", &made["a"]).expect(404).await;
    // A change request has uses of its own.
    let request = world.admin.client.call("createChangeRequest").space(home);
    let request = request.json(json!({ "subject": "Files" })).expect(201).await["id"].clone();
    let request = request.as_str().unwrap();
    let write = world.admin.client.call("updateChangeRequestContent").space(home);
    let write = write.path("changeRequestId", request);
    let changes = json!({ "changes": [edit(&made["a"], "![c](/files/{})".replace("{}", &made["c.txt"]).as_str())] });
    write.json(changes).expect(200).await;
    let proposed = world.admin.client.call("listChangeRequestFileBacklinks").space(home);
    let proposed = proposed.path("changeRequestId", request).path("fileId", &made["c.txt"]);
    assert_eq!(titles(&proposed.expect(200).await), ["a", "b"]);
    assert_eq!(titles(&call().expect(200).await), ["b"]);
}

async fn copies_have_links_of_their_own(database: TestDatabase) {
    let world = World::new(database).await;
    let home = new_space(&world, "Home").await;
    let made = add(&world, home, &[("b", "Text"), ("a", "[b](./b.md)")]).await;
    let copy = node_id(&world.admin.client.call("duplicateSpace").space(home).expect(201).await);
    let list = links(&world.admin, copy).expect(200).await;
    assert_eq!(list["items"][0]["targetReference"]["space"]["id"], copy.to_string());
    let places = backlinks(&world.admin, copy, &made["b"]).expect(200).await;
    assert_eq!(texts(&places, "/space/id"), [copy.to_string()]);
    write(&world, copy, vec![delete(&made["a"])]).await;
    assert_eq!(backlinks(&world.admin, copy, &made["b"]).expect(200).await["count"], 0);
    assert_eq!(backlinks(&world.admin, home, &made["b"]).expect(200).await["count"], 1);
}

async fn lists_are_walked_in_pages(database: TestDatabase) {
    let world = World::new(database).await;
    let home = new_space(&world, "Home").await;
    let many = many(0);
    let made = add(&world, home, &[("b", "Text"), ("a", &many), ("c", &many)]).await;
    walk(|| links(&world.admin, home)).await;
    walk(|| backlinks(&world.admin, home, &made["b"])).await;
}

/// Reads a list page by page.
async fn walk<'w>(call: impl Fn() -> Call<'w>) {
    let whole = call().expect(200).await;
    let mut walked = Vec::new();
    let mut page: Option<String> = None;
    loop {
        let mut call = call().query("limit", 3);
        if let Some(page) = &page {
            call = call.query("page", page);
        }
        let answer = call.expect(200).await;
        assert_eq!(answer["count"], whole["count"]);
        walked.extend(answer["items"].as_array().unwrap().clone());
        page = answer["next"]["page"].as_str().map(str::to_owned);
        if page.is_none() {
            break;
        }
    }
    assert!(walked.len() > 6);
    assert_eq!(json!(walked), whole["items"]);
    assert_eq!(call().query("limit", 0).expect(200).await["items"], json!([]));
    call().query("page", "forged").expect(400).await;
}

fn many(from: usize) -> String {
    let links = (from..from + 10).map(|i| format!("[b](./b.md#{i}) [u](https://x.example/{i})"));
    links.collect::<Vec<_>>().join("\n\n")
}

async fn longer_lists_take_no_more_statements(database: TestDatabase) {
    let world = World::new(database).await;
    let home = new_space(&world, "Home").await;
    let elsewhere = new_space(&world, "Elsewhere").await;
    let far = add(&world, elsewhere, &[("far", "Text")]).await;
    let page = add(&world, home, &[("b", "Text")]).await["b"].clone();
    let mut taken: Vec<[u64; 3]> = Vec::new();
    for rows in [1, 10, 30] {
        let text = format!(
            "{}\n\n[f](/spaces/{elsewhere}/pages/{}) [p](/users/{}) [c](/collections/{})",
            many(rows),
            far["far"],
            world.edit.id,
            world.collection
        );
        let names: Vec<String> = (0..rows).map(|i| format!("page-{rows}-{i}")).collect();
        let pages: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), text.as_str())).collect();
        let changes = pages
            .iter()
            .map(|(name, text)| insert(name, &text.replace("./b.md", &format!("/pages/{page}"))));
        let made = write(&world, home, changes.collect()).await;
        let from = format!("[b](/spaces/{home}/pages/{page})");
        add(&world, elsewhere, &[(&names[0], &from)]).await;
        taken.push([
            statements(&world, || links(&world.read, home)).await,
            statements(&world, || backlinks(&world.read, home, &page)).await,
            statements(&world, || {
                let call = world.read.client.call("listPageLinksInSpace").space(home);
                call.path("pageId", &made[&names[0]])
            })
            .await,
        ]);
    }
    println!("statements of links, backlinks and links of a page: {taken:?}");
    assert!(taken.iter().all(|counts| *counts == taken[0]), "{taken:?}");
    assert!(taken[0].iter().all(|count| *count <= 16), "{taken:?}");
}

/// How many statements a list takes, that for the token included. What a revision holds is read once, and so before.
async fn statements<'w>(world: &World, call: impl Fn() -> Call<'w>) -> u64 {
    call().query("limit", 1000).expect(200).await;
    world.app().access.forget_tokens();
    let before = world.app().kernel.db.statements();
    call().query("limit", 1000).expect(200).await;
    world.app().kernel.db.statements() - before
}

/// More linking pages than the server looks at in one step.
async fn very_long_lists_are_read_in_steps(database: TestDatabase) {
    const PAGES: usize = 1_020;
    let world = World::new(database).await;
    let names: Vec<String> = (0..PAGES).map(|number| format!("page-{number}.md")).collect();
    let text = "[one](target.md) \n\n[two](target.md)";
    let mut files = vec![("target.md", "# Target")];
    files.extend(names.iter().map(|name| (name.as_str(), text)));
    let (space, _) = imported(&world, directory(&files).path()).await;
    let target = page(&world, space, "target").await["id"].as_str().unwrap().to_owned();
    let mut seen = BTreeSet::new();
    let mut next: Option<String> = None;
    let mut sizes = Vec::new();
    loop {
        let call = backlinks(&world.admin, space, &target).query("limit", 900);
        let call = match &next {
            Some(next) => call.query("page", next),
            None => call,
        };
        let answer = call.expect(200).await;
        assert_eq!(answer.get("count"), None);
        let items = answer["items"].as_array().unwrap();
        sizes.push(items.len());
        seen.extend(items.iter().map(|item| item.to_string()));
        next = answer["next"]["page"].as_str().map(str::to_owned);
        if next.is_none() {
            break;
        }
    }
    assert_eq!(sizes, [900, 900, 240]);
    assert_eq!(seen.len(), 2 * PAGES);
}

/// More rows than a page of a list looks at.
const MANY: u128 = 5_020;

/// A link that a page had, or has, in the text with this number.
fn link((space, page): (NodeId, PageId), text: u128, (of, target): (Option<NodeId>, &str)) -> page_links::Model {
    page_links::Model {
        space_id: space,
        source: Hash::of(&text.to_be_bytes()).to_vec(),
        page_id: page,
        seq: 0,
        target_space: of,
        target_id: Some(*target.parse::<PageId>().unwrap().as_uuid()),
        role: LinkRole::Link,
        reference: json!({ "kind": "page", "page": target }),
        node: None,
        conditions: None,
    }
}

/// The id of a page that is not there any more, before those of all others.
fn former(number: u128) -> PageId {
    PageId::from_uuid(Uuid::from_u128(number))
}

async fn former_links_are_passed_in_steps(database: TestDatabase) {
    let world = World::new(database).await;
    let home = new_space(&world, "Home").await;
    let made = add(&world, home, &[("b", "Text"), ("a", "[b](./b.md)")]).await;
    let links = (1..=MANY).map(|number| link((home, former(number)), number, (None, &made["b"])));
    long_lists::insert(&world, links.collect()).await;
    let found = long_lists::pages("/page/title", || backlinks(&world.admin, home, &made["b"])).await;
    let mut expected = vec![Vec::new(); 5];
    expected.push(vec!["a".to_owned()]);
    assert_eq!(found, expected);
}

async fn links_that_the_caller_does_not_see_are_passed_in_steps(database: TestDatabase) {
    let world = World::new(database).await;
    // Before the other space in the order of the list.
    let hidden = new_space(&world, "Hidden").await;
    let hide = world.admin.client.call("updateSpaceById").space(hidden);
    hide.json(json!({ "defaultLevel": null })).expect(200).await;
    let home = new_space(&world, "Home").await;
    let made = add(&world, home, &[("b", "Text"), ("a", "[b](./b.md)")]).await;
    let target = (Some(home), made["b"].as_str());
    let links = (1..=1_020).map(|number| link((hidden, former(number)), number, target));
    long_lists::insert(&world, links.collect()).await;
    let found = long_lists::pages("/page/title", || backlinks(&world.read, home, &made["b"])).await;
    assert_eq!(found, [vec![], vec!["a".to_owned()]]);
}

async fn earlier_texts_do_not_shorten_the_list(database: TestDatabase) {
    let world = World::new(database).await;
    let home = new_space(&world, "Home").await;
    let pages = [("b", "Text"), ("a", "[b](./b.md)"), ("c", "[b](./b.md)")];
    let made = add(&world, home, &pages).await;
    let page: PageId = made["a"].parse().unwrap();
    let links = (1..=MANY).map(|number| link((home, page), number, (None, &made["b"])));
    long_lists::insert(&world, links.collect()).await;
    let list = backlinks(&world.admin, home, &made["b"]).expect(200).await;
    assert_eq!(titles(&list), ["a", "c"]);
    assert_eq!(list["count"], 2);
    assert_eq!(list.get("next"), None);
    let target = *made["b"].parse::<PageId>().unwrap().as_uuid();
    assert_are_looked_up(&world.app().kernel.db, (home, page), target).await;
}

/// Each linking page is one look-up in the index, and each text of which links are read.
async fn assert_are_looked_up(db: &Db, (space, page): (NodeId, PageId), target: Uuid) {
    const INDEX: &str = "page_links_by_target";
    let target = BacklinkTarget { space, id: target };
    let backend = db.read().get_database_backend();
    if db.backend() == Backend::Postgres {
        let analyze = db.write(|tx| async move { tx.execute_unprepared("ANALYZE page_links").await });
        analyze.await.unwrap();
    }
    // PostgreSQL shows the look-ups of the first page, and those of the others not.
    let (begin, shown) = match db.backend() {
        Backend::Sqlite => ("(space_id,page_id)>(?,?)", 4),
        Backend::Postgres => ("ROW(space_id, page_id) >", 2),
    };
    for within in [None, Some(space)] {
        let query = target.pages_query((space, page), within, 100);
        let plan = plan_of(db, backend.build(&query)).await;
        assert_eq!(plan.matches(INDEX).count(), shown, "{plan}");
        assert_eq!(plan.matches(begin).count(), shown, "{plan}");
        assert!(!plan.contains("B-TREE") && !plan.contains("Sort"), "{plan}");
    }
    let text = |number: u128| LinkingText {
        space,
        page,
        source: Hash::of(&number.to_be_bytes()),
        from: 0,
    };
    let plan = planned(db, &target.links_query(&[text(1), text(2)], 51)).await;
    // PostgreSQL may take the links of a text by the key of the table instead, if texts have few.
    assert!(
        db.backend() == Backend::Postgres || plan.matches(INDEX).count() == 2,
        "{plan}"
    );
}

/// More links than are counted.
async fn links_of_a_long_text_are_listed_in_pages(database: TestDatabase) {
    let world = World::new(database).await;
    let home = new_space(&world, "Home").await;
    let text: String = (0..1_500).map(|number| format!("[b](./b.md#{number})\n\n")).collect();
    let made = add(&world, home, &[("b", "Text"), ("a", &text)]).await;
    let list = || backlinks(&world.admin, home, &made["b"]).query("limit", 1000);
    let found = long_lists::pages("/page/title", list).await;
    let sizes: Vec<usize> = found.iter().map(Vec::len).collect();
    assert_eq!(sizes, [1000, 500]);
}

/// More links than one transaction stores, in several pieces of the text.
async fn links_of_a_long_text_are_stored_in_steps(database: TestDatabase) {
    let world = World::new(database).await;
    let home = new_space(&world, "Home").await;
    let text: String = (0..1_000)
        .map(|number| format!("Paragraph {number} leads [there](https://tidewater.example/{number}).\n\n"))
        .collect();
    let last = format!("{text}[b](./b.md)");
    let made = add(&world, home, &[("b", "Text"), ("a", &last), ("c", "[b](./b.md)")]).await;
    let list = world.admin.client.call("listSpaceLinks").space(home).expect(200).await;
    assert_eq!(list["stats"]["total"], 1_001);
    let linking = backlinks(&world.admin, home, &made["b"]).expect(200).await;
    assert_eq!(titles(&linking), ["a", "c"]);
}

/// A text may have a hundred thousand links: looking up all that are stored with each step of a few hundred takes minutes.
async fn a_step_looks_up_its_own_links(database: TestDatabase) {
    let world = World::new(database).await;
    let home = new_space(&world, "Home").await;
    let text: String = (0..1_000)
        .map(|number| format!("Paragraph {number} leads [there](https://tidewater.example/{number}).\n\n"))
        .collect();
    let made = add(&world, home, &[("a", &text)]).await;
    let db = &world.app().kernel.db;
    let of_home = page_links::Entity::find().filter(page_links::Column::SpaceId.eq(home));
    let row = of_home.one(db.read()).await.unwrap().unwrap();
    let mut page = Page::empty(made["a"].parse().unwrap(), Default::default(), "a".into(), "a".into());
    page.set_document(Hash::from_bytes(&row.source));
    let change = Change {
        before: None,
        after: Some(page),
    };
    let mut rows = links_of_text(home, &change).unwrap();
    let mut add = |link| rows.add(link).unwrap();
    rich_text::extract(&text, &DocumentLimits::default(), &IdPathResolver, &mut add).unwrap();
    assert_eq!(rows.rows.len(), 1_000);
    let query = stored(&rows.rows[300..600]);
    let found: Vec<(Vec<u8>, PageId, i32)> = query.clone().into_tuple().all(db.read()).await.unwrap();
    let mut numbers: Vec<i32> = found.into_iter().map(|(_, _, number)| number).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (300..600).collect::<Vec<i32>>());
    let plan = planned(db, &query).await;
    let range = match db.backend() {
        Backend::Sqlite => "seq>? AND seq<?",
        Backend::Postgres => "(seq >= 300) AND (seq <= 599)",
    };
    assert!(plan.contains(range), "{plan}");
}
