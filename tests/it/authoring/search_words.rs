//! The words of a search: their forms in the language of the space, typing errors, and words that are on most pages.

use bindery::commands::background;
use chrono::TimeDelta;
use entity::{content::search::spaces as search_spaces, library::spaces::Language};
use platform::jobs::Runner;
use sea_orm::{EntityTrait, sea_query::Expr};
use search::{index::PageEntry, query};
use serde_json::{Value, json};

use crate::support::{
    database::{TestDatabase, on_each_database},
    rows::space_id,
    search::{found, page, page_id, replace, search, section, with_spaces},
    world::World,
};

on_each_database![
    words_are_cut_by_the_stemmer_of_the_language,
    spaces_of_several_languages_are_searched_together,
    compounds_are_found_by_their_last_parts,
    typing_errors_are_forgiven_when_nothing_else_is_found,
    words_of_most_pages_cost_no_more_than_others,
    an_empty_query_finds_nothing,
    a_change_of_the_language_makes_the_index_anew,
    an_earlier_index_is_made_anew,
];

fn entry(number: u128, body: &str, language: Option<Language>) -> PageEntry {
    PageEntry::new(page_id(number), "…", vec![section("", body)], language)
}

async fn words_are_cut_by_the_stemmer_of_the_language(database: TestDatabase) {
    let db = with_spaces(&database, &[1, 2]).await;
    let english = [
        "Sections are collapsible.",
        "The changelog lists releases.",
        "The changes of a page.",
        "Sign in with SAML.",
        "It stays the same.",
        "Pages are protected by passwords.",
    ];
    let pages = english.iter().enumerate();
    replace(
        &db,
        1,
        pages.map(|(number, body)| entry(number as u128, body, None)).collect(),
    )
    .await;
    for (text, pages) in [
        ("collapsed", &[0][..]),
        ("changelog", &[1]),
        ("change", &[2]),
        ("saml", &[3]),
        ("password protect", &[5]),
    ] {
        assert_eq!(found(&db, 1, text).await, pages, "{text}");
    }
    let german = [
        "Die Häuser sind freundlich.",
        "Einstellungen ändern.",
        "Cookies speichern.",
    ];
    let pages = german.iter().enumerate();
    let pages = pages.map(|(number, body)| entry(number as u128, body, Some(Language::De)));
    replace(&db, 2, pages.collect()).await;
    for (text, pages) in [
        ("Haus", &[0][..]),
        ("hauser", &[0]),
        ("freundlicheren", &[0]),
        ("einstellung", &[1]),
        ("geändert", &[]),
        ("cookie", &[2]),
    ] {
        assert_eq!(found(&db, 2, text).await, pages, "{text}");
    }
}

async fn spaces_of_several_languages_are_searched_together(database: TestDatabase) {
    let db = with_spaces(&database, &[1, 2, 3]).await;
    replace(
        &db,
        1,
        vec![entry(1, "The installation of a router.", Some(Language::En))],
    )
    .await;
    replace(
        &db,
        2,
        vec![entry(2, "Installationen von Routern.", Some(Language::De))],
    )
    .await;
    replace(&db, 3, vec![entry(3, "Установка роутера.", Some(Language::Ru))]).await;
    for (text, pages) in [
        ("installations", &[1, 2][..]),
        ("installing", &[1]),
        ("installationen", &[2]),
        ("router", &[1, 2]),
        ("роутеры", &[3]),
        ("installtion", &[1, 2]),
    ] {
        let results = query::search_spaces(db.read(), Expr::value(true), text, None, 10)
            .await
            .unwrap();
        let mut found: Vec<u128> = results
            .page
            .items
            .iter()
            .map(|hit| hit.space.as_uuid().as_u128())
            .collect();
        found.sort_unstable();
        assert_eq!(found, pages, "{text}");
    }
}

