//! The operations of paths and webhooks, and the rest of a document.

use std::collections::{BTreeMap, HashMap};

use super::{
    ChangeKind, Subject,
    comparison::Comparison,
    component::COMPONENTS,
    effects::{Impact, Uses},
    frame::Frame,
    node::Node,
    operation::{Item, Place},
    report::Root,
};
use crate::METHODS;

/// A path item with its path.
type Named<'d> = (&'d str, Node<'d>);

impl<'d> Comparison<'d> {
    /// Compares all, and returns what is told of besides the pairs that are referred to.
    pub fn compare(&mut self) -> Vec<Root<'d>> {
        let mut roots = Vec::new();
        for (member, is_webhook) in [("paths", false), ("webhooks", true)] {
            self.paths(&mut roots, member, is_webhook);
        }
        self.components(&mut roots);
        let mut frame = Frame::default();
        self.document(&mut frame);
        roots.push(Root::changed(Subject::Document, None, frame));
        self.compare_units();
        roots
    }

    fn document(&mut self, frame: &mut Frame<'d>) {
        const KNOWN: [&str; 10] = [
            "openapi",
            "info",
            "paths",
            "webhooks",
            "components",
            "tags",
            "externalDocs",
            "security",
            "servers",
            "x-ext",
        ];
        let (before, after) = (self.before.root.clone(), self.after.root.clone());
        self.texts(frame, &before, &after, &["openapi", "info", "tags", "externalDocs"]);
        self.servers(frame, &before, &after);
        self.rest(frame, (&before, &after), &KNOWN, Uses::ALL);
        if let (Some(before), Some(after)) = (before.get("components"), after.get("components")) {
            self.texts(frame, &before, &after, &["examples"]);
            let known: Vec<&str> = COMPONENTS.iter().map(|(name, _)| *name).chain(["examples"]).collect();
            self.rest(frame, (&before, &after), &known, Uses::ALL);
        }
    }

    /// Those that nothing refers to are compared as well.
    fn components(&mut self, roots: &mut Vec<Root<'d>>) {
        for (member, kind) in COMPONENTS {
            let of = |root: &Node<'d>| root.get("components").and_then(|components| components.get(member));
            let (before, after) = (of(&self.before.root), of(&self.after.root));
            let is_there = |(_, node): &(&str, Node<'d>)| !node.value.is_null();
            for (name, former) in before.iter().flat_map(Node::members).filter(is_there) {
                if !self.budget.take(1) {
                    return;
                }
                match after.as_ref().and_then(|after| after.get(name)) {
                    Some(found) => {
                        self.unit(kind, vec![former], vec![found]);
                    }
                    None => roots.push(Root::of_component(kind, &former.place, ChangeKind::Removed)),
                }
            }
            for (name, found) in after.iter().flat_map(Node::members).filter(is_there) {
                if self.budget.take(1) && before.as_ref().is_none_or(|before| before.get(name).is_none()) {
                    roots.push(Root::of_component(kind, &found.place, ChangeKind::Added));
                }
            }
        }
    }

    fn paths(&mut self, roots: &mut Vec<Root<'d>>, member: &'static str, is_webhook: bool) {
        let (before, after) = (self.before.root.get(member), self.after.root.get(member));
        let mut of = |node: &Option<Node<'d>>| -> BTreeMap<&'d str, Node<'d>> {
            let all = node.iter().flat_map(Node::members);
            let all = all.take_while(|(path, _)| self.budget.take(1 + path.len() / 64));
            all.filter(|(_, item)| !item.value.is_null()).collect()
        };
        let (mut before, mut after) = (of(&before), of(&after));
        let mut pairs = Vec::new();
        let both: Vec<&str> = before
            .keys()
            .filter(|path| after.contains_key(*path))
            .copied()
            .collect();
        for path in both {
            if let (Some(former), Some(found)) = (before.remove(path), after.remove(path)) {
                pairs.push((Some((path, former)), Some((path, found))));
            }
        }
        // `/pets/{petId}` and `/pets/{id}` are one address.
        let mut addresses: HashMap<String, Vec<(&str, Node<'d>)>> = HashMap::new();
        for (path, former) in before.into_iter().rev() {
            addresses.entry(without_names(path)).or_default().push((path, former));
        }
        for (path, found) in after {
            let former = addresses.get_mut(&without_names(path)).and_then(Vec::pop);
            pairs.push((former, Some((path, found))));
        }
        pairs.extend(addresses.into_values().flatten().map(|former| (Some(former), None)));
        for (former, found) in pairs {
            if !self.budget.take(1) {
                return;
            }
            self.path(roots, (former, found), is_webhook);
        }
    }

    fn path(
        &mut self,
        roots: &mut Vec<Root<'d>>,
        (before, after): (Option<Named<'d>>, Option<Named<'d>>),
        is_webhook: bool,
    ) {
        let name = before
            .as_ref()
            .or(after.as_ref())
            .map(|(name, _)| *name)
            .unwrap_or_default();
        if name.starts_with("x-") {
            let mut frame = Frame::default();
            let of = |side: Option<(&str, Node<'d>)>| side.map(|(_, node)| node);
            self.unknown_member(&mut frame, name, (of(before), of(after)), Uses::ALL);
            return roots.push(Root::changed(Subject::Document, None, frame));
        }
        let before = before.map(|(path, node)| Item::new(self, true, path, node));
        let after = after.map(|(path, node)| Item::new(self, false, path, node));
        let subject = |path: &str, method| match is_webhook {
            true => Subject::Webhook {
                name: path.to_owned(),
                method,
            },
            false => Subject::Operation {
                path: path.to_owned(),
                method,
            },
        };
        if let (Some(before), Some(after)) = (&before, &after) {
            let mut frame = Frame::default();
            self.item(&mut frame, before, after);
            let former = (before.path != after.path).then(|| before.path.to_owned());
            roots.push(Root::changed(subject(after.path, None), former, frame));
        }
        self.methods(roots, (&before, &after), is_webhook, subject);
    }

    fn methods(
        &mut self,
        roots: &mut Vec<Root<'d>>,
        (before, after): (&Option<Item<'d>>, &Option<Item<'d>>),
        is_webhook: bool,
        subject: impl Fn(&str, Option<&'static str>) -> Subject,
    ) {
        for method in METHODS {
            let of = |item: &Option<Item<'d>>| {
                item.as_ref()
                    .and_then(|item| Some((item.clone(), item.operation(method)?)))
            };
            match (of(before), of(after)) {
                (Some((before, former)), Some((after, found))) => {
                    let mut frame = Frame::default();
                    let old = Place {
                        item: &before,
                        operation: &former,
                    };
                    let new = Place {
                        item: &after,
                        operation: &found,
                    };
                    self.operation(&mut frame, (&old, &new), is_webhook);
                    let former = (before.path != after.path).then(|| before.path.to_owned());
                    roots.push(Root::changed(subject(after.path, Some(method)), former, frame));
                }
                (None, Some((after, _))) => {
                    let subject = subject(after.path, Some(method));
                    roots.push(Root::whole(subject, ChangeKind::Added, Impact::Compatible));
                }
                (Some((before, _)), None) => {
                    let subject = subject(before.path, Some(method));
                    roots.push(Root::whole(subject, ChangeKind::Removed, Impact::Breaking));
                }
                (None, None) => {}
            }
        }
    }
}

/// A path without the names of its parameters, which are no part of requests.
fn without_names(path: &str) -> String {
    let mut text = String::new();
    for (index, part) in path.split('{').enumerate() {
        match (index, part.split_once('}')) {
            (1.., Some((_, rest))) => text.extend(["{}", rest]),
            (0, _) => text.push_str(part),
            _ => text.extend(["{", part]),
        }
    }
    text
}
