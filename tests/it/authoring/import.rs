//! Directories that become spaces.
//!
//! A real book is not part of this repository. `BINDERY_TEST_BOOK` names a folder with the sources of "Everything curl", 2026.

use std::{
    fs,
    path::PathBuf,
    time::{Duration, Instant},
};

use bindery::areas::exchange::import::{Import, ImportDestination, Report};
use serde_json::Value;

use crate::support::{
    database::{TestDatabase, on_each_database},
    import::{attempt, directory, imported, markdown, outline, page, problems, put, tree, wanted},
    world::World,
};

on_each_database![
    a_table_of_contents_says_where_pages_are,
    links_pictures_and_includes_lead_to_what_was_imported,
    without_a_table_of_contents_directories_say_it,
    nothing_outside_of_the_directory_is_read,
    unsupported_content_is_reported,
    titles_keep_the_rules_of_the_contract,
    unknown_syntax_is_reported_where_it_stands,
    a_dry_or_strict_run_writes_nothing,
    a_new_space_may_have_hundreds_of_links,
    a_book_becomes_a_space,
];

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\x01\xe0\x08\x02\0\0\0";

#[track_caller]
fn is_reported(report: &Report, path: &str, words: &str) {
    let found = report
        .problems
        .iter()
        .any(|problem| problem.path == path && problem.message.contains(words));
    assert!(found, "{path}: {words} is not in {:#?}", problems(report));
}

async fn a_table_of_contents_says_where_pages_are(database: TestDatabase) {
    let world = World::new(database).await;
    let summary = "# Contents\n\n* [Welcome](README.md)\n* [Web site](https://example.com/)\n\n## Guides\n\n\
        * [Start here](guides/README.md)\n  * [Second](guides/b.md)\n  * [First](<guides/a b.md>)\n    * [Deep](guides/deep/x.md)\n\
        * [Second again](guides/b.md)\n  * [Under it](under.md)\n* Words\n  * [Gone](gone.md)\n    * [Gone too](too.md)\n";
    let directory = directory(&[
        ("SUMMARY.md", summary),
        ("README.md", "Hello.\n"),
        ("guides/README.md", "# Guides, *all* of them\n\nText.\n"),
        (
            "guides/a b.md",
            "---\ntitle: Front\ndescription: About it\nicon: gear\n---\n\n# First page\n\nA\n",
        ),
        ("guides/b.md", "B\n"),
        ("guides/deep/x.md", "# Deep\n\nX\n"),
        ("guides/deep/left out.md", "Y\n"),
        ("guides/other/README.md", "# Other\n"),
        ("guides/other/z.md", "Z\n"),
        ("under.md", "U\n"),
        ("404.md", "# Not found\n"),
        (".hidden/x.md", "never read\n"),
    ]);
    let (space, report) = imported(&world, directory.path()).await;
    assert_eq!(
        outline(&tree(&world, space).await["pages"]),
        "Welcome=readme, link Web site, group Guides (\
         Guides, all of them=guides (Second=b (Under it=under), Front=a-b (Deep=x), left out=left-out?, Other=other? (Z=z?)), \
         Words=words), Not found=404?"
            .replace("left out=", "Left out=")
    );
    is_reported(&report, "SUMMARY.md", "`gone.md` is not a readable");
    is_reported(&report, "SUMMARY.md", "`guides/b.md` is listed more than once");
    is_reported(&report, "404.md", "hidden");
    assert_eq!(report.problems.len(), 7, "{:#?}", problems(&report));
    let counts = report.counts;
    assert_eq!(
        (counts.pages, counts.hidden, counts.groups, counts.addresses),
        (11, 4, 1, 1)
    );
    let front = page(&world, space, "guides/guides/a-b").await;
    assert_eq!(
        (&front["description"], &front["icon"]),
        (&"About it".into(), &"gear".into())
    );
    assert_eq!(
        front["markdown"],
        "---\ndescription: About it\nicon: gear\n---\n\n# Front\n\n# First page\n\nA"
    );
    assert_eq!(markdown(&world, space, "guides/guides").await, "Text.");
}

