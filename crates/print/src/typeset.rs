//! From a book to its PDF, or to a picture.

use std::{
    collections::{BTreeSet, HashMap},
    fmt,
    path::PathBuf,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use typst::{
    Library, LibraryExt, World,
    diag::{FileError, FileResult, SourceDiagnostic},
    foundations::{self, Bytes, Datetime, Smart},
    syntax::{FileId, RootedPath, Source, VirtualPath, VirtualRoot},
    text::{Font, FontBook},
    utils::LazyHash,
};
use typst_kit::fonts::FontStore;
use typst_layout::PagedDocument;
use typst_pdf::PdfOptions;
use typst_render::RenderOptions;

use crate::{
    Book,
    direction::{Direction, set_directions},
    fonts::{Families, fonts},
    images,
    labels::take_labels,
    math::{remove_formulas, set_formulas},
};

/// The time for reading images, most of which goes by for those that unpack to much more than their bytes. Words take the place of
/// the images that are left.
const MAX_IMAGE_TIME: Duration = Duration::from_secs(10);

const TEMPLATE: &str = include_str!("template.typ");

const CARD: &str = include_str!("card.typ");

/// A typeset book.
#[derive(Clone, Debug)]
pub struct Typeset {
    /// The PDF, or the PNG.
    pub file: Vec<u8>,
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

impl From<serde_json::Error> for TypesetError {
    fn from(error: serde_json::Error) -> Self {
        Self(error.to_string())
    }
}

/// Makes the PDF of a book, or a picture, with the bytes of its images, and with fonts of these folders as far as its texts need them. If
/// images or formulas are in the way, their words take their places.
pub fn typeset(book: Book, images: Vec<Bytes>, folders: &[PathBuf]) -> Result<Typeset, TypesetError> {
    let world = BookWorld::new(book, images, folders, MAX_IMAGE_TIME)?;
    make(&world).or_else(|_| make(&world.plain()?))
}

#[cfg(test)]
pub fn without_time_for_images(book: Book, images: Vec<Bytes>) -> Result<Typeset, TypesetError> {
    make(&BookWorld::new(book, images, &[], Duration::ZERO)?)
}

/// Fails where images or formulas are in the way.
#[cfg(test)]
pub fn as_it_is(book: Book, images: Vec<Bytes>, folders: &[PathBuf]) -> Result<Typeset, TypesetError> {
    make(&BookWorld::new(book, images, folders, MAX_IMAGE_TIME)?)
}

fn make(world: &BookWorld) -> Result<Typeset, TypesetError> {
    let document = typst::compile::<PagedDocument>(world)
        .output
        .map_err(|found| refused(&found))?;
    let file = match world.is_picture {
        true => picture(&document)?,
        false => pdf(&document)?,
    };
    Ok(Typeset {
        file,
        pages: document.pages().len(),
    })
}

fn pdf(document: &PagedDocument) -> Result<Vec<u8>, TypesetError> {
    let options = PdfOptions {
        creator: Smart::Custom(Some("Bindery".to_owned())),
        ..PdfOptions::default()
    };
    typst_pdf::pdf(document, &options).map_err(|found| refused(&found))
}

/// Two pixels for each point.
fn picture(document: &PagedDocument) -> Result<Vec<u8>, TypesetError> {
    let page = document.pages().first();
    let page = page.ok_or_else(|| TypesetError("there is no page".to_owned()))?;
    let drawn = typst_render::render(page, &RenderOptions::default());
    drawn.encode_png().map_err(|error| TypesetError(error.to_string()))
}

fn refused(found: &[SourceDiagnostic]) -> TypesetError {
    let messages: Vec<&str> = found.iter().take(5).map(|it| it.message.as_str()).collect();
    TypesetError(messages.join("; "))
}

/// The files of the typesetter: the template, the book, and its images.
struct BookWorld {
    library: LazyHash<Library>,
    fonts: FontStore,
    template: Source,
    book: FileId,
    files: HashMap<FileId, Bytes>,
    is_picture: bool,
}

impl BookWorld {
    fn new(
        mut book: Book,
        images: Vec<Bytes>,
        folders: &[PathBuf],
        image_time: Duration,
    ) -> Result<Self, TypesetError> {
        let began = Instant::now();
        let (mut sizes, mut files, mut characters) = (HashMap::new(), HashMap::new(), BTreeSet::new());
        for (source, bytes) in book.images.iter().zip(images) {
            let in_time = began.elapsed() < image_time;
            if let Some(size) = in_time.then(|| images::read(&bytes)).flatten() {
                // An SVG has texts.
                characters.extend(characters_of(&bytes));
                sizes.insert(source.name.clone(), size);
                files.insert(file(&format!("/images/{}", source.name))?, bytes);
            }
        }
        let direction = Direction::of_language(&book.language);
        for node in book.pages.iter_mut().flat_map(|page| &mut page.nodes) {
            images::set_sizes(node, &sizes);
            set_formulas(node);
            set_directions(node, direction);
        }
        let labels = take_labels(&mut book);
        for node in book.pages.iter_mut().flat_map(|page| &mut page.nodes) {
            shorten(node);
        }
        let families = Families::of(&book.language, book.region.as_deref());
        let is_picture = book.picture.is_some();
        let mut data = serde_json::to_value(&book)?;
        if let Some(data) = data.as_object_mut() {
            data.insert("labels".to_owned(), json!(labels));
            data.insert("families".to_owned(), json!(families));
            data.insert("images".to_owned(), Value::Null);
        }
        let data = serde_json::to_vec(&data)?;
        characters.extend(characters_of(&data));
        let book = file("/book.json")?;
        files.insert(book, Bytes::new(data));
        Ok(Self {
            library: LazyHash::new(Library::default()),
            fonts: fonts(folders, &families, &characters),
            template: Source::new(
                file("/template.typ")?,
                if is_picture { CARD } else { TEMPLATE }.to_owned(),
            ),
            book,
            files,
            is_picture,
        })
    }

    /// The book with words in the place of its images and formulas.
    fn plain(mut self) -> Result<Self, TypesetError> {
        let mut data: Value = serde_json::from_slice(self.files.get(&self.book).map_or(&[], Bytes::as_slice))?;
        images::set_sizes(&mut data, &HashMap::new());
        remove_formulas(&mut data);
        self.files = HashMap::from([(self.book, Bytes::new(serde_json::to_vec(&data)?))]);
        Ok(self)
    }
}

/// Makes strings of words without marks: the typesetter hashes each node many times.
fn shorten(node: &mut Value) {
    let is_plain = |name: &str| match node.get(name) {
        Some(Value::Array(marks)) => marks.is_empty(),
        value => value.and_then(Value::as_str) == Some(""),
    };
    let is_words = node.get("k").and_then(Value::as_str) == Some("t") && ["m", "c", "b"].into_iter().all(is_plain);
    match node {
        Value::Object(members) if is_words => *node = members.remove("v").unwrap_or_default(),
        Value::Object(members) => members.values_mut().for_each(shorten),
        Value::Array(items) => items.iter_mut().for_each(shorten),
        _ => {}
    }
}

/// The characters of a text beyond ASCII, which the fonts of the program have. None in other bytes.
fn characters_of(bytes: &[u8]) -> BTreeSet<char> {
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    text.chars().filter(|character| !character.is_ascii()).collect()
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
    fn today(&self, _: Option<foundations::Duration>) -> Option<Datetime> {
        None
    }
}