async fn compounds_are_found_by_their_last_parts(database: TestDatabase) {
    let db = with_spaces(&database, &[1, 2, 3, 4, 5, 6, 7]).await;
    let german = [
        ("Benutzerverwaltung", "Hier legen Sie Konten an."),
        ("Druckereinstellungen", "Papier wählen."),
        ("Datensicherung", "Backups laufen nachts. Verwendung auf eigene Gefahr."),
        ("Notizen", "Die Webseite zeigt alle Kontoauszüge im Apparat."),
    ];
    for (space, language) in [(1, Some(Language::De)), (2, None)] {
        let pages = german.iter().enumerate().map(|(number, (title, body))| {
            PageEntry::new(page_id(number as u128), title, vec![section("", body)], language)
        });
        replace(&db, space, pages.collect()).await;
        for (text, pages) in [
            ("Verwaltung", &[0][..]),
            ("Einstellungen", &[1]),
            ("Sicherung", &[2]),
            ("Sicherung Backups", &[2]),
            ("Benutzer", &[0]),
        ] {
            assert_eq!(found(&db, space, text).await, pages, "{text} in {language:?}");
        }
    }
    for (text, pages) in [
        ("einstellung", &[1][..]),
        ("Seiten", &[3]),
        ("Seite der Auszüge", &[3]),
        ("rat", &[]),
    ] {
        assert_eq!(found(&db, 1, text).await, pages, "{text}");
    }
    let hit = search(&db, 1, "auszug").await.page.items.remove(0);
    assert_eq!(hit.sections[0].body, german[3].1);
    // The word itself comes first, and no shorter part of a word counts.
    let pages = [("Verwaltung", "…"), ("Benutzerverwaltung", "…"), ("Walten", "…")];
    let pages = pages.iter().enumerate().map(|(number, (title, body))| {
        PageEntry::new(
            page_id(number as u128),
            title,
            vec![section("", body)],
            Some(Language::De),
        )
    });
    replace(&db, 3, pages.collect()).await;
    assert_eq!(found(&db, 3, "Verwaltung").await, [0, 1]);
    assert_eq!(found(&db, 3, "walten").await, [2, 0, 1]);
    let others = [
        (Language::Nl, "Gebruikersbeheer", "beheer"),
        (Language::Sv, "Skrivarinställningar", "inställning"),
        (Language::Da, "Brugeradministration", "administration"),
        (Language::No, "Brukerhåndtering", "håndtering"),
    ];
    for (number, (language, title, text)) in others.into_iter().enumerate() {
        let space = 4 + number as u128;
        replace(
            &db,
            space,
            vec![PageEntry::new(page_id(9), title, vec![], Some(language))],
        )
        .await;
        assert_eq!(found(&db, space, text).await, [9], "{text}");
    }
}

async fn typing_errors_are_forgiven_when_nothing_else_is_found(database: TestDatabase) {
    let db = with_spaces(&database, &[1, 2]).await;
    let pages = [
        (1, "Authentication", "Who may read a page."),
        (2, "Certificates", "How a certificate is verified."),
        (3, "Cookies", "A cookie jar holds them."),
        (4, "Cooking", "Cook with curl."),
    ];
    let pages = pages.map(|(number, title, body)| page(number, title, body));
    replace(&db, 1, pages.to_vec()).await;
    for (text, pages) in [
        ("authetication", &[1][..]),
        ("authentification", &[1]),
        ("uthentication", &[1]),
        ("certficate", &[2]),
        ("certificaet", &[2]),
        ("how are certifikates verified", &[2]),
        ("cokie jar", &[3]),
        ("CÖOKIEZ", &[3]),
        ("crul", &[4]),
        // Two letters of a short word, and words that are there.
        ("kurll", &[]),
        ("cook", &[4]),
        ("xcertxficatxe", &[]),
    ] {
        let mut found = found(&db, 1, text).await;
        found.truncate(1);
        assert_eq!(found, pages, "{text}");
    }
    assert_eq!(found(&db, 2, "certficate").await, [0; 0]);
    let hit = search(&db, 1, "cokie jar").await.page.items.remove(0);
    assert_eq!(hit.sections[0].body, "A cookie jar holds them.");
    // As many statements for many pages as for one.
    let many = (10..300).map(|number| page(number, &format!("Cookie {number}"), "Cookies"));
    let mut statements = Vec::new();
    for pages in [Vec::new(), many.collect()] {
        replace(&db, 1, pages).await;
        for text in ["cookie jar", "cokie jar"] {
            let before = db.statements();
            search(&db, 1, text).await;
            statements.push(db.statements() - before);
        }
    }
    assert_eq!(statements, [4, 6, 4, 6]);
}