async fn links_pictures_and_includes_lead_to_what_was_imported(database: TestDatabase) {
    let world = World::new(database).await;
    let text = "# A\n\n[b](../b.md#part) [dir](../dir/) [short](../dir/c) [self](a.md) [top](/b.md) [again](../b.md?x#)\n\
        [ref][r] ![picture](../pics/a%20b.png \"t\") ![ref][p]\n\n<img src=\"../pics/a b.png\" alt=\"x\">\n\n\
        [licence](../LICENSE) [web](https://example.com/b.md) [mail](mailto:a@example.com) [here](#part) [gone](gone.md)\n\n\
        {% include \"../shared/note.md\" %}\n\n{% file src=\"../pics/data.csv\" %}\n\n`[b](../b.md)`\n\n\
        [r]: ../b.md\n[p]: ../pics/x.svg\n";
    let directory = directory(&[
        ("README.md", "# Home\n\n[a](sub/a.md)\n"),
        ("sub/a.md", text),
        ("b.md", "---\ncover: pics/x.svg\ncoverY: 12\n---\n\n# B\n\n## Part\n"),
        ("dir/README.md", "# Dir\n"),
        ("dir/c.md", "# C\n"),
        ("shared/note.md", "# Note\n\n[b](../b.md) ![x](../pics/x.svg)\n"),
        (
            "pics/x.svg",
            "<svg width=\"3\" height=\"4\"><script>alert(1)</script></svg>",
        ),
        ("pics/data.csv", "a,b\n"),
        ("pics/unused.png", "not imported"),
        (".gitbook/assets/kept.txt", "kept"),
        ("LICENSE", "Do what you like.\n"),
    ]);
    put(&directory, "pics/a b.png", PNG);
    let (space, report) = imported(&world, directory.path()).await;
    let tree = tree(&world, space).await;
    assert_eq!(
        outline(&tree["pages"]),
        "Home=readme, B=b, Dir=dir (C=c), group Sub (A=a)"
    );
    assert_eq!(
        problems(&report),
        ["sub/a.md: The link target `gone.md` is not a file, page or directory of the import."]
    );
    let files = world.admin.client.call("listFiles").space(space).expect(200).await;
    let file = |name: &str| {
        let all = files["items"].as_array().unwrap();
        let found = all.iter().find(|file| file["name"] == name);
        found.unwrap_or_else(|| panic!("{name} is not in {files}")).clone()
    };
    assert_eq!(files["items"].as_array().unwrap().len(), 5);
    let id = |value: &Value| value["id"].as_str().unwrap().to_owned();
    let pages = &tree["pages"];
    let (b, dir, c, a) = (
        id(&pages[1]),
        id(&pages[2]),
        id(&pages[2]["pages"][0]),
        id(&pages[3]["pages"][0]),
    );
    let (png, svg) = (id(&file("a b.png")), id(&file("x.svg")));
    let (licence, csv) = (id(&file("LICENSE.txt")), id(&file("data.csv")));
    let written = markdown(&world, space, "sub/a").await;
    let (before, rest) = written.split_once("{% include \"/reusable-contents/").unwrap();
    let (shared, after) = rest.split_once("\" %}").unwrap();
    assert_eq!(
        before,
        format!(
            "[b](/pages/{b}#part) [dir](/pages/{dir}) [short](/pages/{c}) [self](/pages/{a}) [top](/pages/{b}) [again](/pages/{b})\n\
             [ref][r] ![picture](/files/{png} \"t\") ![ref][p]\n\n<img src=\"/files/{png}\" alt=\"x\">\n\n\
             [licence](/files/{licence}) [web](https://example.com/b.md) [mail](mailto:a@example.com) [here](#part) [gone](gone.md)\n\n"
        )
    );
    assert_eq!(
        after,
        format!("\n\n{{% file src=\"/files/{csv}\" %}}\n\n`[b](../b.md)`\n\n[r]: /pages/{b}\n[p]: /files/{svg}")
    );
    let shared = world
        .admin
        .client
        .call("getReusableContentById")
        .space(space)
        .path("reusableContentId", shared)
        .expect(200)
        .await;
    assert_eq!(shared["title"], "Note");
    let cover = &page(&world, space, "b").await["cover"];
    assert_eq!(cover["ref"]["file"], svg.as_str());
    assert_eq!(cover["yPos"].as_f64(), Some(12.0));
    assert_eq!(file("a b.png")["dimensions"]["width"], 640);
    assert_eq!(file("LICENSE.txt")["contentType"], "text/plain; charset=utf-8");
    served(&file("a b.png"), PNG, "image/png").await;
    let drawing = fs::read(directory.path().join("pics/x.svg")).unwrap();
    served(&file("x.svg"), &drawing, "image/svg+xml").await;
}

