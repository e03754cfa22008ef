//! Imports that callers ask for: websites, archives, repositories.

use entity::ids::NodeId;
use serde_json::{Value, json};
use tokio::join;

use crate::support::{
    database::{TestDatabase, on_each_database},
    fonts::{begin_file, send, upload_import},
    git::Repository,
    import::{attempt, directory, markdown, outline, tree, wanted},
    import_runs::problems_of,
    specs::{Reply, SourceServer, world_with_sources},
    world::World,
};

on_each_database![
    a_website_becomes_a_space,
    a_sitemap_names_the_pages,
    markdown_pages_stay_markdown,
    robots_are_respected,
    websites_without_end_have_an_end,
    pages_that_cannot_be_fetched_are_problems_of_the_run,
    an_archive_becomes_a_space,
    uploaded_files_become_a_space,
    uploads_that_are_not_imported_together_are_refused,
    a_branch_becomes_a_space,
    content_is_not_replaced_unseen,
    a_cancelled_import_writes_nothing,
    runs_are_listed_by_what_they_are,
    sources_that_nobody_can_read_are_refused,
    few_imports_wait,
];

fn website(server: &SourceServer, path: &str) -> Value {
    json!({ "type": "website", "url": format!("{}{path}", server.base) })
}

fn page(title: &str, text: &str) -> String {
    format!(
        "<html><head><title>{title} | Tidewater</title></head><body><nav><a href=/x>X</a></nav><main><h1>{title}</h1>{text}</main>"
    )
}

async fn empty(world: &World) -> Value {
    world.new_space("Imported").await["id"].clone()
}

fn id(space: &Value) -> NodeId {
    space.as_str().unwrap().parse().unwrap()
}

async fn pages(world: &World, space: &Value) -> String {
    outline(&tree(world, id(space)).await["pages"])
}

async fn revision(world: &World, space: &Value) -> Value {
    let call = world
        .admin
        .client
        .call("getCurrentRevision")
        .space(space.as_str().unwrap());
    call.expect(200).await["id"].clone()
}

