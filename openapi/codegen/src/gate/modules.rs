//! The modules of a crate and the uses between modules, parsed from the sources.
//!
//! A use is a path in a `use` item or in code, including macros, that starts at the crate, at an ancestor module, or with the
//! name of a child module. A path through a re-export (`pub use`) resolves to the re-exported module. Code under
//! `#[cfg(test)]` does not count.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Item, UseTree, Visibility};

use crate::finding::Place;

use super::Source;

/// The path of a module from the root of the crate. The path of the root is empty.
pub type Module = Vec<String>;

/// A use of a module by another module.
#[derive(Debug, Clone)]
pub struct Use {
    pub from: Module,
    pub to: Module,
    pub place: Place,
}

/// A path in the code, with its line.
struct PathUse {
    segments: Vec<String>,
    line: usize,
}

struct Parsed {
    paths: Vec<PathUse>,
    /// Re-exports: the name and the target path.
    exports: BTreeMap<String, Vec<String>>,
    file: std::sync::Arc<str>,
}

/// All modules of the crate with the sources in `folder`.
pub struct Modules {
    parsed: BTreeMap<Module, Parsed>,
    names: BTreeSet<Module>,
}

impl Modules {
    pub fn read(folder: &str, sources: &[Source]) -> Self {
        let modules: Vec<(Module, &Source)> = sources
            .iter()
            .filter_map(|source| Some((module_of(folder, &source.name)?, source)))
            .filter(|(module, _)| !module.iter().any(|name| name == "tests"))
            .collect();
        let mut names = BTreeSet::new();
        for (module, _) in &modules {
            for length in 0..=module.len() {
                names.extend(module.get(..length).map(<[String]>::to_vec));
            }
        }
        let parsed = modules.into_iter().map(|(module, source)| {
            let children = children(&names, &module);
            let parsed = parse(source, &children);
            (module, parsed)
        });
        Self {
            parsed: parsed.collect(),
            names: names.clone(),
        }
    }

    pub fn count(&self) -> usize {
        self.parsed.len()
    }

    /// Every use of a module by another module, in module order.
    pub fn uses(&self) -> Vec<Use> {
        let mut uses = Vec::new();
        for (from, parsed) in &self.parsed {
            for path in &parsed.paths {
                let Some(to) = self.resolve(from, &path.segments, 0) else {
                    continue;
                };
                if to != *from {
                    let place = Place {
                        file: parsed.file.clone(),
                        line: path.line,
                    };
                    uses.push(Use {
                        from: from.clone(),
                        to,
                        place,
                    });
                }
            }
        }
        uses
    }

    /// The target module of a path, resolved through re-exports.
    fn resolve(&self, from: &[String], path: &[String], depth: usize) -> Option<Module> {
        // Longer chains of re-exports have no other target.
        const DEPTH: usize = 4;
        let (mut module, mut rest) = start(from, path)?;
        while let Some((first, further)) = rest.split_first() {
            let mut below = module.clone();
            below.push(first.clone());
            if !self.names.contains(&below) {
                break;
            }
            (module, rest) = (below, further);
        }
        let exported = rest
            .first()
            .and_then(|name| self.parsed.get(&module)?.exports.get(name));
        match exported {
            Some(target) if depth < DEPTH && module != from => {
                self.resolve(&module, target, depth + 1).or(Some(module))
            }
            _ => Some(module),
        }
    }
}

/// `src/areas/library/mod.rs` is the module `areas::library`. `None` for files that are separate crates.
fn module_of(folder: &str, file: &str) -> Option<Module> {
    let path = file.strip_prefix(folder)?.trim_start_matches('/').strip_suffix(".rs")?;
    let mut module: Module = path.split('/').map(str::to_owned).collect();
    match module.last().map(String::as_str) {
        Some("main") => return None,
        Some("mod" | "lib") => drop(module.pop()),
        _ => {}
    }
    Some(module)
}

fn children(names: &BTreeSet<Module>, module: &[String]) -> BTreeSet<String> {
    let direct = names
        .iter()
        .filter(|name| name.len() == module.len() + 1 && name.starts_with(module));
    direct.filter_map(|name| name.last().cloned()).collect()
}

