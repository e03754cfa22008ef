//! The book of an export: its pages in order, converted for the typesetter.

use std::slice;

use content::pages::{Forest, Page, PageContent};
use entity::{
    authoring::pdf_exports::Model,
    identity::users,
    ids::{OrganizationId, ReusableContentId},
    organizations::members,
};
use openapi::error::ApiError;
use platform::blobs;
use print::{
    Book, BookPage, Converter, ImageSource, TooLarge, page_label,
    process::{self, NodesFrame},
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use serde_json::{Value, json};

use super::{
    parameters::{Parameters, Part},
    resolver::BookResolver,
};

use crate::{
    areas::authoring::{
        Authoring,
        printer::{Manuscript, locale},
        reader::RevisionReader,
    },
    kernel::Kernel,
};

/// Pages of a book.
const MAX_PAGES: usize = 5000;

/// Bytes of the descriptions of all pages, which are in memory until the last page is converted.
const MAX_DESCRIPTION_BYTES: usize = 8 * 1024 * 1024;

/// Nodes of a book.
const MAX_NODES: usize = 2_000_000;

/// Bytes of JSON of the nodes of all reusable contents, which are in memory until the last page is converted, and take ten times as much.
const MAX_REUSED_BYTES: usize = 6 * 1024 * 1024;

/// Rounds in which reusable contents within reusable contents are loaded.
const MAX_ROUNDS: usize = 4;

const TOO_MANY_PAGES: &str = "The PDF would have more than 5,000 pages of content. Ask for the PDF of a page.";
const TOO_MUCH_TEXT: &str = "The PDF would have too much text. Ask for the PDF of a page.";
const TOO_MANY_IMAGES: &str =
    "The PDF would have more than 1,000 images or 128 MiB of images. Ask for the PDF of a page.";
const GONE: &str = "The content does not exist any more.";

/// Why there is no book.
pub enum BookError {
    /// The message is for readers.
    Refused(&'static str),
    Server(ApiError),
}

impl<E: Into<ApiError>> From<E> for BookError {
    fn from(error: E) -> Self {
        Self::Server(error.into())
    }
}

/// A page with its depth in the tree.
struct PlacedPage {
    page: Page,
    level: u32,
}

pub async fn make(authoring: &Authoring, row: Model) -> Result<Manuscript, BookError> {
    let parameters = row.parameters.ok_or(BookError::Refused(GONE))?;
    let parameters: Parameters = serde_json::from_value(parameters).map_err(ApiError::from)?;
    let reader = RevisionReader::open(authoring, row.space_id, row.revision_id, None).await?;
    let mut reader = reader.seen_by(parameters.claims.clone());
    let (forest, files) = reader.pages_and_files().await?;
    let pages = in_order(&forest, parameters.part)?;
    let titles = forest.pages().map(|page| (page.id, page.title.clone())).collect();
    drop(forest);
    let resolver = BookResolver::new(
        &authoring.kernel.urls,
        row.space_id,
        parameters.claims.is_some(),
        titles,
        files,
    );
    let mut binder = Binder {
        reader,
        organization: row.organization_id,
        resolver,
        nodes_left: MAX_NODES,
        reused_left: MAX_REUSED_BYTES,
        bytes_left: usize::try_from(process::MAX_FRAME_BYTES).unwrap_or(usize::MAX) / 2,
    };
    let mut frames = Vec::with_capacity(pages.len().saturating_add(1));
    for page in &pages {
        frames.push(binder.bind(page).await?);
    }
    let (images, sources) = images(&authoring.kernel, &binder.resolver).await?;
    let mut book = book(&parameters, &pages, sources);
    book.subtitles.push(
        binder
            .reader
            .revision
            .created_at
            .to_utc()
            .format("%Y-%m-%d")
            .to_string(),
    );
    frames.insert(0, process::frame(&book).map_err(ApiError::from)?);
    Ok(Manuscript { frames, images })
}

/// The book without the nodes of its pages.
fn book(parameters: &Parameters, pages: &[PlacedPage], images: Vec<ImageSource>) -> Book {
    let (language, region) = locale(&parameters.language);
    let change_request = parameters.change_request.as_ref();
    let subtitles = change_request.map(|(number, subject)| format!("#{number} {subject}").trim().to_owned());
    let is_book = pages.len() > 1;
    let page = |placed: &PlacedPage| BookPage {
        level: placed.level,
        label: page_label(&placed.page.id.to_string()),
        title: placed.page.title.clone(),
        description: placed.page.description.clone(),
        nodes: Vec::new(),
    };
    Book {
        title: parameters.title.clone(),
        author: String::new(),
        subtitles: subtitles.into_iter().collect(),
        language,
        region,
        picture: None,
        cover: is_book,
        contents: is_book,
        pages: pages.iter().map(page).collect(),
        images,
    }
}

/// The pages of a part in reading order. Hidden pages are left out with all below them, unless the part is one of them.
fn in_order(forest: &Forest, part: Part) -> Result<Vec<PlacedPage>, BookError> {
    let mut waiting: Vec<(&Page, u32)> = match part.page() {
        None => forest
            .below(None)
            .iter()
            .rev()
            .filter(|page| !page.hidden)
            .map(|page| (page, 1))
            .collect(),
        Some(id) => {
            let page = forest.pages().find(|page| page.id == id);
            vec![(page.ok_or(BookError::Refused(GONE))?, 1)]
        }
    };
    let (mut pages, mut room) = (Vec::new(), MAX_DESCRIPTION_BYTES);
    while let Some((page, level)) = waiting.pop() {
        if pages.len() >= MAX_PAGES {
            return Err(BookError::Refused(TOO_MANY_PAGES));
        }
        let description = page.description.as_deref().unwrap_or_default();
        let left = room.checked_sub(description.len());
        room = left.ok_or(BookError::Refused(TOO_MUCH_TEXT))?;
        pages.push(PlacedPage {
            page: page.clone(),
            level,
        });
        if !matches!(part, Part::Only(_)) {
            let below = forest.below(Some(page.id)).iter().rev().filter(|page| !page.hidden);
            waiting.extend(below.map(|page| (page, level.saturating_add(1))));
        }
    }
    Ok(pages)
}

/// Converts page by page.
struct Binder<'a> {
    reader: RevisionReader<'a>,
    organization: OrganizationId,
    resolver: BookResolver,
    nodes_left: usize,
    reused_left: usize,
    bytes_left: usize,
}

impl Binder<'_> {
    /// The frame of a page.
    async fn bind(&mut self, placed: &PlacedPage) -> Result<Vec<u8>, BookError> {
        let frame = match &placed.page.content {
            PageContent::Document { .. } => self.bind_text(placed).await?,
            PageContent::Group => NodesFrame::default(),
            PageContent::Link { target } => {
                let node = json!({ "type": "content-ref", "data": { "ref": target } });
                self.bind_node(placed, node).await?
            }
            PageContent::Computed { source } => {
                let data = json!({ "integration": source.kind, "block": placed.page.title });
                self.bind_node(placed, json!({ "type": "integration", "data": data }))
                    .await?
            }
        };
        if self.resolver.has_too_many_images() {
            return Err(BookError::Refused(TOO_MANY_IMAGES));
        }
        let frame = frame.finish();
        let left = self.bytes_left.checked_sub(frame.len());
        self.bytes_left = left.ok_or(BookError::Refused(TOO_MUCH_TEXT))?;
        Ok(frame)
    }

    async fn bind_node(&mut self, placed: &PlacedPage, node: Value) -> Result<NodesFrame, BookError> {
        self.resolver.note(&node);
        self.load_missing().await?;
        let mut frame = NodesFrame::default();
        self.convert(placed, &node, &mut frame)?;
        Ok(frame)
    }

    /// The text is read twice: what it names has to be there before its nodes are converted, which take too much memory to keep.
    async fn bind_text(&mut self, placed: &PlacedPage) -> Result<NodesFrame, BookError> {
        let authoring = self.reader.authoring;
        let mut text = self.reader.printed_page(&placed.page).await?;
        text.for_each_stored_node(&authoring.kernel.work, &mut |node| self.resolver.note(&node))
            .await?;
        self.load_missing().await?;
        let (mut frame, mut outcome) = (NodesFrame::default(), Ok(()));
        let mut convert = |node| {
            if outcome.is_ok() {
                outcome = self.convert(placed, &node, &mut frame);
            }
        };
        text.for_each_node(&authoring.kernel.work, &mut convert).await?;
        outcome.map(|()| frame)
    }

    fn convert(&mut self, placed: &PlacedPage, node: &Value, frame: &mut NodesFrame) -> Result<(), BookError> {
        let mut converter = Converter::new(&mut self.resolver, self.nodes_left);
        let nodes = converter.page(&placed.page.id.to_string(), placed.level, slice::from_ref(node));
        self.nodes_left = converter.nodes_left();
        let nodes = nodes.map_err(|TooLarge| BookError::Refused(TOO_MUCH_TEXT))?;
        nodes
            .iter()
            .try_for_each(|node| frame.push(node))
            .map_err(ApiError::from)?;
        match frame.bytes() <= self.bytes_left {
            true => Ok(()),
            false => Err(BookError::Refused(TOO_MUCH_TEXT)),
        }
    }

    /// Loads what texts name: reusable contents, what those name, and people.
    async fn load_missing(&mut self) -> Result<(), BookError> {
        for _ in 0..MAX_ROUNDS {
            let missing = std::mem::take(&mut self.resolver.missing);
            if missing.is_empty() {
                break;
            }
            for id in missing.reusable_contents {
                self.load_reusable_content(id).await?;
            }
            let authoring = self.reader.authoring;
            let people = members::Entity::find()
                .filter(members::Column::OrganizationId.eq(self.organization))
                .filter(members::Column::UserId.is_in(missing.people))
                .find_also_related(users::Entity)
                .all(authoring.kernel.db.read())
                .await?;
            let people = people.into_iter().filter_map(|(_, user)| user);
            self.resolver
                .people
                .extend(people.map(|user| (user.id, user.display_name)));
        }
        Ok(())
    }

    async fn load_reusable_content(&mut self, id: ReusableContentId) -> Result<(), BookError> {
        let Some(mut text) = self.reader.printed_reusable_content(id).await? else {
            return Ok(());
        };
        let (authoring, mut nodes, mut outcome) = (self.reader.authoring, Vec::new(), Ok(()));
        let mut keep = |node: Value| {
            if outcome.is_ok() {
                outcome = self.take_reused(&node);
                self.resolver.note(&node);
                nodes.push(node);
            }
        };
        text.for_each_node(&authoring.kernel.work, &mut keep).await?;
        outcome?;
        self.resolver.reusable_contents.insert(id.to_string(), nodes);
        Ok(())
    }

    fn take_reused(&mut self, node: &Value) -> Result<(), BookError> {
        let bytes = serde_json::to_vec(node).map_err(ApiError::from)?.len();
        let left = self.reused_left.checked_sub(bytes);
        self.reused_left = left.ok_or(BookError::Refused(TOO_MUCH_TEXT))?;
        Ok(())
    }
}

/// The blobs of the images that the space holds.
async fn images(
    kernel: &Kernel,
    resolver: &BookResolver,
) -> Result<(Vec<blobs::StoredBlob>, Vec<ImageSource>), BookError> {
    let (mut found, mut sources) = (Vec::new(), Vec::new());
    for (number, file) in resolver.images.iter().enumerate() {
        let blob = blobs::find(kernel.db.read(), resolver.space, file.blob).await?;
        if let Some(blob) = blob {
            let (name, size) = (number.to_string(), blob.size);
            sources.push(ImageSource { name, size });
            found.push(blob);
        }
    }
    Ok((found, sources))
}
