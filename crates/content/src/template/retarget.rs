//! The references of a template, as they are in what is made from it.

use std::{
    collections::{BTreeMap, HashMap},
    hash::Hash,
    str::FromStr,
};

use entity::ids::{FileId, NodeId, PageId, ReusableContentId};
use openapi::models::{ContentRef, ContentRefAnchor, ContentRefMedia, ContentRefPage, ContentRefTag};
use rich_text::{IdPathResolver, LinkChange, LinkResolver, ReferenceRole, from_media, into_media};

use super::parameters::ParameterTarget;

/// The targets of the references of a template.
pub struct References<'a> {
    /// The space of the template, and the space that the content is made for.
    pub spaces: (Option<NodeId>, NodeId),
    /// New ids by those in the template.
    pub pages: HashMap<PageId, PageId>,
    pub files: HashMap<FileId, FileId>,
    pub reusable_contents: HashMap<ReusableContentId, ReusableContentId>,
    /// The values of parameters by their names.
    pub values: &'a BTreeMap<String, ContentRef>,
}

impl References<'_> {
    /// Changes a target in a text.
    pub fn change(&self, target: &str, role: ReferenceRole) -> LinkChange {
        let changed = match self.value(target) {
            Some(value) => Some(value),
            None => self.moved(&IdPathResolver.parse_target(role, target)),
        };
        let target = changed.and_then(|reference| IdPathResolver.format_target(role, &reference));
        target.map_or(LinkChange::Keep, LinkChange::Replace)
    }

    /// Changes a reference outside of a text.
    pub fn changed(&self, reference: &ContentRef) -> Option<ContentRef> {
        match reference {
            ContentRef::ContentRefUrl(url) => self.value(&url.url),
            reference => self.moved(reference),
        }
    }

    /// Changes the source of a picture.
    pub fn picture(&self, picture: &ContentRefMedia) -> Option<ContentRefMedia> {
        self.changed(&from_media(picture)).and_then(into_media)
    }

    /// The id of the specification that a parameter stands for.
    pub fn specification(&self, target: &str) -> Option<String> {
        match self.value(target)? {
            ContentRef::ContentRefOpenApi(reference) => Some(reference.spec),
            _ => None,
        }
    }

    /// The value of the parameter that a target is.
    fn value(&self, target: &str) -> Option<ContentRef> {
        let parameter = ParameterTarget::parse(target)?;
        let value = self.values.get(parameter.name)?.clone();
        Some(match (value, parameter.anchor) {
            (ContentRef::ContentRefPage(page), Some(anchor)) => ContentRef::ContentRefAnchor(ContentRefAnchor {
                kind: Default::default(),
                anchor: anchor.to_owned(),
                space: page.space,
                page: Some(page.page),
            }),
            (value, _) => value,
        })
    }

    /// A reference within the template as a reference within the new content. `None`: the reference stays.
    fn moved(&self, reference: &ContentRef) -> Option<ContentRef> {
        let mut moved = reference.clone();
        let is_known = match &mut moved {
            ContentRef::ContentRefPage(ContentRefPage { page, space, .. })
            | ContentRef::ContentRefAnchor(ContentRefAnchor {
                page: Some(page),
                space,
                ..
            }) => self.replace_id(page, space, &self.pages),
            ContentRef::ContentRefFile(it) => self.replace_id(&mut it.file, &mut it.space, &self.files),
            ContentRef::ContentRefReusableContent(it) => {
                self.replace_id(&mut it.reusable_content, &mut it.space, &self.reusable_contents)
            }
            ContentRef::ContentRefSpace(it) => self.replace_space(&mut it.space),
            ContentRef::ContentRefTag(ContentRefTag { space: Some(space), .. }) => self.replace_space(space),
            ContentRef::ContentRefAnchor(ContentRefAnchor { space: Some(space), .. }) => self.replace_space(space),
            ContentRef::ContentRefAnchor(_)
            | ContentRef::ContentRefUrl(_)
            | ContentRef::ContentRefUser(_)
            | ContentRef::ContentRefCollection(_)
            | ContentRef::ContentRefTag(_)
            | ContentRef::ContentRefOpenApi(_) => false,
        };
        is_known.then_some(moved)
    }

    /// Replaces an id in the template by the new one. Returns whether the template has the id.
    fn replace_id<Id>(&self, text: &mut String, space: &mut Option<String>, ids: &HashMap<Id, Id>) -> bool
    where
        Id: FromStr + ToString + Hash + Eq,
    {
        if !space.as_ref().is_none_or(|space| self.is_template(space)) {
            return false;
        }
        let new = text.parse().ok().and_then(|id: Id| ids.get(&id));
        if let Some(new) = new {
            *text = new.to_string();
            *space = None;
        }
        new.is_some()
    }

    fn is_template(&self, space: &str) -> bool {
        self.spaces.0.is_some() && space.parse().ok() == self.spaces.0
    }

    fn replace_space(&self, space: &mut String) -> bool {
        let inside = self.is_template(space);
        if inside {
            *space = self.spaces.1.to_string();
        }
        inside
    }
}
