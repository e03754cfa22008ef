//! Parsing the changes of a request, as far as possible without the content of the space.

use std::{sync::Arc, time::Instant};

use content::pages::File;
use entity::ids::{NodeId, OrganizationId, PageId, RevisionId};
use futures_util::{StreamExt, TryStreamExt, stream};
use openapi::{
    error::{ApiError, ErrorRule},
    models::{
        ContentChange, EditPage, FileFromAddress, FileFromBytes, FileToInsert, InsertComputedPages, InsertPage,
        TextBody, UpdateContent,
    },
};
use rich_text::{
    BlockCondition, BlockLanguages, DocumentError, DocumentLimits, FrontMatter, IdPathResolver,
    page_source::{PageSource, title_text},
};
use validator::Validate;

use super::{
    fields::PageFields,
    parsed::{ChangeRefs, InvalidCondition, PageHeading, PageText, ParsedChange},
};

use crate::{
    areas::{
        authoring::editor::uploads::{self, Upload, UploadSource, Uploader},
        content::Contents,
    },
    kernel::{Kernel, conditions},
};

/// The number of files of one request that are fetched in parallel.
const FETCH_CONCURRENCY: usize = 4;

/// The parsed changes of a request, with ids for inserted pages and files.
#[derive(Debug, Clone, Default)]
pub struct ParsedChanges {
    pub changes: Vec<ParsedChange>,
    pub refs: ChangeRefs,
}

impl ParsedChanges {
    /// The uploaded files in the order of the request.
    pub fn files(&self) -> impl Iterator<Item = &File> {
        let files = self.changes.iter().filter_map(|parsed_change| match parsed_change {
            ParsedChange::Files(files) => Some(files),
            _ => None,
        });
        files.flatten()
    }

    /// The most bytes of texts that applying the changes goes over. The text of a page whose blocks are reverted is not known yet.
    pub fn text_bytes(&self) -> usize {
        let of_change = |change: &ParsedChange| match change {
            ParsedChange::Insert { text, .. } | ParsedChange::Edit { text: Some(text), .. } => text.markdown.len(),
            ParsedChange::Revert { blocks: Some(_), .. } => DocumentLimits::MAX_BYTES,
            _ => 0,
        };
        self.changes.iter().map(of_change).sum()
    }

    /// The revisions that changes name as the source of a revert.
    pub fn revisions(&self) -> impl Iterator<Item = RevisionId> {
        self.changes.iter().filter_map(|parsed_change| match parsed_change {
            ParsedChange::Revert { revision, .. } => *revision,
            _ => None,
        })
    }
}

pub async fn parse_changes(
    contents: &Contents,
    (space, uploader): (NodeId, Uploader),
    body: UpdateContent,
) -> Result<ParsedChanges, ApiError> {
    let organization = uploader.organization;
    let languages = match body.changes.iter().any(has_nodes) {
        true => contents.integrations.languages(space).await?,
        false => Arc::default(),
    };
    let mut parsed = ParsedChanges::default();
    let until = Instant::now() + uploads::FETCH_TIMEOUT;
    for (index, change) in body.changes.into_iter().enumerate() {
        let at = format!("/body/changes/{index}");
        let parsed_change = match change {
            ContentChange::InsertPage(change) => {
                insert((&contents.kernel, &languages), &mut parsed.refs, &at, change).await?
            }
            ContentChange::InsertComputedPages(change) => {
                insert_computed(contents, (space, organization), &mut parsed.refs, &at, change).await?
            }
            ContentChange::EditPage(change) => edit((contents, &languages), (space, organization), &at, change).await?,
            ContentChange::DeletePage(change) => ParsedChange::Delete { page: change.page },
            ContentChange::RevertPage(change) => ParsedChange::Revert {
                page: change.page,
                revision: change.revision.map(|id| revision(&at, &id)).transpose()?,
                blocks: change.block,
            },
            ContentChange::InsertFiles(change) => {
                files(&contents.kernel, uploader, &mut parsed.refs, &at, change.files, until).await?
            }
        };
        parsed.changes.push(parsed_change);
    }
    Ok(parsed)
}

