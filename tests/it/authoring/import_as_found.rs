//! Directories as people and other programs leave them: targets with spaces, composed and decomposed names, invisible
//! characters, unknown settings, ignored files and unsafe targets.

use bindery::areas::exchange::import::Report;
use tempfile::TempDir;

use crate::support::{
    database::{TestDatabase, on_each_database},
    import::{directory, imported, markdown, outline, page, problems, put, tree},
    texts::add,
    world::World,
};

on_each_database![
    targets_with_spaces_are_entries,
    entries_that_are_not_understood_are_reported_with_their_lines,
    composed_and_decomposed_names_are_equal,
    names_that_look_the_same_are_reported,
    invisible_characters_are_ignored,
    unknown_settings_are_reported_with_their_lines,
    ignored_markdown_files_are_no_pages,
    removed_targets_are_reported,
    file_beside_its_directory_is_the_page_of_it,
    underlined_headings_are_titles,
    long_lists_are_pages,
];

/// The problems of a report with their lines.
fn located(report: &Report) -> Vec<String> {
    let each = report.problems.iter().map(|problem| {
        let line = problem.line.map(|line| format!(":{line}")).unwrap_or_default();
        let kind = if problem.is_error { "warning" } else { "note" };
        format!("{kind} {}{line}: {}", problem.path, problem.message)
    });
    each.collect()
}

/// The pages and the problems of an imported directory.
async fn imported_outline(world: &World, directory: &TempDir) -> (String, Vec<String>) {
    let (space, report) = imported(world, directory.path()).await;
    (outline(&tree(world, space).await["pages"]), located(&report))
}

const NOTHING: [&str; 0] = [];

async fn targets_with_spaces_are_entries(database: TestDatabase) {
    let world = World::new(database).await;
    let summary = "# Table of contents\n\n* [Home](README.md)\n* [First steps](./first steps.md)\n\
        * [Notes (2014)](Notes (2014).md)\n  * [Deep](a folder/deep page.md \"Short\")\n\
        * [Open](half (open.md)\n* [Per cent](100% done.md#a b) and [web](https://tidewater.example/a b)\n\
        * [Folder](a folder/)\n\n[Loose](loose page.md)\n";
    let directory = directory(&[
        ("SUMMARY.md", summary),
        ("README.md", "# Home\n"),
        ("first steps.md", "# First steps\n"),
        ("Notes (2014).md", "# Notes\n"),
        ("a folder/README.md", "# Folder\n"),
        ("a folder/deep page.md", "# Deep\n"),
        ("half (open.md", "# Open\n"),
        ("100% done.md", "# Done\n"),
        ("loose page.md", "# Loose\n"),
    ]);
    let (pages, problems) = imported_outline(&world, &directory).await;
    assert_eq!(problems, NOTHING);
    assert_eq!(
        pages,
        "Home=readme, First steps=first-steps, Notes=notes-2014 (Deep=deep-page), Open=half-open, Done=100-done, \
         Folder=a-folder, Loose=loose-page"
    );
}

async fn entries_that_are_not_understood_are_reported_with_their_lines(database: TestDatabase) {
    let world = World::new(database).await;
    let summary = "# Table of contents\n\n* [Home](README.md)\n* [Gone](gone page.md)\n* [Cut](cut.md\n\
        * [Again](README.md)\n\n> [Quoted](quoted.md)\n\n* [Bad](slack:x)\n* [Half] (half.md)\n\n<ul><li><a href=\"html.md\">Html</a></li></ul>\n";
    let files = ["README", "cut", "quoted", "half", "html"];
    let mut files: Vec<(String, String)> = files.map(|name| (format!("{name}.md"), format!("# {name}\n"))).into();
    files.push(("SUMMARY.md".to_owned(), summary.to_owned()));
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    let (_, problems) = imported_outline(&world, &directory(&files)).await;
    let of_summary: Vec<&str> = problems
        .iter()
        .filter(|problem| problem.contains(" SUMMARY.md:"))
        .map(String::as_str)
        .collect();
    let not_entries = "The lines are not understood as entries.";
    assert_eq!(
        of_summary,
        [
            "warning SUMMARY.md:4: The target `gone%20page.md` is not a readable Markdown file of the directory.",
            "warning SUMMARY.md:5: The entry `[Cut](cut.md` is not understood as a link.",
            "note SUMMARY.md:6: The target `README.md` is listed more than once; its first entry is used.",
            &format!("warning SUMMARY.md:8: {not_entries}"),
            "warning SUMMARY.md:10: The address `slack:x` must be an http, https or mailto URL of at most 2048 characters.",
            "warning SUMMARY.md:11: The entry `[Half] (half.md)` is not understood as a link.",
            &format!("warning SUMMARY.md:13: {not_entries}"),
        ]
    );
}

