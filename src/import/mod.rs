//! A directory of Markdown becomes one revision of a space.
//!
//! Everything is read and put in order first, then the bytes of files are stored, and at the end one transaction writes
//! the revision: whatever happens before leaves the space as it was.

mod book;
mod files;
mod kept;
mod links;
mod names;
mod order;
mod page_kind;
mod reading;
mod report;
mod summary;
mod target;
mod texts;
mod tree;
mod writing;

use std::{path::PathBuf, sync::Arc};

use anyhow::Context;

use self::{
    book::Book,
    files::Files,
    kept::Kept,
    order::Contents,
    page_kind::PageKind,
    reading::{Directory, Listing},
    texts::Texts,
    tree::Tree,
};
pub use self::{
    reading::{MAX_FILE, MAX_FILES},
    report::{Counts, Problem, Progress, Report},
    target::{Place, Target},
};
use crate::app::App;

/// What is imported, and how.
#[derive(Debug, Clone)]
pub struct Import {
    pub directory: PathBuf,
    /// Reads everything and writes nothing.
    pub dry_run: bool,
    /// Writes nothing if anything is wrong.
    pub strict: bool,
}

/// A directory that was read, with the places of its pages.
struct Source {
    directory: Directory,
    listing: Listing,
    texts: Texts,
    tree: Tree,
    kept: Arc<Kept>,
}

/// Imports a directory. What cannot be imported is in the report; after an error nothing was written.
pub async fn run(app: &App, import: Import, target: &Target, progress: Arc<dyn Progress>) -> anyhow::Result<Report> {
    let kept = Arc::new(Kept::of(app, target).await?);
    let (worker, watched, directory) = (app.clone(), Arc::clone(&progress), import.directory.clone());
    let read = in_background(move || {
        let mut report = Report::default();
        let source = read(&worker, &directory, kept, &mut report, watched.as_ref())?;
        Ok((Arc::new(source), report))
    });
    let (source, mut report) = read.await?;
    let mut files = Files::of(app, &source.listing, source.kept.files.clone());
    let book = loop {
        let (worker, source_too, watched) = (app.clone(), Arc::clone(&source), Arc::clone(&progress));
        let made = in_background(move || {
            let book = Book::of(&worker, &source_too, &mut files, watched.as_ref());
            Ok((book, files))
        });
        let book;
        (book, files) = made.await?;
        // References to files that cannot be read stay as they were written, so the texts are made again.
        if files.store(app, &source, import.dry_run, progress.as_ref()).await? {
            break book;
        }
    };
    files.report(&mut report);
    book.report(&mut report);
    count(&source.tree, &files, &mut report.counts);
    if import.dry_run || (import.strict && report.has_errors()) {
        return Ok(report);
    }
    progress.begin("Writing", 0);
    let written = writing::write(app, target, book.with(&files), &report.counts).await?;
    report.written = Some(written);
    Ok(report)
}

async fn in_background<T: Send + 'static>(
    work: impl FnOnce() -> anyhow::Result<T> + Send + 'static,
) -> anyhow::Result<T> {
    tokio::task::spawn_blocking(work).await.context("the import failed")?
}

fn read(
    app: &App,
    directory: &std::path::Path,
    kept: Arc<Kept>,
    report: &mut Report,
    progress: &dyn Progress,
) -> anyhow::Result<Source> {
    let (directory, layout) = Directory::open(directory)?.inner()?;
    progress.begin("Looking", 0);
    let listing = directory.list(report)?;
    let contents = Contents::find(&directory, &listing, &layout)?;
    let texts = Texts::read(&directory, &listing, contents.path(), report, progress)?;
    let tree = Tree::of(Arc::clone(&kept));
    let tree = order::arrange(tree, &texts, (&layout, &contents), report, &mut || app.ids.next());
    Ok(Source {
        directory,
        listing,
        texts,
        tree,
        kept,
    })
}

fn count(tree: &Tree, files: &Files, counts: &mut Counts) {
    for node in tree.nodes() {
        match node.what {
            PageKind::File(_) | PageKind::Empty => counts.pages += 1,
            PageKind::Group => counts.groups += 1,
            PageKind::Address(_) => counts.addresses += 1,
        }
        counts.hidden += usize::from(node.hidden);
    }
    counts.files = files.stored().count();
    counts.bytes = files.stored().map(|file| file.size).sum();
}
