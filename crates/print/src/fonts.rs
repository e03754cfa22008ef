//! Fonts: those of the program, and those of folders that a text needs beyond them.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::{Arc, LazyLock, OnceLock},
};

use fontdb::{Database, FaceInfo, ID, Source, Stretch, Style};
use serde::Serialize;
use ttf_parser::Face;
use typst::{
    foundations::Bytes,
    text::{Font, FontInfo},
};
use typst_kit::fonts::{FontSource, FontStore};

/// The families of a book by preference. A character comes from the first that has it, and else from any font.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Families {
    pub text: Vec<String>,
    pub code: Vec<String>,
}

impl Families {
    /// Chinese, Japanese and Korean share characters, and differ in their forms.
    pub fn of(language: &str, region: Option<&str>) -> Self {
        let han = match (language, region) {
            ("ja", _) => "JP",
            ("ko", _) => "KR",
            (_, Some("TW")) => "TC",
            (_, Some("HK")) => "HK",
            _ => "SC",
        };
        let named = |names: &[&str]| names.iter().map(|name| name.replace("{han}", han)).collect();
        Self {
            text: named(&[
                "Libertinus Serif",
                "Noto Serif",
                "Noto Serif CJK {han}",
                "Noto Sans CJK {han}",
                "Noto Naskh Arabic",
                "Noto Sans Arabic",
                "Noto Serif Hebrew",
                "Noto Color Emoji",
            ]),
            code: named(&[
                "DejaVu Sans Mono",
                "Noto Sans Mono",
                "Noto Sans Mono CJK {han}",
                "Noto Sans Arabic",
                "Noto Color Emoji",
            ]),
        }
    }
}

/// The files of the fonts of the program, which the build script chooses.
static FILES: &[&[u8]] = &include!(concat!(env!("OUT_DIR"), "/fonts.rs"));

/// The fonts of the program. Reading them takes time.
static EMBEDDED: LazyLock<Vec<(Font, FontInfo)>> = LazyLock::new(|| {
    let fonts = FILES.iter().flat_map(|bytes| Font::iter(Bytes::new(*bytes)));
    fonts.map(|font| (font.clone(), font.info().clone())).collect()
});

/// The fonts for these characters. Folders are searched only for characters that the fonts of the program lack: to read
/// all fonts of a computer takes seconds.
pub fn fonts(folders: &[PathBuf], families: &Families, characters: &BTreeSet<char>) -> FontStore {
    let mut store = FontStore::new();
    store.extend(EMBEDDED.iter().cloned());
    let has = |character: char| {
        EMBEDDED
            .iter()
            .any(|(_, info)| info.coverage.contains(character.into()))
    };
    let missing: BTreeSet<char> = characters
        .iter()
        .copied()
        .filter(|&character| is_visible(character) && !has(character))
        .collect();
    if missing.is_empty() {
        return store;
    }
    let mut found = Database::new();
    folders.iter().for_each(|folder| found.load_fonts_dir(folder));
    let mut files = BTreeMap::new();
    for id in choose(&found, families, &missing) {
        if let Some(font) = describe(&found, id, &mut files) {
            store.push(font);
        }
    }
    store
}

/// Returns whether a character needs a font.
fn is_visible(character: char) -> bool {
    !matches!(character,
        '\u{0}'..='\u{a0}' | '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{e000}'..='\u{f8ff}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff0}'..='\u{ffff}' | '\u{e0000}'..)
}

/// Chooses the families that have missing characters: for text and for code by preference, then any others.
fn choose(found: &Database, families: &Families, missing: &BTreeSet<char>) -> BTreeSet<ID> {
    let mut by_name: BTreeMap<&str, Vec<&FaceInfo>> = BTreeMap::new();
    for face in found.faces().filter(|face| is_usual(face)) {
        if let Some((name, _)) = face.families.first() {
            by_name.entry(name).or_default().push(face);
        }
    }
    let mut chosen = BTreeSet::new();
    let mut take = |name: &str, missing: &mut BTreeSet<char>| {
        let faces = by_name.get(name).map(Vec::as_slice).unwrap_or_default();
        let Some(regular) = faces
            .iter()
            .min_by_key(|face| (face.style != Style::Normal, face.weight.0.abs_diff(400)))
        else {
            return;
        };
        let before = missing.len();
        remove_covered(found, regular.id, missing);
        if missing.len() < before {
            chosen.extend(faces.iter().map(|face| face.id));
        }
    };
    let (mut of_text, mut of_code) = (missing.clone(), missing.clone());
    families.text.iter().for_each(|name| take(name, &mut of_text));
    families.code.iter().for_each(|name| take(name, &mut of_code));
    // The fonts of one maker fit together.
    let (noto, others): (Vec<&str>, Vec<&str>) = by_name.keys().partition(|name| name.starts_with("Noto "));
    for name in noto.into_iter().chain(others) {
        if of_text.is_empty() {
            break;
        }
        take(name, &mut of_text);
    }
    chosen
}

/// Returns whether a face is one of the four that a text uses.
fn is_usual(face: &FaceInfo) -> bool {
    face.stretch == Stretch::Normal && matches!(face.weight.0, 400 | 700)
}

fn remove_covered(found: &Database, id: ID, missing: &mut BTreeSet<char>) {
    found.with_face_data(id, |data, index| {
        if let Ok(face) = Face::parse(data, index) {
            missing.retain(|&character| face.glyph_index(character).is_none());
        }
    });
}

/// A font of a folder, which is read when a text uses it.
struct FontFile {
    file: Arc<File>,
    index: u32,
}

/// A file, which may have several fonts.
struct File {
    path: PathBuf,
    bytes: OnceLock<Option<Bytes>>,
}

impl File {
    fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            bytes: OnceLock::new(),
        }
    }
}

impl FontSource for FontFile {
    fn load(&self) -> Option<Font> {
        let read = || std::fs::read(&self.file.path).ok().map(Bytes::new);
        Font::new(self.file.bytes.get_or_init(read).clone()?, self.index)
    }
}

/// `None`: the typesetter cannot use the font.
fn describe(found: &Database, id: ID, files: &mut BTreeMap<PathBuf, Arc<File>>) -> Option<(FontFile, FontInfo)> {
    let face = found.face(id)?;
    let (Source::File(path) | Source::SharedFile(path, _)) = &face.source else {
        return None;
    };
    let info = found.with_face_data(id, FontInfo::new)??;
    let file = files.entry(path.clone()).or_insert_with(|| Arc::new(File::new(path)));
    Some((
        FontFile {
            file: Arc::clone(file),
            index: face.index,
        },
        info,
    ))
}
