//! `oneOf` and `anyOf` compared.

use std::collections::{HashMap, HashSet};

use super::{
    Keyword, Views,
    view::{View, json, simplified},
};
use crate::changes::{
    ChangeKind::{Added, Removed},
    Rule,
    comparison::Comparison,
    effects::{Effect, Uses},
    frame::{Frame, shown},
    node::{Node, reference},
};

/// One of several schemas of which a value has to follow one.
#[derive(Clone)]
struct Alternative<'d> {
    /// What it is known by: the place that it refers to, or all of it.
    key: String,
    is_reference: bool,
    schemas: Vec<Node<'d>>,
}

impl<'d> Comparison<'d> {
    pub(super) fn alternatives(&mut self, frame: &mut Frame<'d>, views: &Views<'d>, name: &str, uses: Uses) {
        match (views.before.get(name), views.after.get(name)) {
            ([before], [after]) => {
                let before = self.group(before, true);
                let after = self.group(after, false);
                self.groups(frame, (before, after), uses);
            }
            ([_], []) => self.tell_keyword(frame, views, name, (Rule::Alternative, Effect::Widens), uses, || {
                format!("`{name}` was removed.")
            }),
            ([], [_]) => self.tell_keyword(frame, views, name, (Rule::Alternative, Effect::Narrows), uses, || {
                format!("A value has to follow `{name}`.")
            }),
            _ => self.hidden(frame, views, name, uses),
        }
    }

    /// Compares a schema with one that is nothing but alternatives, as if it were the only one. Returns false for others.
    pub fn wrapped(&mut self, frame: &mut Frame<'d>, (before, after): (&[Node<'d>], &[Node<'d>]), uses: Uses) -> bool {
        let old = self.only_alternatives(before, true).map(|list| self.group(&list, true));
        let new = self
            .only_alternatives(after, false)
            .map(|list| self.group(&list, false));
        if let Some(new) = &new
            && let Some(single) = self.single(before, new, old.as_deref())
        {
            self.groups(frame, (vec![single], new.clone()), uses);
            return true;
        }
        if let Some(old) = old
            && let Some(single) = self.single(after, &old, new.as_deref())
        {
            self.groups(frame, (old, vec![single]), uses);
            return true;
        }
        false
    }

    /// A schema as an alternative; known by its place if one of the others refers to it.
    fn single(
        &mut self,
        schemas: &[Node<'d>],
        others: &[Alternative<'d>],
        own: Option<&[Alternative<'d>]>,
    ) -> Option<Alternative<'d>> {
        let [schema] = schemas else { return None };
        let has_alternatives = own.is_some() || schema.get("oneOf").is_some() || schema.get("anyOf").is_some();
        if !self
            .budget
            .take(1 + others.len() + own.map_or(0, <[_]>::len) + schema.place.length() / 16)
        {
            return None;
        }
        let pointer = schema.place.pointer();
        let refers = |list: &[Alternative<'d>]| list.iter().any(|one| one.is_reference && one.key == pointer);
        // A schema that is among its own alternatives has not become one of others.
        let is_known = refers(others) && !own.is_some_and(refers);
        let key = match (is_known, has_alternatives) {
            (true, _) => pointer,
            (false, true) => return None,
            (false, false) => json(&mut self.budget, schema)?,
        };
        Some(Alternative {
            key,
            is_reference: is_known,
            schemas: schemas.to_vec(),
        })
    }

    /// The alternatives of a schema that asks for nothing else.
    fn only_alternatives(&mut self, schemas: &[Node<'d>], is_before: bool) -> Option<Node<'d>> {
        let [schema] = schemas else { return None };
        let has_one = schema.get("oneOf").is_some() != schema.get("anyOf").is_some();
        if !has_one || schema.get("allOf").is_some() || reference(schema.value).is_some() {
            return None;
        }
        let document = if is_before { &self.before } else { &self.after };
        let view = View::of(document, &mut self.budget, schemas, &HashSet::new());
        let asks = |name: &&str| {
            !matches!(
                Keyword::of(name),
                Keyword::Text | Keyword::Alternatives | Keyword::Deprecated
            )
        };
        if view.members.keys().any(asks) {
            return None;
        }
        schema.get("oneOf").or_else(|| schema.get("anyOf"))
    }

    fn group(&mut self, list: &Node<'d>, is_before: bool) -> Vec<Alternative<'d>> {
        let mut group = Vec::new();
        for item in list.items() {
            let document = if is_before { &self.before } else { &self.after };
            let is_reference = reference(item.value).is_some();
            let key = match is_reference {
                true => Some(simplified(document, &mut self.budget, item.clone()).place.pointer()),
                false => json(&mut self.budget, &item),
            };
            let Some(key) = key else { break };
            group.push(Alternative {
                key,
                is_reference,
                schemas: vec![item],
            });
        }
        group
    }

    /// Compares those that are known by the same, then those without names in their order.
    fn groups(
        &mut self,
        frame: &mut Frame<'d>,
        (before, after): (Vec<Alternative<'d>>, Vec<Alternative<'d>>),
        uses: Uses,
    ) {
        let mut known: HashMap<String, Vec<Alternative<'d>>> = HashMap::new();
        let mut order: Vec<String> = Vec::new();
        for alternative in before {
            order.push(alternative.key.clone());
            known.entry(alternative.key.clone()).or_default().push(alternative);
        }
        let mut new = Vec::new();
        for alternative in after {
            match known.get_mut(&alternative.key).and_then(Vec::pop) {
                Some(former) => self.schemas(frame, former.schemas, alternative.schemas, uses),
                None => new.push(alternative),
            }
        }
        let mut old = Vec::new();
        for key in order {
            old.extend(known.get_mut(&key).and_then(Vec::pop));
        }
        let inline = |list: &[Alternative<'_>]| list.iter().filter(|one| !one.is_reference).count();
        if inline(&old) == inline(&new) {
            let (one, rest): (Vec<_>, Vec<_>) = old.into_iter().partition(|one| !one.is_reference);
            let (other, more): (Vec<_>, Vec<_>) = new.into_iter().partition(|one| !one.is_reference);
            for (former, found) in one.into_iter().zip(other) {
                self.schemas(frame, former.schemas, found.schemas, uses);
            }
            (old, new) = (rest, more);
        }
        self.unmatched(frame, (old, new), uses);
    }

    fn unmatched(
        &mut self,
        frame: &mut Frame<'d>,
        (old, new): (Vec<Alternative<'d>>, Vec<Alternative<'d>>),
        uses: Uses,
    ) {
        for gone in &old {
            let Some(node) = gone.schemas.first() else { continue };
            self.tell_schema(frame, (Rule::Alternative, Removed, Effect::Narrows), node, uses, || {
                format!("The alternative {} was removed.", shown(&gone.key))
            });
        }
        for added in &new {
            let Some(node) = added.schemas.first() else { continue };
            self.tell_schema(frame, (Rule::Alternative, Added, Effect::Widens), node, uses, || {
                format!("There is another alternative, {}.", shown(&added.key))
            });
        }
    }
}
