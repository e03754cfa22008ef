//! The search index: what is found, in which order, and that it follows the content.

use bindery::db::{Backend, Db};
use bindery::search::{
    index::{self, PageEntry},
    query::{self, PageHit, Rank, Results, SpaceHit},
};
use entity::ids::{NodeId, PageId};
use entity::nodes::{self, NodeKind};
use entity::search::{pages, pages::Section, spaces};
use proptest::{prelude::*, test_runner::TestRunner};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect, QueryTrait, Statement};
use uuid::Uuid;

use crate::support::database::{TestDatabase, on_each_database};
use crate::support::rows::{insert_organization, insert_space, organization_id, space_id};

on_each_database![
    the_best_page_is_first,
    a_whole_title_comes_before_all_else,
    words_are_found_by_their_beginning_and_in_other_forms,
    spelling_does_not_matter,
    every_language_is_found,
    a_page_needs_what_is_rare,
    sections_show_what_was_found,
    the_index_follows_the_content,
    a_failed_write_leaves_the_index,
    a_copy_is_found_by_itself,
    what_is_purged_is_gone,
    spaces_are_apart,
    several_spaces_are_searched_together,
    pages_of_results_cover_them_once,
    nothing_in_a_query_is_an_error,
    hostile_pages_are_indexed,
    many_pages_are_indexed_by_few_statements,
];

fn page_id(number: u128) -> PageId {
    PageId::from_uuid(Uuid::from_u128(number))
}

fn section(title: &str, body: &str) -> Section {
    Section {
        anchor: (!title.is_empty()).then(|| title.to_lowercase().replace(' ', "-")),
        title: title.to_owned(),
        body: body.to_owned(),
    }
}

/// A page of one section.
fn page(number: u128, title: &str, body: &str) -> PageEntry {
    PageEntry::new(page_id(number), title, vec![section("", body)])
}

/// A database with an organization and these empty spaces.
async fn with_spaces(database: &TestDatabase, spaces: &[u128]) -> Db {
    let (db, spaces) = (database.migrated().await, spaces.to_vec());
    db.write(|tx| async move {
        insert_organization(&tx, 1).await?;
        for space in spaces {
            insert_space(&tx, 1, space).await?;
        }
        Ok::<_, DbErr>(())
    })
    .await
    .unwrap();
    db
}

async fn replace(db: &Db, space: u128, entries: Vec<PageEntry>) {
    db.write(move |tx| async move { index::replace(&tx, space_id(space), &entries).await })
        .await
        .unwrap();
}

async fn remove(db: &Db, space: u128, pages: &[u128]) {
    let pages: Vec<PageId> = pages.iter().copied().map(page_id).collect();
    db.write(move |tx| async move { index::remove(&tx, space_id(space), &pages).await })
        .await
        .unwrap();
}

async fn search(db: &Db, space: u128, text: &str) -> Results<PageHit> {
    query::in_space(db.read(), space_id(space), text, None, 100)
        .await
        .unwrap()
}

/// The numbers of the pages that are found, the best first.
async fn found(db: &Db, space: u128, text: &str) -> Vec<u128> {
    let results = search(db, space, text).await;
    assert_eq!(results.count, results.page.items.len() as u64);
    assert_eq!(results.page.next, None);
    numbers(&results.page.items)
}

fn numbers(hits: &[PageHit]) -> Vec<u128> {
    hits.iter().map(|hit| hit.page.as_uuid().as_u128()).collect()
}

async fn rows(db: &Db, sql: &str) -> i64 {
    let statement = Statement::from_string(db.read().get_database_backend(), sql.to_owned());
    let row = db.read().query_one_raw(statement).await.unwrap().unwrap();
    row.try_get_by_index(0).unwrap()
}

