//! What was found, put together for those who refer to it, and listed.

use std::{cmp::Reverse, collections::HashSet, mem};

use super::{
    Change, ChangeKind, Changes, DefinitionKind, Detail, MAX_CHANGES, MAX_DETAILS, Rule, Subject,
    comparison::{Comparison, Unit, UnitKind},
    component::component_name,
    effects::{Impact, Impacts, Uses},
    frame::{FoundDetail, Frame, MAX_POINTER_BYTES, TextBudget, shown},
    node::{Node, Place},
};

/// Something that is told of besides the pairs that are referred to.
pub struct Root<'d> {
    subject: Subject,
    former: Option<String>,
    kind: ChangeKind,
    impact: Impact,
    frame: Frame<'d>,
}

impl<'d> Root<'d> {
    pub fn changed(subject: Subject, former: Option<String>, frame: Frame<'d>) -> Self {
        Self {
            subject,
            former,
            kind: ChangeKind::Changed,
            impact: Impact::Compatible,
            frame,
        }
    }

    pub fn whole(subject: Subject, kind: ChangeKind, impact: Impact) -> Self {
        Self {
            impact,
            kind,
            ..Self::changed(subject, None, Frame::default())
        }
    }

    /// Whoever refers to something else instead has a change of its own.
    pub fn of_component(kind: UnitKind, place: &Place<'d>, change: ChangeKind) -> Self {
        Self::whole(subject(kind, place), change, Impact::Compatible)
    }
}

fn subject(kind: UnitKind, place: &Place<'_>) -> Subject {
    let kind = match kind {
        UnitKind::Schema => DefinitionKind::Schema,
        UnitKind::Parameter => DefinitionKind::Parameter,
        UnitKind::Header => DefinitionKind::Header,
        UnitKind::RequestBody => DefinitionKind::RequestBody,
        UnitKind::Response => DefinitionKind::Response,
        UnitKind::Callback { .. } => DefinitionKind::Callback,
        UnitKind::SecurityScheme => DefinitionKind::SecurityScheme,
        UnitKind::PathItem { .. } | UnitKind::Other => DefinitionKind::Other,
    };
    // Names that are too long are not told, because many parts may stand below one.
    let pointer = match place.length() > MAX_POINTER_BYTES {
        true => "…".to_owned(),
        false => place.pointer(),
    };
    let name = match component_name(&pointer) {
        Some(name) => name.replace("~1", "/").replace("~0", "~"),
        None => pointer,
    };
    Subject::Definition { kind, name }
}

/// What each pair does with what it refers to, and how it is used.
struct Graph {
    impacts: Vec<Impacts>,
    uses: Vec<Uses>,
}

impl Graph {
    fn new(units: &[Unit<'_>], roots: &[Root<'_>]) -> Self {
        let mut graph = Self {
            impacts: units.iter().map(|unit| unit.frame.impacts).collect(),
            uses: vec![Uses::default(); units.len()],
        };
        graph.spread_impacts(units);
        graph.spread_uses(units, roots);
        graph
    }

