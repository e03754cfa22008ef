//! From a book to its PDF.

use std::{collections::HashMap, fmt};

use serde_json::{Value, json};
use typst::{
    Library, LibraryExt, World,
    diag::{FileError, FileResult, SourceDiagnostic},
    foundations::{Bytes, Datetime, Duration, Smart},
    syntax::{FileId, RootedPath, Source, VirtualPath, VirtualRoot},
    text::{Font, FontBook},
    utils::LazyHash,
};
use typst_kit::fonts::FontStore;
use typst_layout::PagedDocument;
use typst_pdf::PdfOptions;

use crate::{Book, images};

const TEMPLATE: &str = include_str!("template.typ");

/// A typeset book.
#[derive(Clone, Debug)]
pub struct Typeset {
    pub pdf: Vec<u8>,
    pub pages: usize,
}

/// The typesetter refused a book. The template takes every book, so this is a mistake of the template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypesetError(String);

impl fmt::Display for TypesetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot typeset the book: {}", self.0)
    }
}

impl std::error::Error for TypesetError {}

/// Makes the PDF of a book with the bytes of its images. If images are in the way, their words take their places.
pub fn typeset(book: Book, images: Vec<Bytes>, fonts: FontStore) -> Result<Typeset, TypesetError> {
    if images.is_empty() {
        return make(&BookWorld::new(book, images, fonts)?);
    }
    let world = BookWorld::new(book.clone(), images, fonts)?;
    make(&world).or_else(|_| make(&BookWorld::new(book, Vec::new(), world.fonts)?))
}

fn make(world: &BookWorld) -> Result<Typeset, TypesetError> {
    let document = typst::compile::<PagedDocument>(world)
        .output
        .map_err(|found| refused(&found))?;
    let options = PdfOptions {
        creator: Smart::Custom(Some("Bindery".to_owned())),
        ..PdfOptions::default()
    };
    let pdf = typst_pdf::pdf(&document, &options).map_err(|found| refused(&found))?;
    Ok(Typeset {
        pdf,
        pages: document.pages().len(),
    })
}

fn refused(found: &[SourceDiagnostic]) -> TypesetError {
    let messages: Vec<&str> = found.iter().take(5).map(|it| it.message.as_str()).collect();
    TypesetError(messages.join("; "))
}

/// What the typesetter may read: the template, the book, and its images.
struct BookWorld {
    library: LazyHash<Library>,
    fonts: FontStore,
    template: Source,
    files: HashMap<FileId, Bytes>,
}

impl BookWorld {
    fn new(mut book: Book, images: Vec<Bytes>, fonts: FontStore) -> Result<Self, TypesetError> {
        let (mut sizes, mut files) = (HashMap::new(), HashMap::new());
        for (source, bytes) in book.images.iter().zip(images) {
            if let Some(size) = images::read(&bytes) {
                sizes.insert(source.name.clone(), size);
                files.insert(file(&format!("/images/{}", source.name))?, bytes);
            }
        }
        for page in &mut book.pages {
            page.nodes.iter_mut().for_each(|node| images::set_sizes(node, &sizes));
        }
        let labels = book.take_labels();
        let failed = |error: serde_json::Error| TypesetError(error.to_string());
        let mut data = serde_json::to_value(&book).map_err(failed)?;
        if let Some(data) = data.as_object_mut() {
            data.insert("labels".to_owned(), json!(labels));
            data.insert("images".to_owned(), Value::Null);
        }
        let data = serde_json::to_vec(&data).map_err(failed)?;
        files.insert(file("/book.json")?, Bytes::new(data));
        Ok(Self {
            library: LazyHash::new(Library::default()),
            fonts,
            template: Source::new(file("/template.typ")?, TEMPLATE.to_owned()),
            files,
        })
    }
}

fn file(path: &str) -> Result<FileId, TypesetError> {
    let path = VirtualPath::new(path).map_err(|error| TypesetError(error.to_string()))?;
    Ok(RootedPath::new(VirtualRoot::Project, path).intern())
}

impl World for BookWorld {
    fn library(&self) -> &LazyHash<Library> {
        &self.library
    }

    fn book(&self) -> &LazyHash<FontBook> {
        self.fonts.book()
    }

    fn main(&self) -> FileId {
        self.template.id()
    }

    fn source(&self, id: FileId) -> FileResult<Source> {
        match id == self.template.id() {
            true => Ok(self.template.clone()),
            false => Err(FileError::AccessDenied),
        }
    }

    fn file(&self, id: FileId) -> FileResult<Bytes> {
        self.files.get(&id).cloned().ok_or(FileError::AccessDenied)
    }

    fn font(&self, index: usize) -> Option<Font> {
        self.fonts.font(index)
    }

    /// A PDF does not depend on the day on which it is made.
    fn today(&self, _: Option<Duration>) -> Option<Datetime> {
        None
    }
}