/// "é" and "가", decomposed as macOS writes them.
const DECOMPOSED: [&str; 2] = ["e\u{301}", "\u{1100}\u{1161}"];
const COMPOSED: [&str; 2] = ["\u{e9}", "\u{ac00}"];

async fn composed_and_decomposed_names_are_equal(database: TestDatabase) {
    let world = World::new(database).await;
    for (written, stored) in [(COMPOSED, DECOMPOSED), (DECOMPOSED, COMPOSED)] {
        let ([e, ga], [stored_e, stored_ga]) = (written, stored);
        let encoded: String = e.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let summary = format!("# Contents\n\n* [Home](README.md)\n* [Ga]({ga}/{ga}.md)\n* [Caf{e}](caf{e}.md)\n");
        let home = format!(
            "# Home\n\n[ga]({ga}/{ga}.md) [cafe](caf{encoded}.md) ![picture]({ga}/p{e}.png)\n\n{{% include \"{ga}/n{e}.md\" %}}\n"
        );
        let directory = directory(&[
            (".gitbook.yaml", &format!("root: ./d{e}p{e}t/\n")),
            (&format!("d{stored_e}p{stored_e}t/SUMMARY.md"), &summary),
            (&format!("d{stored_e}p{stored_e}t/README.md"), &home),
            (&format!("d{stored_e}p{stored_e}t/{stored_ga}/{stored_ga}.md"), "# Ga\n"),
            (
                &format!("d{stored_e}p{stored_e}t/{stored_ga}/n{stored_e}.md"),
                "Note.\n",
            ),
            (
                &format!("d{stored_e}p{stored_e}t/caf{stored_e}.md"),
                "Text without a title.\n",
            ),
        ]);
        put(
            &directory,
            &format!("d{stored_e}p{stored_e}t/{stored_ga}/p{stored_e}.png"),
            b"PNG",
        );
        let (space, report) = imported(&world, directory.path()).await;
        assert_eq!(problems(&report), NOTHING);
        let tree = tree(&world, space).await;
        let titles = tree["pages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|page| page["title"].as_str().unwrap());
        assert_eq!(titles.collect::<Vec<_>>(), ["Home", "Ga", &format!("Caf{e}")]);
        let home = markdown(&world, space, "readme").await;
        assert_eq!(home.matches("/pages/").count(), 2, "{home}");
        assert_eq!(
            (
                home.matches("/files/").count(),
                home.matches("/reusable-contents/").count()
            ),
            (1, 1),
            "{home}"
        );
        let files = world.admin.client.call("listFiles").space(space).expect(200).await;
        assert_eq!(files["items"][0]["name"], "p\u{e9}.png");
    }
}

async fn names_that_look_the_same_are_reported(database: TestDatabase) {
    let world = World::new(database).await;
    let directory = directory(&[
        ("README.md", "# Home\n"),
        (
            "SUMMARY.md",
            "# Contents\n\n* [Home](README.md)\n* [Page](caf\u{e9}.md)\n",
        ),
        ("SUMMARY.md\u{200b}", "# Contents\n"),
        ("caf\u{e9}.md", "# Composed\n"),
        ("cafe\u{301}.md", "# Decomposed\n"),
    ]);
    let (pages, problems) = imported_outline(&world, &directory).await;
    assert!(pages.starts_with("Home=readme, Composed="), "{pages}");
    let same = "Another file has a name that looks the same; this one is not imported.";
    let mut problems = problems;
    problems.sort();
    assert_eq!(
        problems,
        [
            format!("warning SUMMARY.md\u{200b}: {same}"),
            format!("warning cafe\u{301}.md: {same}")
        ]
    );
}

async fn invisible_characters_are_ignored(database: TestDatabase) {
    let world = World::new(database).await;
    let settings = "\u{feff}root: ./docs/\n\n\u{200b}structure:\n\u{a0} readme: START.md\n  summary: TOC.md\u{200b}\n";
    let contents = "\u{feff}# Table of contents\n\n* [Start\u{a0}here](START.md)\n*\u{a0}[New](new.md\u{200b})\n\
        \u{200b}* [Page]\u{200b}(a\u{a0}page.md)\n\n\u{feff}## Group\n\n* [Last](last.md)\n";
    let directory = directory(&[
        (".gitbook.yaml", settings),
        ("docs/START.md", "x\n"),
        ("docs/new.md", "\u{feff}---\nicon: bolt\n---\n\n# New\n"),
        ("docs/a page.md", "# Page\n"),
        ("docs/last.md", "# Last\n"),
        ("docs/TOC.md", contents),
    ]);
    let (pages, problems) = imported_outline(&world, &directory).await;
    assert_eq!(pages, "Start here=start, New=new, Page=a-page, group Group (Last=last)");
    let ignored = "The line has invisible characters, which are ignored.";
    assert_eq!(
        problems,
        [
            (".gitbook.yaml", 3),
            (".gitbook.yaml", 4),
            (".gitbook.yaml", 5),
            ("TOC.md", 4),
            ("TOC.md", 5),
            ("TOC.md", 7)
        ]
        .map(|(path, line)| format!("note {path}:{line}: {ignored}"))
    );
}

async fn unknown_settings_are_reported_with_their_lines(database: TestDatabase) {
    let world = World::new(database).await;
    let settings = "root: .\n# comment\nstucture:\n  summary: TOC.md\nstructure:\n  readme: [a]\n  sumary: TOC.md\nredirects:\n  old: a.md\n\
        redirects2: null\n3: x\n";
    let directory = directory(&[(".gitbook.yaml", settings), ("README.md", "# Home\n")]);
    let (_, problems) = imported_outline(&world, &directory).await;
    assert_eq!(
        problems,
        [
            "warning .gitbook.yaml:3: The member `stucture` is not known and is ignored.",
            "warning .gitbook.yaml:6: The value of `structure.readme` must be a text; it is ignored.",
            "warning .gitbook.yaml:7: The member `structure.sumary` is not known and is ignored.",
            "note .gitbook.yaml:8: Redirects (1) belong to a site and are not imported.",
            "warning .gitbook.yaml:10: The member `redirects2` is not known and is ignored.",
            "warning .gitbook.yaml:11: The member `3` is not known and is ignored.",
        ]
    );
}

async fn ignored_markdown_files_are_no_pages(database: TestDatabase) {
    let world = World::new(database).await;
    let directory = directory(&[
        (".gitbook.yaml", "root: docs\n"),
        (".gitignore", "# Output\n/docs/build/\n*.tmp.md\n!kept.tmp.md\n"),
        (".bookignore", "/docs/notes.md\n"),
        ("docs/.gitignore", "drafts\n"),
        ("docs/README.md", "# Home\n\n![picture](build/p.png)\n"),
        ("docs/build/out.md", "# Out\n"),
        ("docs/build/p.png", "PNG"),
        ("docs/x.tmp.md", "# X\n"),
        ("docs/kept.tmp.md", "# Kept\n"),
        ("docs/notes.md", "# Notes\n"),
        ("docs/a/drafts/b.md", "# Draft\n"),
        ("docs/a/node_modules/c/README.md", "# Module\n"),
        ("docs/_book/README.md", "# Output\n"),
        ("docs/.github/template.md", "# Template\n"),
        ("docs/a/.hidden/x.md", "# Hidden\n"),
        ("docs/a/page.md", "# Page\n"),
    ]);
    let (pages, problems) = imported_outline(&world, &directory).await;
    assert_eq!(pages, "Home=readme, group A (Page=page), Kept=kept.tmp");
    assert_eq!(
        problems,
        [
            "note .bookignore: Markdown files (1) that the file excludes are not imported.",
            "note .gitignore: Markdown files (2) that the file excludes are not imported.",
            "note docs/.gitignore: Markdown files (1) that the file excludes are not imported.",
        ]
    );
}

async fn removed_targets_are_reported(database: TestDatabase) {
    let world = World::new(database).await;
    let picture = format!("data:image/png;base64,{}", "A".repeat(1_000));
    let text = format!(
        "---\ncover: data:image/gif;base64,AA\n---\n\n# Home\n\n[run](javascript:alert%281%29) [mail](mailto:a@tidewater.example)\n\n![picture]({picture})\n"
    );
    let directory = directory(&[("README.md", &text)]);
    let (space, report) = imported(&world, directory.path()).await;
    assert_eq!(
        located(&report),
        [
            "warning README.md:2: unsafe-target: The target `data:image/gif;base64,AA` is of a kind that is not allowed and is removed."
                .to_owned(),
            "warning README.md:7: unsafe-target: The target `javascript:alert%281%29` is of a kind that is not allowed and is removed."
                .to_owned(),
            format!(
                "warning README.md:9: unsafe-target: The target `{}…` is of a kind that is not allowed and is removed.",
                &picture[..320]
            ),
        ]
    );
    let written = markdown(&world, space, "readme").await;
    assert!(
        written.ends_with("run [mail](mailto:a@tidewater.example)\n\npicture"),
        "{written}"
    );
}

async fn file_beside_its_directory_is_the_page_of_it(database: TestDatabase) {
    let world = World::new(database).await;
    let files = [
        (
            "README.md",
            "# Home\n\nSee [care](care.md), [folder](care/) and [fingers](care/fingers.md).\n",
        ),
        ("care.md", "# Care\n\nClean it once a week.\n"),
        ("care/fingers.md", "# Fingers\n"),
        ("care/oil.md", "# Oil\n"),
        ("care/oil/kinds.markdown", "# Kinds\n"),
    ];
    let (pages, problems) = imported_outline(&world, &directory(&files)).await;
    assert_eq!(problems, NOTHING);
    assert_eq!(pages, "Home=readme, Care=care (Fingers=fingers, Oil=oil (Kinds=kinds))");
    // A `README.md` in the directory is the page of the directory.
    let with_readme = directory(&[
        ("care.md", "# Beside\n"),
        ("care/README.md", "# Inside\n"),
        ("care/a.md", "# A\n"),
    ]);
    let (pages, _) = imported_outline(&world, &with_readme).await;
    assert_eq!(pages, "Inside=care (A=a), Beside=care-2");
    // Files that the table of contents does not list are below the page of their directory.
    let summary = [
        &files[..],
        &[("SUMMARY.md", "* [Home](README.md)\n* [Care](care.md)\n")],
    ]
    .concat();
    let (pages, _) = imported_outline(&world, &directory(&summary)).await;
    assert!(pages.starts_with("Home=readme, Care=care (Fingers=fingers?"), "{pages}");
}

async fn underlined_headings_are_titles(database: TestDatabase) {
    let world = World::new(database).await;
    let directory = directory(&[
        (
            "SUMMARY.md",
            "# Table of contents\n\n* [Home](README.md)\n* [Manual](a.md)\n* [Manual](b.md)\n",
        ),
        ("README.md", "# Home\n\nHello.\n"),
        ("a.md", "Pump manual\n===========\n\nText.\n"),
        ("b.md", "# Pump manual\n\nText.\n"),
    ]);
    let (space, report) = imported(&world, directory.path()).await;
    assert_eq!(located(&report), NOTHING);
    let pages = tree(&world, space).await["pages"].clone();
    assert_eq!(pages[1]["title"], pages[2]["title"]);
    let path = |at: usize| pages[at]["path"].as_str().unwrap().to_owned();
    for at in [1, 2] {
        assert_eq!(markdown(&world, space, &path(at)).await, "Text.");
        let page = page(&world, space, &path(at)).await;
        assert!(page["markdown"].as_str().unwrap().ends_with("\n\nText."), "{page}");
    }
}

async fn long_lists_are_pages(database: TestDatabase) {
    let world = World::with(database, |flags| flags.body_limit = Some("2MiB".to_owned())).await;
    let list = "* [Max\\_open\\_valves\\_NUMBER](valves.md#max_open_valves_NUMBER)\n";
    let list: String = (0..2_400)
        .map(|number| list.replace("NUMBER", &number.to_string()))
        .collect();
    let headings: String = (0..2_400)
        .map(|number| format!("## max_open_valves_{number}\n\n"))
        .collect();
    let directory = directory(&[
        ("README.md", &format!("# Options\n\n{list}")),
        ("valves.md", &format!("# Valves\n\n{headings}")),
    ]);
    let (space, report) = imported(&world, directory.path()).await;
    assert_eq!(located(&report), NOTHING);
    assert_eq!(report.counts.resolved, 2_400);
    assert_eq!(markdown(&world, space, "readme").await.lines().count(), 2_400);
    let written = add(&world, space, &[("Written", &list)]).await["Written"].clone();
    let read = world
        .admin
        .client
        .call("getPageById")
        .space(space)
        .path("pageId", &written);
    let page = read.expect(200).await;
    let nodes = page["document"]["nodes"].as_array().unwrap();
    assert_eq!((nodes.len(), nodes[0]["nodes"].as_array().unwrap().len()), (1, 2_400));
    let links = world
        .admin
        .client
        .call("listPageLinksInSpace")
        .space(space)
        .path("pageId", &written);
    assert_eq!(links.query("limit", "1").expect(200).await["count"], 2_400);
}