async fn a_website_becomes_a_space(database: TestDatabase) {
    let (world, server) = world_with_sources(database).await;
    let space = empty(&world).await;
    server.set_text(
        "/manual",
        page(
            "Grip",
            "<p>See <a href=/manual/care?x=1>care</a>, <a href=/other>other</a>.</p>",
        ),
    );
    server.set_text(
        "/manual/care",
        page("Care", "<p><a href=care/fingers#wipe>Fingers</a></p><img src=/img/arm.svg alt=Arm><table><tr><th>A<tr><td>b</table>"),
    );
    server.set_text(
        "/manual/care/fingers",
        page("Fingers", "<h2 id=wipe>Wipe</h2><p>Wipe <b>them</b>.</p>"),
    );
    server.set_text(
        "/img/arm.svg",
        "<svg xmlns='http://www.w3.org/2000/svg' width='1' height='1'/>",
    );
    server.set_text("/other", page("Other", "no"));
    let run = world.start_import(&space, website(&server, "/manual"), json!({})).await;
    assert_eq!(
        (&run["object"], &run["status"]),
        (&json!("import-run"), &json!("pending"))
    );
    assert_eq!(run["target"], json!({ "space": space }));
    world.run_imports().await;
    let run = world.import_run(&run).await;
    assert_eq!(run["status"], "completed", "{run}");
    assert_eq!(run["problems"], json!([]), "{run}");
    assert_eq!(run["source"], website(&server, "/manual"));
    assert!(run["completedAt"].is_string() && run["startedAt"].is_string());
    assert_eq!(pages(&world, &space).await, "Grip=readme, Care=care (Fingers=fingers)");
    let sources: Vec<&str> = run["pages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|page| page["sourceURL"].as_str().unwrap())
        .collect();
    let address = |path: &str| format!("{}{path}", server.base);
    assert_eq!(
        sources,
        [
            address("/manual"),
            address("/manual/care"),
            address("/manual/care/fingers")
        ]
    );
    let home = markdown(&world, id(&space), "readme").await;
    assert!(
        home.contains("See [care](/pages/") && home.contains(&format!("[other]({})", address("/other"))),
        "{home}"
    );
    let care = markdown(&world, id(&space), "care").await;
    assert!(
        care.contains("#wipe)") && care.contains("(/files/") && care.contains("| b |"),
        "{care}"
    );
    let fingers = markdown(&world, id(&space), "care/fingers").await;
    assert!(fingers.contains("Wipe **them**."), "{fingers}");
    let revision = revision(&world, &space).await;
    // The same again changes nothing.
    let run = world
        .start_import(&space, website(&server, "/manual"), json!({ "force": true }))
        .await;
    world.run_imports().await;
    assert_eq!(world.import_run(&run).await["status"], "completed");
    assert_eq!(self::revision(&world, &space).await, revision);
}

async fn a_sitemap_names_the_pages(database: TestDatabase) {
    let (world, server) = world_with_sources(database).await;
    let space = empty(&world).await;
    let base = server.base.clone();
    let index = format!(
        "<sitemapindex><sitemap><loc>{base}/manual/pages.xml</loc></sitemap><sitemap><loc>http://10.0.0.1/b.xml</loc></sitemap></sitemapindex>"
    );
    server.set_text("/sitemap.xml", index);
    let urls = ["/manual/b", "/manual/a", "/else"]
        .map(|path| format!("<url><loc>{base}{path}</loc></url>"))
        .concat();
    server.set_text(
        "/manual/pages.xml",
        format!("<urlset>{urls}<url><loc>http://10.0.0.1/manual/c</loc></url></urlset>"),
    );
    for (path, title) in [
        ("/manual", "Grip"),
        ("/manual/a", "A"),
        ("/manual/b", "B"),
        ("/manual/c", "C"),
    ] {
        server.set_text(path, page(title, "<a href=/manual/c>c</a>"));
    }
    let run = world.import(&space, website(&server, "/manual")).await;
    assert_eq!(run["status"], "completed", "{run}");
    assert_eq!(pages(&world, &space).await, "Grip=readme, B=b, A=a");
    assert!(
        server
            .answered()
            .iter()
            .all(|(path, _)| path != "/manual/c" && path != "/else")
    );
}

async fn markdown_pages_stay_markdown(database: TestDatabase) {
    let (world, server) = world_with_sources(database).await;
    let space = empty(&world).await;
    server.set_text("/llms.txt", "# Tidewater\n\n- [Grip](/docs/grip.md): how to grip\n");
    server.set_text(
        "/docs/grip.md",
        "---\ndescription: How\n---\n# Grip\n\n* one\n* [care](care.md#x \"t\")\n\n![](../arm.svg)\n",
    );
    server.set_text("/docs/care.md", "# Care\n\n## X\n");
    server.set_text(
        "/arm.svg",
        "<svg xmlns='http://www.w3.org/2000/svg' width='1' height='1'/>",
    );
    let run = world.import(&space, website(&server, "/llms.txt")).await;
    assert_eq!(run["status"], "completed", "{run}");
    assert_eq!(run["problems"], json!([]), "{run}");
    assert_eq!(pages(&world, &space).await, "Grip=grip, Care=care");
    let grip = markdown(&world, id(&space), "grip").await;
    assert!(
        grip.contains("* one") && grip.contains("[care](/pages/") && grip.contains("(/files/"),
        "{grip}"
    );
}

async fn robots_are_respected(database: TestDatabase) {
    let (world, server) = world_with_sources(database).await;
    let space = empty(&world).await;
    server.set_text(
        "/manual",
        page("Grip", "<a href=/manual/private>p</a> <a href=/manual/a>a</a>"),
    );
    server.set_text("/manual/a", page("A", "a"));
    server.set_text("/manual/private", page("Private", "p"));
    server.set_text("/robots.txt", "User-agent: bindery\nDisallow: /manual\n");
    let reason = world.failed_import(&space, website(&server, "/manual")).await;
    assert!(reason.starts_with("`robots.txt` of the website forbids"), "{reason}");
    server.set("/robots.txt", Reply::Status("503 Unavailable"));
    let reason = world.failed_import(&space, website(&server, "/manual")).await;
    assert!(reason.contains("the status 503"), "{reason}");
    server.answered();
    server.set_text("/robots.txt", "User-agent: *\nDisallow: /manual/private\n");
    let run = world.import(&space, website(&server, "/manual")).await;
    assert_eq!(pages(&world, &space).await, "Grip=readme, A=a");
    let problems = problems_of(&run);
    assert!(problems[0].contains("/manual/private: `robots.txt`"), "{problems:?}");
    assert!(server.answered().iter().all(|(path, _)| path != "/manual/private"));
}

async fn websites_without_end_have_an_end(database: TestDatabase) {
    let (world, server) = world_with_sources(database).await;
    let space = empty(&world).await;
    server.set_text("/manual", page("Start", "<a href=manual/1>next</a>"));
    for number in 1..520 {
        let next = format!("<a href={}>next</a> <a href=?again={number}>again</a>", number + 1);
        server.set_text(&format!("/manual/{number}"), page(&format!("Page {number}"), &next));
    }
    let run = world.import(&space, website(&server, "/manual")).await;
    assert_eq!(run["status"], "completed", "{run}");
    assert_eq!(run["pages"].as_array().unwrap().len(), 500);
    assert!(
        problems_of(&run)[0].contains("more than 500 pages"),
        "{:?}",
        problems_of(&run)
    );
}

async fn pages_that_cannot_be_fetched_are_problems_of_the_run(database: TestDatabase) {
    let (world, server) = world_with_sources(database).await;
    let space = empty(&world).await;
    server.set_text(
        "/manual",
        page("Grip", "<a href=manual/private>a</a><a href=manual/large>b</a><a href=manual/gone>c</a><a href=manual/out>d</a><img src=/no.png>"),
    );
    server.set(
        "/manual/private",
        Reply::Status("302 Found\r\nLocation: http://10.0.0.1/manual/private"),
    );
    server.set("/manual/out", Reply::Status("302 Found\r\nLocation: /out"));
    server.set_text("/out", page("Out", "out"));
    server.set_text("/manual/large", "a".repeat(50 * 1024 * 1024));
    let run = world.import(&space, website(&server, "/manual")).await;
    assert_eq!(run["status"], "completed", "{run}");
    assert_eq!(pages(&world, &space).await, "Grip=readme");
    let problems = problems_of(&run);
    for expected in [
        "/manual/private: The page is not public;",
        "/manual/large: The page returns more than 20971520 bytes.",
        "/manual/gone: The page responded with the status 404.",
        "/manual/out: The address leads out of the imported part",
        "/no.png: The picture responded with the status 404.",
    ] {
        assert!(
            problems.iter().any(|problem| problem.contains(expected)),
            "{expected}: {problems:?}"
        );
    }
    server.set(
        "/manual",
        Reply::Status("302 Found\r\nLocation: http://169.254.169.254/"),
    );
    let again = empty(&world).await;
    let reason = world.failed_import(&again, website(&server, "/manual")).await;
    assert!(reason.starts_with("The address is not public;"), "{reason}");
}

async fn an_archive_becomes_a_space(database: TestDatabase) {
    let (world, server) = world_with_sources(database).await;
    let from = directory(&[
        ("README.md", "# Grip\n\n[care](care.md)\n"),
        ("care.md", "# Care\n\n[gone](gone.md)\n"),
    ]);
    let place = bindery::areas::exchange::import::ImportDestination::Space(world.space.to_string());
    attempt(&world, wanted(from.path()), place).await.unwrap();
    let exported = world
        .admin
        .client
        .call("exportSpaceContent")
        .space(world.space)
        .expect(200)
        .await;
    let space = empty(&world).await;
    let run = world
        .import(&space, json!({ "type": "zip", "url": exported["url"] }))
        .await;
    assert_eq!(run["status"], "completed", "{run}");
    assert_eq!(pages(&world, &space).await, "Grip=readme, Care=care");
    let problem = &run["problems"][0];
    assert_eq!(
        (&problem["path"], &problem["line"]),
        (&json!("care.md"), &json!(3)),
        "{run}"
    );
    assert_eq!(run["pages"][0]["sourceURL"], "README.md");
    server.set_text("/no.zip", "no archive");
    let source = json!({ "type": "zip", "url": format!("{}/no.zip", server.base) });
    let reason = world.failed_import(&empty(&world).await, source).await;
    assert!(reason.contains("not a zip archive"), "{reason}");
}

async fn uploaded_files_become_a_space(database: TestDatabase) {
    let world = World::new(database).await;
    let upload = async |name: &str, bytes: &[u8]| upload_import(&world.admin, world.organization, name, bytes).await;
    let home = upload("../docs/README.md", b"# Grip\n\n[care](Care.MD)\n").await;
    let care = upload("Care.MD", b"# Care\n\nWipe it.\n").await;
    let source = json!({ "type": "file", "files": [home, care] });
    let space = empty(&world).await;
    let run = world.import(&space, source.clone()).await;
    assert_eq!(
        (&run["status"], &run["source"]),
        (&json!("completed"), &source),
        "{run}"
    );
    assert_eq!(pages(&world, &space).await, "Grip=readme, Care=care");
    let home = markdown(&world, id(&space), "readme").await;
    assert!(home.contains("[care](/pages/"), "{home}");

    let call = world.admin.client.call("exportSpaceContent");
    let exported = call.space(space.as_str().unwrap()).expect(200).await;
    let zip = reqwest::get(exported["url"].as_str().unwrap()).await.unwrap();
    let zip = zip.bytes().await.unwrap();
    let archive = upload("manual.zip", &zip).await;
    let copy = empty(&world).await;
    let run = world.import(&copy, json!({ "type": "file", "files": [archive] })).await;
    assert_eq!(run["status"], "completed", "{run}");
    assert_eq!(pages(&world, &copy).await, "Grip=readme, Care=care");
}

async fn uploads_that_are_not_imported_together_are_refused(database: TestDatabase) {
    let world = World::new(database).await;
    let upload = async |name: &str, bytes: &[u8]| upload_import(&world.admin, world.organization, name, bytes).await;
    let (one, same) = (upload("a.md", b"# A").await, upload("b/A.md", b"# A").await);
    let (zip, text) = (upload("a.zip", b"PK\x03\x04").await, upload("a.txt", b"A").await);
    let foreign = upload_import(&world.other_admin, world.other_organization, "a.md", b"# A").await;
    let font = json!(world.upload_font(b"wOF2 and glyphs").await);
    let space = empty(&world).await;
    let together = ("/body/source/files", "format");
    for (files, (pointer, rule)) in [
        (json!([one, foreign]), ("/body/source/files/1", "unknown-upload")),
        (json!([one, same]), together),
        (json!([one, zip]), together),
        (json!([text]), together),
        (json!([font]), together),
    ] {
        let call = world.admin.client.call("startImportRun").within(world.organization);
        let body = json!({ "source": { "type": "file", "files": files }, "target": { "space": space } });
        call.json(body).send().await.has_detail(pointer, rule);
    }
    let picture = begin_file(&world.admin, world.organization, ("a.png", "import_file"), 4).await;
    let refused = send(&world.admin, &picture["url"], b"\x89PNG").await;
    assert_eq!(refused.status(), 400);
}

async fn a_branch_becomes_a_space(database: TestDatabase) {
    let world = World::new(database).await;
    let repository = Repository::of(&[
        ("docs/README.md", "# Grip\n"),
        ("docs/care.md", "# Care\n"),
        ("README.md", "# No\n"),
    ]);
    let source = json!({ "type": "git", "url": repository.url(), "ref": "refs/heads/main", "directory": "docs" });
    let space = empty(&world).await;
    let run = world.import(&space, source.clone()).await;
    assert_eq!(run["status"], "completed", "{run}");
    assert_eq!(run["source"], source);
    assert_eq!(pages(&world, &space).await, "Grip=readme, Care=care");
    let call = world.admin.client.call("getSpaceGitInfo");
    call.space(space.as_str().unwrap()).expect(404).await;

    let mut unknown = source.clone();
    unknown["ref"] = json!("refs/heads/none");
    let reason = world.failed_import(&empty(&world).await, unknown).await;
    assert_eq!(reason, "The repository has no refs/heads/none.");
    // Credentials are in no answer.
    let secret = json!({ "type": "git", "url": "https://wren:secret@git.example/a.git", "ref": "refs/heads/main" });
    let run = world.start_import(&space, secret, json!({})).await;
    assert_eq!(run["source"]["url"], "https://git.example/a.git");
    world.cancel_import(&run).await;
}

async fn content_is_not_replaced_unseen(database: TestDatabase) {
    let (world, server) = world_with_sources(database).await;
    let space = world.new_space_with_page("Written", "Mine", "Words.").await["id"].clone();
    let before = (pages(&world, &space).await, revision(&world, &space).await);
    server.set_text("/manual", page("Grip", "text"));
    let reason = world.failed_import(&space, website(&server, "/manual")).await;
    assert!(reason.starts_with("The space has content."), "{reason}");
    assert_eq!((pages(&world, &space).await, revision(&world, &space).await), before);
    let run = world
        .start_import(&space, website(&server, "/manual"), json!({ "force": true }))
        .await;
    world.run_imports().await;
    assert_eq!(world.import_run(&run).await["status"], "completed");
    assert_eq!(pages(&world, &space).await, "Grip=readme");
}

async fn a_cancelled_import_writes_nothing(database: TestDatabase) {
    let (world, server) = world_with_sources(database).await;
    let space = empty(&world).await;
    let before = revision(&world, &space).await;
    server.set_text("/manual", page("Grip", "text"));
    let waiting = world.start_import(&space, website(&server, "/manual"), json!({})).await;
    assert_eq!(world.cancel_import(&waiting).await["status"], "cancelled");
    world.run_imports().await;

    server.set("/manual", Reply::Silence);
    let running = world.start_import(&space, website(&server, "/manual"), json!({})).await;
    let cancel = async {
        server.silent().await;
        assert_eq!(world.import_run(&running).await["status"], "in-progress");
        assert_eq!(world.cancel_import(&running).await["status"], "cancelled");
    };
    join!(world.run_imports(), cancel);
    for run in [&waiting, &running] {
        // Once more changes nothing.
        let run = world.cancel_import(run).await;
        assert_eq!(run["status"], "cancelled", "{run}");
        assert!(run.get("completedAt").is_none() && run.get("reason").is_none(), "{run}");
    }
    assert_eq!(revision(&world, &space).await, before);
}

async fn runs_are_listed_by_what_they_are(database: TestDatabase) {
    let (world, server) = world_with_sources(database).await;
    let (space, other) = (empty(&world).await, empty(&world).await);
    let site = world.new_site("Tidewater", &[&json!({ "id": other })]).await;
    server.set_text("/manual", page("Grip", "text"));
    let done = world.import(&space, website(&server, "/manual")).await;
    let failed = world.import(&space, website(&server, "/none")).await;
    let waiting = world.start_import(&other, website(&server, "/manual"), json!({})).await;
    let list = async |name: &str, value: &Value| {
        let call = world.admin.client.call("listImportRuns").here(&world);
        let page = call.query(name, value.as_str().unwrap()).expect(200).await;
        let runs = page["items"].as_array().unwrap().clone();
        assert!(
            runs.iter()
                .all(|run| run.get("pages").is_none() && run.get("problems").is_none())
        );
        runs.iter().map(|run| run["id"].clone()).collect::<Vec<Value>>()
    };
    let ids = |runs: &[&Value]| runs.iter().map(|run| run["id"].clone()).collect::<Vec<Value>>();
    assert_eq!(list("space", &space).await, ids(&[&failed, &done]));
    assert_eq!(list("space", &other).await, ids(&[&waiting]));
    assert_eq!(list("site", &site["id"]).await, ids(&[&waiting]));
    assert_eq!(list("status", &json!("active")).await, ids(&[&waiting]));
    assert_eq!(list("status", &json!("pending")).await, ids(&[&waiting]));
    assert_eq!(list("status", &json!("failed")).await, ids(&[&failed]));
    assert_eq!(list("status", &json!("completed")).await, ids(&[&done]));
    assert_eq!(list("status", &json!("in-progress")).await, ids(&[]));
    assert!(list("status", &json!("cancelled")).await.len() <= 1);

    // Those of a space that is not seen do not exist.
    let delete = world
        .admin
        .client
        .call("deleteSpaceById")
        .space(space.as_str().unwrap());
    delete.expect(204).await;
    let call = world.admin.client.call("getImportRun").here(&world);
    call.path("importRunId", done["id"].as_str().unwrap()).expect(404).await;
    assert_eq!(list("status", &json!("completed")).await, ids(&[]));
}

async fn sources_that_nobody_can_read_are_refused(database: TestDatabase) {
    let world = World::new(database).await;
    let start = async |source: Value, space: &Value| {
        let call = world.admin.client.call("startImportRun").here(&world);
        call.json(json!({ "source": source, "target": { "space": space } }))
            .send()
            .await
    };
    let space = json!(world.space);
    for kind in ["website", "zip"] {
        for url in ["http://10.0.0.1/a", "http://wren:secret@tidewater.example/"] {
            let answer = start(json!({ "type": kind, "url": url }), &space).await;
            answer.has_detail("/body/source/url", "not-fetched");
        }
    }
    let git = |url: &str, reference: &str| json!({ "type": "git", "url": url, "ref": reference });
    let answer = start(git("ext::sh", "refs/heads/main"), &space).await;
    answer.has_detail("/body/source/url", "git-repository");
    let answer = start(git("https://git.example/a.git", "refs/pull/x/head"), &space).await;
    answer.has_detail("/body/source/ref", "git-repository");
    start(json!({ "type": "file", "files": ["a"] }), &space)
        .await
        .expect(400);
    let source = json!({ "type": "website", "url": "https://tidewater.example/manual" });
    start(source.clone(), &json!(world.other_space)).await.expect(404);
    let call = world.admin.client.call("startImportRun").here(&world);
    let target = json!({ "space": space, "page": "06dkt2v8c4q1ojm7e90b5hfr3k" });
    call.json(json!({ "source": source, "target": target }))
        .expect(400)
        .await;
}

async fn few_imports_wait(database: TestDatabase) {
    let (world, server) = world_with_sources(database).await;
    let space = empty(&world).await;
    let mut last = Value::Null;
    for _ in 0..5 {
        last = world.start_import(&space, website(&server, "/manual"), json!({})).await;
    }
    let call = || {
        let body = json!({ "source": website(&server, "/manual"), "target": { "space": space } });
        world.admin.client.call("startImportRun").here(&world).json(body)
    };
    let answer = call().send().await;
    answer.expect(429);
    assert!(answer.headers.contains_key("retry-after"));
    world.cancel_import(&last).await;
    call().expect(201).await;
}