/// Everything that is stored agrees: each page with its terms, each space with the number of its pages.
async fn index_is_right(db: &Db, pages: i64) {
    assert_eq!(rows(db, "SELECT count(*) FROM search_pages").await, pages);
    let counted = "SELECT count(*) FROM search_spaces s WHERE pages_count
        <> (SELECT count(*) FROM search_pages p WHERE p.search_space_id = s.id)";
    assert_eq!(rows(db, counted).await, 0);
    let terms = match db.backend() {
        Backend::Sqlite => "SELECT count(*) FROM search_terms_docsize",
        Backend::Postgres => "SELECT count(*) FROM search_terms t JOIN search_pages p ON t.page_id = p.id",
    };
    assert_eq!(rows(db, terms).await, pages);
    if db.backend() == Backend::Sqlite {
        db.write(|tx| async move {
            tx.execute_unprepared("INSERT INTO search_terms (search_terms) VALUES ('integrity-check')")
                .await
        })
        .await
        .unwrap();
    }
}

async fn the_best_page_is_first(database: TestDatabase) {
    let db = with_spaces(&database, &[1]).await;
    let often = "A cookie is a cookie. ".repeat(10);
    let long = format!("{} cookie", "Other words without end. ".repeat(200));
    let by_heading = PageEntry::new(page_id(3), "State", vec![section("Cookie jar", "Where it is kept.")]);
    replace(
        &db,
        1,
        vec![
            page(1, "Notes", &long),
            page(2, "More notes", &often),
            by_heading,
            page(4, "Everything about the cookie and its jar", "…"),
            page(5, "The cookie", "…"),
            page(6, "Unrelated", "Nothing of the kind."),
        ],
    )
    .await;
    assert_eq!(found(&db, 1, "cookie").await, [5, 4, 3, 2, 1]);
    assert_eq!(found(&db, 1, "cookie jar").await, [3, 4]);
    assert_eq!(found(&db, 1, "jar cookie").await, [4, 3]);
    assert_eq!(found(&db, 1, "").await, [0; 0]);
    assert_eq!(found(&db, 1, "absent").await, [0; 0]);
}

async fn a_whole_title_comes_before_all_else(database: TestDatabase) {
    let db = with_spaces(&database, &[1]).await;
    let titles = [
        "HTTP",
        "HTTP/2",
        "HTTP basics",
        "The",
        "C++",
        "C",
        "!?",
        "🦀",
        "On and off",
        "東京",
        "東京都",
        "Set-Cookie",
    ];
    let body = titles.join(" ").repeat(5);
    let pages = titles.iter().enumerate().map(|(number, title)| {
        let body = format!("{body} {}", titles[(number + 1) % titles.len()].repeat(20));
        page(number as u128, title, &body)
    });
    replace(&db, 1, pages.collect()).await;
    for (number, title) in titles.iter().enumerate() {
        for query in [(*title).to_owned(), title.to_uppercase(), format!("  {title}. ")] {
            let first = found(&db, 1, &query).await.first().copied();
            // Signs around it do not matter where there are letters.
            let is_told = query.trim() == title.to_uppercase() || !query.ends_with(' ');
            let is_known = title.chars().any(char::is_alphanumeric) && *title != "C++" && *title != "C";
            assert!(
                first == Some(number as u128) || !is_told && !is_known,
                "{query}: {first:?}"
            );
        }
    }
}

async fn words_are_found_by_their_beginning_and_in_other_forms(database: TestDatabase) {
    let db = with_spaces(&database, &[1]).await;
    replace(
        &db,
        1,
        vec![
            page(1, "Certificates", "How they are verified."),
            page(2, "Proxies", "A certificate of a proxy."),
            page(3, "Transfer", "Uploading files."),
        ],
    )
    .await;
    for (text, pages) in [
        ("cert", &[1, 2][..]),
        ("certificate", &[2]),
        ("certificates", &[1]),
        ("c", &[1]),
        ("how they are ver", &[1]),
        ("uploads", &[3]),
        ("file", &[3]),
        ("upl fil", &[3]),
        ("ertificate", &[]),
    ] {
        let mut all = found(&db, 1, text).await;
        all.sort_unstable();
        assert!(pages.iter().all(|page| all.contains(page)), "{text}: {all:?}");
        assert_eq!(pages.is_empty(), all.is_empty(), "{text}: {all:?}");
    }
}

