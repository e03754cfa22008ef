//! The state of a comparison: both documents, and the pairs of their parts that references connect.
//!
//! A pair is compared once, whoever refers to it. So circles end, and what is used often costs no more.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use super::{
    ChangeKind, Rule,
    budget::{self, Budget},
    effects::{Effect, Uses},
    frame::{Edge, Finding, Frame, TextBudget},
    node::{Document, Node, Place, reference},
};

/// What a pair of values is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum UnitKind {
    Schema,
    Parameter,
    Header,
    RequestBody,
    Response,
    /// `is_turned`: the clients receive its requests.
    Callback {
        is_turned: bool,
    },
    /// Likewise.
    PathItem {
        is_turned: bool,
    },
    SecurityScheme,
    Other,
}

/// A pair of values that something refers to. Several values hold together.
pub struct Unit<'d> {
    pub kind: UnitKind,
    pub before: Vec<Node<'d>>,
    pub after: Vec<Node<'d>>,
    pub frame: Frame<'d>,
}

type Key = (UnitKind, Vec<usize>, Vec<usize>);

pub struct Comparison<'d> {
    pub before: Document<'d>,
    pub after: Document<'d>,
    pub budget: Budget,
    pub units: Vec<Unit<'d>>,
    pub text: TextBudget,
    known: HashMap<Key, usize>,
    /// How many of the units were compared.
    compared: usize,
}

/// The kind of a change, and what it does.
pub type Verdict = (Rule, ChangeKind, Effect);

impl<'d> Comparison<'d> {
    pub fn new(before: &'d Value, after: &'d Value) -> Self {
        let (before, after) = (Document::new(before), Document::new(after));
        let budget = Budget::for_weight(before.weight.saturating_add(after.weight));
        Self {
            before,
            after,
            budget,
            units: Vec::new(),
            text: TextBudget::default(),
            known: HashMap::new(),
            compared: 0,
        }
    }