    /// Each pair gets a few new impacts at most, so that the work follows the number of references.
    fn spread_impacts(&mut self, units: &[Unit<'_>]) {
        let mut referring: Vec<Vec<(usize, Uses)>> = vec![Vec::new(); units.len()];
        for (number, unit) in units.iter().enumerate() {
            for edge in &unit.frame.edges {
                if let Some(list) = referring.get_mut(edge.unit) {
                    list.push((number, edge.uses));
                }
            }
        }
        let mut open: Vec<usize> = (0..units.len()).collect();
        while let Some(number) = open.pop() {
            let impacts = self.impacts.get(number).copied().unwrap_or_default();
            for (from, way) in referring.get(number).into_iter().flatten() {
                if let Some(known) = self.impacts.get_mut(*from) {
                    let more = known.and(impacts.through(*way));
                    if more != *known {
                        *known = more;
                        open.push(*from);
                    }
                }
            }
        }
    }

    fn spread_uses(&mut self, units: &[Unit<'_>], roots: &[Root<'_>]) {
        let mut open: Vec<(usize, Uses)> = Vec::new();
        for edge in roots.iter().flat_map(|root| &root.frame.edges) {
            open.push((edge.unit, Uses::ALL.through(edge.uses)));
        }
        while let Some((number, uses)) = open.pop() {
            let Some(known) = self.uses.get_mut(number) else {
                continue;
            };
            let more = known.and(uses);
            if more != *known {
                *known = more;
                let edges = units.get(number).into_iter().flat_map(|unit| &unit.frame.edges);
                open.extend(edges.map(|edge| (edge.unit, more.through(edge.uses))));
            }
        }
    }
}

impl<'d> Comparison<'d> {
    pub fn report(mut self, roots: Vec<Root<'d>>) -> Changes {
        let graph = Graph::new(&self.units, &roots);
        let mut changes: Vec<Change> = roots
            .into_iter()
            .filter_map(|root| of_root(root, &self.units, &graph, &mut self.text))
            .collect();
        for (unit, uses) in self.units.into_iter().zip(&graph.uses) {
            if unit.frame.count > 0 {
                changes.push(of_unit(unit, *uses));
            }
        }
        changes.sort_by(|one, other| {
            other
                .impact
                .cmp(&one.impact)
                .then_with(|| one.subject.cmp(&other.subject))
        });
        let most = changes.iter().map(|change| change.impact).max().unwrap_or_default();
        let is_complete = self.budget.is_complete();
        let least = if is_complete {
            Impact::Compatible
        } else {
            Impact::Unknown
        };
        let count = changes.len();
        changes.truncate(MAX_CHANGES);
        Changes {
            impact: most.max(least),
            is_complete,
            count,
            changes,
        }
    }
}

fn of_root<'d>(root: Root<'d>, units: &[Unit<'d>], graph: &Graph, text: &mut TextBudget) -> Option<Change> {
    let mut frame = root.frame;
    let mut told = HashSet::new();
    for edge in mem::take(&mut frame.edges) {
        let impacts = graph.impacts.get(edge.unit).copied().unwrap_or_default();
        let impacts = impacts.through(edge.uses);
        if !impacts.is_changed || !told.insert((edge.unit, edge.uses.requests, edge.uses.responses, edge.uses.hidden)) {
            continue;
        }
        frame.count += 1;
        frame.impacts = frame.impacts.and(impacts);
        let list = match impacts.requests.max(impacts.responses) {
            Impact::Compatible => &mut frame.harmless,
            _ => &mut frame.details,
        };
        let length = edge.place.length();
        if list.len() < MAX_DETAILS && length < MAX_POINTER_BYTES && text.take(length) {
            let unit = units.get(edge.unit);
            let name = unit.map(|unit| name(unit.kind, &unit.after)).unwrap_or_default();
            list.push(FoundDetail {
                rule: Rule::Reference,
                kind: ChangeKind::Changed,
                pointer: edge.place.pointer(),
                message: format!("{} changed, or what it refers to.", shown(&name)),
                impacts,
            });
        }
    }
    if root.kind == ChangeKind::Changed && frame.count == 0 {
        return None;
    }
    let impact = root.impact.max(frame.impacts.for_uses(Uses::ALL));
    Some(change(
        (root.subject, root.former),
        (root.kind, impact),
        frame,
        Uses::ALL,
    ))
}

fn name(kind: UnitKind, nodes: &[Node<'_>]) -> String {
    let place = nodes.first().map(|node| node.place.clone()).unwrap_or_default();
    match subject(kind, &place) {
        Subject::Definition { name, .. } => name,
        _ => String::new(),
    }
}

fn of_unit(unit: Unit<'_>, uses: Uses) -> Change {
    let (before, after) = (name(unit.kind, &unit.before), name(unit.kind, &unit.after));
    let former = (before != after).then_some(before);
    let place = unit.after.first().map(|node| node.place.clone()).unwrap_or_default();
    let impact = unit.frame.impacts.for_uses(uses);
    let subject = subject(unit.kind, &place);
    change((subject, former), (ChangeKind::Changed, impact), unit.frame, uses)
}

fn change(
    (subject, former): (Subject, Option<String>),
    (kind, impact): (ChangeKind, Impact),
    frame: Frame<'_>,
    uses: Uses,
) -> Change {
    let details = frame.details.into_iter().chain(frame.harmless);
    let mut details: Vec<Detail> = details
        .map(|detail| Detail {
            impact: detail.impacts.for_uses(uses),
            rule: detail.rule,
            kind: detail.kind,
            pointer: detail.pointer,
            message: detail.message,
        })
        .collect();
    details.sort_by_key(|detail| Reverse(detail.impact));
    details.truncate(MAX_DETAILS);
    Change {
        subject,
        former,
        kind,
        impact,
        count: frame.count,
        details,
    }
}