/// Returns whether a change has a text in nodes.
fn has_nodes(change: &ContentChange) -> bool {
    match change {
        ContentChange::InsertPage(change) => matches!(change.document, TextBody::DocumentText(_)),
        ContentChange::EditPage(change) => matches!(change.document, Some(TextBody::DocumentText(_))),
        _ => false,
    }
}

fn revision(at: &str, id: &str) -> Result<RevisionId, ApiError> {
    id.parse().map_err(|_| unknown(&format!("{at}/revision"), "revision"))
}

/// The error for a member that names something that does not exist.
pub(super) fn unknown(pointer: &str, what: &str) -> ApiError {
    ApiError::invalid_member(
        pointer,
        ErrorRule::Unknown,
        format!("The content has no {what} with this id."),
    )
}

async fn insert(
    (kernel, languages): (&Kernel, &Arc<BlockLanguages>),
    refs: &mut ChangeRefs,
    at: &str,
    change: InsertPage,
) -> Result<ParsedChange, ApiError> {
    let fields = PageFields::of_insert(&change);
    conditions::require(
        &format!("{at}/condition"),
        ErrorRule::Condition,
        fields.condition.as_deref(),
    )?;
    let (text, fields) = with_text((kernel, languages), at, fields, change.document).await?;
    let id: PageId = kernel.ids.next();
    if let Some(name) = &change.r#ref {
        require_unused_ref(refs, at, name)?;
        refs.pages.insert(name.clone(), id);
    }
    Ok(ParsedChange::Insert {
        id,
        fields,
        text,
        into: change.into,
        at: change.at.map(index),
        name: change.r#ref,
    })
}

async fn insert_computed(
    contents: &Contents,
    of: (NodeId, OrganizationId),
    refs: &mut ChangeRefs,
    at: &str,
    change: InsertComputedPages,
) -> Result<ParsedChange, ApiError> {
    let pointer = format!("{at}/computed");
    let (title, pages) = contents.known_pages(of, &pointer, change.computed).await?;
    let fields = PageFields {
        title: Some(change.title.unwrap_or(title)),
        slug: change.slug,
        ..PageFields::default()
    };
    let id: PageId = contents.kernel.ids.next();
    if let Some(name) = &change.r#ref {
        require_unused_ref(refs, at, name)?;
        refs.pages.insert(name.clone(), id);
    }
    Ok(ParsedChange::InsertComputed {
        id,
        fields,
        source: Box::new(pages),
        into: change.into,
        at: change.at.map(index),
        name: change.r#ref,
    })
}

async fn edit(
    (contents, languages): (&Contents, &Arc<BlockLanguages>),
    of: (NodeId, OrganizationId),
    at: &str,
    change: EditPage,
) -> Result<ParsedChange, ApiError> {
    let mut fields = PageFields::of_edit(&change);
    conditions::require(
        &format!("{at}/condition"),
        ErrorRule::Condition,
        fields.condition.as_deref(),
    )?;
    let mut text = None;
    if let Some(document) = change.document {
        let (read, merged) = with_text((&contents.kernel, languages), at, fields, document).await?;
        (text, fields) = (Some(read), merged);
    }
    let mut source = None;
    if let Some(computed) = change.computed {
        let (_, pages) = contents.known_pages(of, &format!("{at}/computed"), computed).await?;
        source = Some(Box::new(pages));
    }
    Ok(ParsedChange::Edit {
        page: change.page,
        fields,
        text,
        source,
        into: change.into,
        at: change.at.map(index),
    })
}

fn index(at: u32) -> usize {
    usize::try_from(at).unwrap_or(usize::MAX)
}

fn require_unused_ref(refs: &ChangeRefs, at: &str, name: &str) -> Result<(), ApiError> {
    match refs.pages.contains_key(name) || refs.files.contains_key(name) {
        true => Err(used_ref(at)),
        false => Ok(()),
    }
}

