//! `tags` and `x-tagGroups`: the areas and their contexts.

use heck::ToSnakeCase;

use crate::{
    model::{Area, CONTEXTS, Context, Tag},
    node::Node,
};

use super::Lowering;

const GROUPS: &str = "x-tagGroups";

impl Lowering<'_> {
    /// The tags, in document order.
    pub(super) fn read_tags(&mut self, entry: &Node) -> Vec<Tag> {
        let tags = entry.get("tags").map(Node::list).unwrap_or_default();
        let mut found = Vec::new();
        for tag in tags {
            self.only(tag, "a tag", &["name", "description"]);
            found.push(Tag {
                place: tag.place.clone(),
                name: tag.str("name").unwrap_or_default().to_owned(),
                doc: tag.str("description").unwrap_or_default().to_owned(),
            });
        }
        found
    }

    /// Checks that every tag belongs to one context, and that the tags are in the order of the contexts.
    pub(super) fn read_contexts(&mut self, entry: &Node, tags: &[Tag]) -> Vec<Context> {
        let mut contexts: Vec<Context> = Vec::new();
        for group in entry.get(GROUPS).map(Node::list).unwrap_or_default() {
            self.only(group, "a tag group", &["name", "tags"]);
            let title = group.str("name").unwrap_or_default().to_owned();
            let name = title.to_snake_case();
            let at = |name: &str| CONTEXTS.iter().position(|known| *known == name);
            let ordered = contexts.last().is_none_or(|last| at(&last.name) < at(&name));
            if at(&name).is_none() || !ordered {
                self.findings.add(
                    &group.place,
                    format!("the tag group `{title}` is not a context, or not in the order of the contexts"),
                    format!("The contexts are, in this order: {}.", CONTEXTS.join(", ")),
                );
            }
            let tags: Vec<String> = group.texts("tags").into_iter().map(str::to_owned).collect();
            if tags.is_empty() {
                let problem = format!("the tag group `{title}` has no tags");
                self.findings.add(
                    &group.place,
                    problem,
                    "List the tags of the group, or remove the group.",
                );
            }
            contexts.push(Context { name, title, tags });
        }
        self.check_groups(entry, &contexts, tags);
        contexts
    }

    fn check_groups(&mut self, entry: &Node, contexts: &[Context], tags: &[Tag]) {
        let grouped: Vec<&str> = contexts
            .iter()
            .flat_map(|context| &context.tags)
            .map(String::as_str)
            .collect();
        for tag in tags {
            let groups = grouped.iter().filter(|name| **name == tag.name).count();
            if groups != 1 {
                self.findings.add(
                    &tag.place,
                    format!("the tag `{}` is in {groups} tag groups", tag.name),
                    format!("Add the tag to exactly one group of `{GROUPS}`."),
                );
            }
        }
        let groups = entry.get(GROUPS).unwrap_or(entry);
        for name in &grouped {
            if !tags.iter().any(|tag| tag.name == **name) {
                let problem = format!("`{GROUPS}` names the tag `{name}`, which does not exist");
                self.findings.add(
                    &groups.place,
                    problem,
                    "Add the tag to `tags`, or remove the tag from the group.",
                );
            }
        }
        let known = grouped.iter().filter(|name| tags.iter().any(|tag| tag.name == **name));
        if let Some((tag, wanted)) = tags.iter().zip(known).find(|(tag, name)| tag.name != **name) {
            self.findings.add(
                &tag.place,
                format!("the tag `{}` is at the position of `{wanted}` in `{GROUPS}`", tag.name),
                format!(
                    "Use the same order in `tags` and `{GROUPS}`: documentation pages show the tags in this order."
                ),
            );
        }
    }

    /// Checks that operations are in the folder of their context.
    pub(super) fn check_folders(&mut self, areas: &[Area]) {
        for area in areas {
            for operation in &area.operations {
                let folder = format!("paths/{}/", area.context);
                let file = &operation.place.file;
                if file.starts_with("paths/") && !file.starts_with(&folder) {
                    self.findings.add(
                        &operation.place,
                        format!("`{}` belongs to the context `{}`", operation.id, area.context),
                        format!("Move the file to {folder}, or use another tag."),
                    );
                }
            }
        }
    }
}
