//! Semantic changes of shared contents.

use openapi::models::{
    ChangedReusableContent, ReusableContentAttributeChanges, ReusableContentCreated, ReusableContentDeleted,
    ReusableContentEdited, RevisionSemanticChange,
};

use super::{
    attributes::{document, text},
    event::Event,
};
use crate::pages::ReusableContent;

pub(super) fn view(event: &Event<'_, ReusableContent>) -> RevisionSemanticChange {
    match event {
        Event::Created(content) => RevisionSemanticChange::ReusableContentCreated(ReusableContentCreated {
            r#type: Default::default(),
            reusable_content: changed_content(content),
        }),
        Event::Edited(before, after) => RevisionSemanticChange::ReusableContentEdited(ReusableContentEdited {
            r#type: Default::default(),
            reusable_content: changed_content(after),
            attributes: ReusableContentAttributeChanges {
                title: text(Some(&before.title), Some(&after.title)),
                document: document(before.document, after.document),
            },
        }),
        Event::Deleted(content) => RevisionSemanticChange::ReusableContentDeleted(ReusableContentDeleted {
            r#type: Default::default(),
            reusable_content: changed_content(content),
        }),
    }
}

fn changed_content(content: &ReusableContent) -> ChangedReusableContent {
    ChangedReusableContent {
        id: content.id.to_string(),
        title: content.title.clone(),
        document: content.document.map(|hash| hash.to_string()),
    }
}