/// The module at the start of a path, and the rest of the path.
fn start<'p>(from: &[String], path: &'p [String]) -> Option<(Module, &'p [String])> {
    let (first, rest) = path.split_first()?;
    match first.as_str() {
        "crate" => Some((Vec::new(), rest)),
        "self" => Some((from.to_vec(), rest)),
        "super" => {
            let above = path.iter().take_while(|name| *name == "super").count();
            let module = from.get(..from.len().checked_sub(above)?)?;
            Some((module.to_vec(), path.get(above..)?))
        }
        _ => None,
    }
}

fn parse(source: &Source, children: &BTreeSet<String>) -> Parsed {
    let mut parsed = Parsed {
        paths: Vec::new(),
        exports: BTreeMap::new(),
        file: source.name.clone(),
    };
    for item in source.file.items.iter().filter(|item| !is_test(item)) {
        match item {
            Item::Use(item) => {
                let mut leaves = Vec::new();
                flatten(&item.tree, &mut Vec::new(), &mut leaves);
                for (mut segments, name, span) in leaves {
                    if segments.first().is_some_and(|first| children.contains(first)) {
                        segments.insert(0, "self".to_owned());
                    }
                    if !matches!(item.vis, Visibility::Inherited) {
                        parsed.exports.insert(name, segments.clone());
                    }
                    parsed.paths.push(PathUse {
                        segments,
                        line: span.start().line,
                    });
                }
            }
            other => scan(other.to_token_stream(), children, &mut parsed.paths),
        }
    }
    parsed
}

fn is_test(item: &Item) -> bool {
    let attributes = match item {
        Item::Mod(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        _ => return false,
    };
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg") && attribute.meta.to_token_stream().to_string().contains("test")
    })
}

/// The leaves of a `use` tree: the path, and the imported name.
fn flatten(tree: &UseTree, prefix: &mut Vec<String>, leaves: &mut Vec<(Vec<String>, String, Span)>) {
    let mut leaf = |prefix: &[String], name: &syn::Ident, scope: String| {
        let own = (name != "self").then(|| name.to_string());
        leaves.push((prefix.iter().cloned().chain(own).collect(), scope, name.span()));
    };
    match tree {
        UseTree::Path(path) => {
            prefix.push(path.ident.to_string());
            flatten(&path.tree, prefix, leaves);
            prefix.pop();
        }
        UseTree::Name(name) => leaf(prefix, &name.ident, name.ident.to_string()),
        UseTree::Rename(rename) => leaf(prefix, &rename.ident, rename.rename.to_string()),
        UseTree::Glob(glob) => {
            let span = glob.star_token.spans.first().copied().unwrap_or_else(Span::call_site);
            leaves.push((prefix.clone(), "*".to_owned(), span));
        }
        UseTree::Group(group) => {
            for tree in &group.items {
                flatten(tree, prefix, leaves);
            }
        }
    }
}

/// Finds the paths in tokens: at least two names joined by `::`.
fn scan(tokens: TokenStream, children: &BTreeSet<String>, into: &mut Vec<PathUse>) {
    let mut path = Vec::new();
    let mut line = 0;
    let mut colons = 0;
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => {
                if colons != 2 {
                    end_path(&mut path, line, children, into);
                    line = ident.span().start().line;
                }
                path.push(ident.to_string());
                colons = 0;
            }
            TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
            other => {
                end_path(&mut path, line, children, into);
                colons = 0;
                if let TokenTree::Group(group) = other {
                    scan(group.stream(), children, into);
                }
            }
        }
    }
    end_path(&mut path, line, children, into);
}

fn end_path(path: &mut Vec<String>, line: usize, children: &BTreeSet<String>, into: &mut Vec<PathUse>) {
    let mut segments = std::mem::take(path);
    if segments.len() < 2 {
        return;
    }
    if segments.first().is_some_and(|first| children.contains(first)) {
        segments.insert(0, "self".to_owned());
    }
    into.push(PathUse { segments, line });
}