async fn spelling_does_not_matter(database: TestDatabase) {
    let db = with_spaces(&database, &[1]).await;
    let spellings = [
        ("Café", "CAFE\u{301}"),
        ("Straße", "STRASSE"),
        ("İstanbul", "istanbul"),
        ("ΟΔΥΣΣΕΥΣ", "οδυσσεύς"),
        ("Ｆｕｌｌ", "full"),
        ("ﾊﾟｽﾜｰﾄﾞ", "パスワード"),
        ("Łódź", "lodz"),
        ("e-mail", "Email"),
        ("soft\u{ad}ware", "SOFTWARE"),
        ("كِتَاب", "كتاب"),
    ];
    let pages = spellings.iter().enumerate();
    let pages = pages.map(|(number, (written, _))| page(number as u128, "Page", &format!("One {written}, two.")));
    replace(&db, 1, pages.collect()).await;
    for (number, (written, asked)) in spellings.iter().enumerate() {
        for text in [written, asked] {
            assert_eq!(found(&db, 1, text).await, [number as u128], "{text}");
        }
    }
}

async fn every_language_is_found(database: TestDatabase) {
    let db = with_spaces(&database, &[1]).await;
    let texts = [
        (
            "私は東京都に住んでいます。",
            &["東京", "東京都", "住んで", "京", "。東京都！"][..],
            &["大阪", "東都"][..],
        ),
        ("安装和配置数据库的方法", &["数据库", "配置", "安装"], &["服务器"]),
        (
            "데이터베이스를 설치하는 방법",
            &["데이터베이스", "설치", "방법을"],
            &["서버"],
        ),
        ("การติดตั้งฐานข้อมูล", &["ฐานข้อมูล", "ติดตั้ง"], &["เครือข่าย"]),
        ("Установка базы данных", &["установка", "БАЗЫ", "данные"], &["сервер"]),
        ("डेटाबेस स्थापित करना", &["डेटाबेस", "स्थापित"], &["सर्वर"]),
        ("تثبيت قاعدة البيانات", &["قاعدة", "البيانات"], &["خادم"]),
        ("התקנת מסד נתונים", &["נתונים"], &["שרת"]),
        (
            "Εγκατάσταση βάσης δεδομένων",
            &["ΒΑΣΗΣ", "εγκατασταση"],
            &["διακομιστής"],
        ),
        ("Cài đặt cơ sở dữ liệu", &["dữ liệu", "cai dat"], &["máy chủ"]),
    ];
    let pages = texts.iter().enumerate();
    let pages = pages.map(|(number, (text, ..))| page(number as u128, "…", text));
    replace(&db, 1, pages.collect()).await;
    for (number, (_, present, absent)) in texts.iter().enumerate() {
        for text in *present {
            assert_eq!(found(&db, 1, text).await, [number as u128], "{text}");
        }
        for text in *absent {
            assert_eq!(found(&db, 1, text).await, [0; 0], "{text}");
        }
    }
}

async fn a_page_needs_what_is_rare(database: TestDatabase) {
    let db = with_spaces(&database, &[1]).await;
    let mut pages: Vec<PageEntry> = (10..40)
        .map(|number| page(number, "Page", "It is the one in a list."))
        .collect();
    pages.push(page(1, "Transfers", "Resume an upload"));
    pages.push(page(2, "Mail", "Send an attachment"));
    replace(&db, 1, pages).await;
    // Words that are everywhere, or nowhere, do not keep a page from being found.
    assert_eq!(found(&db, 1, "is it the upload to resume").await, [1]);
    assert_eq!(found(&db, 1, "how to upload").await, [1]);
    assert_eq!(found(&db, 1, "xyzzy attachment").await, [2]);
    // Of two rare words, one is not enough where a page has both.
    assert_eq!(found(&db, 1, "upload resume").await, [1]);
    assert_eq!(found(&db, 1, "xyzzy").await, [0; 0]);
}