/// The address of a file gives its bytes, and nothing in them runs.
async fn served(file: &Value, bytes: &[u8], content_type: &str) {
    let answer = reqwest::get(file["downloadURL"].as_str().unwrap()).await.unwrap();
    assert_eq!(answer.status(), 200, "{file}");
    let header = |name: &str| answer.headers()[name].to_str().unwrap().to_owned();
    assert_eq!(header("content-type"), content_type);
    assert_eq!(header("x-content-type-options"), "nosniff");
    if content_type.contains("svg") {
        assert!(header("content-security-policy").starts_with("sandbox"));
    }
    assert_eq!(answer.bytes().await.unwrap(), bytes);
}

async fn without_a_table_of_contents_directories_say_it(database: TestDatabase) {
    let world = World::new(database).await;
    let directory = directory(&[
        (
            ".gitbook.yaml",
            "root: ./docs/\nstructure:\n  readme: start.md\nredirects:\n  old: new.md\n",
        ),
        ("README.md", "not in the root\n"),
        ("docs/start.md", "# Start\n\n[out](../README.md)\n"),
        ("docs/z.md", "Z\n"),
        ("docs/B.md", "B\n"),
        ("docs/a/index.md", "# Index of A\n"),
        ("docs/a/y.md", "Y\n"),
        ("docs/a/v1.2/one.md", "# One\n"),
        ("docs/pictures/x.txt", "no page"),
        ("docs/c-d/e.md", "E\n"),
        ("docs/c d/e.md", "E\n"),
    ]);
    let (space, report) = imported(&world, directory.path()).await;
    assert_eq!(
        outline(&tree(&world, space).await["pages"]),
        "Start=start, Index of A=a (V1.2=v1.2 (One=one), Y=y), B=b, group C d (E=e), group C d (E=e), Z=z"
    );
    assert_eq!(
        problems(&report),
        [
            ".gitbook.yaml: Redirects (1) belong to a site and are not imported.",
            "start.md: The link target `../README.md` is not a file, page or directory of the import."
        ]
    );
    assert_eq!(markdown(&world, space, "c-d-2/e").await, "E");
}

async fn nothing_outside_of_the_directory_is_read(database: TestDatabase) {
    let world = World::new(database).await;
    let outside = directory(&[("secret.md", "# Secret\n"), ("secret.png", "secret")]);
    let secret = outside.path().file_name().unwrap().to_str().unwrap();
    let summary = format!(
        "* [Home](README.md)\n* [Up](../{secret}/secret.md)\n* [Link](link.md)\n* [In](linked/secret.md)\n* [Run](javascript:alert(1))\n"
    );
    let home = format!(
        "# Home\n\n[a](../{secret}/secret.md) ![b](../{secret}/secret.png) ![c](..%2f{secret}/secret.png) ![d](link.png)\n\
         ![e](linked/secret.png) ![f](/../{secret}/secret.png) [g](//example.com/x) ![h](../../../../../../etc/passwd)\n"
    );
    let directory = directory(&[("SUMMARY.md", &summary), ("README.md", &home)]);
    let link = |target: PathBuf, name: &str| std::os::unix::fs::symlink(target, directory.path().join(name)).unwrap();
    link(outside.path().join("secret.md"), "link.md");
    link(outside.path().join("secret.png"), "link.png");
    link(outside.path().to_owned(), "linked");
    link(PathBuf::from("README.md"), "inside.md");
    let (space, report) = imported(&world, directory.path()).await;
    assert_eq!(outline(&tree(&world, space).await["pages"]), "Home=readme");
    assert_eq!(format!("# Home\n\n{}\n", markdown(&world, space, "readme").await), home);
    for path in ["link.md", "link.png", "linked", "inside.md"] {
        is_reported(&report, path, "symbolic link");
    }
    is_reported(
        &report,
        "SUMMARY.md",
        &format!("`../{secret}/secret.md` is not a readable"),
    );
    is_reported(&report, "SUMMARY.md", "`javascript:alert(1)` must be");
    assert_eq!((report.counts.files, report.counts.unresolved), (0, 7));

    put(&directory, ".gitbook.yaml", format!("root: ../{secret}\n").as_bytes());
    let refused = attempt(
        &world,
        wanted(directory.path()),
        ImportDestination::Space(space.to_string()),
    )
    .await;
    assert!(refused.is_err_and(|error| error.to_string().contains("cannot open")));
}

