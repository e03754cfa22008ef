//! Files and reusable contents in blocks with conditions, as visitors of a site read them.

use std::collections::BTreeSet;

use entity::ids::{NodeId, ReusableContentId};
use serde_json::json;

use crate::support::{
    adaptive::{AdaptiveSpace, PARTNER, head, include, node, set},
    client::Client,
    content::{put_content, reusable_content},
    database::{TestDatabase, on_each_database},
    published::id,
    texts,
    world::World,
};

on_each_database![
    parts_of_hidden_blocks_are_hidden,
    all_conditions_around_a_part_have_to_hold,
    parts_that_also_stand_outside_of_blocks_are_read,
    blocks_of_reusable_contents_have_conditions,
    conditions_of_blocks_depend_on_variables_of_their_pages,
    parts_in_blocks_of_other_spaces_are_read_while_these_show_them,
    conditions_that_are_not_stored_are_those_of_the_text,
    blocks_cost_no_statements_once_a_revision_was_read,
    circles_of_reusable_contents_end,
];

fn block(condition: &str, text: &str) -> String {
    format!("{{% if {condition} %}}\n{text}\n{{% endif %}}\n\n")
}

/// The parts that a caller reads, which are those that lists have.
async fn read(world: &World, book: &AdaptiveSpace, client: &Client) -> BTreeSet<String> {
    let revision = head(world, &book.published).await;
    let read = book.read(world, client, &revision).await;
    assert_eq!(book.listed(client, &revision).await, read);
    read
}

async fn parts_of_hidden_blocks_are_hidden(database: TestDatabase) {
    let world = World::new(database).await;
    let book = AdaptiveSpace::new(&world).await;
    let secret = format!("{}\n\n{}", book.link("secret.txt"), book.include("outer"));
    let text = format!(
        "{}\n\n{}{}",
        book.link("open.txt"),
        block(PARTNER, &secret),
        book.include("open")
    );
    book.page(&world, "Mixed", "", &text).await;
    let [other, partner] = book.open_to_partners(&world).await;
    assert_eq!(read(&world, &book, &other).await, set(["open", "open.txt"]));
    let shown = set(["deep.txt", "inner", "open", "open.txt", "outer", "secret.txt"]);
    assert_eq!(read(&world, &book, &partner).await, shown);
    // Users see everything.
    let all: BTreeSet<String> = book.parts.keys().cloned().collect();
    assert_eq!(read(&world, &book, &world.read.client).await, all);
    // The page may have a condition, too.
    book.page(&world, "Hidden", PARTNER, &block("true", &book.link("cover.txt")))
        .await;
    assert_eq!(read(&world, &book, &other).await, set(["open", "open.txt"]));
    assert!(read(&world, &book, &partner).await.contains("cover.txt"));
}

async fn all_conditions_around_a_part_have_to_hold(database: TestDatabase) {
    let world = World::new(database).await;
    let book = AdaptiveSpace::new(&world).await;
    let inner = format!(
        "{}\n{}",
        book.link("open.txt"),
        block("false", &book.link("secret.txt"))
    );
    let text = block(PARTNER, &inner) + &block("true", &block("true", &book.link("deep.txt")));
    book.page(&world, "Nested", "", &text).await;
    let [other, partner] = book.open_to_partners(&world).await;
    assert_eq!(read(&world, &book, &other).await, set(["deep.txt"]));
    assert_eq!(read(&world, &book, &partner).await, set(["deep.txt", "open.txt"]));
}

async fn parts_that_also_stand_outside_of_blocks_are_read(database: TestDatabase) {
    let world = World::new(database).await;
    let book = AdaptiveSpace::new(&world).await;
    let links = ["open.txt", "secret.txt"].map(|name| book.link(name)).join(" ");
    let text = format!(
        "{}{}\n\n{}",
        block(PARTNER, &links),
        book.link("open.txt"),
        block(PARTNER, &links)
    );
    book.page(&world, "Twice", "", &text).await;
    let [other, _] = book.open_to_partners(&world).await;
    assert_eq!(read(&world, &book, &other).await, set(["open.txt"]));
    // Another page shows it.
    book.page(&world, "Open", "", &book.link("secret.txt")).await;
    assert_eq!(read(&world, &book, &other).await, set(["open.txt", "secret.txt"]));
}