async fn sections_show_what_was_found(database: TestDatabase) {
    let db = with_spaces(&database, &[1]).await;
    let filler = "Words that nobody looks for. ".repeat(40);
    let sections = vec![
        section("", "What a transfer is."),
        section("Names", &format!("{filler} A Cookie\n\n  jar\tholds them. {filler}")),
        section("Others", &filler),
        section("Cookies in practice", "They are sent back."),
    ];
    replace(&db, 1, vec![PageEntry::new(page_id(1), "Transfers", sections)]).await;
    let sections = search(&db, 1, "cookie jar").await.page.items.remove(0).sections;
    let anchors: Vec<_> = sections.iter().map(|section| section.anchor.as_deref()).collect();
    assert_eq!(anchors, [Some("names"), Some("cookies-in-practice")]);
    let body = &sections[0].body;
    assert!(body.contains("A Cookie jar holds them."), "{body}");
    assert!(
        body.starts_with('…') && body.ends_with('…') && body.chars().count() <= 210,
        "{body}"
    );
    assert_eq!(sections[1].title, "Cookies in practice");
    // Only the title of the page: it begins so.
    let page = search(&db, 1, "transfers").await.page.items.remove(0);
    assert_eq!(page.title, "Transfers");
    assert_eq!(page.sections[0].body, "What a transfer is.");
}

async fn the_index_follows_the_content(database: TestDatabase) {
    let db = with_spaces(&database, &[1]).await;
    replace(&db, 1, vec![]).await;
    remove(&db, 1, &[1]).await;
    index_is_right(&db, 0).await;
    replace(&db, 1, vec![page(1, "One", "apple"), page(2, "Two", "apple pear")]).await;
    index_is_right(&db, 2).await;
    replace(&db, 1, vec![page(2, "Two", "plum"), page(3, "Three", "pear")]).await;
    index_is_right(&db, 3).await;
    assert_eq!(found(&db, 1, "apple").await, [1]);
    assert_eq!(found(&db, 1, "pear").await, [3]);
    assert_eq!(found(&db, 1, "plum").await, [2]);
    remove(&db, 1, &[2, 3, 99]).await;
    index_is_right(&db, 1).await;
    assert_eq!(found(&db, 1, "pear plum two three").await, [0; 0]);
    for round in 0..20 {
        let word = format!("round{round}");
        replace(&db, 1, vec![page(1, "One", &word)]).await;
        assert_eq!(found(&db, 1, &word).await, [1]);
    }
    index_is_right(&db, 1).await;
    assert_eq!(found(&db, 1, "round").await, [1]);
}

async fn a_failed_write_leaves_the_index(database: TestDatabase) {
    let db = with_spaces(&database, &[1]).await;
    replace(&db, 1, vec![page(1, "One", "apple")]).await;
    let undone = db
        .write(|tx| async move {
            index::replace(&tx, space_id(1), &[page(1, "One", "pear"), page(2, "Two", "pear")]).await?;
            index::remove(&tx, space_id(1), &[page_id(1)]).await?;
            Err::<(), _>(DbErr::Custom("changed my mind".to_owned()))
        })
        .await;
    assert!(undone.is_err());
    assert_eq!(found(&db, 1, "apple").await, [1]);
    assert_eq!(found(&db, 1, "pear").await, [0; 0]);
    index_is_right(&db, 1).await;
}

