//! What files of an earlier import or export are.

use std::collections::HashMap;

use entity::ids::{FileId, PageId, ReusableContentId};

/// Objects of the space by the paths of their files. Those keep their ids, wherever their pages are in the tree.
#[derive(Debug, Clone, Default)]
pub struct KnownFiles {
    pub pages: HashMap<String, KnownPage>,
    pub files: HashMap<String, FileId>,
    pub contents: HashMap<String, ReusableContentId>,
}

#[derive(Debug, Clone, Copy)]
pub struct KnownPage {
    pub id: PageId,
    /// The file has the path that it had, so the page keeps its slug.
    pub keeps_slug: bool,
}

impl KnownFiles {
    pub fn add_page(&mut self, path: String, id: PageId) {
        let keeps_slug = true;
        self.pages.insert(path, KnownPage { id, keeps_slug });
    }

    /// Notes that a file was renamed. A file that was there before stays what it was.
    pub fn rename(&mut self, from: &str, to: &str) {
        if !self.pages.contains_key(to)
            && let Some(page) = self.pages.remove(from)
        {
            let keeps_slug = false;
            self.pages.insert(to.to_owned(), KnownPage { keeps_slug, ..page });
        }
        if !self.files.contains_key(to)
            && let Some(file) = self.files.remove(from)
        {
            self.files.insert(to.to_owned(), file);
        }
        if !self.contents.contains_key(to)
            && let Some(content) = self.contents.remove(from)
        {
            self.contents.insert(to.to_owned(), content);
        }
    }
}
