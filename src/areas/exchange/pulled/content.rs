//! The content of a space as it is elsewhere.

use std::collections::{BTreeMap, HashMap, HashSet};

use content::{
    objects::{Content, Hash, Missing, Objects},
    pages::{File, Page, PageContent, Pages, ReusableContent, Snapshot, Variable},
};
use entity::{
    ids::{FileId, NodeId, PageId, ReusableContentId, RevisionId},
    library::nodes,
};
use platform::db::Reads;
use serde_json::json;
use uuid::{Builder, Uuid};

use crate::{
    access::node_levels::Member,
    areas::exchange::{
        Exchange,
        import::{ExistingContent, KnownFiles, NewContent, replace, stored},
    },
    kernel::audit::SystemAction,
};

/// The id of the copy of a page, file or reusable content: always the same in a space, so that links lead to pages that come later,
/// and a pull that is repeated writes the same.
pub fn own_id<Id: From<Uuid>>(space: NodeId, kind: &str, source: &str) -> Id {
    let (high, low, ..) = space.as_uuid().as_fields();
    let hash = Hash::of(format!("{space} {kind} {source}").as_bytes());
    let mut unique = [0; 10];
    for (to, from) in unique.iter_mut().zip(hash.as_bytes()) {
        *to = *from;
    }
    let millis = u64::from(high) << 16 | u64::from(low);
    Builder::from_unix_timestamp_millis(millis, &unique).into_uuid().into()
}

pub enum PulledText {
    /// The text that the copy has.
    Kept(Option<Hash>),
    New(String),
}

impl PulledText {
    fn put(&mut self, content: &Content<'_, Reads>) -> Option<Hash> {
        if let Self::New(text) = self {
            let text = std::mem::take(text);
            *self = Self::Kept((!text.is_empty()).then(|| content.put_text(text)));
        }
        match self {
            Self::Kept(hash) => *hash,
            Self::New(_) => None,
        }
    }
}

#[derive(Default)]
pub struct PulledContent {
    pub pages: Vec<(Page, PulledText)>,
    pub reusable_contents: Vec<(ReusableContent, PulledText)>,
    pub files: Vec<File>,
    pub variables: BTreeMap<String, String>,
}

/// The content that the copy has.
#[derive(Default)]
pub struct Present {
    pub pages: HashMap<PageId, Page>,
    pub reusable_contents: HashMap<ReusableContentId, ReusableContent>,
    pub files: HashMap<FileId, File>,
    existing: ExistingContent,
}

impl Present {
    pub async fn of(exchange: &Exchange, space: NodeId) -> anyhow::Result<Self> {
        let head = exchange.head(space).await?;
        let mut content = exchange.content(space);
        let read = content.run(|objects| {
            let pages = Pages::of(objects, head.snapshot);
            let (forest, files) = (pages.forest(), pages.files_after(None, usize::MAX));
            let reusable = pages.all_reusable_contents();
            Ok((forest?, files?, reusable?))
        });
        let (forest, files, reusable) = read.await?;
        let known = (head.id, head.snapshot);
        Ok(Self {
            pages: forest.into_pages().map(|page| (page.id, page)).collect(),
            files: files.into_iter().map(|file| (file.id, file)).collect(),
            reusable_contents: reusable.into_iter().map(|it| (it.id, it)).collect(),
            existing: ExistingContent::of_snapshot(&mut content, known, KnownFiles::default()).await?,
        })
    }
}

impl PulledContent {
    /// Counts the pages and the files of the copy that writing this removes.
    pub fn removes(&self, present: &Present) -> (usize, usize) {
        let pages: HashSet<PageId> = self.pages.iter().map(|(page, _)| page.id).collect();
        let files: HashSet<FileId> = self.files.iter().map(|file| file.id).collect();
        let gone_pages = present.pages.keys().filter(|id| !pages.contains(id));
        let gone_files = present.files.keys().filter(|id| !files.contains(id));
        (gone_pages.count(), gone_files.count())
    }

    /// Makes this the content of a space in one revision, which has only what differs. `None`: nothing does.
    pub async fn write(
        self,
        exchange: &Exchange,
        node: &nodes::Model,
        author: Member,
        present: Present,
    ) -> anyhow::Result<Option<RevisionId>> {
        let before = exchange.head(node.id).await?.id;
        let details = json!({ "pages": self.pages.len(), "files": self.files.len() });
        let new = Writing {
            pulled: self,
            existing: present.existing,
        };
        let actor = SystemAction::Import.into();
        let (_, revision) = replace(exchange, node, (author, actor), new, details).await?;
        Ok((revision != before).then_some(revision))
    }
}

struct Writing {
    pulled: PulledContent,
    existing: ExistingContent,
}

impl NewContent for Writing {
    fn put_texts(&mut self, content: &Content<'_, Reads>) {
        for (page, text) in &mut self.pulled.pages {
            if let PageContent::Document { document, .. } = &mut page.content {
                *document = text.put(content);
            }
        }
        for (reusable, text) in &mut self.pulled.reusable_contents {
            reusable.document = text.put(content);
        }
    }

    fn snapshot(&self, objects: &Objects) -> Result<Snapshot, Missing> {
        let mut pages = Pages::of(objects, Snapshot::default());
        for (page, _) in &self.pulled.pages {
            pages.put(self.existing.with_times(page.clone()))?;
        }
        for (reusable, _) in &self.pulled.reusable_contents {
            pages.put_reusable_content(reusable.clone());
        }
        for file in &self.pulled.files {
            pages.put_file(file.clone());
        }
        for (name, value) in &self.pulled.variables {
            pages.put_variable(Variable {
                name: name.clone(),
                value: value.clone(),
            });
        }
        pages.finish()
    }
}

/// Stores the bytes of a file, which no space has before a revision with it is written.
pub async fn store_file(exchange: &Exchange, id: FileId, name: &str, bytes: Vec<u8>) -> anyhow::Result<File> {
    stored(exchange, id, name, bytes, false).await
}
