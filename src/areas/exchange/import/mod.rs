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
mod known;
mod layout;
mod links;
pub mod names;
mod order;
mod page_kind;
mod replace;
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
use content::{objects::Content, pages::Snapshot};
use platform::db::Reads;

use self::{
    addresses::SpaceAddresses,
    book::Book,
    files::Files,
    ids::ImportIds,
    order::Contents,
    page_kind::PageKind,
    repository::{Listing, Repository},
    texts::SourceTexts,
    tree::PageTree,
};
pub use self::{
    existing::ExistingContent,
    file_list::FileList,
    file_tree::{Entry, EntryKind, FileTree},
    files::stored,
    known::{KnownFiles, KnownPage},
    layout::{RepositoryLayout, SETTINGS},
    replace::{NewContent, replace},
    report::{Counts, Problem, Progress, Report},
    repository::{MAX_FILE, MAX_FILES, MAX_TOTAL},
    source::ImportSource,
    target::{ImportDestination, ImportTarget, find_organization, find_space, first_admin},
    zip::open as open_archive,
};

use crate::{
    areas::exchange::Exchange,
    kernel::audit::{Actor, SystemAction},
};

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
    let (dry_run, strict) = (import.dry_run, import.strict);
    let made = prepare(exchange, import, target, Arc::clone(&progress)).await?;
    if dry_run || (strict && made.report.has_errors()) {
        return Ok(made.report);
    }
    let actor = SystemAction::Import.into();
    made.write(exchange, target, actor, progress.as_ref()).await
}

/// Reads a source. Only the bytes of files are stored, and without a dry run.
pub async fn prepare(
    exchange: &Exchange,
    import: Import,
    target: &ImportTarget,
    progress: Arc<dyn Progress>,
) -> anyhow::Result<Made> {
    let existing = ExistingContent::of(exchange, target).await?;
    let addresses = SpaceAddresses::load(exchange, target, &import.links).await?;
    let source = (import.source, import.subdirectory);
    make(exchange, source, (existing, addresses), import.dry_run, progress).await
}

/// The state of a space that an import leads to.
pub struct ImportedSnapshot {
    pub snapshot: Snapshot,
    /// What the imported files became.
    pub files: KnownFiles,
    pub report: Report,
}

/// Reads a source as a state of a space. Only the bytes of files are stored.
pub async fn snapshot(
    exchange: &Exchange,
    content: &mut Content<'_, Reads>,
    target: &ImportTarget,
    source: (ImportSource, Option<String>),
    existing: ExistingContent,
) -> anyhow::Result<ImportedSnapshot> {
    let addresses = SpaceAddresses::load(exchange, target, &[]).await?;
    let made = make(exchange, source, (existing, addresses), false, Arc::new(Silent));
    let Made {
        mut book,
        report,
        files,
    } = made.await?;
    book.put_texts(content);
    let snapshot = content.run(|objects| book.snapshot(objects)).await?;
    Ok(ImportedSnapshot {
        snapshot,
        files,
        report,
    })
}

/// The content of a source.
pub struct Made {
    book: Book,
    pub report: Report,
    pub files: KnownFiles,
}

impl Made {
    /// Writes the content into the target.
    pub async fn write(
        mut self,
        exchange: &Exchange,
        target: &ImportTarget,
        actor: Actor,
        progress: &dyn Progress,
    ) -> anyhow::Result<Report> {
        let counts = &self.report.counts;
        let written = write::write(exchange, (target, actor), self.book, counts, progress);
        self.report.written = Some(Box::pin(written).await?);
        Ok(self.report)
    }
}

async fn make(
    exchange: &Exchange,
    source: (ImportSource, Option<String>),
    (existing, addresses): (ExistingContent, SpaceAddresses),
    dry_run: bool,
    progress: Arc<dyn Progress>,
) -> anyhow::Result<Made> {
    let (worker, watched) = (exchange.clone(), Arc::clone(&progress));
    let read = in_background(move || {
        let mut report = Report::default();
        let content = (Arc::new(existing), addresses);
        let source = read(&worker, source, content, &mut report, watched.as_ref())?;
        Ok((Arc::new(source), report))
    });
    let (source, mut report) = read.await?;
    let mut files = Files::of(&source.ids, &source.listing, &source.existing);
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
    let known = known_files(&source.tree, &files, &book);
    // The texts of the book are in memory, too.
    drop(source);
    Ok(Made {
        book: book.with(&files),
        report,
        files: known,
    })
}

fn known_files(tree: &PageTree, files: &Files, book: &Book) -> KnownFiles {
    let mut known = KnownFiles {
        files: files.by_path().map(|(path, id)| (path.to_owned(), id)).collect(),
        contents: book.content_paths.clone(),
        ..KnownFiles::default()
    };
    for node in tree.nodes() {
        if let PageKind::File(path) = &node.what {
            known.add_page(path.clone(), node.id);
        }
    }
    known
}

/// Nobody looks at the progress.
pub struct Silent;

impl Progress for Silent {
    fn start_phase(&self, _: &'static str, _: usize) {}
    fn step(&self) {}
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
        &existing.salt,
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