    /// Notes a change. What is found without the means to read all of it may be wrong.
    pub fn tell(
        &mut self,
        frame: &mut Frame<'d>,
        (rule, kind, effect): Verdict,
        (place, uses): (&Place<'d>, Uses),
        message: impl FnOnce() -> String,
    ) {
        if !self.budget.take(1) {
            return;
        }
        let finding = Finding {
            rule,
            kind,
            effect,
            place,
            uses,
        };
        frame.tell(&mut self.text, &finding, message);
    }

    /// Notes that a part refers to a pair, which is compared later.
    pub fn refer(
        &mut self,
        frame: &mut Frame<'d>,
        kind: UnitKind,
        (before, after): (Vec<Node<'d>>, Vec<Node<'d>>),
        (place, uses): (&Place<'d>, Uses),
    ) {
        if !self.budget.take(1 + before.len() + after.len()) {
            return;
        }
        let unit = self.unit(kind, before, after);
        frame.edges.push(Edge {
            unit,
            uses,
            place: place.clone(),
        });
    }

    /// The number of a pair, which is compared later.
    pub fn unit(&mut self, kind: UnitKind, before: Vec<Node<'d>>, after: Vec<Node<'d>>) -> usize {
        let addresses = |nodes: &[Node<'_>]| nodes.iter().map(Node::address).collect();
        let key = (kind, addresses(&before), addresses(&after));
        let units = &mut self.units;
        *self.known.entry(key).or_insert_with(|| {
            units.push(Unit {
                kind,
                before,
                after,
                frame: Frame::default(),
            });
            units.len() - 1
        })
    }

    /// Compares all pairs that something refers to.
    pub fn compare_units(&mut self) {
        while let Some(unit) = self.units.get(self.compared) {
            if !self.budget.take(1) {
                return;
            }
            let own = |nodes: &[Node<'d>]| -> Vec<Node<'d>> {
                let own = nodes.iter().cloned();
                own.map(|node| Node {
                    is_referred: false,
                    ..node
                })
                .collect()
            };
            let (kind, before, after) = (unit.kind, own(&unit.before), own(&unit.after));
            let mut frame = Frame::default();
            self.compare_unit(&mut frame, kind, (before, after));
            if let Some(unit) = self.units.get_mut(self.compared) {
                unit.frame = frame;
            }
            self.compared += 1;
        }
    }

    fn compare_unit(&mut self, frame: &mut Frame<'d>, kind: UnitKind, (before, after): (Vec<Node<'d>>, Vec<Node<'d>>)) {
        if kind == UnitKind::Schema {
            return self.schema_pair(frame, before, after, Uses::ALL);
        }
        let (Some(before), Some(after)) = (before.into_iter().next(), after.into_iter().next()) else {
            return;
        };
        self.compare_value(frame, kind, (before, after), Uses::ALL);
    }

    fn compare_value(
        &mut self,
        frame: &mut Frame<'d>,
        kind: UnitKind,
        (before, after): (Node<'d>, Node<'d>),
        uses: Uses,
    ) {
        match kind {
            UnitKind::Schema => self.schemas(frame, vec![before], vec![after], uses),
            UnitKind::Parameter => self.parameter(frame, &before, &after, uses),
            UnitKind::Header => self.header(frame, &before, &after, uses),
            UnitKind::RequestBody => self.request_body(frame, &before, &after, uses),
            UnitKind::Response => self.response(frame, &before, &after, uses),
            UnitKind::Callback { is_turned } => self.callback(frame, &before, &after, is_turned),
            UnitKind::PathItem { is_turned } => self.callback_item(frame, &before, &after, is_turned),
            UnitKind::SecurityScheme => self.security_scheme(frame, &before, &after, uses),
            UnitKind::Other => self.other(frame, &before, &after, uses),
        }
    }

    /// Compares two values, or what they refer to.
    pub fn pair(&mut self, frame: &mut Frame<'d>, kind: UnitKind, (before, after): (Node<'d>, Node<'d>), uses: Uses) {
        if reference(before.value).is_none() && reference(after.value).is_none() {
            return self.compare_value(frame, kind, (before, after), uses);
        }
        let place = after.place.clone();
        let same = reference(before.value) == reference(after.value);
        let former = self.before.resolve(&mut self.budget, before);
        let found = self.after.resolve(&mut self.budget, after);
        match (former, found) {
            (Some(former), Some(found)) => self.refer(frame, kind, (vec![former], vec![found]), (&place, uses)),
            (None, None) if same => {}
            _ => {
                let verdict = (Rule::Reference, ChangeKind::Changed, Effect::Unknown);
                self.tell(frame, verdict, (&place, uses), || {
                    "The reference is another one, and leads to nothing.".to_owned()
                });
            }
        }
    }

    /// Compares values that nobody understands.
    fn other(&mut self, frame: &mut Frame<'d>, before: &Node<'d>, after: &Node<'d>, uses: Uses) {
        if self.differ(frame, (before, after), Some(UnitKind::Other), uses) {
            let verdict = (Rule::Other, ChangeKind::Changed, Effect::Unknown);
            self.tell(frame, verdict, (&after.place, uses), || {
                "The value is another one.".to_owned()
            });
        }
    }

    /// Returns whether two values differ. What they refer to is noted if its kind is known.
    pub fn differ(
        &mut self,
        frame: &mut Frame<'d>,
        (before, after): (&Node<'d>, &Node<'d>),
        kind: Option<UnitKind>,
        uses: Uses,
    ) -> bool {
        if !self.budget.take(budget::of_value(before.value)) {
            return false;
        }
        match (before.value, after.value) {
            (Value::Object(one), Value::Object(other)) => {
                let is_reference = kind.is_some_and(|kind| self.differ_in_targets(frame, (before, after), kind, uses));
                let compared = |name: &str| !(is_reference && matches!(name, "$ref" | "$dynamicRef"));
                if one.len() != other.len() {
                    return true;
                }
                before
                    .members()
                    .filter(|(name, _)| compared(name))
                    .any(|(name, member)| {
                        let found = after.member(name);
                        found.is_none_or(|found| self.differ(frame, (&member, &found), kind, uses))
                    })
            }
            (Value::Array(one), Value::Array(other)) => {
                one.len() != other.len()
                    || before
                        .items()
                        .zip(after.items())
                        .any(|(one, other)| self.differ(frame, (&one, &other), kind, uses))
            }
            (one, other) => one != other,
        }
    }

    /// Returns whether both values refer to something, which is compared apart.
    fn differ_in_targets(
        &mut self,
        frame: &mut Frame<'d>,
        (before, after): (&Node<'d>, &Node<'d>),
        kind: UnitKind,
        uses: Uses,
    ) -> bool {
        let (Some(former), Some(text)) = (reference(before.value), reference(after.value)) else {
            return false;
        };
        let former = self.before.target(&mut self.budget, former);
        let target = self.after.target(&mut self.budget, text);
        match (former, target) {
            (Some(former), Some(target)) => {
                let pair = (vec![former], vec![target]);
                self.refer(frame, kind, pair, (&after.place, uses.hidden()));
                true
            }
            (None, None) => {
                self.budget.miss();
                false
            }
            _ => false,
        }
    }

    /// Compares the members of two objects that are texts for people.
    pub fn texts(&mut self, frame: &mut Frame<'d>, before: &Node<'d>, after: &Node<'d>, names: &[&'static str]) {
        for name in names {
            let (former, found) = (before.get(name), after.get(name));
            let differ = match (&former, &found) {
                (Some(former), Some(found)) => self.differ(frame, (former, found), None, Uses::ALL),
                (former, found) => former.is_some() != found.is_some(),
            };
            if differ {
                let what = || format!("`{name}` is another one.");
                self.one_or_other(
                    frame,
                    (former, found),
                    (Rule::Documentation, Effect::None),
                    Uses::ALL,
                    what,
                );
            }
        }
    }

    /// Compares the members of two objects that have no meaning here.
    pub fn rest(&mut self, frame: &mut Frame<'d>, (before, after): (&Node<'d>, &Node<'d>), known: &[&str], uses: Uses) {
        let names = before.members().chain(after.members()).map(|(name, _)| name);
        let names: BTreeSet<&str> = names.filter(|name| !known.contains(name)).collect();
        for name in names {
            if !self.budget.take(1) {
                return;
            }
            self.unknown_member(frame, name, (before.get(name), after.get(name)), uses);
        }
    }

    pub fn unknown_member(
        &mut self,
        frame: &mut Frame<'d>,
        name: &str,
        (before, after): (Option<Node<'d>>, Option<Node<'d>>),
        uses: Uses,
    ) {
        let differ = match (&before, &after) {
            (Some(before), Some(after)) => self.differ(frame, (before, after), Some(UnitKind::Other), uses),
            (before, after) => before.is_some() != after.is_some(),
        };
        if differ {
            let what = || format!("{} is another one.", super::frame::shown(name));
            self.one_or_other(frame, (before, after), (Rule::Other, Effect::Unknown), uses, what);
        }
    }

    /// Notes that something is there that was not, is not there any more, or changed.
    pub fn one_or_other(
        &mut self,
        frame: &mut Frame<'d>,
        (before, after): (Option<Node<'d>>, Option<Node<'d>>),
        (rule, effect): (Rule, Effect),
        uses: Uses,
        message: impl FnOnce() -> String,
    ) {
        let (kind, node) = match (before, after) {
            (Some(_), Some(after)) => (ChangeKind::Changed, after),
            (None, Some(after)) => (ChangeKind::Added, after),
            (Some(before), None) => (ChangeKind::Removed, before),
            (None, None) => return,
        };
        self.tell(frame, (rule, kind, effect), (&node.place, uses), message);
    }
}