async fn blocks_of_reusable_contents_have_conditions(database: TestDatabase) {
    let world = World::new(database).await;
    let mut book = AdaptiveSpace::new(&world).await;
    let secret = format!("{}\n\n{}", book.link("secret.txt"), book.include("outer"));
    let mixed = format!("{}\n\n{}", book.link("open.txt"), block(PARTNER, &secret));
    let content = reusable_content(world.app(), world.admin.id, node(&book.published), &mixed).await;
    book.parts.insert("mixed".to_owned(), content.to_string());
    let text = book.include("mixed");
    let [other, partner] = book.open_to_partners(&world).await;
    book.page(&world, "Page", "", &text).await;
    assert_eq!(read(&world, &book, &other).await, set(["mixed", "open.txt"]));
    let shown = set(["deep.txt", "inner", "mixed", "open.txt", "outer", "secret.txt"]);
    assert_eq!(read(&world, &book, &partner).await, shown);
}

async fn conditions_of_blocks_depend_on_variables_of_their_pages(database: TestDatabase) {
    let world = World::new(database).await;
    let book = AdaptiveSpace::new(&world).await;
    let condition = "page.vars.audience == \"all\"";
    for (title, audience, file) in [("Open", "all", "open.txt"), ("Partners", "partners", "secret.txt")] {
        let text = block(condition, &format!("{title} {}", book.link(file)));
        let text = format!("---\nvars:\n  audience: {audience}\n---\n\n{text}");
        book.page(&world, title, "", &text).await;
    }
    // Without the variable, and with a condition that holds for a page without it.
    let text = block(condition, &book.link("deep.txt")) + &block("!page.vars.audience", &book.link("cover.txt"));
    book.page(&world, "None", "", &text).await;
    let [other, partner] = book.open_to_partners(&world).await;
    let shown = set(["cover.txt", "open.txt"]);
    assert_eq!(read(&world, &book, &other).await, shown);
    // Variables and claims together, on two pages with the same text.
    let both = format!("page.vars.audience == \"partners\" && {PARTNER}");
    let text = block(&both, &format!("{} {}", book.link("secret.txt"), book.link("deep.txt")));
    for audience in ["all", "partners"] {
        let text = format!("---\nvars:\n  audience: {audience}\n---\n\n{text}");
        book.page(&world, &format!("Both {audience}"), "", &text).await;
    }
    assert_eq!(read(&world, &book, &other).await, shown);
    let shown = set(["cover.txt", "deep.txt", "open.txt", "secret.txt"]);
    assert_eq!(read(&world, &book, &partner).await, shown);
}

async fn parts_in_blocks_of_other_spaces_are_read_while_these_show_them(database: TestDatabase) {
    let world = World::new(database).await;
    let book = AdaptiveSpace::new(&world).await;
    let space = node(&book.published);
    book.page(&world, "Partners", PARTNER, "Secret.").await;
    let [other, partner] = book.open_to_partners(&world).await;
    let elsewhere = world.new_space("Two").await;
    let add = world.on_site(&world.admin, "addSpaceToSite", &book.published.site);
    add.json(json!({ "spaceId": elsewhere["id"] })).expect(201).await;
    let text = format!(
        "{{% include \"/spaces/{space}/reusable-contents/{}\" %}}\n\n[File](/spaces/{space}/files/{})",
        book.parts["outer"], book.parts["open.txt"]
    );
    let second: NodeId = id(&elsewhere).parse().unwrap();
    let open = texts::add(&world, second, &[("Guest", &block(PARTNER, &text))]).await;
    let shown = set(["deep.txt", "inner", "open.txt", "outer"]);
    let read = async |client: &Client| {
        let revision = head(&world, &book.published).await;
        book.read(&world, client, &revision).await
    };
    assert_eq!((read(&other).await, read(&partner).await), (set([]), shown.clone()));
    // By variables of that page.
    let text = format!(
        "---\nvars:\n  guests: \"yes\"\n---\n\n{}",
        block("page.vars.guests == \"yes\"", &text)
    );
    texts::write(&world, second, vec![texts::edit(&open["Guest"], &text)]).await;
    assert_eq!((read(&other).await, read(&partner).await), (shown.clone(), shown));
}

