//! Semantic changes of files.

use openapi::models::{
    ChangedFile, DimensionsChange, FileAttributeChanges, FileCreated, FileDeleted, FileEdited, RevisionSemanticChange,
};

use super::{
    attributes::{number, text},
    event::Event,
};
use crate::pages::{File, wire_dimensions};

pub(super) fn view(event: &Event<'_, File>, download_url: &dyn Fn(&File) -> String) -> RevisionSemanticChange {
    match event {
        Event::Created(file) => RevisionSemanticChange::FileCreated(FileCreated {
            r#type: Default::default(),
            file: changed_file(file, download_url),
        }),
        Event::Edited(before, after) => RevisionSemanticChange::FileEdited(FileEdited {
            r#type: Default::default(),
            file: changed_file(after, download_url),
            attributes: attributes(before, after, download_url),
        }),
        Event::Deleted(file) => RevisionSemanticChange::FileDeleted(FileDeleted {
            r#type: Default::default(),
            file: changed_file(file, download_url),
        }),
    }
}

fn changed_file(file: &File, download_url: &dyn Fn(&File) -> String) -> ChangedFile {
    ChangedFile {
        id: file.id.to_string(),
        name: file.name.clone(),
        content_type: file.content_type.clone(),
        download_url: download_url(file),
    }
}

fn attributes(before: &File, after: &File, download_url: &dyn Fn(&File) -> String) -> FileAttributeChanges {
    let dimensions = (before.dimensions != after.dimensions).then(|| DimensionsChange {
        before: before.dimensions.map(wire_dimensions),
        after: after.dimensions.map(wire_dimensions),
    });
    FileAttributeChanges {
        name: text(Some(&before.name), Some(&after.name)),
        download_url: text(Some(&download_url(before)), Some(&download_url(after))),
        size: number(before.size, after.size),
        content_type: text(Some(&before.content_type), Some(&after.content_type)),
        dimensions,
    }
}
