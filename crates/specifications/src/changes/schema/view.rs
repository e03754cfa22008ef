//! A schema as those who validate with it see it: the parts of `allOf`, and what references lead to, taken together.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde_json::Value;

use super::super::{
    budget::Budget,
    node::{Document, Node, reference},
};

/// Members that name a schema or hold others, and ask for nothing themselves.
const SKIPPED: [&str; 11] = [
    "$ref",
    "$dynamicRef",
    "allOf",
    "$defs",
    "definitions",
    "$id",
    "$anchor",
    "$dynamicAnchor",
    "$schema",
    "$vocabulary",
    "$comment",
];

/// Members beside a reference that are for people.
const TEXTS: [&str; 3] = ["summary", "description", "$comment"];

/// The types of values. A number is an integer, or it is not.
const TYPES: [&str; 7] = ["array", "boolean", "integer", "null", "number", "object", "string"];

#[derive(Debug, Default)]
pub struct View<'d> {
    /// The members of all parts, by their names.
    pub members: BTreeMap<&'d str, Vec<Node<'d>>>,
    /// A part that accepts nothing.
    pub never: Option<Node<'d>>,
}

/// A schema without meaning of its own beside its reference, as what that leads to.
pub fn simplified<'d>(document: &Document<'d>, budget: &mut Budget, node: Node<'d>) -> Node<'d> {
    let is_plain = |node: &Node<'_>| {
        let members = node.value.as_object();
        members.is_some_and(|members| {
            members
                .keys()
                .all(|name| name == "$ref" || TEXTS.contains(&name.as_str()))
        })
    };
    let mut seen = HashSet::new();
    let mut node = node;
    while is_plain(&node) && seen.insert(node.address()) {
        let Some(text) = reference(node.value) else { break };
        match document.target(budget, text) {
            Some(target) => node = target,
            None => break,
        }
    }
    node
}

/// The references that a schema is made of, with what they lead to. Those within what they lead to are not among them.
pub fn bases<'d>(document: &Document<'d>, budget: &mut Budget, schemas: &[Node<'d>]) -> Vec<(Node<'d>, Node<'d>)> {
    let mut bases = Vec::new();
    let mut open = schemas.to_vec();
    let mut seen = HashSet::new();
    while let Some(node) = open.pop() {
        if !budget.take(1) || !seen.insert(node.address()) {
            continue;
        }
        if let Some(target) = reference(node.value).and_then(|text| document.target(budget, text)) {
            let target = simplified(document, budget, target);
            bases.push((node.clone(), target));
        }
        open.extend(node.get("allOf").into_iter().flat_map(|parts| parts.items()));
    }
    bases
}

