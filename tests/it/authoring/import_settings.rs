//! Settings of pages and spaces that imports keep, and paths of pages.

use serde_json::{Value, json};

use crate::support::{
    database::{TestDatabase, on_each_database},
    import::{attempt, directory, imported, markdown, outline, page, problems, put, tree, wanted},
    world::World,
};

on_each_database![
    settings_of_pages_come_back,
    an_invalid_member_costs_only_itself,
    the_table_of_contents_names_labels_paths_and_computed_pages,
    slugs_are_those_of_the_public_product,
    variables_of_the_space_are_read,
    hidden_pages_are_counted,
    pictures_are_known_by_their_bytes,
    blocks_in_cells_are_words_of_their_own,
];

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\x01\xe0\x08\x02\0\0\0";

/// The front matter of a Markdown text.
fn front(markdown: &str) -> &str {
    let rest = markdown.strip_prefix("---\n").unwrap_or_else(|| panic!("{markdown}"));
    rest.split_once("\n---\n").unwrap().0
}

async fn settings_of_pages_come_back(database: TestDatabase) {
    let world = World::new(database).await;
    let text = "---\ndescription: 'About: it'\nicon: gear\nnoIndex: true\nif: visitor.claims.beta\ncover: p.png\n\
        coverY: -12.5\ncoverHeight: 300\nlayout:\n  width: wide\n  cover:\n    visible: true\n    size: background\n    \
        mask: radial\n  tags:\n    visible: false\n  actions:\n    visible: false\n  anchors:\n    visible: false\n\
        tags:\n- beta\n- tag: new\n  primary: true\nvars:\n  version: '1.10'\nmetadata:\n  version: '1.0'\n\
        owners:\n- a\n- b\n---\n\n# One\n\nText\n";
    let directory = directory(&[
        ("README.md", text),
        ("preset.md", "---\nlayout: landing\n---\n\n# Preset\n"),
    ]);
    put(&directory, "p.png", PNG);
    let (space, report) = imported(&world, directory.path()).await;
    assert_eq!(problems(&report), [] as [String; 0]);
    let one = page(&world, space, "readme").await;
    assert_eq!(
        one["tags"],
        json!([{ "tag": { "kind": "tag", "tag": "beta" } }, { "tag": { "kind": "tag", "tag": "new" }, "primary": true }])
    );
    let revision = world
        .admin
        .client
        .call("getCurrentRevision")
        .space(space)
        .expect(200)
        .await;
    let tag = |slug: &str| json!({ "slug": slug, "label": slug, "color": "default" });
    assert_eq!(revision["tags"], json!([tag("beta"), tag("new")]));
    let layout = &one["layout"];
    assert_eq!(
        (
            &layout["coverSize"],
            &layout["coverMask"],
            &layout["tags"],
            &layout["actions"],
            &layout["anchors"]
        ),
        (
            &json!("background"),
            &json!("radial"),
            &json!(false),
            &json!(false),
            &json!(false)
        )
    );
    let file = one["cover"]["ref"]["file"].as_str().unwrap();
    let written = one["markdown"].as_str().unwrap();
    let expected = text
        .replace("cover: p.png", &format!("cover: /files/{file}"))
        .replace("Text\n", "Text");
    assert_eq!(written, expected);
    let preset = page(&world, space, "preset").await;
    assert_eq!(front(preset["markdown"].as_str().unwrap()), "layout: landing");
    assert_eq!(preset["layout"]["outline"], false);

    // Writing the Markdown back changes nothing.
    let edit =
        json!({ "changes": [{ "operation": "update_page", "page": one["id"], "document": { "markdown": written } }] });
    let call = world.admin.client.call("updateSpaceContent").space(space).json(edit);
    call.expect(200).await;
    let again = page(&world, space, "readme").await;
    assert_eq!(again, one);
}

async fn an_invalid_member_costs_only_itself(database: TestDatabase) {
    let world = World::new(database).await;
    let emoji = "e".repeat(100);
    let directory = directory(&[
        (
            "README.md",
            "---\ndescription: Kept\nhidden: perhaps\nicon: bolt\n---\n\n# One\n",
        ),
        (
            "colon.md",
            "---\ndescription: one: two: three\nicon: bolt\n---\n\n# Two\n",
        ),
        ("long.md", &format!("---\nicon: bolt\nemoji: {emoji}\n---\n\n# Three\n")),
    ]);
    let (space, report) = imported(&world, directory.path()).await;
    for (path, line, member) in [
        ("README.md", 3, "hidden"),
        ("colon.md", 2, "description"),
        ("long.md", 3, "emoji"),
    ] {
        let found = report.problems.iter().find(|problem| problem.path == path).unwrap();
        assert!(found.is_error && found.message.contains(member), "{found:?}");
        assert_eq!(found.line, Some(line), "{found:?}");
    }
    assert_eq!(report.problems.len(), 3, "{:?}", report.problems);
    let one = page(&world, space, "readme").await;
    assert_eq!((&one["description"], &one["icon"]), (&json!("Kept"), &json!("bolt")));
    for path in ["colon", "long"] {
        assert_eq!(page(&world, space, path).await["icon"], "bolt");
    }
}

