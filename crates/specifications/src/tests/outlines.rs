//! The pages that are computed from documents.

use serde_json::{Value, json};

use super::ALL_PAGES;
use crate::{EntryKind, Outline, OutlinePage, OutlineShape, PageText};

fn outline(document: &Value) -> Outline {
    Outline::read(document.to_string().as_bytes())
}

fn sample() -> Value {
    json!({
        "openapi": "3.1.0",
        "info": { "title": "Gripper", "version": "1", "description": " Moves *things*. " },
        "tags": [
            { "name": "motion", "description": "Moves.", "x-page-title": "Motion" },
            { "name": "unused" },
            { "name": "empty", "description": "Only words." },
        ],
        "paths": {
            "/grip": {
                "post": { "summary": "Close the\n fingers", "operationId": "grip", "tags": ["motion", "other"] },
                "get": { "operationId": "readGrip", "tags": ["state"] },
            },
            "/home": { "$ref": "#/components/pathItems/home" },
            "/lost": { "$ref": "#/components/pathItems/lost" },
        },
        "webhooks": { "done": { "post": { "summary": "Done" } } },
        "components": {
            "pathItems": { "home": { "put": {} }, "loop": { "$ref": "#/components/pathItems/loop" } },
            "schemas": { "Grip": {}, "Force": {}, "a,b": {} },
        },
    })
}

fn shown(page: &OutlinePage<'_>) -> String {
    let above = page.group.map(|group| format!("{group} > ")).unwrap_or_default();
    format!("{above}{} = {}", page.key, page.title)
}

#[test]
fn there_is_a_page_for_each_tag_operation_and_webhook_and_one_for_schemas() {
    let outline = outline(&sample());
    assert_eq!(outline.description, "Moves *things*.");
    let pages: Vec<String> = outline.pages(ALL_PAGES).map(|page| shown(&page)).collect();
    assert_eq!(
        pages,
        [
            "tag:motion = Motion",
            "tag:motion > operation:post /grip = Close the fingers",
            "tag:empty = empty",
            "tag:state = state",
            "tag:state > operation:get /grip = readGrip",
            "operations = Operations",
            "operations > operation:put /home = PUT /home",
            "webhooks = Webhooks",
            "webhooks > webhook:post done = Done",
            "models = Models",
        ]
    );
    let of_shape = |models, operations| outline.pages(OutlineShape { models, operations });
    assert_eq!(of_shape(false, true).count(), 9);
    let by_tag: Vec<(String, PageText)> = of_shape(true, false).map(|page| (page.key, page.text)).collect();
    let group = |key: &str| (key.to_owned(), PageText::Operations(key.to_owned()));
    let expected = ["tag:motion", "tag:empty", "tag:state", "operations", "webhooks"].map(group);
    assert_eq!(
        by_tag.split_last(),
        Some((&("models".to_owned(), PageText::Models), expected.as_slice()))
    );
    assert_eq!(outline.schemas, ["Grip", "Force"]);
    let grip = outline.entry("operation:post /grip").unwrap();
    assert_eq!(
        (grip.kind, grip.words().as_str()),
        (EntryKind::Operation, "POST /grip grip")
    );
    assert_eq!(outline.group("tag:motion").unwrap().description, "Moves.");
    let texts: Vec<PageText> = outline.pages(ALL_PAGES).map(|page| page.text).collect();
    assert_eq!(texts.first(), Some(&PageText::Info("tag:motion".to_owned())));
    assert_eq!(texts.last(), Some(&PageText::Models));
}

#[test]
fn an_outline_is_stored_as_json() {
    let outline = outline(&sample());
    let stored = serde_json::to_string(&outline).unwrap();
    assert_eq!(serde_json::from_str::<Outline>(&stored).unwrap(), outline);
}

#[test]
fn wrong_members_count_as_absent_and_nothing_is_unbounded() {
    for wrong in [
        json!(null),
        json!([]),
        json!({ "info": 1, "tags": {}, "paths": [], "webhooks": "x", "components": { "schemas": [] } }),
        json!({ "tags": [1, { "name": " " }, { "name": 2 }], "paths": { "/a": { "get": 1 }, "/b": 2, "": { "get": {} } } }),
        json!({ "paths": { "/a": { "$ref": "https://elsewhere.example/x" }, "/b": { "$ref": 1 } } }),
    ] {
        assert_eq!(outline(&wrong).pages(ALL_PAGES).count(), 0, "{wrong}");
    }
    assert_eq!(Outline::read(b"{"), Outline::default());
    let paths = (0..6_000).map(|number| (format!("/{number}"), json!({ "get": {} })));
    let paths: serde_json::Map<String, Value> = paths.collect();
    let long = json!({ "paths": paths, "info": { "description": "x".repeat(200_000) } });
    let long = outline(&long);
    assert_eq!(long.pages(ALL_PAGES).count(), 5_001);
    assert_eq!(long.without_page, 1_000);
    assert_eq!(long.description, "");
    assert_eq!(long.schemas, Vec::<String>::new());
    let paths = (0..6_000).map(|number| (format!("/{number}"), json!({ "get": {} })));
    let schemas = (0..6_000).map(|number| (format!("S{number}"), json!({})));
    let (paths, schemas): (serde_json::Map<_, _>, serde_json::Map<_, _>) = (paths.collect(), schemas.collect());
    let both = outline(&json!({ "paths": paths, "components": { "schemas": schemas } }));
    assert_eq!((both.pages(ALL_PAGES).count(), both.schemas.len()), (5_002, 5_000));
    let title = json!({ "paths": { "/": { "get": { "summary": "ü".repeat(300), "operationId": "" } } } });
    let title = outline(&title);
    assert_eq!(title.pages(ALL_PAGES).last().unwrap().title.chars().count(), 255);
    for (summary, title) in [("\u{202e}a\u{200b}\nb", "a b"), ("\u{3164}", "GET /x")] {
        let hidden = json!({ "paths": { "/x\u{202e}": { "get": { "summary": summary } } } });
        assert_eq!(outline(&hidden).pages(ALL_PAGES).last().unwrap().title, title);
    }
}

#[test]
fn a_path_item_that_refers_to_itself_has_no_operations() {
    let mut document = sample();
    document["paths"]["/home"] = json!({ "$ref": "#/components/pathItems/loop" });
    assert!(outline(&document).group("operations").is_none());
}