fn used_ref(at: &str) -> ApiError {
    let message = "Something before it in the request already has this `ref`.";
    ApiError::invalid_member(format!("{at}/ref"), ErrorRule::Unique, message)
}

/// The text of a change, and its fields merged with the front matter.
async fn with_text(
    (kernel, languages): (&Kernel, &Arc<BlockLanguages>),
    at: &str,
    fields: PageFields,
    body: TextBody,
) -> Result<(PageText, PageFields), ApiError> {
    let pointer = format!("{at}/document");
    let bytes = match &body {
        TextBody::MarkdownText(text) => text.markdown.len(),
        TextBody::DocumentText(text) => rich_text::text_bytes(&text.document),
        TextBody::EmptyText(_) => 0,
    };
    let (at_text, languages) = (pointer.clone(), Arc::clone(languages));
    let text = kernel.work.run(bytes, move || text(&at_text, body, &languages)).await?;
    let mut text = text.map_err(|(member, refusal)| refused(&format!("{pointer}/{member}"), refusal))?;
    text.invalid.extend(invalid_condition_of_page(&pointer, &text.front));
    let fields = fields.overridden_by(&text.front);
    let title = fields.title.as_ref().or(text.title()).cloned();
    check(
        &pointer,
        &PageFields {
            title,
            ..fields.clone()
        },
    )?;
    Ok((text, fields))
}

/// Parses a text of another server. A condition that cannot be parsed stays, and holds for nobody.
pub async fn copied_text(contents: &Contents, space: NodeId, body: TextBody) -> Result<PageText, ApiError> {
    let languages = contents.integrations.languages(space).await?;
    let parsed = with_text((&contents.kernel, &languages), "", PageFields::default(), body).await;
    parsed.map(|(text, _)| text)
}

fn text(pointer: &str, body: TextBody, languages: &BlockLanguages) -> Result<PageText, (&'static str, DocumentError)> {
    match body {
        TextBody::EmptyText(_) => Ok(PageText::default()),
        TextBody::MarkdownText(text) => {
            let pointer = format!("{pointer}/markdown");
            parse_markdown(&pointer, &text.markdown).map_err(|refusal| ("markdown", refusal))
        }
        TextBody::DocumentText(mut text) => {
            languages.write_in(&mut text.document);
            let limits = DocumentLimits::of_new_texts();
            let markdown = rich_text::render_with(&text.document, &limits, &IdPathResolver);
            let markdown = markdown.map_err(|refusal| ("document", refusal))?;
            let invalid = rich_text::invalid_conditions(&text.document, &is_valid);
            Ok(PageText {
                markdown: markdown.trim_end_matches('\n').to_owned(),
                invalid: refusals(&format!("{pointer}/document"), invalid),
                ..PageText::default()
            })
        }
    }
}

fn is_valid(condition: &str) -> bool {
    conditions::problem(condition).is_none()
}

fn refusals(pointer: &str, invalid: Vec<BlockCondition>) -> Vec<InvalidCondition> {
    let refusal = |it: BlockCondition| InvalidCondition {
        message: conditions::problem_of_block(&it.expression).unwrap_or_default(),
        pointer: format!("{pointer}{}", it.pointer),
        rule: ErrorRule::Condition,
        expression: it.expression,
    };
    invalid.into_iter().map(refusal).collect()
}

fn invalid_condition_of_page(pointer: &str, front: &FrontMatter) -> Option<InvalidCondition> {
    let expression = front.condition.clone()?;
    Some(InvalidCondition {
        message: conditions::problem(&expression)?,
        pointer: pointer.to_owned(),
        rule: ErrorRule::FrontMatter,
        expression,
    })
}

/// Parses a Markdown file: front matter, title and text.
fn parse_markdown(pointer: &str, markdown: &str) -> Result<PageText, DocumentError> {
    let markdown = markdown.replace("\r\n", "\n").replace('\r', "\n");
    let page = PageSource::split(&markdown);
    let front = page.front_matter.map(FrontMatter::parse).transpose()?;
    let limits = DocumentLimits::of_new_texts();
    let invalid = rich_text::check_with_conditions(page.body, &limits, &is_valid)?;
    Ok(PageText {
        invalid: refusals(pointer, invalid),
        ..page_text(&page, front.unwrap_or_default())
    })
}