async fn titles_keep_the_rules_of_the_contract(database: TestDatabase) {
    let world = World::new(database).await;
    let directory = directory(&[
        (
            "SUMMARY.md",
            "* [Any](README.md \"Ho\u{202e}me\")\n* [\u{3164}](blank.md)\n* [Front](front.md)\n* [Gro\u{200b}up\u{2066}]()\n  * [In](in.md)\n",
        ),
        ("README.md", "# Wel\u{200b}come\u{202e}\n"),
        ("blank.md", "# \u{2800}\u{200d}\n\nText\n"),
        (
            "front.md",
            "---\ntitle: \"a\\u202eb\"\ndescription: \"a\\u0007b\"\n---\n\n# Heading\n",
        ),
        ("in.md", "# In\n"),
    ]);
    let (space, report) = imported(&world, directory.path()).await;
    let tree = tree(&world, space).await;
    assert_eq!(
        outline(&tree["pages"]),
        "Welcome=readme, Blank=blank, Heading=front, group Group (In=in)"
    );
    assert_eq!(tree["pages"][0]["linkTitle"], "Home");
    assert_eq!(tree["pages"][2].get("description"), None);
    is_reported(&report, "front.md", "invalid value for `title`");
    is_reported(&report, "front.md", "invalid value for `description`");
}

async fn unsupported_content_is_reported(database: TestDatabase) {
    let world = World::new(database).await;
    let long = "x".repeat(300);
    let emoji = "e".repeat(100);
    let wide = format!("{}deep\n", "> ".repeat(200));
    let directory = directory(&[
        (
            "README.md",
            &format!("# {long}\n\n![big](big.png) ![strange](a%1Bb.png) [dir](pics/)\n"),
        ),
        ("broken.md", "---\ntitle: [\n---\n\n# Broken\n\nText\n"),
        ("rules.md", &format!("---\nemoji: {emoji}\ntitle: T\n---\n\n# Rules\n")),
        ("deep.md", &wide),
        ("nul.md", "# N\0ul\n\na\0b \u{1b}[31m\n"),
        ("windows.md", "\u{feff}# Windows\r\n\r\nText\r\n"),
        ("pics/x.png", "x"),
    ]);
    put(&directory, "huge.md", &vec![b'x'; 4 * 1024 * 1024 + 1]);
    put(&directory, "utf16.md", b"\xff\xfeH\0i\0");
    put(&directory, "a\u{1b}b.png", PNG);
    let big = fs::File::create(directory.path().join("big.png")).unwrap();
    // A gigabyte that takes no room on the disk.
    big.set_len(1 << 30).unwrap();
    let (space, report) = imported(&world, directory.path()).await;
    is_reported(&report, "utf16.md", "UTF-8");
    is_reported(&report, "broken.md", "front matter");
    is_reported(&report, "rules.md", "invalid value for `emoji`");
    is_reported(&report, "big.png", "has more than");
    is_reported(&report, "a\u{1b}b.png", "invisible");
    is_reported(&report, "huge.md", "has more than");
    assert!(report.has_errors());
    let tree = tree(&world, space).await;
    assert_eq!(
        outline(&tree["pages"]).replace(&long[..255], "long"),
        "long=readme, [=broken, Deep=deep, N ul=nul, T=rules, Windows=windows"
    );
    assert_eq!(markdown(&world, space, "windows").await, "Text");
    let found = world.admin.client.call("searchSpaceContent").space(space);
    let found = found.query("query", "broken").expect(200).await;
    assert_eq!(found["items"][0]["title"], "[");
}

async fn unknown_syntax_is_reported_where_it_stands(database: TestDatabase) {
    let world = World::new(database).await;
    let text = "---\ndescription: D\n---\n\n# Guide\n\nA <!-- n --> B <u>c</u>\n\n{% youtube id=\"x\" %}\n\n> {% callout kind=\"y\" %}\n> Text\n> {% endcallout %}\n";
    let many = format!("# Many\n\n{}", "{% gone %}\n\n".repeat(30));
    let directory = directory(&[("guide.md", text), ("many.md", &many)]);
    let (_, report) = imported(&world, directory.path()).await;
    let notes = |path: &str| -> Vec<(Option<usize>, String)> {
        let problems = report
            .problems
            .iter()
            .filter(|problem| problem.path == path && !problem.is_error);
        let known = problems.filter(|problem| problem.message.contains("kept as"));
        known.map(|problem| (problem.line, problem.message.clone())).collect()
    };
    let is_kept = |source: &str| format!("`{source}` is not known and is kept as it is.");
    assert_eq!(
        notes("guide.md"),
        [
            (Some(7), is_kept("<u>")),
            (Some(9), is_kept("{% youtube id=\"x\" %}")),
            (Some(11), is_kept("{% callout kind=\"y\" %}")),
        ]
    );
    let many = notes("many.md");
    assert_eq!(many.len(), 21);
    assert_eq!(many[1].0, Some(5));
    assert_eq!(
        many[20],
        (
            None,
            "10 more places with unknown syntax are kept as they are.".to_owned()
        )
    );
    assert!(!report.has_errors(), "{:?}", report.problems);
}

