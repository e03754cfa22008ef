//! Import of a directory of Markdown files as one revision of a space.
//!
//! First all texts are read and arranged, then the bytes of files are stored, then the texts, and one short transaction
//! writes the revision. A failure before that leaves the space unchanged.

mod addresses;
mod book;
mod directory;
mod existing;
mod files;
pub mod ids;
mod ignored;
mod layout;
mod links;
pub mod names;
mod order;
mod page_kind;
mod report;
mod target;
mod texts;
mod tree;
mod variables;
mod write;

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use anyhow::Context;

use self::{
    addresses::SpaceAddresses,
    book::Book,
    directory::{Directory, Listing},
    existing::ExistingContent,
    files::Files,
    ids::ImportIds,
    order::Contents,
    page_kind::PageKind,
    texts::SourceTexts,
    tree::PageTree,
};
pub use self::{
    directory::{MAX_FILE, MAX_FILES},
    report::{Counts, Problem, Progress, Report},
    target::{ImportDestination, ImportTarget, find_space},
};

use crate::areas::exchange::Exchange;

/// The directory and the options of an import.
#[derive(Debug, Clone)]
pub struct Import {
    pub directory: PathBuf,
    /// Reads and checks everything and writes nothing.
    pub dry_run: bool,
    /// Writes nothing if the report has an error.
    pub strict: bool,
    /// The ids of spaces in addresses, each with the id of the space here, or `.` for the imported one.
    pub links: Vec<(String, String)>,
}

/// A directory that was read, with its page tree.
struct Source {
    directory: Directory,
    listing: Listing,
    texts: SourceTexts,
    tree: PageTree,
    variables: BTreeMap<String, String>,
    addresses: SpaceAddresses,
    existing: Arc<ExistingContent>,
    ids: ImportIds,
}

/// Imports a directory. The report lists everything that cannot be imported. After an error nothing was written.
pub async fn run(
    exchange: &Exchange,
    import: Import,
    target: &ImportTarget,
    progress: Arc<dyn Progress>,
) -> anyhow::Result<Report> {
    let existing = Arc::new(ExistingContent::of(exchange, target).await?);
    let addresses = SpaceAddresses::load(exchange, target, &import.links).await?;
    let (worker, watched, directory) = (exchange.clone(), Arc::clone(&progress), import.directory.clone());
    let read = in_background(move || {
        let mut report = Report::default();
        let source = read(
            &worker,
            &directory,
            (existing, addresses),
            &mut report,
            watched.as_ref(),
        )?;
        Ok((Arc::new(source), report))
    });
    let (source, mut report) = read.await?;
    let mut files = Files::of(&source.ids, &source.listing, source.existing.files.clone());
    let book = loop {
        let (worker, source_too, watched) = (exchange.clone(), Arc::clone(&source), Arc::clone(&progress));
        let made = in_background(move || {
            let book = Book::of(&worker, &source_too, &mut files, watched.as_ref());
            Ok((book, files))
        });
        let book;
        (book, files) = made.await?;
        // References to unreadable files must stay as they were written, so the book is built again.
        if files
            .store(exchange, &source, import.dry_run, progress.as_ref())
            .await?
        {
            break book;
        }
    };
    files.report(&mut report);
    book.report(&mut report);
    count(&source.tree, &files, &mut report.counts);
    // The texts of the book are in memory, too.
    drop(source);
    if import.dry_run || (import.strict && report.has_errors()) {
        return Ok(report);
    }
    let written = write::write(exchange, target, book.with(&files), &report.counts, progress.as_ref());
    let written = Box::pin(written).await?;
    report.written = Some(written);
    Ok(report)
}

async fn in_background<T: Send + 'static>(
    work: impl FnOnce() -> anyhow::Result<T> + Send + 'static,
) -> anyhow::Result<T> {
    tokio::task::spawn_blocking(work)
        .await
        .context("a background task of the import failed")?
}

fn read(
    exchange: &Exchange,
    directory: &std::path::Path,
    (existing, addresses): (Arc<ExistingContent>, SpaceAddresses),
    report: &mut Report,
    progress: &dyn Progress,
) -> anyhow::Result<Source> {
    let (mut directory, layout) = Directory::open(directory)?.open_root(report)?;
    progress.start_phase("Listing", 0);
    let listing = directory.list(report)?;
    let ids = ImportIds::new(
        existing.revision.unwrap_or_else(|| exchange.kernel.ids.next()),
        &listing,
    );
    let contents = Contents::find(&directory, &listing, &layout)?;
    let texts = SourceTexts::read(&directory, &listing, contents.path(), report, progress)?;
    let tree = PageTree::of(Arc::clone(&existing));
    let variables = variables::read(&directory, &listing, report);
    let tree = order::arrange(tree, &texts, (&layout, &contents), report, &mut || ids.next());
    Ok(Source {
        directory,
        listing,
        texts,
        tree,
        variables,
        addresses,
        existing,
        ids,
    })
}

fn count(tree: &PageTree, files: &Files, counts: &mut Counts) {
    for node in tree.nodes() {
        match node.what {
            PageKind::File(_) | PageKind::Empty => counts.pages += 1,
            PageKind::Group => counts.groups += 1,
            PageKind::Address(_) => counts.addresses += 1,
            PageKind::Computed(_) => counts.computed += 1,
        }
    }
    counts.files = files.stored().count();
    counts.bytes = files.stored().map(|file| file.size).sum();
}