/// Parses the text of an imported page below its front matter: a condition that cannot be parsed stays, and holds for nobody.
/// The text has no carriage returns.
pub fn parse_text(page: &PageSource<'_>, front: FrontMatter) -> Result<PageText, DocumentError> {
    let invalid = rich_text::check_with_conditions(page.body, &DocumentLimits::of_new_texts(), &is_valid)?;
    Ok(PageText {
        invalid: refusals("", invalid),
        ..page_text(page, front)
    })
}

fn page_text(page: &PageSource<'_>, front: FrontMatter) -> PageText {
    PageText {
        markdown: page.body.trim_matches('\n').to_owned(),
        heading: page.title.map(heading).filter(|heading| !heading.words.is_empty()),
        front,
        has_names: true,
        invalid: Vec::new(),
    }
}

fn heading(markdown: &str) -> PageHeading {
    PageHeading {
        markdown: markdown.to_owned(),
        words: title_text(markdown),
    }
}

fn refused(pointer: &str, refusal: DocumentError) -> ApiError {
    ApiError::invalid_member(format!("{pointer}{}", refusal.pointer), refusal.code, refusal.message)
}

/// Front matter and headings have the same limits as the members of the request.
fn check(pointer: &str, fields: &PageFields) -> Result<(), ApiError> {
    let broken = invalid_members(fields);
    if broken.is_empty() {
        return Ok(());
    }
    let message = format!(
        "The text and its front matter violate the limits of these members: {}.",
        broken.join(", ")
    );
    Err(ApiError::invalid_member(pointer, ErrorRule::FrontMatter, message))
}

/// The names of the members that violate a limit.
pub fn invalid_members(fields: &PageFields) -> Vec<String> {
    let Err(errors) = fields.to_edit().validate() else {
        return Vec::new();
    };
    let mut names: Vec<String> = errors.errors().keys().map(ToString::to_string).collect();
    names.sort_unstable();
    names
}

async fn files(
    kernel: &Kernel,
    uploader: Uploader,
    refs: &mut ChangeRefs,
    at: &str,
    files: Vec<FileToInsert>,
    until: Instant,
) -> Result<ParsedChange, ApiError> {
    let mut uploads = Vec::with_capacity(files.len());
    for (index, file) in files.into_iter().enumerate() {
        let at = format!("{at}/files/{index}");
        let (upload, name) = upload(file);
        if let Some(name) = &name {
            require_unused_ref(refs, &at, name)?;
        }
        if name.is_some() && uploads.iter().any(|(_, _, before)| *before == name) {
            return Err(used_ref(&at));
        }
        uploads.push((upload, at, name));
    }
    let taken = stream::iter(uploads).map(|(upload, at, name)| async move {
        let file = uploads::store_upload(kernel, uploader, upload, &at, until).await?;
        Ok::<_, ApiError>((file, name))
    });
    let taken: Vec<(File, Option<String>)> = taken.buffered(FETCH_CONCURRENCY).try_collect().await?;
    let taken = taken.into_iter().map(|(file, name)| {
        if let Some(name) = name {
            refs.files.insert(name, file.id);
        }
        file
    });
    Ok(ParsedChange::Files(taken.collect()))
}

/// What a request says about a file, and the name for links to the file.
fn upload(file: FileToInsert) -> (Upload, Option<String>) {
    match file {
        FileToInsert::FileFromAddress(FileFromAddress {
            url,
            name,
            content_type,
            r#ref,
        }) => {
            let source = UploadSource::Url { url, content_type };
            (Upload { name, source }, r#ref)
        }
        FileToInsert::FileFromBytes(FileFromBytes {
            base64,
            name,
            content_type,
            r#ref,
        }) => {
            let source = UploadSource::Base64 {
                text: base64,
                content_type,
            };
            (Upload { name, source }, r#ref)
        }
    }
}
