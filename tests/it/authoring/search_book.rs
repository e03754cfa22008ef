//! Search on a real book: is what somebody looks for among the first results?
//!
//! The book is not part of this repository. `BINDERY_TEST_BOOK` names a folder with the sources of "Everything curl", 2026.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use entity::content::search::pages::Section;
use entity::ids::PageId;
use platform::db::Db;
use search::{
    index::{self, PageEntry},
    query,
};
use uuid::Uuid;

use crate::support::{
    database::{TestDatabase, on_each_database},
    rows::{insert_organization, insert_space, space_id},
};

on_each_database![common_searches_find_their_pages];

const FOLDER: &str = "BINDERY_TEST_BOOK";
/// Each with the number of results somebody looks at, and of queries that may find nothing among them.
const QUERIES: [(&str, usize, usize); 2] = [
    (include_str!("data/search_queries.txt"), 5, 0),
    (include_str!("data/search_questions.txt"), 3, 5),
];

struct Book {
    paths: Vec<String>,
    titles: Vec<String>,
    entries: Vec<PageEntry>,
}

async fn common_searches_find_their_pages(database: TestDatabase) {
    let Ok(folder) = std::env::var(FOLDER) else {
        eprintln!("skipped: {FOLDER} is not set");
        return;
    };
    let started = Instant::now();
    let book = read(Path::new(&folder));
    let prepared = started.elapsed();
    let db = database.migrated().await;
    let entries = book.entries.clone();
    let started = Instant::now();
    db.write(move |tx| async move {
        insert_organization(&tx, 1).await?;
        insert_space(&tx, 1, 1).await?;
        index::replace(&tx, space_id(1), &entries).await
    })
    .await
    .unwrap();
    eprintln!(
        "{} pages: read in {prepared:?}, indexed in {:?}",
        book.paths.len(),
        started.elapsed()
    );

    let mut times = Vec::new();
    let missed = missed_titles(&db, &book, &mut times).await;
    report("titles", &mut times);
    eprintln!("titles that do not find their page first: {missed:#?}");
    let found_all = missed.is_empty();

    for (queries, looked_at, may_miss) in QUERIES {
        let missed = missed_queries(&db, &book, (queries, looked_at), &mut times).await;
        report("queries", &mut times);
        eprintln!("{missed:#?}");
        assert!(found_all && missed.len() <= may_miss, "{missed:#?}");
    }
}

/// Titles that do not find their page first; of several pages with one title, any of them is right.
async fn missed_titles(db: &Db, book: &Book, times: &mut Vec<Duration>) -> Vec<String> {
    let mut pages: HashMap<&str, Vec<usize>> = HashMap::new();
    for (number, title) in book.titles.iter().enumerate() {
        pages.entry(title).or_default().push(number);
    }
    let mut missed = Vec::new();
    for (title, same) in &pages {
        let mut first = found(db, title, times).await;
        first.truncate(same.len());
        first.sort_unstable();
        if first != *same {
            missed.push((*title).to_owned());
        }
    }
    missed
}

async fn missed_queries(
    db: &Db,
    book: &Book,
    (queries, looked_at): (&str, usize),
    times: &mut Vec<Duration>,
) -> Vec<String> {
    let lines = queries.lines().filter(|line| !line.starts_with('#'));
    let (mut missed, mut places) = (Vec::new(), vec![0; looked_at]);
    for (text, expected) in lines.map(|line| line.split_once(" | ").unwrap()) {
        let expected: Vec<&str> = expected.split(' ').collect();
        assert!(
            expected.iter().all(|path| book.paths.iter().any(|known| known == path)),
            "{expected:?}"
        );
        let results = found(db, text, times).await;
        let results: Vec<&str> = results.iter().map(|page| book.paths[*page].as_str()).collect();
        let place = results.iter().position(|path| expected.contains(path));
        if let Some(count) = place.and_then(|place| places.get_mut(place)) {
            *count += 1;
        }
        if place.is_none_or(|place| place >= looked_at) {
            let shown = results.get(..5).unwrap_or(&results);
            missed.push(format!("{text}: at {place:?} of {}: {shown:?}", results.len()));
        }
    }
    eprintln!("queries that have the expected page at the first, second, … place: {places:?}");
    missed
}

async fn found(db: &Db, text: &str, times: &mut Vec<Duration>) -> Vec<usize> {
    let started = Instant::now();
    let results = query::search_space(db.read(), space_id(1), text, None, 50)
        .await
        .unwrap();
    times.push(started.elapsed());
    let pages = results.page.items.iter();
    pages
        .map(|hit| usize::try_from(hit.page.as_uuid().as_u128()).unwrap())
        .collect()
}

fn report(what: &str, times: &mut Vec<Duration>) {
    times.sort_unstable();
    let (median, slowest) = (times[times.len() / 2], times[times.len() - 1]);
    eprintln!("{} {what}: median {median:?}, slowest {slowest:?}", times.len());
    times.clear();
}

fn read(folder: &Path) -> Book {
    let mut files = Vec::new();
    collect(folder, &mut files);
    files.sort();
    let (mut paths, mut titles, mut entries) = (Vec::new(), Vec::new(), Vec::new());
    for (number, file) in files.iter().enumerate() {
        let (title, sections) = split(&std::fs::read_to_string(file).unwrap());
        let page = PageId::from_uuid(Uuid::from_u128(number as u128));
        entries.push(PageEntry::new(page, &title, sections, None));
        paths.push(file.strip_prefix(folder).unwrap().to_str().unwrap().to_owned());
        titles.push(title);
    }
    Book { paths, titles, entries }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            files.push(path);
        }
    }
}

/// The title and the sections of a page, by its headings.
fn split(text: &str) -> (String, Vec<Section>) {
    let mut title = None;
    let mut sections = vec![Section {
        anchor: None,
        title: String::new(),
        body: String::new(),
    }];
    let mut in_code = false;
    for line in text.lines() {
        in_code ^= line.starts_with("```");
        let heading = line.trim_start_matches('#');
        if in_code || heading.len() == line.len() || !heading.starts_with(' ') {
            let section = sections.last_mut().unwrap();
            section.body.push_str(line);
            section.body.push('\n');
        } else if title.is_none() {
            title = Some(heading.trim().to_owned());
        } else {
            sections.push(Section {
                anchor: Some(heading.trim().to_lowercase().replace(' ', "-")),
                title: heading.trim().to_owned(),
                body: String::new(),
            });
        }
    }
    (title.unwrap_or_default(), sections)
}
