//! Directories as people and other programs leave them: targets with spaces, and entries that are not understood.

use bindery::import::Report;
use tempfile::TempDir;

use crate::support::{
    database::{TestDatabase, on_each_database},
    import::{directory, imported, outline, tree},
    world::World,
};

on_each_database![
    targets_with_spaces_are_entries,
    entries_that_are_not_understood_are_reported_with_their_lines,
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