async fn the_table_of_contents_names_labels_paths_and_computed_pages(database: TestDatabase) {
    let world = World::new(database).await;
    let summary = "# Table of contents\n\n* [Home](README.md \"Start\")\n\n## Get going <a href=\"#first\" id=\"first\"></a>\n\n\
        * [Install](install.md)\n* ```yaml\n  props:\n    models: true\n  type: builtin:openapi\n  dependencies:\n    \
        spec:\n      ref:\n        kind: openapi\n        spec: warehouse\n  ```\n* ```yaml\n  type: builtin:weather\n  ```\n* [Last](last.md)\n";
    let directory = directory(&[
        ("SUMMARY.md", summary),
        ("README.md", "# Home\n"),
        ("install.md", "# Install\n"),
        ("last.md", "# Last\n"),
        (".gitbook.yaml", "redirects:\n  old: last.md\n"),
    ]);
    let (space, report) = imported(&world, directory.path()).await;
    assert_eq!(
        problems(&report),
        [
            ".gitbook.yaml: Redirects (1) belong to a site and are not imported.",
            "SUMMARY.md: The lines are not understood as entries.",
        ]
    );
    let computed = &tree(&world, space).await["pages"][1]["pages"][1];
    assert_eq!(
        (&computed["type"], &computed["path"]),
        (&json!("document"), &json!("first/warehouse"))
    );
    let stored = world
        .admin
        .client
        .call("listPages")
        .space(space)
        .query("computed", "false");
    let tree = stored.expect(200).await;
    let pages = &tree["pages"];
    assert_eq!(
        outline(pages),
        "Home=readme, group Get going (Install=install, computed warehouse, Last=last)"
    );
    assert_eq!(pages[0]["linkTitle"], "Start");
    assert_eq!(
        (&pages[1]["slug"], &pages[1]["pages"][0]["path"]),
        (&json!("first"), &json!("first/install"))
    );
    let computed = &pages[1]["pages"][1]["computed"];
    assert_eq!(computed["type"], "builtin:openapi");
    assert_eq!(computed["props"]["models"], true);
    assert_eq!(computed["dependencies"]["spec"]["ref"]["spec"], "warehouse");
}

async fn slugs_are_those_of_the_public_product(database: TestDatabase) {
    let world = World::new(database).await;
    let summary = "# Contents\n\n* [Home](README.md)\n\n## Plans & pricing\n\n* [A](saml2.0-setup.md)\n* [B](what's-new.md)\n\
        * [C](one_two.md)\n* [D](jest-+-more.md)\n\n## What’s new, and what isn't\n\n* [E](2.0.md)\n";
    let files = ["README", "saml2.0-setup", "what's-new", "one_two", "jest-+-more", "2.0"];
    let mut all: Vec<(String, String)> = files.map(|name| (format!("{name}.md"), format!("# {name}\n"))).into();
    all.push(("SUMMARY.md".to_owned(), summary.to_owned()));
    let all: Vec<(&str, &str)> = all.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let (space, _) = imported(&world, directory(&all).path()).await;
    let tree = tree(&world, space).await;
    let paths = |group: usize| -> Vec<&str> {
        let pages = tree["pages"][group]["pages"].as_array().unwrap();
        pages.iter().map(|page| page["path"].as_str().unwrap()).collect()
    };
    let below = "plans-and-pricing";
    assert_eq!(
        paths(1),
        ["saml2.0-setup", "whats-new", "one_two", "jest-+-more"].map(|slug| format!("{below}/{slug}"))
    );
    assert_eq!(paths(2), ["whats-new-and-what-isnt/2.0"]);
}

