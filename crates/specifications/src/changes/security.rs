//! What callers have to prove of themselves.

use std::collections::BTreeSet;

use super::{
    Rule,
    comparison::{Comparison, UnitKind},
    effects::{Effect, Uses},
    frame::Frame,
    node::{Document, Node},
};

/// The ways in, each as the schemes with their scopes that it asks for together. No way: anybody.
#[derive(PartialEq, Eq)]
struct Security<'d> {
    ways: BTreeSet<BTreeSet<(&'d str, &'d str)>>,
}

impl<'d> Security<'d> {
    fn is_open(&self) -> bool {
        self.ways.is_empty() || self.ways.iter().any(BTreeSet::is_empty)
    }

    /// Returns whether everybody who got in still does.
    fn admits(&self, former: &Self) -> bool {
        let admitted = |way: &BTreeSet<_>| self.ways.iter().any(|now| now.is_subset(way));
        self.is_open() || (!former.is_open() && former.ways.iter().all(admitted))
    }

    fn weight(&self) -> usize {
        self.ways.iter().map(|way| 1 + way.len()).sum()
    }

    fn schemes(&self) -> BTreeSet<&'d str> {
        self.ways.iter().flatten().map(|(scheme, _)| *scheme).collect()
    }
}

impl<'d> Comparison<'d> {
    /// Compares what operations ask for; otherwise the whole document does.
    pub fn security(&mut self, frame: &mut Frame<'d>, before: &Node<'d>, after: &Node<'d>) {
        let stated = |document: &Document<'d>, operation: &Node<'d>| {
            let own = operation.get("security");
            own.or_else(|| document.root.get("security"))
        };
        let (former, found) = (stated(&self.before, before), stated(&self.after, after));
        let (old, new) = (self.ways(former.as_ref()), self.ways(found.as_ref()));
        if !self.budget.take(1 + old.ways.len() * new.weight()) {
            return;
        }
        if old != new {
            let effect = match new.admits(&old) {
                true => Effect::None,
                false => Effect::Narrows,
            };
            self.one_or_other(frame, (former, found), (Rule::Security, effect), Uses::REQUESTS, || {
                "Callers prove something else of themselves.".to_owned()
            });
        }
        for name in new.schemes() {
            let scheme = |document: &Document<'d>| {
                let schemes = document.root.get("components")?.get("securitySchemes");
                schemes?.get(name)
            };
            if let (Some(former), Some(found)) = (scheme(&self.before), scheme(&self.after)) {
                let place = found.place.clone();
                let former = self.before.resolve(&mut self.budget, former);
                let found = self.after.resolve(&mut self.budget, found);
                if let (Some(former), Some(found)) = (former, found) {
                    let pair = (vec![former], vec![found]);
                    self.refer(frame, UnitKind::SecurityScheme, pair, (&place, Uses::REQUESTS));
                }
            }
        }
    }

    fn ways(&mut self, stated: Option<&Node<'d>>) -> Security<'d> {
        let mut ways = BTreeSet::new();
        for requirement in stated.into_iter().flat_map(Node::items) {
            let mut way = BTreeSet::new();
            for (scheme, scopes) in requirement.members() {
                if !self.budget.take(1) {
                    break;
                }
                way.insert((scheme, ""));
                let scopes = scopes.items().filter_map(|scope| scope.value.as_str());
                way.extend(scopes.take_while(|_| self.budget.take(1)).map(|scope| (scheme, scope)));
            }
            if !self.budget.take(1) {
                break;
            }
            ways.insert(way);
        }
        Security { ways }
    }

    pub fn security_scheme(&mut self, frame: &mut Frame<'d>, before: &Node<'d>, after: &Node<'d>, uses: Uses) {
        const PROOF: [&str; 4] = ["type", "name", "in", "scheme"];
        self.texts(frame, before, after, &["description", "bearerFormat"]);
        for name in PROOF {
            let (former, found) = (before.get(name), after.get(name));
            if former.as_ref().map(|node| node.value) != found.as_ref().map(|node| node.value) {
                self.one_or_other(frame, (former, found), (Rule::Security, Effect::Differs), uses, || {
                    format!("`{name}` is another one.")
                });
            }
        }
        let known = ["description", "bearerFormat", "type", "name", "in", "scheme"];
        self.rest(frame, (before, after), &known, uses);
    }
}