/// Long conditions.
async fn conditions_that_are_not_stored_are_those_of_the_text(database: TestDatabase) {
    let world = World::new(database).await;
    let book = AdaptiveSpace::new(&world).await;
    let long = format!("{PARTNER} || \"{}\" == \"\"", "x".repeat(900));
    let long = (0..6).fold(book.link("deep.txt"), |text, _| block(&long, &text));
    let secret = format!("{}\n\n{}", book.link("secret.txt"), book.include("outer"));
    let text = format!("{}\n\n{}{long}", book.link("open.txt"), block(PARTNER, &secret));
    book.page(&world, "Mixed", "", &text).await;
    let [other, partner] = book.open_to_partners(&world).await;
    let (of_other, of_partner) = (
        set(["open.txt"]),
        set(["deep.txt", "inner", "open.txt", "outer", "secret.txt"]),
    );
    assert_eq!(read(&world, &book, &other).await, of_other);
    assert_eq!(read(&world, &book, &partner).await, of_partner);
}

async fn blocks_cost_no_statements_once_a_revision_was_read(database: TestDatabase) {
    let world = World::new(database).await;
    let book = AdaptiveSpace::new(&world).await;
    let text = format!("{}\n\n{}", book.link("open.txt"), book.include("outer"));
    book.page(&world, "Open", "", &text).await;
    let statements = async || {
        let [_, partner] = book.open_to_partners(&world).await;
        let revision = head(&world, &book.published).await;
        book.read(&world, &partner, &revision).await;
        let mut taken = Vec::new();
        for (operation, part) in [("getFileById", "open.txt"), ("getReusableContentById", "outer")] {
            let name = if part == "outer" { "reusableContentId" } else { "fileId" };
            let before = world.app().kernel.db.statements();
            let call = book.call(&partner, operation, &revision).path(name, &book.parts[part]);
            call.expect(200).await;
            taken.push(world.app().kernel.db.statements() - before);
        }
        taken
    };
    let without = statements().await;
    for number in 0..20 {
        let text = block(&format!("{PARTNER} && page.vars.number == \"{number}\""), &text);
        let text = format!("---\nvars:\n  number: \"{number}\"\n---\n\n{text}");
        book.page(&world, &format!("Partners {number}"), "", &text).await;
    }
    assert_eq!(statements().await, without);
}

async fn circles_of_reusable_contents_end(database: TestDatabase) {
    let world = World::new(database).await;
    let mut book = AdaptiveSpace::new(&world).await;
    let (app, space) = (world.app(), node(&book.published));
    let [first, second]: [ReusableContentId; 2] = [app.kernel.ids.next(), app.kernel.ids.next()];
    for (name, content, text) in [
        ("first", first, include(&second.to_string())),
        (
            "second",
            second,
            block(
                PARTNER,
                &format!("{}\n\n{}", include(&first.to_string()), book.link("open.txt")),
            ),
        ),
    ] {
        put_content(app, world.admin.id, (space, content), &text).await;
        book.parts.insert(name.to_owned(), content.to_string());
    }
    let text = block("false", &book.include("second")) + &block(PARTNER, &book.include("first"));
    let page = book.page(&world, "Page", "", &text).await;
    let [other, partner] = book.open_to_partners(&world).await;
    assert_eq!(read(&world, &book, &other).await, set([]));
    assert_eq!(
        read(&world, &book, &partner).await,
        set(["first", "open.txt", "second"])
    );
    // Nothing but each other shows the two.
    let pages = world.admin.client.call("listPages").space(space).expect(200).await;
    let mut pages = pages["pages"].as_array().unwrap().iter();
    let page = pages.find(|it| it["documentId"] == page.as_str()).unwrap();
    let change = texts::edit(id(page), &block("true", &book.link("cover.txt")));
    texts::write(&world, space, vec![change]).await;
    let [_, partner] = book.open_to_partners(&world).await;
    assert_eq!(read(&world, &book, &partner).await, set(["cover.txt"]));
}
