//! Reading the changes of a request: all that needs no content of the space.

use std::time::Instant;

use content::pages::File;
use entity::ids::{PageId, RevisionId};
use futures_util::{StreamExt, TryStreamExt, stream};
use openapi::{
    error::ApiError,
    models::{ContentChange, EditPage, FileToInsert, InsertPage, TextBody, UpdateContent},
};
use rich_text::{DocumentError, DocumentLimits, FrontMatter, IdPathResolver, page_source::PageSource};
use validator::Validate;

use super::{
    fields::Fields,
    steps::{Heading, Names, Step, Text},
};
use crate::{
    app::App,
    areas::authoring::editor::uploads::{self, Source, Upload},
};

/// Files of a request that are fetched at the same time.
const AT_ONCE: usize = 4;

/// The changes of a request, with ids for what they add.
#[derive(Debug, Clone, Default)]
pub struct Prepared {
    pub steps: Vec<Step>,
    pub names: Names,
}

impl Prepared {
    /// What was uploaded, in the order of the request.
    pub fn files(&self) -> impl Iterator<Item = &File> {
        let files = self.steps.iter().filter_map(|step| match step {
            Step::Files(files) => Some(files),
            _ => None,
        });
        files.flatten()
    }

    /// The revisions that pages are to be reverted to.
    pub fn revisions(&self) -> impl Iterator<Item = RevisionId> {
        self.steps.iter().filter_map(|step| match step {
            Step::Revert { revision, .. } => *revision,
            _ => None,
        })
    }
}

pub async fn prepare(app: &App, body: UpdateContent) -> Result<Prepared, ApiError> {
    let mut prepared = Prepared::default();
    let until = Instant::now() + uploads::FETCH_TIME;
    for (index, change) in body.changes.into_iter().enumerate() {
        let at = format!("/body/changes/{index}");
        let step = match change {
            ContentChange::InsertPage(change) => insert(app, &mut prepared.names, &at, change).await?,
            ContentChange::EditPage(change) => edit(&at, change).await?,
            ContentChange::DeletePage(change) => Step::Delete { page: change.page },
            ContentChange::RevertPage(change) => Step::Revert {
                page: change.page,
                revision: change.revision.map(|id| revision(&at, &id)).transpose()?,
                blocks: change.block,
            },
            ContentChange::InsertFiles(change) => files(app, &mut prepared.names, &at, change.files, until).await?,
        };
        prepared.steps.push(step);
    }
    Ok(prepared)
}

fn revision(at: &str, id: &str) -> Result<RevisionId, ApiError> {
    id.parse().map_err(|_| unknown(&format!("{at}/revision"), "revision"))
}

/// Something that a change names is not there.
pub(super) fn unknown(pointer: &str, what: &str) -> ApiError {
    ApiError::invalid_member(pointer, "unknown", format!("There is no such {what}."))
}

async fn insert(app: &App, names: &mut Names, at: &str, change: InsertPage) -> Result<Step, ApiError> {
    let fields = Fields::of_insert(&change);
    let (text, fields) = with_text(at, fields, change.document).await?;
    let id: PageId = app.ids.next();
    if let Some(name) = &change.r#ref {
        once(names, at, name)?;
        names.pages.insert(name.clone(), id);
    }
    Ok(Step::Insert {
        id,
        fields,
        text,
        into: change.into,
        at: change.at.map(index),
        name: change.r#ref,
    })
}

async fn edit(at: &str, change: EditPage) -> Result<Step, ApiError> {
    let mut fields = Fields::of_edit(&change);
    let mut text = None;
    if let Some(document) = change.document {
        let (read, merged) = with_text(at, fields, document).await?;
        (text, fields) = (Some(read), merged);
    }
    Ok(Step::Edit {
        page: change.page,
        fields,
        text,
        into: change.into,
        at: change.at.map(index),
    })
}

fn index(at: u32) -> usize {
    usize::try_from(at).unwrap_or(usize::MAX)
}

fn once(names: &Names, at: &str, name: &str) -> Result<(), ApiError> {
    if names.pages.contains_key(name) || names.files.contains_key(name) {
        let message = "Another change of the request has this name already.";
        return Err(ApiError::invalid_member(format!("{at}/ref"), "unique", message));
    }
    Ok(())
}

/// The text of a change, and what the change says about the page together with the front matter.
async fn with_text(at: &str, fields: Fields, body: TextBody) -> Result<(Text, Fields), ApiError> {
    let pointer = format!("{at}/document");
    // Long texts would keep a thread from serving others.
    let read = tokio::task::spawn_blocking(move || text(body));
    let text = read.await?;
    let text = text.map_err(|(member, refusal)| refused(&format!("{pointer}/{member}"), refusal))?;
    let fields = fields.under(&text.front);
    let title = fields.title.as_ref().or(text.title()).cloned();
    check(
        &pointer,
        &Fields {
            title,
            ..fields.clone()
        },
    )?;
    Ok((text, fields))
}