async fn words_of_most_pages_cost_no_more_than_others(database: TestDatabase) {
    const PAGES: u128 = 6_000;
    let db = with_spaces(&database, &[1]).await;
    let text = |number: u128| match number {
        2_500 | 5_900 => "The valve of the pump.",
        number if number % 3 == 0 => "The sensor of the pump.",
        _ => "The pump.",
    };
    let pages = (0..PAGES).map(|number| page(number, &format!("About the part {number}"), text(number)));
    replace(&db, 1, pages.collect()).await;
    // What is rare decides, wherever the page is in the index.
    assert_eq!(found(&db, 1, "the valve").await, [2_500, 5_900]);
    assert_eq!(found(&db, 1, "the valve of pump").await, [2_500, 5_900]);
    let first = async |text: &str| search(&db, 1, text).await.page.items[0].page;
    assert_eq!(first("About the part 5999").await, page_id(5_999));
    assert_eq!(first("part 5999").await, page_id(5_999));
    // Of words that are everywhere, some pages are results, and each is so once.
    let results = search(&db, 1, "the pump").await;
    assert!((1_000..PAGES as u64).contains(&results.count), "{}", results.count);
    let (mut pages, mut after) = (Vec::new(), None);
    loop {
        let results = query::search_space(db.read(), space_id(1), "the pump", after, 1_000)
            .await
            .unwrap();
        pages.extend(results.page.items.into_iter().map(|hit| hit.page));
        after = results.page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(pages.len() as u64, results.count);
    pages.sort_unstable();
    pages.dedup();
    assert_eq!(pages.len() as u64, results.count);
}

async fn call(world: &World, query: &str) -> Value {
    let call = world
        .admin
        .client
        .call("searchSpaceContent")
        .path("spaceId", world.space);
    call.query("query", query).expect(200).await
}

async fn an_empty_query_finds_nothing(database: TestDatabase) {
    let world = World::new(database).await;
    insert(&world, "Found").await;
    assert_eq!(call(&world, "found").await["count"], 1);
    for query in ["", " ", "\t"] {
        let results = call(&world, query).await;
        assert_eq!(
            (&results["count"], &results["items"]),
            (&json!(0), &json!([])),
            "{query:?}"
        );
        let organization = world.admin.client.call("searchOrganizationContent");
        let results = organization
            .path("organizationId", world.organization)
            .query("query", query);
        assert_eq!(results.expect(200).await["items"], json!([]));
    }
}

async fn insert(world: &World, markdown: &str) {
    let change = json!({ "operation": "insert_page", "title": "…", "document": { "markdown": markdown } });
    let call = world
        .admin
        .client
        .call("updateSpaceContent")
        .path("spaceId", world.space);
    call.json(json!({ "changes": [change] })).expect(200).await;
}

async fn run_jobs(world: &World) {
    world.clock().advance(TimeDelta::minutes(1));
    let app = world.app().clone();
    let mut runner = Runner::new(app.kernel.jobs.clone(), background::kinds(&app, None));
    runner.run_due().await.unwrap();
}

async fn a_change_of_the_language_makes_the_index_anew(database: TestDatabase) {
    let world = World::new(database).await;
    let update = async |language: &str| {
        let call = world.admin.client.call("updateSpaceById").path("spaceId", world.space);
        call.json(json!({ "language": language })).expect(200).await;
    };
    insert(&world, "Die Häuser sind freundlich.").await;
    assert_eq!(call(&world, "freundlicheren").await["count"], 0);
    update("de").await;
    run_jobs(&world).await;
    assert_eq!(call(&world, "freundlicheren").await["count"], 1);
    // Pages that are written later, and those of copies.
    insert(&world, "Es ist deutlich.").await;
    assert_eq!(call(&world, "deutlicheren").await["count"], 1);
    let copy = world.admin.client.call("duplicateSpace").path("spaceId", world.space);
    let copy = copy.expect(201).await;
    let found = world.admin.client.call("searchSpaceContent");
    let found = found.path("spaceId", copy["id"].as_str().unwrap());
    assert_eq!(found.query("query", "freundlicheren").expect(200).await["count"], 1);
    update("en").await;
    run_jobs(&world).await;
    assert_eq!(call(&world, "freundlicheren").await["count"], 0);
    assert_eq!(call(&world, "Häuser").await["count"], 1);
}

/// As an earlier version of the server left it.
async fn an_earlier_index_is_made_anew(database: TestDatabase) {
    let world = World::new(database).await;
    insert(&world, "Cookies of a client.").await;
    let db = &world.app().kernel.db;
    db.write(|tx| async move {
        use sea_orm::ConnectionTrait;
        tx.execute_unprepared("DELETE FROM search_terms").await?;
        search_spaces::Entity::update_many()
            .col_expr(search_spaces::Column::TermsVersion, Expr::value(0))
            .exec(&tx)
            .await
    })
    .await
    .unwrap();
    assert_eq!(call(&world, "cookie").await["count"], 0);
    run_jobs(&world).await;
    assert_eq!(call(&world, "cookie").await["count"], 1);
}