async fn a_copy_is_found_by_itself(database: TestDatabase) {
    let db = with_spaces(&database, &[1, 2, 3]).await;
    let pages = (1..=250).map(|number| page(number, &format!("Page {number}"), "apple\0"));
    replace(&db, 1, pages.collect()).await;
    let renamed = |page: PageId| page_id(page.as_uuid().as_u128() + 1000);
    db.write(move |tx| async move {
        index::copy(&tx, space_id(1), space_id(2), renamed).await?;
        index::copy(&tx, space_id(1), space_id(3), |page| page).await
    })
    .await
    .unwrap();
    index_is_right(&db, 750).await;
    assert_eq!(found(&db, 2, "page 7").await[0], 1007);
    assert_eq!(found(&db, 3, "page 7").await[0], 7);
    remove(&db, 1, &[7]).await;
    assert_eq!(found(&db, 3, "page 7").await[0], 7);
    assert_eq!(search(&db, 2, "apple").await.count, 250);
    assert_eq!(search(&db, 1, "apple").await.count, 249);
    let hit = search(&db, 2, "page 7").await.page.items.remove(0);
    assert_eq!(hit.sections[0].body, "apple\u{fffd}");
}

async fn what_is_purged_is_gone(database: TestDatabase) {
    let db = with_spaces(&database, &[1, 2]).await;
    for space in [1, 2] {
        replace(
            &db,
            space,
            (1..=50).map(|number| page(number, "Page", "apple")).collect(),
        )
        .await;
    }
    db.write(|tx| async move { nodes::Entity::delete_by_id(space_id(1)).exec(&tx).await })
        .await
        .unwrap();
    index_is_right(&db, 50).await;
    assert_eq!(rows(&db, "SELECT count(*) FROM search_spaces").await, 1);
    assert_eq!(search(&db, 1, "apple").await.count, 0);
    assert_eq!(search(&db, 2, "apple").await.count, 50);
}

async fn spaces_are_apart(database: TestDatabase) {
    let all: Vec<u128> = (1..=12).collect();
    let db = with_spaces(&database, &all).await;
    for space in &all {
        replace(
            &db,
            *space,
            vec![page(*space, "Page", "2.aapple 12.fpear @.tpage apple")],
        )
        .await;
    }
    for space in &all {
        for text in ["apple", "page", "pear", "a", "app"] {
            let pages = found(&db, *space, text).await;
            assert!(pages.iter().all(|page| page == space), "{space} {text}: {pages:?}");
        }
        assert_eq!(found(&db, *space, "apple").await, [*space]);
    }
    assert_eq!(found(&db, 99, "apple").await, [0; 0]);
}

async fn in_spaces(db: &Db, spaces: &[u128], text: &str, after: Option<Rank>, limit: u64) -> Results<SpaceHit> {
    let ids: Vec<NodeId> = spaces.iter().copied().map(space_id).collect();
    let scope = nodes::Entity::find()
        .select_only()
        .column(nodes::Column::Id)
        .filter(nodes::Column::OrganizationId.eq(organization_id(1)))
        .filter(nodes::Column::Kind.eq(NodeKind::Space))
        .filter(nodes::Column::Id.is_in(ids));
    query::in_spaces(db.read(), scope.into_query(), text, after, limit)
        .await
        .unwrap()
}

