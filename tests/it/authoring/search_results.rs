//! What a search finds, and in which order.

use entity::content::search::spaces as search_spaces;
use entity::ids::NodeId;
use entity::library::nodes::{self, NodeKind};
use platform::db::Db;
use proptest::{prelude::*, test_runner::TestRunner};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect, QueryTrait};
use search::{
    index::PageEntry,
    query::{self, Rank, SearchResults, SpaceHit},
};

use crate::support::{
    database::{TestDatabase, on_each_database},
    rows::{organization_id, space_id},
    search::{found, numbers, page, page_id, replace, search, section, with_spaces},
};

on_each_database![
    the_best_page_is_first,
    a_whole_title_comes_before_all_else,
    pages_with_all_words_come_first,
    words_are_found_by_their_beginning_and_in_other_forms,
    spelling_does_not_matter,
    every_language_is_found,
    a_page_needs_what_is_rare,
    sections_show_what_was_found,
    spaces_are_apart,
    several_spaces_are_searched_together,
    pages_of_results_cover_them_once,
    nothing_in_a_query_is_an_error,
];

async fn the_best_page_is_first(database: TestDatabase) {
    let db = with_spaces(&database, &[1]).await;
    let often = "A cookie is a cookie. ".repeat(10);
    let long = format!("{} cookie", "Other words without end. ".repeat(200));
    let by_heading = PageEntry::new(
        page_id(3),
        "State",
        vec![section("Cookie jar", "Where it is kept.")],
        None,
    );
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
    let first = async |query: String| found(&db, 1, &query).await.first().copied();
    for (number, title) in titles.iter().enumerate() {
        assert_eq!(first((*title).to_owned()).await, Some(number as u128), "{title}");
        assert_eq!(
            first(format!(" {} ", title.to_uppercase())).await,
            Some(number as u128),
            "{title}"
        );
        // Signs around it do not matter, unless they are all that tells two titles apart.
        if title.chars().any(char::is_alphanumeric) && !title.starts_with('C') {
            assert_eq!(first(format!("({title}.)")).await, Some(number as u128), "{title}");
        }
    }
}

async fn pages_with_all_words_come_first(database: TestDatabase) {
    let db = with_spaces(&database, &[1]).await;
    let pages = [
        (1, "Home", "Hello."),
        (
            2,
            "Settings",
            "Change colours and fonts of the space here. Settings are saved at once.",
        ),
        (
            3,
            "Tokens",
            "Open the API settings, and make a token. The API needs it.",
        ),
        (4, "API", "Everything about the API."),
        (5, "Rate limits", "The API answers 429."),
    ];
    replace(
        &db,
        1,
        pages.map(|(number, title, body)| page(number, title, body)).to_vec(),
    )
    .await;
    for (text, pages) in [
        ("api settings", &[3, 2, 4][..]),
        ("settings api", &[3, 2, 4]),
        ("setting for api", &[3, 2]),
        ("api token", &[3]),
        // A word that no page has is no reason.
        ("api settings xyzzy", &[3, 2]),
        // The whole title stays first.
        ("rate limits", &[5]),
        ("settings", &[2, 3]),
    ] {
        let found = found(&db, 1, text).await;
        assert!(found.starts_with(pages), "{text}: {found:?}");
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
        ("tificate", &[]),
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
    replace(&db, 1, vec![PageEntry::new(page_id(1), "Transfers", sections, None)]).await;
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

async fn in_spaces(db: &Db, spaces: &[u128], text: &str, after: Option<Rank>, limit: u64) -> SearchResults<SpaceHit> {
    let ids: Vec<NodeId> = spaces.iter().copied().map(space_id).collect();
    let scope = nodes::Entity::find()
        .select_only()
        .column(nodes::Column::Id)
        .filter(nodes::Column::OrganizationId.eq(organization_id(1)))
        .filter(nodes::Column::Kind.eq(NodeKind::Space))
        .filter(nodes::Column::Id.is_in(ids));
    let scope = search_spaces::Column::SpaceId.in_subquery(scope.into_query());
    query::search_spaces(db.read(), scope, text, after, limit)
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
            let results = query::search_space(db.read(), space_id(1), "apple page", after, limit)
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
    let none = query::search_space(db.read(), space_id(1), "apple", None, 0)
        .await
        .unwrap();
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
        ("@.axyzzy", false),
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
            let results = handle.block_on(query::search_space(db.read(), space_id(1), &text, None, 10));
            prop_assert!(results.is_ok(), "{:?}: {:?}", text, results);
            Ok(())
        };
        TestRunner::new(config).run(&words, found).unwrap();
    });
}