impl<'d> View<'d> {
    /// Takes schemas together, without the parts that have these addresses.
    pub fn of(document: &Document<'d>, budget: &mut Budget, schemas: &[Node<'d>], left_out: &HashSet<usize>) -> Self {
        let mut view = Self::default();
        let mut open: Vec<_> = schemas.iter().rev().cloned().collect();
        let mut seen = left_out.clone();
        while let Some(node) = open.pop() {
            if !budget.take(1) {
                break;
            }
            if !seen.insert(node.address()) {
                continue;
            }
            if node.value == &Value::Bool(false) {
                view.never.get_or_insert(node);
                continue;
            }
            view.add(budget, &node);
            if let Some(text) = reference(node.value) {
                match document.target(budget, text) {
                    Some(target) => {
                        let target = simplified(document, budget, target);
                        open.push(target);
                    }
                    None => budget.miss(),
                }
            }
            let parts: Vec<_> = node.get("allOf").into_iter().flat_map(|parts| parts.items()).collect();
            open.extend(parts.into_iter().rev());
        }
        view
    }

    fn add(&mut self, budget: &mut Budget, part: &Node<'d>) {
        for (name, member) in part.members() {
            if !budget.take(1) {
                return;
            }
            // `null` is a value for some, and nothing for all others.
            let is_there = !member.value.is_null() || matches!(name, "const" | "default");
            if is_there && !SKIPPED.contains(&name) {
                self.members.entry(name).or_default().push(member);
            }
        }
    }

    pub fn get(&self, name: &str) -> &[Node<'d>] {
        self.members.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    pub fn first(&self, name: &str) -> Option<&Node<'d>> {
        self.get(name).first()
    }

    pub fn is_true(&self, name: &str) -> bool {
        self.get(name).iter().any(|node| node.value == &Value::Bool(true))
    }

    /// The members of all objects that have this name, by their own names.
    pub fn children(&self, budget: &mut Budget, name: &str) -> BTreeMap<&'d str, Vec<Node<'d>>> {
        let mut children: BTreeMap<&str, Vec<Node<'d>>> = BTreeMap::new();
        for (name, child) in self.get(name).iter().flat_map(Node::members) {
            if !budget.take(1 + name.len() / 64) {
                break;
            }
            if !child.value.is_null() {
                children.entry(name).or_default().push(child);
            }
        }
        children
    }

    /// The texts of all arrays that have this name.
    pub fn names(&self, budget: &mut Budget, name: &str) -> BTreeMap<&'d str, Node<'d>> {
        let items = self.get(name).iter().flat_map(Node::items);
        let items = items.take_while(|_| budget.take(1));
        items.filter_map(|item| Some((item.value.as_str()?, item))).collect()
    }

    /// The types that all parts allow. `None`: all types.
    pub fn types(&self) -> Option<BTreeSet<&'d str>> {
        let mut allowed: Option<BTreeSet<&str>> = None;
        for node in self.get("type") {
            let mut types: BTreeSet<&str> = match node.value {
                Value::String(one) => [one.as_str()].into(),
                _ => node.items().filter_map(|item| item.value.as_str()).collect(),
            };
            if types.contains("number") {
                types.insert("integer");
            }
            allowed = Some(match allowed {
                Some(allowed) => allowed.intersection(&types).copied().collect(),
                None => types,
            });
        }
        allowed.filter(|types| !TYPES.iter().all(|name| types.contains(name)))
    }

    /// The values that all parts allow, as JSON. `None`: all values.
    pub fn values(&self, budget: &mut Budget) -> Option<BTreeMap<String, Node<'d>>> {
        let mut allowed: Option<BTreeMap<String, Node<'d>>> = None;
        let lists = self.get("enum").iter().map(|list| list.items().collect());
        let single = self.get("const").iter().map(|node| vec![node.clone()]);
        for list in lists.chain(single) {
            let list: Vec<Node<'d>> = list;
            let mut values = BTreeMap::new();
            for node in list {
                match json(budget, &node) {
                    Some(json) => values.insert(json, node),
                    None => return allowed,
                };
            }
            allowed = Some(match allowed {
                Some(allowed) => allowed
                    .into_iter()
                    .filter(|(json, _)| values.contains_key(json))
                    .collect(),
                None => values,
            });
        }
        allowed
    }

    /// The values of a keyword as JSON; what is `false` asks for nothing.
    pub fn texts(&self, budget: &mut Budget, name: &str) -> BTreeSet<String> {
        let nodes = self.get(name).iter();
        let nodes = nodes.filter(|node| node.value != &Value::Bool(false));
        nodes.filter_map(|node| json(budget, node)).collect()
    }
}

/// A value as JSON, for which its size counts as work.
pub fn json(budget: &mut Budget, node: &Node<'_>) -> Option<String> {
    let text = node.value.to_string();
    budget.take(1 + text.len() / 16).then_some(text)
}

/// Whether a schema accepts everything.
pub fn is_open(nodes: &[Node<'_>]) -> bool {
    nodes.iter().all(|node| match node.value {
        Value::Bool(accepts) => *accepts,
        Value::Object(members) => members.is_empty(),
        _ => false,
    })
}
