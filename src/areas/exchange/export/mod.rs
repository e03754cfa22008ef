//! The content of a revision as files: Markdown, a table of contents, and the files of pages, in the layout that the import reads.
//!
//! What stands in a file is a pure function of the content, so that the difference of two revisions is a difference of files.

pub mod links;
mod paths;
mod summary;
mod variables;
pub mod write;

use std::collections::{BTreeMap, HashMap};

use content::{
    objects::{Content, Hash},
    pages::{self, File, Forest, Page, PageContent, Pages, ReusableContent, Snapshot, Variable},
};
use openapi::error::ApiError;
use rich_text::{FrontMatter, page_source::title_line};
use sea_orm::ConnectionTrait;

pub use self::paths::{KnownPaths, Paths};
use self::{paths::Assets, summary::Summary};

/// The table of contents.
pub const SUMMARY: &str = "SUMMARY.md";
/// The variables of the space.
pub const VARIABLES: &str = ".gitbook/vars.yaml";

/// The pages, files and shared contents of a revision, with their paths; without their texts.
pub struct Exported {
    parts: Parts,
    paths: Paths,
}

/// What stands at a path.
#[derive(Debug, Clone, PartialEq)]
pub enum ExportedFile {
    Summary,
    Variables,
    Page(Box<Page>),
    ReusableContent(ReusableContent),
    Asset(File),
}

impl ExportedFile {
    /// The stored text that the file has, besides what other files say.
    pub fn document(&self) -> Option<Hash> {
        match self {
            Self::Page(page) => page.document(),
            Self::ReusableContent(content) => content.document,
            Self::Summary | Self::Variables | Self::Asset(_) => None,
        }
    }
}

/// The same, before they have paths.
pub struct Parts {
    forest: Forest,
    contents: Vec<ReusableContent>,
    files: Vec<File>,
    variables: Vec<Variable>,
}

impl Parts {
    pub async fn load<C: ConnectionTrait>(content: &mut Content<'_, C>, snapshot: Snapshot) -> Result<Self, ApiError> {
        let found = content.run(|objects| {
            let pages = Pages::of(objects, snapshot);
            let (forest, files) = (pages.forest(), pages.files_after(None, usize::MAX));
            let (contents, variables) = (pages.all_reusable_contents(), pages.stored_variables());
            Ok((forest?, files?, contents?, variables?))
        });
        let (forest, files, contents, mut variables) = found.await?;
        variables.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(Self {
            forest,
            contents,
            files,
            variables,
        })
    }

    pub fn pages(&self) -> impl Iterator<Item = &Page> {
        self.forest.pages()
    }
}

impl Exported {
    /// Gives paths to the parts of a revision. Objects with known paths keep them.
    pub fn new(parts: Parts, known: &KnownPaths) -> Self {
        let assets = Assets {
            files: &parts.files,
            contents: &parts.contents,
        };
        Self {
            paths: Paths::of(&parts.forest, &assets, known),
            parts,
        }
    }

    pub fn paths(&self) -> &Paths {
        &self.paths
    }

    /// All files by their paths.
    pub fn files(&self) -> BTreeMap<String, ExportedFile> {
        let mut all = BTreeMap::from([(SUMMARY.to_owned(), ExportedFile::Summary)]);
        if !self.parts.variables.is_empty() {
            all.insert(VARIABLES.to_owned(), ExportedFile::Variables);
        }
        for page in self.parts.forest.pages() {
            if let Some(path) = self.paths.page(page.id) {
                all.insert(path.to_owned(), ExportedFile::Page(Box::new(page.clone())));
            }
        }
        for content in &self.parts.contents {
            if let Some(path) = self.paths.content(content.id) {
                all.insert(path.to_owned(), ExportedFile::ReusableContent(content.clone()));
            }
        }
        for file in &self.parts.files {
            if let Some(path) = self.paths.file(file.id) {
                all.insert(path.to_owned(), ExportedFile::Asset(file.clone()));
            }
        }
        all
    }

    /// The text at a path; `stored` is that of [`ExportedFile::document`]. `None`: bytes of a file, which have no text.
    pub fn text(&self, path: &str, file: &ExportedFile, stored: &str) -> Option<String> {
        match file {
            ExportedFile::Summary => Some(Summary::new(&self.parts.forest, &self.paths, path).write()),
            ExportedFile::Variables => Some(variables::write(&self.parts.variables)),
            ExportedFile::Page(page) => Some(self.page(path, page, stored)),
            ExportedFile::ReusableContent(content) => {
                let front = FrontMatter {
                    title: Some(content.title.clone()),
                    ..FrontMatter::default()
                };
                Some(with_body(front.render(), links::relative(stored, path, &self.paths)))
            }
            ExportedFile::Asset(_) => None,
        }
    }

    fn page(&self, path: &str, page: &Page, stored: &str) -> String {
        let mut front = pages::front_matter(page);
        if let Some(cover) = &front.cover {
            front.cover = links::relative_file(cover, path, &self.paths).or(front.cover);
        }
        let file = front.render() + &title_line(&page.title) + "\n\n";
        with_body(file, links::relative(stored, path, &self.paths))
    }

    /// Whether a page is one whose text stands in a file.
    fn has_file(page: &Page) -> bool {
        matches!(page.content, PageContent::Document { .. })
    }
}

/// A text file ends with a line break.
fn with_body(mut file: String, body: String) -> String {
    file.push_str(body.trim_matches('\n'));
    let end = file.trim_end_matches('\n').len();
    file.truncate(end);
    file.push('\n');
    file
}

/// Texts, loaded at once.
pub async fn texts<C: ConnectionTrait>(
    content: &mut Content<'_, C>,
    hashes: Vec<Hash>,
) -> Result<HashMap<Hash, String>, ApiError> {
    let all = content.run(|objects| {
        let found = objects.all(&hashes)?.into_iter();
        Ok(found.map(|(hash, object)| (hash, object.text().to_owned())).collect())
    });
    let texts = all.await?;
    content.unload(&hashes);
    Ok(texts)
}
