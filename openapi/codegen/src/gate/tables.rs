//! Tables have owners: a context names its own entities and those of the contexts before it. What a lower context answers from rows of
//! higher ones stands in `areas/joins`, or is declared in [`JOINS`].

use std::collections::BTreeSet;

use syn::{
    Path, UseTree,
    visit::{self, Visit},
};

use crate::{
    finding::{Findings, Place},
    model::CONTEXTS,
};

use super::Source;

/// The files with joins to tables of a higher context, and the context. The list may only become shorter.
const JOINS: [(&str, &str); 16] = [
    // Placeholders for computed pages name specifications; spaces hold the revision that is their content.
    ("content/computed/outlines.rs", "specifications"),
    ("content/computed/search_job.rs", "library"),
    ("content/computed/specifications.rs", "library"),
    ("content/computed/specifications.rs", "specifications"),
    ("content/content_writes.rs", "library"),
    // Tokens of sessions, and the organizations of users.
    ("identity/tokens/mod.rs", "organizations"),
    ("identity/tokens/store.rs", "organizations"),
    ("identity/users/store.rs", "organizations"),
    // References to specifications, and visibilities of sites in answers with spaces.
    ("library/link_targets/store.rs", "specifications"),
    ("library/spaces/view.rs", "publishing"),
    // Change requests move with their space.
    ("library/tree/transfer.rs", "authoring"),
    // Guests are counted by their permissions, and leave them behind.
    ("organizations/members/store.rs", "library"),
    ("organizations/merge_rules.rs", "library"),
    // The site that an organization shows first.
    ("organizations/organizations/default_content.rs", "publishing"),
    ("organizations/organizations/store.rs", "publishing"),
    // Site spaces name the languages of their translations.
    ("publishing/structure/languages.rs", "languages"),
];

/// The crate of the entities, whose modules are the contexts.
const ENTITIES: &str = "entity";

pub(super) fn check(areas: &str, sources: &[Source], findings: &mut Findings) {
    let mut seen = BTreeSet::new();
    for source in sources {
        let file = source.name.strip_prefix(areas).and_then(|rest| rest.strip_prefix('/'));
        let user = file.and_then(|file| rank(file.split('/').next()?));
        if let (Some(file), Some(user)) = (file, user) {
            let mut tables = Tables {
                source,
                file,
                user,
                seen: &mut seen,
                findings: &mut *findings,
            };
            tables.visit_file(&source.file);
        }
    }
    for (file, context) in JOINS.iter().filter(|join| !seen.contains(*join)) {
        findings.add(
            &Place::start(),
            format!("the declared join of `{file}` to tables of `{context}` does not exist any more"),
            "Remove it from `JOINS` in openapi/codegen/src/gate/tables.rs.",
        );
    }
}

fn rank(context: &str) -> Option<usize> {
    CONTEXTS.iter().position(|known| *known == context)
}

struct Tables<'a> {
    source: &'a Source,
    /// Below the folder of the areas.
    file: &'a str,
    user: usize,
    /// The declared joins that exist.
    seen: &'a mut BTreeSet<&'static (&'static str, &'static str)>,
    findings: &'a mut Findings,
}

impl Tables<'_> {
    fn named(&mut self, context: &syn::Ident) {
        let name = context.to_string();
        if rank(&name).is_none_or(|owner| owner <= self.user) {
            return;
        }
        let declared = JOINS
            .iter()
            .find(|(file, context)| *file == self.file && *context == name);
        match declared {
            Some(join) => drop(self.seen.insert(join)),
            None => self.findings.add(
                &self.source.place(context.span()),
                format!("a table of the context `{name}` is named by a context before it"),
                "Move the query to the context, ask for it by a hook of the kernel, or put the join in src/areas/joins.",
            ),
        }
    }

    fn contexts(&mut self, tree: &UseTree) {
        match tree {
            UseTree::Path(path) => self.named(&path.ident),
            UseTree::Name(name) => self.named(&name.ident),
            UseTree::Rename(rename) => self.named(&rename.ident),
            UseTree::Group(group) => group.items.iter().for_each(|item| self.contexts(item)),
            UseTree::Glob(_) => {}
        }
    }
}

impl<'ast> Visit<'ast> for Tables<'_> {
    fn visit_use_tree(&mut self, tree: &'ast UseTree) {
        match tree {
            UseTree::Path(path) if path.ident == ENTITIES => self.contexts(&path.tree),
            UseTree::Group(group) => group.items.iter().for_each(|item| self.visit_use_tree(item)),
            _ => {}
        }
    }

    fn visit_path(&mut self, path: &'ast Path) {
        let mut segments = path.segments.iter();
        if let (Some(first), Some(context)) = (segments.next(), segments.next())
            && first.ident == ENTITIES
        {
            self.named(&context.ident);
        }
        visit::visit_path(self, path);
    }
}
