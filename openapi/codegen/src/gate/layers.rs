//! The order of the layers and contexts of the server, and no cycles between modules anywhere.

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

/// The layers of the server, lowest first: a module may use those of the lines before its own. Modules of one line do
/// not use each other, except as the last line, where commands use the other entry points.
const LAYERS: [&[&str]; 5] = [&["access"], &["app"], &["areas"], &["http", "import"], &["commands"]];

/// Checks the order of layers and contexts in the server, and cycles in it.
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
            format!("`{}` uses `{}`, which lies above it", name(&used.from), name(&used.to)),
            format!(
                "Move what both need down. The order is {}; contexts: {}.",
                LAYERS.map(|layer| layer.join(", ")).join(" < "),
                CONTEXTS.join(" < ")
            ),
        );
    }
}

/// The place of a module in the order. `None` for the root of the crate and the roots of layers, which only list modules.
fn rank(module: &[String]) -> Option<(usize, usize)> {
    let layer = module.first()?;
    let line = LAYERS.iter().position(|names| names.contains(&layer.as_str()))?;
    if layer != "areas" {
        return Some((line, 0));
    }
    let context = module.get(1)?;
    let context = CONTEXTS.iter().position(|name| name == context)?;
    Some((line, context))
}

fn name(module: &[String]) -> String {
    module.join("::")
}

/// Siblings below one module, with the first use of each by each.
type Siblings<'u> = BTreeMap<(&'u str, &'u str), &'u Use>;

/// Reports the cycles between modules with the same parent. A use of something below a sibling is a use of the sibling; a
/// module and its own children may use each other.
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
                    "Move what they share into a module of its own, or into their parent.",
                );
            }
        }
    }
}

/// The shortest way from the second module of a pair back to the first one, as the cycle that it closes.
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
