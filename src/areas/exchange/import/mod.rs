//! Import of Markdown files, those of a directory or of an archive, as one revision of a space.
//!
//! First all texts are read and arranged, then the bytes of files are stored, then the texts, and one short transaction
//! writes the revision. A failure before that leaves the space unchanged.

mod addresses;
mod book;
mod directory;
mod existing;
mod file_list;
mod file_tree;
mod files;
pub mod ids;
mod ignored;
mod layout;
mod links;
pub mod names;
mod order;
mod page_kind;
mod report;
mod repository;
mod source;
mod target;
mod texts;
mod tree;
mod variables;
mod write;
mod zip;

use std::{collections::BTreeMap, sync::Arc};

use anyhow::Context;

use self::{
    addresses::SpaceAddresses,
    book::Book,
    existing::ExistingContent,
    files::Files,
    ids::ImportIds,
    order::Contents,
    page_kind::PageKind,
    repository::{Listing, Repository},
    texts::SourceTexts,
    tree::PageTree,
};
pub use self::{
    file_list::FileList,
    file_tree::{Entry, EntryKind, FileTree},
    report::{Counts, Problem, Progress, Report},
    repository::{MAX_FILE, MAX_FILES},
    source::ImportSource,
    target::{ImportDestination, ImportTarget, find_space},
};

use crate::areas::exchange::Exchange;

/// The source and the options of an import.
pub struct Import {
    pub source: ImportSource,
    /// The directory of the source that is imported, with its own settings. `None`: the whole source.
    pub subdirectory: Option<String>,
    /// Reads and checks everything and writes nothing.
    pub dry_run: bool,
    /// Writes nothing if the report has an error.
    pub strict: bool,
    /// The ids of spaces in addresses, each with the id of the space here, or `.` for the imported one.
    pub links: Vec<(String, String)>,
}

/// A repository that was read, with its page tree.
struct Source {
    repository: Repository,
    listing: Listing,
    texts: SourceTexts,
    tree: PageTree,
    variables: BTreeMap<String, String>,
    addresses: SpaceAddresses,
    existing: Arc<ExistingContent>,
    ids: ImportIds,
}

/// Imports a source. The report lists everything that cannot be imported. After an error nothing was written.
pub async fn run(
    exchange: &Exchange,
    import: Import,
    target: &ImportTarget,
    progress: Arc<dyn Progress>,
) -> anyhow::Result<Report> {
    let existing = Arc::new(ExistingContent::of(exchange, target).await?);
    let addresses = SpaceAddresses::load(exchange, target, &import.links).await?;
    let (worker, watched) = (exchange.clone(), Arc::clone(&progress));
    let Import {
        source,
        subdirectory,
        dry_run,
        strict,
        ..
    } = import;
    let read = in_background(move || {
        let mut report = Report::default();
        let source = read(
            &worker,
            (source, subdirectory),
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
        if files.store(exchange, &source, dry_run, progress.as_ref()).await? {
            break book;
        }
    };
    files.report(&mut report);
    book.report(&mut report);
    count(&source.tree, &files, &mut report.counts);
    // The texts of the book are in memory, too.
    drop(source);
    if dry_run || (strict && report.has_errors()) {
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
    (source, subdirectory): (ImportSource, Option<String>),
    (existing, addresses): (Arc<ExistingContent>, SpaceAddresses),
    report: &mut Report,
    progress: &dyn Progress,
) -> anyhow::Result<Source> {
    let mut repository = Repository::new(source.open()?);
    if let Some(subdirectory) = subdirectory {
        repository.enter_project(&subdirectory, report)?;
    }
    let layout = repository.enter_root(report)?;
    progress.start_phase("Listing", 0);
    let listing = repository.list(report)?;
    let ids = ImportIds::new(
        existing.revision.unwrap_or_else(|| exchange.kernel.ids.next()),
        &listing,
    );
    let contents = Contents::find(&repository, &listing, &layout)?;
    let texts = SourceTexts::read(&repository, &listing, contents.path(), report, progress)?;
    let tree = PageTree::of(Arc::clone(&existing));
    let variables = variables::read(&repository, &listing, report);
    let tree = order::arrange(tree, &texts, (&layout, &contents), report, &mut || ids.next());
    Ok(Source {
        repository,
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
