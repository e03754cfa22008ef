//! Fonts.

use std::path::PathBuf;

use fontdb::{Database, FaceInfo, Source};
use typst::text::FontInfo;
use typst_kit::fonts::{FontPath, FontStore, embedded};

/// The fonts of the program, and those in folders. A font is read when a text needs it.
pub fn fonts(folders: &[PathBuf]) -> FontStore {
    let mut store = FontStore::new();
    store.extend(embedded());
    let mut found = Database::new();
    for folder in folders {
        found.load_fonts_dir(folder);
    }
    store.extend(found.faces().filter_map(|face| describe(&found, face)));
    store
}

/// `None`: the typesetter cannot use the font.
fn describe(found: &Database, face: &FaceInfo) -> Option<(FontPath, FontInfo)> {
    let (Source::File(path) | Source::SharedFile(path, _)) = &face.source else {
        return None;
    };
    let info = found.with_face_data(face.id, FontInfo::new)??;
    let path = FontPath {
        path: path.clone(),
        index: face.index,
    };
    Some((path, info))
}
