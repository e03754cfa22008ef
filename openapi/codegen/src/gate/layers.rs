//! The order of layers and contexts in the server, and the absence of cycles between modules.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use crate::{finding::Findings, model::CONTEXTS};

use super::{
    Source,
    modules::{Module, Modules, Use},
    sources,
};

/// The layers of the server, lowest first. A module may use the modules of lower layers. Modules of the same layer do not
/// use each other; commands are a separate layer because commands use the other entry points.
const LAYERS: [&[&str]; 7] = [
    &["kernel"],
    &["access"],
    &["areas"],
    &["app"],
    &["web"],
    &["http"],
    &["commands"],
];

/// The module of the areas that may name the tables of all contexts.
const JOINS: &str = "joins";

/// Checks the order of layers and contexts in the server, and that no modules form a cycle.
pub(super) fn check(folder: &Path, sources: &[Source], findings: &mut Findings) {
    let uses = Modules::read(&folder.display().to_string(), sources).uses();
    for used in &uses {
        check_order(used, findings);
    }
    report_cycles(&uses, findings);
}

/// Checks that no modules of a crate form a cycle.
pub fn check_cycles(folder: &Path, findings: &mut Findings) {
    report_cycles(&read(folder, findings).uses(), findings);
}

/// The number of modules in a crate.
pub fn count(folder: &Path) -> usize {
    read(folder, &mut Findings::default()).count()
}

fn read(folder: &Path, findings: &mut Findings) -> Modules {
    Modules::read(&folder.display().to_string(), &sources(folder, findings))
}

fn check_order(used: &Use, findings: &mut Findings) {
    let (from, to) = (rank(&used.from), rank(&used.to));
    let (Some(from), Some(to)) = (from, to) else {
        return;
    };
    if from < to {
        findings.add(
            &used.place,
            format!("`{}` uses `{}` of a higher layer", name(&used.from), name(&used.to)),
            format!(
                "Move the shared code to a lower layer. The order of layers is {}; the order of contexts is {}.",
                LAYERS.map(|layer| layer.join(", ")).join(" < "),
                CONTEXTS.join(" < ")
            ),
        );
    }
}

/// The position of a module in the order. `None` for the root of the crate and the roots of layers, which only list modules.
fn rank(module: &[String]) -> Option<(usize, usize)> {
    let layer = module.first()?;
    let line = LAYERS.iter().position(|names| names.contains(&layer.as_str()))?;
    if layer != "areas" {
        return Some((line, 0));
    }
    let context = module.get(1)?;
    // Joins across contexts come before the contexts that answer with them.
    let position = std::iter::once(&JOINS)
        .chain(&CONTEXTS)
        .position(|name| name == context)?;
    Some((line, position))
}

fn name(module: &[String]) -> String {
    module.join("::")
}

/// The child modules of a module, with the first use of each sibling by another sibling.
type Siblings<'u> = BTreeMap<(&'u str, &'u str), &'u Use>;

/// Reports the cycles between sibling modules. A use of a descendant of a sibling counts as a use of the sibling; a module
/// and its children may use each other.
fn report_cycles(uses: &[Use], findings: &mut Findings) {
    let mut levels: BTreeMap<&[String], Siblings<'_>> = BTreeMap::new();
    for used in uses {
        let shared = used
            .from
            .iter()
            .zip(&used.to)
            .take_while(|(from, to)| from == to)
            .count();
        let (Some(from), Some(to)) = (used.from.get(shared), used.to.get(shared)) else {
            continue;
        };
        let parent = used.from.get(..shared).unwrap_or_default();
        levels.entry(parent).or_default().entry((from, to)).or_insert(used);
    }
    for (parent, siblings) in levels {
        for (pair, used) in &siblings {
            if let Some(way) = way_back(&siblings, *pair) {
                let parent: Module = parent.to_vec();
                let place = if parent.is_empty() {
                    "the crate".to_owned()
                } else {
                    format!("`{}`", name(&parent))
                };
                findings.add(
                    &used.place,
                    format!("modules of {place} form a cycle: {}", way.join(" → ")),
                    "Move the shared code to a new module, or to the parent module.",
                );
            }
        }
    }
}

/// The shortest path from the second module of a pair back to the first module, as a cycle.
fn way_back<'u>(siblings: &Siblings<'u>, (from, to): (&'u str, &'u str)) -> Option<Vec<&'u str>> {
    let mut reached: BTreeMap<&str, &str> = BTreeMap::new();
    let mut seen = BTreeSet::from([to]);
    let mut next = vec![to];
    while !next.is_empty() && !seen.contains(from) {
        let mut further = Vec::new();
        for module in next {
            let used = siblings.keys().filter(|(user, _)| *user == module);
            for (_, target) in used {
                if seen.insert(target) {
                    reached.insert(target, module);
                    further.push(*target);
                }
            }
        }
        next = further;
    }
    if !seen.contains(from) {
        return None;
    }
    let mut way = vec![from];
    let mut at = from;
    while at != to {
        at = reached.get(at)?;
        way.push(at);
    }
    way.push(from);
    way.reverse();
    Some(way)
}