fn text(body: TextBody) -> Result<Text, (&'static str, DocumentError)> {
    match (body.markdown, body.document) {
        (None, None) => Ok(Text::default()),
        (Some(markdown), None) => of_markdown(&markdown).map_err(|refusal| ("markdown", refusal)),
        (None, Some(document)) => {
            let markdown = rich_text::render_with(&document, &DocumentLimits::default(), &IdPathResolver);
            let markdown = markdown.map_err(|refusal| ("document", refusal))?;
            Ok(Text {
                markdown: markdown.trim_end_matches('\n').to_owned(),
                ..Text::default()
            })
        }
        (Some(_), Some(_)) => {
            let message = "May not be sent together with `document`.";
            Err(("markdown", DocumentError::new("", "exclusive", message)))
        }
    }
}

/// Takes apart what people keep in files.
pub fn of_markdown(markdown: &str) -> Result<Text, DocumentError> {
    let markdown = markdown.replace("\r\n", "\n");
    let page = PageSource::split(&markdown);
    let front = page
        .front_matter
        .map(FrontMatter::parse)
        .transpose()?
        .unwrap_or_default();
    rich_text::parse(page.body, &DocumentLimits::default())?;
    Ok(Text {
        markdown: page.body.trim_matches('\n').to_owned(),
        heading: page.title.map(heading).filter(|heading| !heading.words.is_empty()),
        front,
        has_names: true,
    })
}

fn heading(markdown: &str) -> Heading {
    let read =
        rich_text::parse(markdown, &DocumentLimits::default()).map(|document| rich_text::extract_sections(&document));
    let words: Vec<String> = read
        .unwrap_or_default()
        .into_iter()
        .map(|section| section.body)
        .collect();
    let words = words.join(" ");
    Heading {
        markdown: markdown.to_owned(),
        words: if words.is_empty() {
            markdown.trim().to_owned()
        } else {
            words
        },
    }
}

fn refused(pointer: &str, refusal: DocumentError) -> ApiError {
    ApiError::invalid_member(format!("{pointer}{}", refusal.pointer), refusal.code, refusal.message)
}

/// What front matter and a heading say has the same limits as the members of the request.
fn check(pointer: &str, fields: &Fields) -> Result<(), ApiError> {
    let broken = broken_rules(fields);
    if broken.is_empty() {
        return Ok(());
    }
    let message = format!(
        "The text, with its front matter, breaks the rules for {}.",
        broken.join(", ")
    );
    Err(ApiError::invalid_member(pointer, "front-matter", message))
}

/// The members that say more than they may.
pub fn broken_rules(fields: &Fields) -> Vec<String> {
    let Fields {
        title,
        slug,
        emoji,
        icon,
        description,
        hidden,
        no_index,
        no_robots_index,
        condition,
    } = fields.clone();
    let all = EditPage {
        operation: Default::default(),
        page: String::new(),
        title,
        slug,
        emoji,
        icon,
        description,
        hidden,
        no_index,
        no_robots_index,
        condition,
        document: None,
        into: openapi::values::Maybe::Absent,
        at: None,
    };
    let Err(errors) = all.validate() else {
        return Vec::new();
    };
    let mut names: Vec<String> = errors.errors().keys().map(ToString::to_string).collect();
    names.sort_unstable();
    names
}

async fn files(
    app: &App,
    names: &mut Names,
    at: &str,
    files: Vec<FileToInsert>,
    until: Instant,
) -> Result<Step, ApiError> {
    let mut uploads = Vec::with_capacity(files.len());
    for (index, file) in files.into_iter().enumerate() {
        let at = format!("{at}/files/{index}");
        let name = file.r#ref.clone();
        if let Some(name) = &name {
            once(names, &at, name)?;
        }
        uploads.push((upload(&at, file)?, at, name));
    }
    let taken = stream::iter(uploads).map(|(upload, at, name)| async move {
        let file = uploads::take(app, upload, &at, until).await?;
        Ok::<_, ApiError>((file, name))
    });
    let taken: Vec<(File, Option<String>)> = taken.buffered(AT_ONCE).try_collect().await?;
    let taken = taken.into_iter().map(|(file, name)| {
        if let Some(name) = name {
            names.files.insert(name, file.id);
        }
        file
    });
    Ok(Step::Files(taken.collect()))
}

fn upload(at: &str, file: FileToInsert) -> Result<Upload, ApiError> {
    let source = match (file.url, file.base64) {
        (Some(url), None) => Source::Url(url),
        (None, Some(base64)) => Source::Base64(base64),
        (Some(_), Some(_)) | (None, None) => {
            let message = "Needs either `url` or `base64`.";
            return Err(ApiError::invalid_member(at, "exclusive", message));
        }
    };
    Ok(Upload {
        name: file.name,
        source,
        content_type: file.content_type,
    })
}