async fn variables_of_the_space_are_read(database: TestDatabase) {
    let world = World::new(database).await;
    let first = directory(&[
        ("README.md", "# One\n"),
        (".gitbook/vars.yaml", "version: 24.x\nlevel: 3\nname: 'The name'\n"),
    ]);
    let (space, report) = imported(&world, first.path()).await;
    assert_eq!(problems(&report), [] as [String; 0]);
    let variables = |revision: &Value| revision["variables"].clone();
    let content = world.admin.client.call("getCurrentRevision").space(space);
    let revision = content.expect(200).await;
    assert_eq!(
        variables(&revision),
        json!({ "level": "3", "name": "The name", "version": "24.x" })
    );
    let second = directory(&[
        ("README.md", "# One\n"),
        (".gitbook/vars.yaml", "version: 25.x\nlist: [1]\n"),
    ]);
    let import = wanted(second.path());
    let place = bindery::areas::exchange::import::ImportDestination::Space(space.to_string());
    let report = attempt(&world, import, place).await.unwrap();
    assert!(
        problems(&report)[0].contains(".gitbook/vars.yaml"),
        "{:?}",
        problems(&report)
    );
    let revision = world
        .admin
        .client
        .call("getCurrentRevision")
        .space(space)
        .expect(200)
        .await;
    assert_eq!(variables(&revision), json!({ "version": "25.x" }));
    let changes = world.admin.client.call("getRevisionSemanticChanges").space(space);
    let changes = changes
        .path("revisionId", revision["id"].as_str().unwrap())
        .expect(200)
        .await;
    let edited = changes["changes"].as_array().unwrap();
    let edited = edited
        .iter()
        .find(|change| change["type"] == "variables_edited")
        .unwrap();
    assert_eq!(
        edited["variables"],
        json!({ "level": { "before": "3" }, "name": { "before": "The name" },
            "version": { "before": "24.x", "after": "25.x" } })
    );
}

async fn hidden_pages_are_counted(database: TestDatabase) {
    let world = World::new(database).await;
    let directory = directory(&[
        ("SUMMARY.md", "# Contents\n\n* [One](README.md)\n* [Two](two.md)\n"),
        ("README.md", "# One\n"),
        ("two.md", "---\nhidden: true\n---\n\n# Two\n"),
        ("unlisted.md", "# Three\n"),
    ]);
    let (_, report) = imported(&world, directory.path()).await;
    assert_eq!((report.counts.pages, report.counts.hidden), (3, 2));
}

async fn pictures_are_known_by_their_bytes(database: TestDatabase) {
    let world = World::new(database).await;
    let directory = directory(&[("README.md", "# One\n\n![a](picture) ![b](b-#1.png)\n")]);
    put(&directory, "picture", PNG);
    put(&directory, "b-#1.png", PNG);
    let (space, report) = imported(&world, directory.path()).await;
    assert_eq!(problems(&report), [] as [String; 0]);
    let files = world.admin.client.call("listFiles").space(space).expect(200).await;
    let all = files["items"].as_array().unwrap();
    let [file, other] = ["picture.png", "b-#1.png"].map(|name| all.iter().find(|file| file["name"] == name).unwrap());
    assert_eq!(
        (&file["name"], &file["contentType"]),
        (&json!("picture.png"), &json!("image/png"))
    );
    assert_eq!(file["dimensions"]["width"], 640);
    let written = markdown(&world, space, "readme").await;
    let id = |file: &Value| file["id"].as_str().unwrap().to_owned();
    assert_eq!(written, format!("![a](/files/{}) ![b](/files/{})", id(file), id(other)));
}

async fn blocks_in_cells_are_words_of_their_own(database: TestDatabase) {
    let world = World::new(database).await;
    let rights = "# Rights\n\n| Role | Rights |\n| --- | --- |\n| manager | <p>ITEM:CREATE</p><p>ITEM:READ</p><p>ITEM:UPDATE</p> |\n\
        | viewer | <ul><li>ITEM:READ</li><li>**AUDIT**:READ</li></ul> |\n| note | <p>First line<br>second line</p> |\n";
    let directory = directory(&[("README.md", "# Home\n"), ("rights.md", rights)]);
    let (space, report) = imported(&world, directory.path()).await;
    assert!(
        !report
            .problems
            .iter()
            .any(|problem| problem.message.contains("not known")),
        "{:#?}",
        problems(&report)
    );
    for query in ["ITEM:READ", "read", "update", "audit"] {
        let found = world.admin.client.call("searchSpaceContent").space(space);
        let found = found.query("query", query).expect(200).await;
        assert_eq!(found["items"][0]["title"], "Rights", "{query}: {found}");
        let text = found.to_string();
        assert!(
            !text.contains("<p>") && !text.contains("CREATEITEM") && !text.contains("READITEM"),
            "{text}"
        );
    }
}
