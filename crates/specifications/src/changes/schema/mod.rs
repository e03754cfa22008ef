//! Schemas compared.

mod alternatives;
mod children;
mod own;
mod view;

use std::collections::{BTreeSet, HashMap, HashSet};

use self::view::{View, bases, simplified};
use super::{
    ChangeKind, Rule,
    comparison::{Comparison, UnitKind},
    effects::{Effect, Uses},
    frame::Frame,
    node::{Node, reference},
};

/// What becomes of a keyword.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keyword {
    Text,
    Deprecated,
    Default,
    Type,
    /// `enum` and `const`.
    Values,
    /// More is allowed the larger it is.
    Upper,
    Lower,
    /// Values that do not have it are refused.
    Exact,
    Required,
    Properties,
    /// Schemas by names, each of which asks for more.
    Conditions,
    DependentRequired,
    /// A schema that asks for more.
    Condition,
    Tuple,
    Alternatives,
    /// Schemas whose changes may mean anything.
    Hidden,
    /// `readOnly` and `writeOnly`.
    Direction,
    Unknown,
}

impl Keyword {
    fn of(name: &str) -> Self {
        match name {
            "title" | "summary" | "description" | "examples" | "example" | "externalDocs" => Self::Text,
            "deprecated" => Self::Deprecated,
            "default" => Self::Default,
            "type" => Self::Type,
            "enum" | "const" => Self::Values,
            "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties" | "maxContains" => Self::Upper,
            "minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties" => Self::Lower,
            "pattern" | "format" | "multipleOf" | "uniqueItems" | "contentEncoding" | "contentMediaType" => Self::Exact,
            "required" => Self::Required,
            "properties" => Self::Properties,
            "patternProperties" | "dependentSchemas" => Self::Conditions,
            "dependentRequired" => Self::DependentRequired,
            "additionalProperties"
            | "unevaluatedProperties"
            | "items"
            | "additionalItems"
            | "unevaluatedItems"
            | "propertyNames"
            | "contains"
            | "contentSchema" => Self::Condition,
            "prefixItems" => Self::Tuple,
            "oneOf" | "anyOf" => Self::Alternatives,
            "not" | "if" | "then" | "else" | "dependencies" => Self::Hidden,
            "readOnly" | "writeOnly" => Self::Direction,
            _ => Self::Unknown,
        }
    }
}

/// A schema before and after. Where it has been simplified, several schemas hold together.
struct Views<'d> {
    before: View<'d>,
    after: View<'d>,
}

impl<'d> Views<'d> {
    fn names(&self) -> BTreeSet<&'d str> {
        let all = self.before.members.keys().chain(self.after.members.keys());
        all.copied().collect()
    }
}

impl<'d> Comparison<'d> {
    /// Compares schemas, at once or later if a reference led to them.
    pub fn schemas(&mut self, frame: &mut Frame<'d>, before: Vec<Node<'d>>, after: Vec<Node<'d>>, uses: Uses) {
        if let ([one], [other]) = (before.as_slice(), after.as_slice())
            && reference(one.value).is_some()
            && reference(other.value).is_some()
        {
            // Those of other schemas are compared with all their members.
            self.texts(frame, one, other, &["summary", "description"]);
        }
        let place = after.first().map(|node| node.place.clone()).unwrap_or_default();
        let before = Self::distinct(before, |node| simplified(&self.before, &mut self.budget, node));
        let after = Self::distinct(after, |node| simplified(&self.after, &mut self.budget, node));
        let is_referred = before.iter().chain(&after).any(|node| node.is_referred);
        match is_referred {
            true => self.refer(frame, UnitKind::Schema, (before, after), (&place, uses)),
            false => self.schema_pair(frame, before, after, uses),
        }
    }

    fn distinct(nodes: Vec<Node<'d>>, mut simplified: impl FnMut(Node<'d>) -> Node<'d>) -> Vec<Node<'d>> {
        let mut seen = HashSet::new();
        let nodes = nodes.into_iter().map(&mut simplified);
        nodes.filter(|node| seen.insert(node.address())).collect()
    }

    /// Compares schemas here.
    pub fn schema_pair(&mut self, frame: &mut Frame<'d>, before: Vec<Node<'d>>, after: Vec<Node<'d>>, uses: Uses) {
        if !self.budget.take(before.len() + after.len()) || self.wrapped(frame, (&before, &after), uses) {
            return;
        }
        let former = bases(&self.before, &mut self.budget, &before);
        let former: HashMap<String, Node<'d>> = former
            .into_iter()
            .map(|(_, base)| (base.place.pointer(), base))
            .collect();
        let found = bases(&self.after, &mut self.budget, &after);
        // A schema that is made of itself is not left out.
        let own: HashSet<usize> = before.iter().chain(&after).map(Node::address).collect();
        let is_other = |node: &Node<'d>| !own.contains(&node.address());
        let common = found.into_iter().filter_map(|(place, base)| {
            let former = former.get(&base.place.pointer()).filter(|former| is_other(former))?;
            is_other(&base).then(|| (place, former.clone(), base))
        });
        let common: Vec<_> = common.collect();
        let before_bases = common.iter().map(|(_, former, _)| former.address()).collect();
        let after_bases = common.iter().map(|(_, _, base)| base.address()).collect();
        let mut views = self.views((&before, &after), (&before_bases, &after_bases));
        let mut own = Frame::default();
        self.own(&mut own, &views, uses);
        if common.is_empty() || (own.count == 0 && !views.differ_in_alternatives()) {
            for (place, former, target) in common {
                let pair = (vec![former], vec![target]);
                self.refer(frame, UnitKind::Schema, pair, (&place.place, uses));
            }
        } else {
            // What went from a part to a schema that it refers to, or back, has not changed.
            views = self.views((&before, &after), (&HashSet::new(), &HashSet::new()));
            own = Frame::default();
            self.own(&mut own, &views, uses);
        }
        frame.absorb(own);
        self.children(frame, &views, uses);
    }

    fn views(
        &mut self,
        (before, after): (&[Node<'d>], &[Node<'d>]),
        (before_left_out, after_left_out): (&HashSet<usize>, &HashSet<usize>),
    ) -> Views<'d> {
        Views {
            before: View::of(&self.before, &mut self.budget, before, before_left_out),
            after: View::of(&self.after, &mut self.budget, after, after_left_out),
        }
    }

    /// Notes a change of a keyword at its first place.
    fn tell_keyword(
        &mut self,
        frame: &mut Frame<'d>,
        views: &Views<'d>,
        name: &str,
        verdict: (Rule, Effect),
        uses: Uses,
        message: impl FnOnce() -> String,
    ) {
        let nodes = (views.before.first(name).cloned(), views.after.first(name).cloned());
        self.one_or_other(frame, nodes, verdict, uses, message);
    }

    fn tell_schema(
        &mut self,
        frame: &mut Frame<'d>,
        (rule, kind, effect): (Rule, ChangeKind, Effect),
        node: &Node<'d>,
        uses: Uses,
        message: impl FnOnce() -> String,
    ) {
        self.tell(frame, (rule, kind, effect), (&node.place, uses), message);
    }
}

impl Views<'_> {
    fn differ_in_alternatives(&self) -> bool {
        let counts = |view: &View<'_>| ["oneOf", "anyOf"].map(|name| view.get(name).len());
        counts(&self.before) != counts(&self.after)
    }
}