async fn several_spaces_are_searched_together(database: TestDatabase) {
    let db = with_spaces(&database, &[1, 2, 3, 4]).await;
    let many = (100..110).map(|number| page(number, &format!("Apples {number}"), "Fruit"));
    replace(&db, 1, many.collect()).await;
    replace(&db, 2, vec![page(200, "Apples", "Fruit"), page(201, "Fruit", "apples")]).await;
    replace(&db, 3, vec![page(300, "Pears", "Not apples")]).await;
    replace(&db, 4, vec![page(400, "Apples", "Nobody may see it")]).await;
    let results = in_spaces(&db, &[1, 2, 3], "apples", None, 10).await;
    let found: Vec<_> = results
        .page
        .items
        .iter()
        .map(|hit| (hit.space, numbers(&hit.pages)))
        .collect();
    assert_eq!(results.count, 3);
    assert_eq!(found[0], (space_id(2), vec![200, 201]));
    assert_eq!(found[1], (space_id(1), vec![100, 101, 102, 103, 104]));
    assert_eq!(found[2], (space_id(3), vec![300]));
    assert_eq!(results.page.items[2].pages[0].sections[0].body, "Not apples");

    let (mut spaces, mut after) = (Vec::new(), None);
    loop {
        let results = in_spaces(&db, &[1, 2, 3], "apples", after, 1).await;
        assert_eq!((results.count, results.page.items.len()), (3, 1));
        spaces.extend(results.page.items.iter().map(|hit| hit.space));
        after = results.page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(spaces, [2, 1, 3].map(space_id));
    assert_eq!(in_spaces(&db, &[], "apples", None, 10).await.count, 0);
    assert_eq!(in_spaces(&db, &[1, 2, 3], "nobody", None, 10).await.count, 0);
}

async fn pages_of_results_cover_them_once(database: TestDatabase) {
    let db = with_spaces(&database, &[1]).await;
    let pages = (1..=60).map(|number| {
        page(
            number,
            &format!("Page {}", number % 7),
            &"apple ".repeat(number as usize % 5 + 1),
        )
    });
    replace(&db, 1, pages.collect()).await;
    let whole = found(&db, 1, "apple page").await;
    assert_eq!(whole.len(), 60);
    let mut costs = Vec::new();
    for limit in [1, 7, 59, 60] {
        let (mut pages, mut after): (Vec<u128>, Option<Rank>) = (Vec::new(), None);
        loop {
            let before = db.statements();
            let results = query::in_space(db.read(), space_id(1), "apple page", after, limit)
                .await
                .unwrap();
            costs.push(db.statements() - before);
            assert_eq!(results.count, 60);
            pages.extend(numbers(&results.page.items));
            // As it comes back from a client.
            after = serde_json::from_value(serde_json::to_value(results.page.next).unwrap()).unwrap();
            if after.is_none() {
                break;
            }
        }
        assert_eq!(pages, whole, "{limit}");
    }
    costs.dedup();
    assert_eq!(costs, [4], "statements of a page");
    let none = query::in_space(db.read(), space_id(1), "apple", None, 0).await.unwrap();
    assert_eq!((none.count, none.page.items.len(), none.page.next), (60, 0, None));
}

async fn nothing_in_a_query_is_an_error(database: TestDatabase) {
    let db = with_spaces(&database, &[1]).await;
    replace(
        &db,
        1,
        vec![page(1, "Near and or not", "apple pear it's \"quoted\" 100% a:b c*")],
    )
    .await;
    for text in [
        "\"",
        "*",
        "apple*",
        "NEAR(apple pear, 2)",
        "apple NEAR pear",
        "AND",
        "apple OR",
        "NOT",
        "-apple",
        "terms:apple",
        "^apple",
        "{terms}:apple",
        "apple + pear",
        "(",
        ")",
        "\\",
        "'",
        "''); DROP TABLE search_pages; --",
        "\0",
        "apple\0pear",
        "%",
        "_",
        "@",
        "@.aapple",
        "1.aapple",
        "$1",
        "?1",
        "apple:*",
        "apple & !pear",
        "<->",
        "a:b",
        "🦀",
        "\u{202e}",
        "\u{301}",
        "it's",
        "\u{fffd}",
        "\u{10ffff}",
    ] {
        search(&db, 1, text).await;
    }
    for (text, found_it) in [
        ("apple\0pear", true),
        ("\"quoted\"", true),
        ("-apple", true),
        ("apple OR pear", true),
        ("@.aapple", false),
    ] {
        assert_eq!(!found(&db, 1, text).await.is_empty(), found_it, "{text}");
    }
    for pattern in [
        "\"",
        "'",
        "*",
        "(",
        "a",
        "é",
        "東",
        "ที่",
        "a ",
        "\u{301}",
        "👩‍👩‍👧",
        "-a",
        "İ",
        "ﷺ",
        "a\u{200d}",
    ] {
        let long: String = pattern.chars().cycle().take(512).collect();
        search(&db, 1, &long).await;
    }
    let handle = tokio::runtime::Handle::current();
    tokio::task::block_in_place(|| {
        let config = ProptestConfig {
            cases: 200,
            failure_persistence: None,
            ..ProptestConfig::default()
        };
        let words = prop_oneof![
            any::<String>(),
            "[\\PC\"'*:()@. -]{0,40}",
            "(apple|OR|\"|\\*|:| |NEAR|\\(|\\)|\0){0,12}"
        ];
        let found = |text: String| {
            let results = handle.block_on(query::in_space(db.read(), space_id(1), &text, None, 10));
            prop_assert!(results.is_ok(), "{:?}: {:?}", text, results);
            Ok(())
        };
        TestRunner::new(config).run(&words, found).unwrap();
    });
}

async fn hostile_pages_are_indexed(database: TestDatabase) {
    let db = with_spaces(&database, &[1]).await;
    let words: String = (0..200_000).map(|number| format!("word{number} ")).collect();
    let ideographs: String = (0..400_000_u32)
        .filter_map(|n| char::from_u32(0x4e00 + n.wrapping_mul(7919) % 20_000))
        .collect();
    let bodies = [
        "x".repeat(1 << 20),
        words,
        ideographs,
        format!("a{}", "\u{301}".repeat(100_000)),
        "' \\ \" \0 :* @ | & ! <-> \u{fffe}".repeat(1000),
        "a-".repeat(100_000),
        String::new(),
    ];
    let pages = bodies.iter().enumerate();
    let pages =
        pages.map(|(number, body)| PageEntry::new(page_id(number as u128), "\0'\\\"", vec![section("\0", body)]));
    replace(&db, 1, pages.collect()).await;
    index_is_right(&db, 7).await;
    assert_eq!(found(&db, 1, "word77").await, [1]);
    assert_eq!(found(&db, 1, &"x".repeat(512)).await, [0]);
    let runner = tokio::runtime::Handle::current();
    tokio::task::block_in_place(|| {
        let config = ProptestConfig {
            cases: 30,
            failure_persistence: None,
            ..ProptestConfig::default()
        };
        let texts = (any::<String>(), any::<String>(), any::<String>());
        let indexed = |(title, heading, body): (String, String, String)| {
            let entry = PageEntry::new(page_id(99), &title, vec![section(&heading, &body)]);
            runner.block_on(replace(&db, 1, vec![entry]));
            let all = runner.block_on(search(&db, 1, &title));
            let shown = title.chars().any(|c| !c.is_whitespace() && !c.is_control());
            let first = all.page.items.first().map(|hit| hit.page);
            prop_assert!(
                !shown || title.chars().all(|c| !c.is_alphanumeric()) || first == Some(page_id(99)),
                "{:?}",
                title
            );
            Ok(())
        };
        TestRunner::new(config).run(&texts, indexed).unwrap();
    });
}

async fn many_pages_are_indexed_by_few_statements(database: TestDatabase) {
    let db = with_spaces(&database, &[1]).await;
    let entries: Vec<_> = (0..2_000)
        .map(|number| page(number, &format!("Page {number}"), "apple pear plum"))
        .collect();
    let before = db.statements();
    replace(&db, 1, entries).await;
    let used = db.statements() - before;
    assert!(used < 40, "{used}");
    index_is_right(&db, 2_000).await;
    assert_eq!(found(&db, 1, "page 1234").await[0], 1234);
    let stored = pages::Entity::find()
        .filter(pages::Column::Title.eq("Page 7"))
        .one(db.read())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(stored.size, 15);
    let space = spaces::Entity::find().one(db.read()).await.unwrap().unwrap();
    assert_eq!((space.id, space.pages_count), (stored.search_space_id, 2_000));
}