async fn a_dry_or_strict_run_writes_nothing(database: TestDatabase) {
    let world = World::new(database).await;
    let before = tree(&world, world.space).await;
    let wrong = directory(&[("README.md", "# One\n\n[a](gone.md) ![b](b.png)\n"), ("b.png", "x")]);
    for (dry_run, strict) in [(true, false), (false, true)] {
        let import = Import {
            dry_run,
            strict,
            ..wanted(wrong.path())
        };
        let report = attempt(&world, import, ImportDestination::Space(world.space.to_string()))
            .await
            .unwrap();
        assert_eq!((report.written, report.counts.pages, report.counts.files), (None, 1, 1));
        assert_eq!(report.counts.unresolved, 1);
    }
    assert_eq!(tree(&world, world.space).await, before);
    let right = directory(&[("README.md", "# One\n")]);
    let import = Import {
        strict: true,
        ..wanted(right.path())
    };
    let report = attempt(&world, import, ImportDestination::Space(world.space.to_string()))
        .await
        .unwrap();
    assert!(report.written.is_some());
    assert!(
        attempt(
            &world,
            wanted(&right.path().join("gone")),
            ImportDestination::Space(world.space.to_string())
        )
        .await
        .is_err()
    );
}

/// The most that an import of the book may take, by a wide margin.
const PATIENCE: Duration = Duration::from_secs(60);

/// More than the transaction of an edit stores.
async fn a_new_space_may_have_hundreds_of_links(database: TestDatabase) {
    let world = World::new(database).await;
    let links: String = (0..400)
        .map(|number| format!("[To {number}](https://tidewater.example/{number})\n\n"))
        .collect();
    let book = directory(&[("README.md", &format!("# Links\n\n{links}"))]);
    let (space, _) = imported(&world, book.path()).await;
    let list = world.admin.client.call("listSpaceLinks").space(space).expect(200).await;
    assert_eq!(list["stats"]["total"], 400);
}

async fn a_book_becomes_a_space(database: TestDatabase) {
    let Some(folder) = std::env::var_os("BINDERY_TEST_BOOK").map(PathBuf::from) else {
        eprintln!("skipped: BINDERY_TEST_BOOK is not set");
        return;
    };
    let world = World::new(database).await;
    let started = Instant::now();
    let (space, report) = imported(&world, &folder).await;
    let took = started.elapsed();
    eprintln!("{:?} in {took:?}", report.counts);
    assert!(took < PATIENCE);
    let tree = tree(&world, space).await;
    let mut listed = Vec::new();
    in_order(&tree["pages"], &mut listed);
    let summary = fs::read_to_string(folder.join("SUMMARY.md")).unwrap();
    let wanted = summary
        .lines()
        .filter_map(|line| line.split_once("](")?.1.strip_suffix(')'));
    let wanted: Vec<&str> = wanted.filter(|path| folder.join(path).exists()).collect();
    assert_eq!(report.counts.pages - report.counts.hidden, wanted.len());
    for (page, path) in listed.iter().zip(&wanted) {
        let written = fs::read_to_string(folder.join(path)).unwrap();
        let title = written.lines().find_map(|line| line.strip_prefix("# ")).unwrap();
        assert_eq!(
            page["title"].as_str().unwrap(),
            title.replace(['`', '\\'], ""),
            "{path}"
        );
    }
    for problem in report
        .problems
        .iter()
        .filter(|problem| problem.message.contains("link target"))
    {
        let target = problem.message.split('`').nth(1).unwrap();
        let target = target.split('#').next().unwrap();
        let place = folder.join(&problem.path).parent().unwrap().join(target);
        assert!(!place.exists(), "{}: {target}", problem.path);
    }
    let files = world.admin.client.call("listFiles").space(space).expect(200).await;
    for file in files["items"].as_array().unwrap() {
        let answer = reqwest::get(file["downloadURL"].as_str().unwrap()).await.unwrap();
        assert_eq!(answer.status(), 200, "{file}");
        assert_eq!(answer.content_length(), file["size"].as_u64());
    }
}

/// The pages that readers see, each before those below it.
fn in_order(pages: &Value, found: &mut Vec<Value>) {
    for page in pages.as_array().unwrap().iter().filter(|page| page["hidden"] != true) {
        found.push(page.clone());
        in_order(&page["pages"], found);
    }
}
